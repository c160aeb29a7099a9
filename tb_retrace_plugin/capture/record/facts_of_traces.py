"""What the verdict on a trace rests on: gathered of the recorder's side, no more of it than these changes need."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping, Sequence, Set
from types import FunctionType, GetSetDescriptorType, ModuleType
from typing import Any, TypeAlias

from tb_retrace_plugin.capture import tf_seam
from tb_retrace_plugin.capture.code.function_place import is_made_by_each_compile, stands_in
from tb_retrace_plugin.capture.code.kept_objects import kept_object
from tb_retrace_plugin.capture.code.made_for_call import (
    closed_over_for_each_run,
    instance_made_again,
    made_for_each_call,
    model_made_again,
    passed_for_each_run,
)
from tb_retrace_plugin.capture.code.passed_in_lines import ITSELF, SELF
from tb_retrace_plugin.capture.code.python_uses import unread_among
from tb_retrace_plugin.capture.python_state.closure import ClosureReader
from tb_retrace_plugin.capture.python_state.numbers_read import own_names
from tb_retrace_plugin.capture.python_state.passed_functions import PassedFunctions
from tb_retrace_plugin.capture.python_state.what_it_holds import OfLayers
from tb_retrace_plugin.capture.record.chosen_in_python import chosen_in_python
from tb_retrace_plugin.capture.record.new_objects import (
    add_facts_of_a_new_object,
    compare_compiled,
    drawn_now,
    kept_with_the_outer,
)
from tb_retrace_plugin.capture.record.numbers_in_graph import held_numbers, other_flags
from tb_retrace_plugin.capture.record.other_captures import (
    captured_in_place,
    captures_none_of_its_variables,
    captures_other_resources,
    captures_other_tensors,
    captures_other_variables,
    captures_others,
    captures_tensors_beside,
    captures_the_same,
    captures_unpassed,
    differs_in_tensors_alone,
    other_nodes,
    same_captures,
)
from tb_retrace_plugin.capture.record.other_objects import are_models, objects_of, reads_models
from tb_retrace_plugin.capture.record.passed_variables import PassedVariables
from tb_retrace_plugin.capture.record.read_trace import Code, ReadTrace
from tb_retrace_plugin.capture.record.signatures import SignatureReader
from tb_retrace_plugin.capture.record.trace_graphs import TraceGraph
from tb_retrace_plugin.capture.values.of_type import is_a
from tb_retrace_plugin.capture.values.static_attribute import in_class
from tb_retrace_plugin.capture.watch.observation import Observation
from tb_retrace_plugin.explain.differences.change import OF_STRINGS, Change
from tb_retrace_plugin.explain.differences.closure import ClosedOver
from tb_retrace_plugin.explain.differences.diff import diff_signatures
from tb_retrace_plugin.explain.differences.keras_metrics import are_closed_over, are_metrics
from tb_retrace_plugin.explain.differences.lengths import ALIKE
from tb_retrace_plugin.explain.differences.metadata_numbers import is_of_metadata
from tb_retrace_plugin.explain.differences.number_holders import (
    closes_over_another_holder,
    is_another_holder,
    is_beside,
    with_numbers_read,
)
from tb_retrace_plugin.explain.earlier_traces.history import Entry
from tb_retrace_plugin.explain.verdict.asked_in_python import (
    all_asked_in_python,
    asked_of_what_lies_in,
)
from tb_retrace_plugin.explain.verdict.asked_ranks import all_asked_dtypes, all_asked_ranks
from tb_retrace_plugin.explain.verdict.decided_in_python import all_decided_in_python
from tb_retrace_plugin.explain.verdict.evidence import (
    UNKNOWN_DIMENSIONS_FAILED,
    XLA_COMPILES_EACH_SHAPE,
    told_of_asked,
)
from tb_retrace_plugin.explain.verdict.facts import Facts
from tb_retrace_plugin.graphs.attribute_hash import has_other_attributes, has_other_operations
from tb_retrace_plugin.graphs.passed_numbers import differ_in_passed_numbers
from tb_retrace_plugin.graphs.without_names import BUT_FOR_NAMES
from tb_retrace_plugin.schema import retrace_pb2 as pb
from tb_retrace_plugin.schema.signature import Signature, with_own_eq

#: Of an object that is passed, that are looked at.
_MOST_ATTRIBUTES = 64

#: A first call may create variables.
_OF_LATER_TRACES = frozenset({"retrace", "variable_creation"})
#: As reads tell of objects.
_NUMBERED = re.compile(r"\w+ #\d+")
_NO_HOLDERS = (FunctionType, ModuleType, type)
_MAY_MAKE_VARIABLES = "VARIABLE_CREATION"
_OF_OBJECTS = frozenset({"object_identity", "python_type"})
_OF_SHAPES = frozenset({"shape", "rank"})
_OF_TENSORS = frozenset({"rank", "dtype"})
#: With another dtype, say, operations have other attributes whatever a number is.
_LEAVE_ATTRIBUTES = frozenset({"python_value", "shape", "recreated_function"})
#: With these objects hold other numbers, and graphs other constants.
_LEAVE_CONSTANTS = frozenset({"python_value", "object_identity", "recreated_function", "shape"})
#: Of a method's own object.
_OF_INSTANCES = frozenset({"object_identity", "python_type"})
#: With these what else is of the object's doing.
_LEAVE_BUT_SIZES = frozenset({"object_identity", "shape"})


#: By name what a trace reads of Python otherwise than an earlier one, whose number it takes; None: not known.
ReadOtherwise: TypeAlias = Callable[[pb.Trace, int, Observation], Mapping[str, tuple[str, str]] | None]


class FactsOfTraces:
    """Of one session, whose objects the readers know."""

    def __init__(
        self, reader: SignatureReader, passed: PassedFunctions, variables: PassedVariables, closures: ClosureReader,
        read_otherwise: ReadOtherwise,
    ) -> None:  # fmt: skip
        self._reader = reader
        self._passed = passed
        self._variables = variables
        self._closures = closures
        self._read_otherwise = read_otherwise

    def of(
        self, entry: Entry | None, changes: Sequence[Change], record: pb.Trace, trace: ReadTrace, graph: TraceGraph,
        o: Observation,
    ) -> Facts:  # fmt: skip
        """Of what tells a trace from `entry`, which has these `changes` to it."""
        code, wanted = trace.code, trace.wanted
        is_same = entry.graph_key == graph.key if entry and entry.graph_key and graph.key else None
        made_anew_alone = record.kind == "recreated" and len(changes) == 1 and changes[0].cause == "recreated_function"
        if entry and is_same is False and made_anew_alone and record.nodes == entry.nodes:
            is_same = graph.is_but_for_names(entry.graph_key)
        facts = Facts(
            kind=record.kind,
            changes=tuple(changes),
            failed=record.failed,
            generalized=record.generalized,
            reduce_retracing=record.reduce_retracing,
            same_graph=is_same,
            saving="variable_policy" in wanted.context,
            recursive=code.is_recursive,
            goes_through_trees=code.goes_through_trees or frozenset(),
            step_of_keras=is_made_by_each_compile(record.function),
            of_a_layer=record.function.name == "call",
            stands_in=stands_in(record.function),
        )
        if o.error is not None:
            facts.creates_variables_late = record.kind in _OF_LATER_TRACES and tf_seam.is_about_late_variables(o.error)
            facts.initial_value_of_a_call = tf_seam.is_about_an_initial_value(o.error)
        elif record.kind in _OF_LATER_TRACES and _makes_variables_late(record, entry, trace, o):
            facts.creates_variables_late = True
            code.made_late.add(record.seq)
        causes = {change.cause for change in changes}
        if causes & _OF_OBJECTS:
            facts.own_eq = with_own_eq(wanted)
            facts.gone = frozenset(c.path for c in changes if c.cause in _OF_OBJECTS and self._reader.is_gone(c.old))
            facts.passed, facts.same_functions = self._passed.compare(changes)
            facts.functions_of_other_code = self._passed.of_other_code(changes)
        if causes & _OF_SHAPES and (each_shape := _each_shape(record, code, wanted)):
            facts.each_shape = each_shape
            facts.near = code.history.has_near_sizes(wanted, record.object)
            facts.last_batch = entry is not None and code.history.is_the_second_size(entry, wanted)
        parts = {part for change in changes for part in change.parts}
        if "variable" in parts:
            facts.many_variables = code.history.is_one_of_many_variables(changes, wanted)
            facts.gone_variables = entry is not None and self._variables.are_gone(changes, entry.signature)
        if entry is not None:
            if graph.key and record.kind == "retrace" and entry.seq == record.closest_seq and o.result is not None:
                record.other_tensors = captures_other_tensors(entry.graph_key, graph.key, changes, o.result)
            self._add_numbers(facts, entry, record, trace, graph)
            self._add_graph(facts, entry, record, trace, graph, o, causes)
            if o.result is not None:
                self._add_captures(facts, entry, record, trace, graph, o, causes, parts)
                is_another = record.kind == "recreated" or _is_of_another_instance(changes)
                if is_another and facts.same_graph is False and not facts.passed_numbers_alone:
                    facts.read_otherwise = self._read_otherwise(record, entry.seq, o)
        if record.kind == "recreated":
            add_facts_of_a_new_object(facts, entry, record, code.closures, code.history, wanted, graph.key, o)
            facts.closure = with_numbers_read(facts.closure, facts.read_otherwise or {})
            facts.drawn = drawn_now(code.drawn, o) if facts.same_graph is False else ()
            if entry is not None and trace.compiled is not None and facts.closure == ():
                facts.step_within = code.step_within
                compare_compiled(facts, entry, trace.compiled, code.history)
        facts.kept_objects, facts.made_for_each_call = _kept_or_made(
            facts, record, o, code.called_from,
            is_compiled_alike=bool(entry and trace.compiled and trace.compiled.has_settings_of(entry.compiled)),
        )  # fmt: skip
        uses, closure = record.function.python_uses, facts.closure or ()
        if uses:
            facts.asked_in_python = all_asked_in_python(uses, changes, closure)
            if not causes.isdisjoint(_OF_TENSORS):
                facts.asked_ranks, facts.asked_dtypes = all_asked_ranks(uses, changes), all_asked_dtypes(uses, changes)
            facts.decided_in_python = all_decided_in_python(uses, changes, wanted.arguments, closure)
            facts.unread = unread_among(uses)
        if code.decided_within:
            within = {
                change.path: how
                for change in changes
                if change.cause == "python_value" and (how := code.decided_within.get((change.old, change.new)))
            }
            facts.decided_in_python = {**facts.decided_in_python, **within}
        facts.chosen_in_python = chosen_in_python(facts, uses, o, code)
        if facts.passed or facts.closure or "object_identity" in causes:
            closures = (entry.closure if entry is not None else None), code.closures.get(record.object)
            facts.asked_of_holders = {
                **self._passed.asked_in_python(changes),
                **_asked_of_holders(facts, record, trace, closures),
            }
        return facts

    def _add_numbers(self, facts: Facts, entry: Entry, record: pb.Trace, trace: ReadTrace, graph: TraceGraph) -> None:
        """That are read of what is passed."""
        if graph.passed is None and not (trace.held or trace.flags or trace.holdings):  # nearly always
            return
        held = _held_beside(record, trace)
        facts.held, facts.passed_numbers_alone = held_numbers(entry, graph.passed, facts.changes, held)
        facts.flags = other_flags(entry, trace.flags if held is trace.held else {})
        if not trace.holdings:  # nearly always
            return
        if not any(name.startswith("self.") for name in facts.held):
            same = (path for path, one in trace.holdings.items() if one is not None and entry.holdings.get(path) == one)
            facts.hold_the_same = frozenset(same)
        known = (p for p, one in trace.holdings.items() if None not in (one, entry.holdings.get(p)))
        others = (p for p in known if not isinstance(trace.holdings[p], OfLayers))
        facts.hold_others = frozenset(p for p in others if trace.holdings[p] != entry.holdings[p])

    def _add_graph(
        self, facts: Facts, entry: Entry, record: pb.Trace, trace: ReadTrace, graph: TraceGraph, o: Observation,
        causes: Set[str],
    ) -> None:  # fmt: skip
        """Its nodes, and whether it is the same but for something."""
        if 0 not in (entry.nodes, record.nodes):
            facts.more_nodes = record.nodes - entry.nodes
            facts.other_size = bool(facts.more_nodes)
        if not graph.key and graph.attributes is None:  # it was not stored, as nine of ten of many
            return
        facts.other_nodes = other_nodes(entry.graph_key, graph.key)
        facts.same_operations = graph.attributes is not None and graph.attributes == entry.attributes
        facts.other_operations = has_other_operations(entry.attributes, graph.attributes)
        leave_alone = causes
        if "structure" in causes and _are_longer_lists_of_strings(facts.changes):
            leave_alone = causes - {"structure"}
        if leave_alone <= _LEAVE_ATTRIBUTES:
            facts.other_attributes = has_other_attributes(entry.attributes, graph.attributes)
            same_but_text = bool(graph.without_text) and graph.without_text == entry.without_text
            facts.beside_numbers = not same_but_text and differ_in_passed_numbers(
                entry.passed_but_text, graph.passed_but_text
            )
            are_names = graph.without_text.startswith(BUT_FOR_NAMES)
            same_but_text |= facts.beside_numbers
            facts.names_alone = same_but_text and are_names
            facts.text_alone = same_but_text and not are_names
        if "object_identity" in causes and causes <= _LEAVE_BUT_SIZES:
            facts.sizes_alone = bool(graph.without_sizes) and graph.without_sizes == entry.without_sizes
        by_constants = causes <= _LEAVE_CONSTANTS or (
            "composite_spec" in causes and all(c.cause in _LEAVE_CONSTANTS or is_of_metadata(c) for c in facts.changes)
        )
        if by_constants and not trace.code.drawn:  # what is drawn is another constant in each trace
            facts.numbers_alone = bool(graph.without_numbers) and graph.without_numbers == entry.without_numbers
            if o.result is not None and ("object_identity" in causes or record.kind == "recreated"):
                masked = entry.without_numbers, graph.without_numbers
                facts.other_tensors_and_numbers = differs_in_tensors_alone(*masked, o.result)

    def _add_captures(
        self, facts: Facts, entry: Entry, record: pb.Trace, trace: ReadTrace, graph: TraceGraph, o: Observation,
        causes: Set[str], parts: Set[str],
    ) -> None:  # fmt: skip
        if not graph.key:  # not known
            return
        changes, keys, concrete_function = facts.changes, (entry.graph_key, graph.key), o.result
        closed_over = functools.partial(self._closures.are_of, trace.code.closures.get(record.object) or ())
        if graph.variables and captures_other_variables(*keys, concrete_function):
            facts.tensors_beside = captures_tensors_beside(*keys, concrete_function, closed_over)
            facts.variables_fit = trace.code.history.has_variables(
                graph.variables, record.nodes, graph.nested_nodes, graph.attributes
            )  # fmt: skip
            of_models = facts.step_of_keras or are_models(entry, changes, record, trace, o)
            # of such an object the variables may be passed, of unknown sizes; and a lookup table may be another one
            if not of_models if facts.variables_fit is False else tf_seam.captures_other_state(concrete_function):
                facts.variables_fit = None
            is_of_others = entry.variables not in ("", tf_seam.NO_VARIABLES, graph.variables)
            facts.other_models = (
                is_of_others
                and of_models
                and reads_models(record, trace, o)
                and captures_none_of_its_variables(*keys, concrete_function)
            )
            # a Keras model of layers that others are made of, say: the closest trace is of another one of those
            if facts.variables_fit and any(same_captures(key, graph.key) for key in trace.code.history.latest_graphs()):
                facts.variables_fit, facts.same_captures = None, record.kind == "recreated"
        if "object_identity" in causes or record.kind == "recreated":
            facts.other_tensors = differs_in_tensors_alone(*keys, concrete_function)
        if "object_identity" in causes:
            is_same = bool(graph.key) and not facts.other_nodes
            may_be_passed = is_same and not tf_seam.created_variables(o.options)
            if o.instance is not None and (may_be_passed or facts.other_tensors_and_numbers):
                in_place = captured_in_place(*keys, concrete_function)
                facts.own_tensors = own_names(o.traced.python, o.instance, in_place)
            facts.captures_variables = captures_other_variables(*keys, concrete_function)
            objects = objects_of(o, changes)
            facts.other_metrics = is_same and are_metrics(trace.wanted, changes, objects)
            facts.other_resources = captures_other_resources(*keys, concrete_function)
            facts.variables_alone = (
                not facts.other_resources
                and facts.same_operations
                and any(map(is_another_holder, changes))
                and all(
                    is_another_holder(c)
                    or is_beside(c)
                    or facts.same_functions.get(c.path, False)
                    or (c.cause == "recreated_function" and _closes_over_the_same(entry, record, trace))
                    for c in changes
                )
                and facts.captures_variables
            )
            if facts.variables_alone and not facts.other_metrics:
                others = [change for change in changes if change.cause == "object_identity"]
                facts.metrics_beside = are_metrics(trace.wanted, others, objects)
            if not facts.held:
                facts.captures_the_same = captures_the_same(*keys)
        if facts.passed and facts.same_operations:
            are_passed = functools.partial(self._passed.are_of, changes)
            facts.captures_unpassed = captures_unpassed(*keys, concrete_function, are_passed)
        if record.kind == "recreated" or "python_value" in causes:
            facts.captures_others = captures_others(*keys, changes, concrete_function, closed_over)
        elif ALIKE in parts:
            facts.captures_others = captures_other_variables(*keys, concrete_function)
        if "structure" in causes and any(c.is_of_a_key for c in changes):
            facts.other_variables = captures_other_variables(*keys, concrete_function)


def _is_of_another_instance(changes: Sequence[Change]) -> bool:
    return any(change.path == SELF and change.cause in _OF_INSTANCES for change in changes)


def _are_longer_lists_of_strings(changes: Sequence[Change]) -> bool:
    """Or shorter: whether nothing else has another structure."""
    return all(OF_STRINGS in change.parts for change in changes if change.cause == "structure")


def _makes_variables_late(record: pb.Trace, entry: Entry | None, trace: ReadTrace, o: Observation) -> bool:
    """Whether TensorFlow fails the call after this trace, for variables that it has made, and the first call none; or
    traces anew for what such a one has."""
    if record.kind == "variable_creation":
        return entry is not None and entry.seq in trace.code.made_late
    return trace.scope == _MAY_MAKE_VARIABLES and tf_seam.has_made_variables(o.options)


def _closes_over_the_same(entry: Entry, record: pb.Trace, trace: ReadTrace) -> bool:
    """Of a tf.function object that was made anew, in place of the earlier trace's."""
    closure = trace.code.closures.get(record.object)
    return closure is not None and closure == entry.closure


