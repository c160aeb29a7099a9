"""A trace that is over as a record: what it was looked up with, why no earlier one served, what it cost, its graph."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

from tb_retrace_plugin.capture import tf_seam
from tb_retrace_plugin.capture.code.function_place import (
    is_made_by_each_compile,
    is_variable_initializer,
    values_by_default,
)
from tb_retrace_plugin.capture.code.other_calls import other_calls
from tb_retrace_plugin.capture.code.unconverted import unconverted
from tb_retrace_plugin.capture.code.uses_in_layers import uses_in_layers
from tb_retrace_plugin.capture.code.uses_of_held import uses_of_held
from tb_retrace_plugin.capture.failure import problem_text
from tb_retrace_plugin.capture.python_state.closure import ClosureReader
from tb_retrace_plugin.capture.python_state.compiled_model import compiled_model
from tb_retrace_plugin.capture.python_state.drawn import drawn_by
from tb_retrace_plugin.capture.python_state.passed_functions import PassedFunctions
from tb_retrace_plugin.capture.python_state.recursion import passed_to_what_calls_itself
from tb_retrace_plugin.capture.python_state.variables_made import owners_of
from tb_retrace_plugin.capture.python_state.what_it_holds import Holdings
from tb_retrace_plugin.capture.record.facts_of_traces import FactsOfTraces, ReadOtherwise
from tb_retrace_plugin.capture.record.for_the_outer import chosen_for_the_outer, decided_for_the_outer
from tb_retrace_plugin.capture.record.graph_writer import GraphWriter
from tb_retrace_plugin.capture.record.new_objects import dataset_of
from tb_retrace_plugin.capture.record.numbers_in_graph import numbers_as_texts
from tb_retrace_plugin.capture.record.other_captures import other_nodes
from tb_retrace_plugin.capture.record.passed_variables import PassedVariables
from tb_retrace_plugin.capture.record.read_trace import Code, ReadTrace
from tb_retrace_plugin.capture.record.signatures import SignatureReader
from tb_retrace_plugin.capture.record.trace_graphs import TraceGraph, TraceGraphs
from tb_retrace_plugin.capture.values.clean_text import clean
from tb_retrace_plugin.capture.values.shown import Values
from tb_retrace_plugin.capture.watch.observation import Observation
from tb_retrace_plugin.explain.differences.change import Change
from tb_retrace_plugin.explain.earlier_traces.compiled import Compiled
from tb_retrace_plugin.explain.earlier_traces.history import MAX_ENTRIES, Entry, has_unknown_dimension
from tb_retrace_plugin.explain.earlier_traces.kind import (
    classify,
    nearer_by_closure,
    of_its_dataset,
    of_the_same_closure,
    twin,
    twin_but_numbers,
    twin_but_sizes,
)
from tb_retrace_plugin.explain.verdict.asked_for import asked_for_by_dtype
from tb_retrace_plugin.explain.verdict.earlier_trace import judge_by_an_earlier, judge_by_the_same_closure
from tb_retrace_plugin.explain.verdict.evidence import (
    says_each_value_needs_a_graph,
)
from tb_retrace_plugin.explain.verdict.facts import Facts
from tb_retrace_plugin.explain.verdict.judge import judge, needs_the_graph
from tb_retrace_plugin.explain.verdict.library_calls import left_to_a_library
from tb_retrace_plugin.explain.verdict.random_generators import told_of_drawn, told_of_generators
from tb_retrace_plugin.schema import retrace_pb2 as pb
from tb_retrace_plugin.schema.signature import DELETED, Signature, iter_leaves, signature_to_proto

#: In place of the kind of an argument that holds others; and those that are objects, or may hold some.
_HOLDS = "holds"
_MAY_BE_OBJECTS = frozenset({"object", _HOLDS})
#: The scope of a trace that may create variables.
_FIRST_OF_A_FUNCTION = "VARIABLE_CREATION"
#: Of what variables belong to.
_MAX_OWNERS = 16
_MAX_OWNER_TEXT = 200
#: Of six of those whose variables an optimizer trains, as a sum.
_MAX_GIVEN_TEXT = 500
#: Stacks, and files, from which a function was called.
_MAX_SEARCHED = 1000
#: Signatures that a function had cached before recording started and that are read for comparison.
_MAX_CACHED_READ = 1000
#: An error's message may be of any length.
_MAX_ERROR_READ = 100_000
#: Failed traces with unknown dimensions that are remembered of one function.
_MAX_FAILED_OPEN = 8
#: Traces of a function object at which numbers and flags of its instance are read.
_READ_OF_EACH = 4
#: Of a terminal: Keras prints the message of an error in bold.
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


class Describer:
    """Of one session. `count_loss` takes a counter's name, `lose` with it what happened and the error.

    `omits` takes a record, the key of its code, its changes and the name of the error's class, and tells whether it is
    only to be counted.
    `read_otherwise`: as `FactsOfTraces` has it. Not thread-safe.
    """

    def __init__(
        self,
        graph_writer: GraphWriter,
        omits: Callable[[pb.Trace, Hashable, Sequence[Change], str], bool],
        count_loss: Callable[[str], None],
        lose: Callable[[str, str, Exception], None],
        values: Values,
        read_otherwise: ReadOtherwise = lambda record, before_seq, o: None,
    ) -> None:
        self._values = values
        self._closures = ClosureReader(values)
        self._passed = PassedFunctions(self._closures)
        self._reader = SignatureReader(values, self._passed.note)
        self._variables = PassedVariables()
        self._holdings = Holdings()
        self._facts = FactsOfTraces(self._reader, self._passed, self._variables, self._closures, read_otherwise)
        self._codes: dict[tuple[str, int, str, str], Code] = {}
        self._graphs = TraceGraphs(
            graph_writer, count_loss, lose, values, self._reader.captured_key,
            lambda function: self._closures.passed(function).identity,
        )  # fmt: skip
        self._omits = omits
        self._lose = lose

    def may_be_read_later(self, o: Observation) -> bool:
        """Whether `read` tells the same while the traced graph is executed, in another thread: nearly always it does
        where the function object is known, and is passed tensors and such values as numbers."""
        code = self._codes.get(o.key)
        return (
            code is not None
            and o.lookup is not None
            and o.error is None
            and o.parent is None
            and o.bound is None
            and o.traced.structured is None
            and code.objects.is_known(o.options)
            and self._reader.may_wait(o.lookup.function_type, o.lookup.context)
            and (o.function_type is o.lookup.function_type or tf_seam.is_of_plain_values(o.function_type))
            and not tf_seam.by_reference_captures(o.result)
        )

    def read(self, o: Observation, seq: int, parent_seq: int) -> ReadTrace:
        """What a trace that is over shows of the program's objects. `parent_seq`: of the trace around it."""
        code = self._code_of(o)
        if o.parent is not None:
            for recursive in _within_itself(o, o.parent):
                self._code_of(recursive).is_recursive = True
        number, new_object = code.objects.number(o.options)
        function = o.traced.python
        context = o.lookup.context if o.lookup is not None else None
        read = functools.partial(
            self._reader.read,
            polymorphic_type=o.options.polymorphic_type,
            instance=o.bound,
            instance_class="" if o.bound is None else _class_of(o.function.qualname),
            variadic=tf_seam.variadic_name(o.traced),
            element=None if o.traced.structured is None else _element(o),
            equal_objects=code.equal_objects,
        )
        scope = "NO_SCOPE" if o.lookup is None else tf_seam.scope_name(context)
        looked_up = o.function_type if o.lookup is None else o.lookup.function_type
        wanted = read(looked_up, context, variable_ids=o.variable_ids)
        self._variables.note(o.variables)
        kinds = frozenset([_HOLDS if node.children else node.kind for _, node in wanted.arguments])
        if code.goes_through_trees is None and _HOLDS in kinds:
            code.goes_through_trees = self._passed_to_what_calls_itself(o)
        generalized = o.function_type is not looked_up and o.function_type != looked_up
        traced = read(o.function_type, context, variable_ids=o.variable_ids) if generalized else wanted
        o.traced_signature = traced
        if new_object and o.cached_before:
            self._read_cached(code, number, o, read)
        error = ""
        if o.error is not None:
            error = type(o.error).__name__ if self._values.hides else _error_text(o.error)
        if new_object:
            if len(code.closures) >= MAX_ENTRIES:  # oldest first
                del code.closures[next(iter(code.closures))]
            instance, by_name = tf_seam.mapped_instance(o.traced), o.is_within_a_dataset
            code.closures[number] = self._closures.read(function, o.traced.partials, instance, by_name=by_name)
        with_captures = traced
        if o.result is not None and (captures := tf_seam.by_reference_captures(o.result)):
            with_captures = read(o.function_type, context, variable_ids=o.variable_ids, captures=captures)
        held, holdings, flags = self._held(o, wanted, kinds, new_object)
        return ReadTrace(
            seq, parent_seq, number, code, error, scope, wanted, traced, with_captures, held, holdings, flags,
            self._compiled(o) if is_made_by_each_compile(o.function) else None, kinds,
        )  # fmt: skip

    def describe(
        self, trace: ReadTrace, o: Observation, graph: list[tf_seam.TracedFunctionGraph] | None = None
    ) -> tuple[pb.Trace, bool]:
        """The record of a trace that was read, and whether it is only to be counted; its graph is written.

        Runs nothing of the program's. `graph`: as `TraceGraphs` has it.
        """
        code, traced = trace.code, trace.traced
        record = _begun(trace, o)
        stored, omitted = self._explain(record, trace, o, graph)
        if o.parent is not None and record.verdict == "unknown" and says_each_value_needs_a_graph(record.evidence):
            self._code_of(o.parent).decided_within |= decided_for_the_outer(record)
        if o.parent is not None and record.kind == "recreated" and is_made_by_each_compile(o.function):
            self._code_of(o.parent).step_within = record.evidence
        if o.parent is not None and record.verdict == "bounded":
            self._code_of(o.parent).chosen_within |= chosen_for_the_outer(record)
        code.step_within = ""
        for within in (code.decided_within, code.chosen_within):  # by this trace of it
            within.clear()
        if not self._values.hides:  # these are pieces of the program's code
            if not code.traces and record.function.with_default:  # of each function once
                record.function.python_uses.extend(values_by_default(o.traced.python))
            may_make = record.kind != "retrace" or record.seq in code.made_late  # else it has made no variables
            if may_make and trace.scope == _FIRST_OF_A_FUNCTION and o.error is None:
                self._add_owners(record, o)
            if record.verdict == "avoidable" and not record.function.library:
                self._add_other_calls(record, code, o)
        signature_to_proto(trace.wanted, record.signature)
        if record.generalized:
            signature_to_proto(traced, record.traced_signature)
        record.n = code.traces + 1
        if len(code.called_from) < _MAX_SEARCHED:
            code.called_from.add(o.call_site.line)
        if o.error is None:
            code.traces += 1
            closure = code.closures.get(record.object)
            entry = Entry(
                trace.with_captures, trace.object, trace.scope, trace.seq, record.n, stored.key, closure, record.nodes,
                stored.attributes, stored.without_text, stored.without_numbers, stored.without_sizes,
                stored.passed, stored.passed_but_text, trace.held, trace.holdings, stored.variables, dataset_of(o),
                record.jit_compile, record.reduce_retracing, trace.flags, trace.compiled, stored.nested_nodes,
            )  # fmt: skip
            code.history.add(entry)
        elif has_unknown_dimension(traced) and len(code.failed_open) < _MAX_FAILED_OPEN:
            code.failed_open.append(traced)
        return record, omitted

    def _code_of(self, o: Observation) -> Code:
        code = self._codes.get(o.key)
        if code is None:
            code = self._codes[o.key] = Code(self._reader.equal_objects())
            code.drawn = self._drawn_by(o)
        return code

    def _drawn_by(self, o: Observation) -> list[str]:
        try:
            arguments = tf_seam.object_arguments(o.function_type) | tf_seam.value_arguments(o.function_type)
            return [clean(text, 100) for text in drawn_by(o.traced.python, o.instance, arguments)]
        except Exception as error:  # a trace is worth more than what it draws
            self._lose("draws_not_read", "reading what a function draws", error)
            return []

    def _held(
        self, o: Observation, wanted: Signature, kinds: frozenset[str], is_new: bool
    ) -> tuple[Mapping[str, str], Mapping[str, Any], Mapping[str, str]]:
        has_objects = not kinds.isdisjoint(_MAY_BE_OBJECTS)
        # a function object that is made later is compared with any of these
        is_new = is_new or o.cached_before < _READ_OF_EACH
        if not has_objects and (o.instance is None or not is_new):  # nearly always
            return {}, {}, {}
        try:
            arguments = tf_seam.object_arguments(o.function_type)
            in_containers = tf_seam.objects_in_containers(o.function_type) if _hold_objects(wanted) else {}
            holdings = {name: self._holdings.of(one) for name, one in {**arguments, **in_containers}.items()}
            if o.bound is not None:  # TensorFlow passes None for an instance that is gone by now
                holdings["self"] = () if o.instance is None else self._holdings.of(o.instance)
            held, flags = numbers_as_texts(o, wanted, arguments, self._passed, self._values, is_new=is_new)
            return held, holdings, flags
        except Exception as error:  # a trace is worth more than that, too
            self._lose("held_numbers_not_read", "reading what a function reads of its arguments", error)
            return {}, {}, {}

    def _compiled(self, o: Observation) -> Compiled | None:
        try:
            return compiled_model(o.traced.python)
        except Exception as error:  # as above
            self._lose("compile_not_read", "reading what a model was compiled with", error)
            return None

    def _add_owners(self, record: pb.Trace, o: Observation) -> None:
        """Of the variables that it created, if it did."""
        if not (created := tf_seam.created_variables(o.options)):
            return
        try:
            owners = owners_of(created, o.traced.python, o.instance, tf_seam.object_arguments(o.function_type))
        except Exception as error:  # a trace is worth more than that, as above
            self._lose("owners_not_read", "reading what the variables of a first call belong to", error)
            return
        for owner in owners[:_MAX_OWNERS]:
            name, given = clean(owner.name, _MAX_OWNER_TEXT), clean(owner.given, _MAX_GIVEN_TEXT)
            record.created_for.add(name=name, kind=owner.kind, given=given, count=owner.variables)

    def _add_other_calls(self, record: pb.Trace, code: Code, o: Observation) -> None:
        """Once for each file that calls it."""
        site = o.call_site
        if site.stack_id in code.searched or len(code.searched) > _MAX_SEARCHED:
            return
        code.searched.add(site.stack_id)
        caller = next((frame for frame in site.stack.frames if frame.user), None)
        if caller is None or caller.file in code.searched:
            return
        code.searched.add(caller.file)
        try:
            record.other_calls.extend(other_calls(record.function.name, caller.file, caller.line))
        except Exception as error:  # as above
            self._lose("other_calls_not_read", "reading which other lines call a function", error)

    def _passed_to_what_calls_itself(self, o: Observation) -> frozenset[str]:
        try:
            arguments = tf_seam.object_arguments(o.function_type)
            return passed_to_what_calls_itself(o.traced.python, o.instance, arguments)
        except Exception as error:  # as above
            self._lose("recursion_not_read", "reading whether functions call themselves", error)
            return frozenset()

    def _explain(
        self, record: pb.Trace, trace: ReadTrace, o: Observation, traced: list[tf_seam.TracedFunctionGraph] | None
    ) -> tuple[TraceGraph, bool]:
        """Fills kind, closest trace, changes, graph, verdict. Returns also whether the trace is only to be counted."""
        code, scope, wanted, number = trace.code, trace.scope, trace.wanted, trace.object
        kind, entry, changes = classify(
            code.history, wanted, scope, number, initializes_variables=is_variable_initializer(record.function)
        )
        if record.generalized and kind == "retrace":
            # a nearer one that has None or another flag, as it may have to, is not what this one is widened from
            first_look = Facts(kind, tuple(changes), step_of_keras=is_made_by_each_compile(record.function))
            if judge(first_look).word != "avoidable":
                entry, changes = code.history.closest_widened(wanted, number, scope) or (entry, changes)
        by_identity = kind != "retrace" or any(map(needs_the_graph, changes))
        record.kind = kind
        omitted = self._omits(record, o.key, changes, type(o.error).__name__ if o.error is not None else "")
        closure = code.closures.get(number) or ()
        graph = self._graphs.store(
            record, o, traced, wanted, closure, trace.held, needed=by_identity, trace_omitted=omitted
        )
        dataset = dataset_of(o)
        same = dataset and of_its_dataset(code.history, wanted, graph.key, code.closures, number, dataset)
        if same and kind == "recreated":
            entry, changes = same
        elif kind == "recreated" and entry is not None and entry.graph_key != graph.key:
            entry, changes = (
                twin(code.history, wanted, graph.key, number)
                or twin_but_sizes(code.history, wanted, graph.without_sizes, (entry, changes))
                or twin_but_numbers(code.history, wanted, graph.without_numbers, (entry, changes))
                or nearer_by_closure(
                    code.history, wanted, code.closures, number, (entry, changes), graph.without_numbers
                )
                or (entry, changes)
            )
        elif kind == "retrace" and entry is not None and not (graph.key and code.history.with_graph(graph.key)):
            like = code.history.with_changes_like(changes, wanted, number, scope)
            entry, changes = self._passed.nearest(changes, like) or (entry, changes)
        if entry is not None:
            record.closest_seq, record.closest_n = entry.seq, entry.n
        for change in changes:
            old, new = change.old, change.new
            if self._values.word == "full" and entry is not None:
                old, new = _in_full(old, entry.signature, change.path), _in_full(new, wanted, change.path)
            if kind == "recreated" and change.cause == "object_identity" and self._reader.is_gone(change.old):
                old = old.removeprefix(f"{DELETED} ")  # as it may have been already when it was traced
                old = f"{DELETED} {old}"  # the evidence is about the new function, and says nothing of it
            limit = self._values.limit(300)
            record.changes.add(
                cause=change.cause, path=clean(change.path, limit), old=clean(old, limit), new=clean(new, limit)
            )
        facts = self._facts.of(entry, changes, record, trace, graph, o)
        verdict = judge(facts)
        if kind == "retrace" and verdict.word != "avoidable" and not (record.generalized or record.failed):
            facts_of = functools.partial(self._facts.of, record=record, trace=trace, graph=graph, o=o)
            held = {path: one for path, one in trace.holdings.items() if path != "self"}
            earlier = judge_by_an_earlier(
                facts, code.history, wanted, graph.key, number, scope, facts_of, without_sizes=graph.without_sizes,
                without_numbers=graph.without_numbers, holdings=held,
            )  # fmt: skip
            verdict = earlier or verdict
        elif kind == "recreated" and verdict.word != "avoidable" and facts.closure and not (same or record.failed):
            facts_of = functools.partial(self._facts.of, record=record, trace=trace, graph=graph, o=o)
            found = of_the_same_closure(code.history, wanted, code.closures, number)
            verdict = judge_by_the_same_closure(facts, found, facts_of) or verdict
        if verdict.word == "unknown" and not record.failed and entry is not None:
            same_nodes = bool(entry.graph_key and graph.key) and not other_nodes(entry.graph_key, graph.key)
            verdict = told_of_generators(verdict, facts, wanted, same_nodes=same_nodes) or verdict
            verdict = told_of_drawn(facts, code.drawn) or verdict
        elif verdict.word == "avoidable" and not record.failed:
            verdict = asked_for_by_dtype(verdict, changes, o.call_site.stack.frames) or verdict
        if record.function.library and not (record.failed or facts.made_by_each_call or facts.stands_in):
            stack = o.call_site.stack.frames
            is_nested = record.nested
            verdict = left_to_a_library(verdict, changes, record.function, stack, is_nested=is_nested) or verdict
        record.verdict, record.evidence = verdict.word, verdict.evidence
        return graph, omitted

    def _read_cached(self, code: Code, number: int, o: Observation, read: Callable[..., Signature]) -> None:
        """What the function traced before recording started is compared with too."""
        for lookup, concrete in tf_seam.cached_functions(o.options.function_cache)[-_MAX_CACHED_READ:]:
            if concrete is o.result:
                continue
            captures = tf_seam.by_reference_captures(concrete)
            signature = read(lookup.function_type, lookup.context, captures=captures)
            code.history.add(Entry(signature, number, tf_seam.scope_name(lookup.context), 0, 0))


