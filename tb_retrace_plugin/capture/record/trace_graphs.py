"""The graph of a trace: what its record says of it, and what tells it from other traces' graphs."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from tb_retrace_plugin.capture import tf_seam
from tb_retrace_plugin.capture.failure import problem_text
from tb_retrace_plugin.capture.record.called_python import key_of
from tb_retrace_plugin.capture.record.graph_writer import GraphWriter, Literals, StoredGraph
from tb_retrace_plugin.capture.values.clean_text import clean
from tb_retrace_plugin.capture.values.identity import value_identity
from tb_retrace_plugin.capture.values.shown import Values
from tb_retrace_plugin.capture.watch.observation import Observation
from tb_retrace_plugin.explain.differences.closure import ClosedOver
from tb_retrace_plugin.explain.differences.number_holders import is_an_object, may_hold_numbers, may_hold_variables
from tb_retrace_plugin.explain.differences.value_texts import is_close
from tb_retrace_plugin.explain.what_if.candidate import is_number, is_string
from tb_retrace_plugin.graphs.attribute_hash import AttributeHash
from tb_retrace_plugin.graphs.passed_numbers import PassedNumbers
from tb_retrace_plugin.schema import retrace_pb2 as pb
from tb_retrace_plugin.schema.signature import METADATA, Signature, iter_leaves

_OF_PYTHON = frozenset({"literal", "object"})


def _is_not_known(key: str) -> bool:
    return False


class TraceGraph(NamedTuple):
    """Equal keys: equal graphs with equal captures that return the same. `without_text`: but for strings passed, or
    names; `without_numbers`: but for constants that are numbers; `without_sizes`: but for sizes of what they take;
    `passed`: the numbers that were passed; `passed_but_text`: those of the graph as `without_text` has it.
    `variables`: dtypes and shapes of those that it captures, where objects are passed or closed over that may have
    them. `nested_nodes`: of the functions that it calls. `is_but_for_names`: asked right then, whether it is the code's
    graph before, of that key, but for names of operations.

    "" and None: not known.
    """

    key: str = ""
    attributes: AttributeHash | None = None
    without_text: str = ""
    without_numbers: str = ""
    without_sizes: str = ""
    passed: PassedNumbers | None = None
    passed_but_text: PassedNumbers | None = None
    variables: str = ""
    nested_nodes: int = 0
    is_but_for_names: Callable[[str], bool] = _is_not_known


_NOT_KNOWN = TraceGraph()


def _passed_as(values: Mapping[str, str], value: object, dtype: str) -> frozenset[str]:
    """Paths of the numbers, by their texts, that a constant holds."""
    return frozenset([path for path, text in values.items() if is_close(value, text, dtype)])


def _own_name(function: pb.Function) -> str:
    """Of its `def`, where it was given another name: graphs of several such are the same."""
    own = function.qualname.rpartition(".")[2]
    return own if own.isidentifier() and own not in ("__call__", function.name) else ""


class TraceGraphs:
    """Of one session. `captured_key` is the signature reader's; `identity_of` is of Python functions; the others are as
    `Describer` has them."""

    def __init__(
        self,
        graph_writer: GraphWriter,
        count_loss: Callable[[str], None],
        lose: Callable[[str, str, Exception], None],
        values: Values,
        captured_key: Callable[..., str],
        identity_of: Callable[[Any], int],
    ) -> None:
        self._graph_writer = graph_writer
        self._count_loss = count_loss
        self._lose = lose
        self._values = values
        self._captured_key = captured_key
        self._identity_of = identity_of

    def store(
        self, record: pb.Trace, o: Observation, graph: list[tf_seam.TracedFunctionGraph] | None, signature: Signature,
        closure: Sequence[ClosedOver], held: Mapping[str, str], *, needed: bool, trace_omitted: bool,
    ) -> TraceGraph:  # fmt: skip
        """Writes the graph, and into the record what it is. `needed`, `trace_omitted`: as `GraphWriter` has them.

        `held`: numbers that are read of objects that were passed, by name, as texts.

        `graph`: what it was when it was traced; None: what it is.
        """
        if o.result is None:
            return TraceGraph()
        try:
            if graph is None:
                graph = tf_seam.traced_graph(o.result)
            record.nodes = graph[0].nodes
            stored = self._graph_writer.store(
                o.result,
                graph,
                o.key,
                needed=needed or (self._values.hides and not trace_omitted),  # it is in no record: the hash is all
                trace_omitted=trace_omitted or self._values.hides,
                literals=functools.partial(self._literals, signature, closure, held),
                own_name=_own_name(record.function),
            )
        except Exception as error:
            record.graph_omitted = clean(f"storing a graph failed ({problem_text(error)})", 300)
            self._lose("graphs_not_stored", "storing a graph failed", error)
            return TraceGraph()
        if self._values.hides:  # constants in a graph are values; the hash alone is used, and not recorded
            record.graph_omitted = 'recorded with values="none": constants of a graph are values'
            return self._told(stored, o, signature, closure, graph)
        if stored.omitted:
            record.graph_omitted = stored.omitted
            if stored.over_budget:
                self._count_loss("graphs_over_budget")
            return _NOT_KNOWN
        record.graph_bytes, record.graph_sha256 = stored.raw_bytes, stored.sha256
        record.graph_content = stored.content
        record.graph_attributes_dropped = stored.attributes_dropped
        if stored.is_collective:
            record.collective_tasks = tf_seam.collective_tasks()
        return self._told(stored, o, signature, closure, graph)

    def _told(
        self, graph: StoredGraph, o: Observation, signature: Signature, closure: Sequence[ClosedOver],
        traced: Sequence[tf_seam.TracedFunctionGraph],
    ) -> TraceGraph:  # fmt: skip
        concrete_function = o.result
        called = key_of(graph.calls_python, self._identity_of) if graph.calls_python else ""
        if graph.omitted or called is None:
            return TraceGraph(attributes=graph.attributes)
        captured = self._captured_key(
            tf_seam.captured_tensors(concrete_function),
            by_name=o.is_within_a_dataset,
            by_numbers=o.traced.structured is not None and o.function.library,  # of which `tf.data` made tensors itself
        )
        rest = f":{captured}:{tf_seam.output_structure(concrete_function)}{called}"
        without_text = graph.without_text and f"{graph.without_text}{rest}"
        without_numbers = graph.without_numbers and f"{graph.without_numbers}{rest}"
        without_sizes = graph.without_sizes and f"{graph.without_sizes}{rest}"
        passed = graph.passed and (graph.passed[0] + rest.encode(), graph.passed[1])
        passed_but_text = graph.passed_but_text and (
            graph.passed_but_text[0] + rest.encode(),
            graph.passed_but_text[1],
        )
        key = graph.sha256 + rest
        may_hold = any(node.kind == "object" for _, node in signature.arguments)
        may_hold = may_hold or any(map(may_hold_variables, closure))
        may_hold = may_hold or tf_seam.holds_tensors(o.traced.python)  # `tf.function(model)`
        # one at module level, that reads a model there
        may_hold = may_hold or (bool(captured) and all(value.is_global for value in closure))
        variables = tf_seam.variables_captured(concrete_function) if may_hold else ""
        return TraceGraph(
            key, graph.attributes, without_text, without_numbers, without_sizes, passed, passed_but_text, variables,
            sum(one.nodes for one in traced[1:]), functools.partial(self._is_but_for_names, rest),
        )  # fmt: skip

    def _is_but_for_names(self, rest: str, key: str) -> bool:
        return key.endswith(rest) and self._graph_writer.is_but_for_names(key.removesuffix(rest))

    def _literals(self, signature: Signature, closure: Sequence[ClosedOver], held: Mapping[str, str]) -> Literals:
        """Of arguments; of what is closed over, numbers."""
        numbers = objects = ranges = are_objects = False
        others = own = any(name.startswith("self.") for name in held)
        texts: set[int] = set()
        values = dict(held)
        for argument, node in signature.arguments:
            for path, leaf in iter_leaves(argument, node) if node.children else ((argument, node),):
                if leaf.kind in _OF_PYTHON:
                    if is_number(leaf):
                        numbers, values[path] = True, leaf.value
                    others |= is_string(leaf) or (leaf.kind == "object" and path != "self")
                    objects |= may_hold_numbers(path, leaf)
                    are_objects |= leaf.kind == "object"
                    ranges |= leaf.type_name == "range"
                    if is_string(leaf):
                        texts.add(leaf.identity)
                elif path.endswith(METADATA):  # which may be numbers
                    objects = True
        for value in closure:
            numbers |= value.is_number
            objects |= is_an_object(value) or any(one.is_number for one in value.inside)
        is_text = functools.partial(self._is_text, texts) if texts else None
        passed_as = functools.partial(_passed_as, values) if values and others else None
        models = any(map(may_hold_variables, closure))
        return Literals(numbers, is_text, objects, ranges, are_objects, passed_as, own, models)

    def _is_text(self, texts: set[int], value: bytes) -> bool:
        """Whether a string of a graph, in which all are bytes, is one of `texts`."""
        read = (value, value.decode("utf-8", "surrogateescape"))
        return any(self._values.identity(value_identity(text)) in texts for text in read)