def _kept_or_made(
    facts: Facts, record: pb.Trace, o: Observation, called_from: Set[tuple[str, int]], *, is_compiled_alike: bool
) -> tuple[dict[str, str], dict[str, str]]:
    """Of models and such, and of instances, which the program keeps; and of arguments, which are made for each call.

    `called_from`: lines of earlier traces. What a line makes is needed once, the first time."""
    if facts.same_graph is not False or o.result is None:
        return {}, {}
    if facts.made_by_each_compile:
        how = kept_object(o.call_site, "", (), SELF) if facts.variables_fit else ""
        is_again = facts.variables_fit and not how and o.call_site.line in called_from
        made_again = model_made_again(o.call_site, is_compiled_alike=is_compiled_alike) if is_again else ""
        return {"self": how} if how else {}, {"self": made_again} if made_again else {}
    others = [change.path for change in facts.changes if change.cause == "object_identity"]
    if not others and record.kind != "recreated":
        return {}, {}
    objects = objects_of(o, facts.changes) if others else {}
    code = getattr(o.traced.python, "__code__", None)
    parameters = [] if code is None else code.co_varnames[: code.co_argcount]
    parameters = parameters[1:] if o.instance is not None else parameters
    file = "" if code is None else code.co_filename
    is_another = facts.captures_others or any(change.cause == "structure" for change in facts.changes)
    if record.kind == "recreated" and is_another and SELF not in others:
        others = [*others, ITSELF]
    of_tensors = any(map(_has_tensors, objects.values()))  # beside those the settings of each
    kept, made = {}, {}
    for path in others:
        if path in (SELF, ITSELF) or (path.partition("[")[0].isidentifier() and of_tensors):
            kept[path] = kept_object(o.call_site, record.function.name, parameters, path, file)
        is_again = o.call_site.line in called_from
        if is_again and path.isidentifier() and path in objects and path != SELF and of_tensors and not kept[path]:
            made[path] = made_for_each_call(o.call_site, record.function.name, parameters, path, file)
        elif is_again and path == SELF and facts.variables_fit and not kept[path]:
            made[path] = instance_made_again(o.call_site, record.function.name, file)
    if kept.get(ITSELF) == "" and o.parent is not None:
        kept[ITSELF] = kept_with_the_outer(o, o.parent)
    if facts.variables_fit and o.call_site.line in called_from and not any((*kept.values(), *made.values())):
        facts.made_for_each_run = _made_for_each_run(facts, record, o, parameters, file)
    return {path: how for path, how in kept.items() if how}, {path: how for path, how in made.items() if how}