def _begun(trace: ReadTrace, o: Observation) -> pb.Trace:
    """What is known of a trace before it is explained."""
    record = pb.Trace(
        seq=trace.seq, function=o.function, object=trace.object, time_ns=o.start_ns, failed=o.error is not None,
        nested=o.parent is not None, generalized=trace.traced is not trace.wanted, trace_duration_ns=o.duration_ns,
        nested_duration_ns=o.nested_ns, lookup_duration_ns=o.lookup_ns, stack_id=o.call_site.stack_id,
        thread=clean(o.thread, 100), memory_before_bytes=o.memory_before, memory_after_bytes=o.memory_after,
        cached_before=o.cached_before, reduce_retracing=bool(o.options.reduce_retracing),
        jit_compile=tf_seam.jit_compile_of(o.options), parent_seq=trace.parent_seq, error=trace.error,
    )  # fmt: skip
    if trace.code.drawn:
        record.function.drawn.extend(trace.code.drawn)
    if not (record.function.library or tf_seam.is_converted(o.options, o.traced)):
        record.function.python_uses.extend(unconverted(getattr(o.traced.python, "__code__", None)))
    elif not record.function.library:
        objects = tf_seam.object_arguments(o.function_type) if "object" in trace.kinds else {}
        if uses := uses_in_layers(o.traced.python, o.instance, objects):
            record.function.python_uses.extend(uses)
        if more := uses_of_held(o.traced.python, o.instance, objects, record.function.python_uses):
            record.function.python_uses.extend(more)
    if o.step is not None:
        record.step = o.step
    return record