def _made_for_each_run(facts: Facts, record: pb.Trace, o: Observation, parameters: Sequence[str], file: str) -> str:
    """Of all models and such that are passed, or read by a function made anew: where nothing else is another one."""
    if record.kind == "recreated":
        closure = facts.closure or ()
        are_objects = all(closes_over_another_holder(c) or are_closed_over([c]) for c in closure)
        if not are_objects or any(c.cause != "recreated_function" for c in facts.changes):
            return ""
        read = {name: both for name, both in (facts.read_otherwise or {}).items() if all(both)}
        if not all(_NUMBERED.fullmatch(old) and _NUMBERED.fullmatch(new) for old, new in read.values()):
            return ""
        of_read = (re.split(r"[.\[]", name)[0] for name in read)  # a loss, say
        names = dict.fromkeys([*(c.name for c in closure), *_read_with_tensors(o.traced.python), *of_read])
        return closed_over_for_each_run(o.call_site, record.function.name, [*names]) if names else ""
    paths = [change.path for change in facts.changes if is_another_holder(change)]
    are_passed = len(paths) == len(facts.changes) and all(path.isidentifier() for path in paths)
    name = record.function.name
    return passed_for_each_run(o.call_site, name, parameters, paths, file) if are_passed else ""


def _read_with_tensors(function: Any) -> list[str]:
    """Names of models and such that it reads at module level."""
    if type(function) is not FunctionType:
        return []
    read = {name: function.__globals__[name] for name in function.__code__.co_names if name in function.__globals__}
    return [name for name, value in read.items() if not is_a(value, _NO_HOLDERS) and _has_tensors(value)]