def _within_itself(o: Observation, parent: Observation) -> list[Observation]:
    """If a trace around it is of the same function object: that one and those in between, which call each other."""
    own, found = tf_seam.owned_by_function_object(o.options), [o]
    around: Observation | None = parent
    while around is not None:
        found.append(around)
        if tf_seam.owned_by_function_object(around.options) is own:
            return found
        around = around.parent
    return []


def _in_full(text: str, signature: Signature, path: str) -> str:
    """A literal's whole text in place of the line's length of it that a change has."""
    for start, node in signature.arguments:
        if path.startswith(start):
            for leaf_path, leaf in iter_leaves(start, node):
                if leaf_path == path and leaf.kind == "literal":
                    return leaf.value
    return text


def _hold_objects(signature: Signature) -> bool:
    """Whether an argument is a container with an object in it."""
    within = (leaf for name, node in signature.arguments if node.children for _, leaf in iter_leaves(name, node))
    return any(leaf.kind == "object" for leaf in within)


def _class_of(qualname: str) -> str:
    """`Model` of the method `make.<locals>.Model.step`: a temporary may be gone before its method is traced."""
    owner = qualname.rpartition(".")[0].rpartition(".")[2]
    return "" if owner == "<locals>" else owner[:80]


def _element(o: Observation) -> list[tuple[str, tf_seam.Nest]] | None:
    try:
        return tf_seam.element_arguments(o.traced)
    except Exception:  # a dataset of a kind that we do not know: its tensors keep their numbers
        return None


def _error_text(error: BaseException) -> str:
    """Its beginning and its end: what it says comes last, after the lines of the program that it went through."""
    text = _COLOUR.sub("", problem_text(error, _MAX_ERROR_READ))
    if len(text) > 2000:
        start, end = text[:500], text[-1490:]
        line = end.find("\n") + 1
        text = f"{start}…\n{end[line:] if line < 200 else end}"  # whole lines, where they are short
    return clean(text, 2000)