def _has_tensors(value: Any) -> bool:
    """Also of an object of a class of the user's that has some in its attributes."""
    if tf_seam.holds_tensors(value):
        return True
    if type(in_class(type(value), "__dict__")) is not GetSetDescriptorType:  # none, or a property of the user's
        return False
    held = object.__getattribute__(value, "__dict__")
    return type(held) is dict and any(map(tf_seam.holds_tensors, list(held.values())[:_MOST_ATTRIBUTES]))


def _held_beside(record: pb.Trace, trace: ReadTrace) -> Mapping[str, str]:
    """Numbers that this trace was read for; those of an instance that makes no other are there for later function
    objects."""
    if record.kind == "recreated" or trace.holdings.keys() - {"self"}:
        return trace.held
    return {name: text for name, text in trace.held.items() if not name.startswith("self.")}


def _asked_of_holders(
    facts: Facts, record: pb.Trace, trace: ReadTrace, closures: tuple[tuple[ClosedOver, ...] | None, ...]
) -> dict[str, str]:
    """Of objects and dictionaries; not of numbers in them that are known to be as they were."""
    before, now = ({value.name: value.identity for value in closure or ()} for closure in closures)
    held = _held_beside(record, trace).keys() - facts.held
    same = {name for name, identity in now.items() if before.get(name) == identity} | held
    holders = [c.path for c in facts.changes if c.cause == "object_identity"]
    holders += [c.name for c in facts.closure or () if not c.is_number]
    uses = record.function.python_uses
    return {
        holder: told_of_asked(name, asked)
        for holder in holders
        for name, asked in asked_of_what_lies_in(uses, holder).items()
        if name not in same
    }


def _each_shape(record: pb.Trace, code: Code, wanted: Signature) -> str:
    """Why a signature with unknown dimensions would not do for a trace of another shape; "" if that is not known."""
    if record.jit_compile:
        return XLA_COMPILES_EACH_SHAPE
    if any(not diff_signatures(failed, wanted) for failed in code.failed_open):
        return UNKNOWN_DIMENSIONS_FAILED
    return ""
