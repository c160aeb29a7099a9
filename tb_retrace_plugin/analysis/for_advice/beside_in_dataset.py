"""What else was given to `tf.data` where a function was, and was another one each time: a dataset is built of all."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from functools import partial

from tb_retrace_plugin.analysis.sessions.session import FunctionGroup, TraceEvent
from tb_retrace_plugin.explain.advice.evidence.facts import Beside, Frame, Traced
from tb_retrace_plugin.explain.advice.evidence.in_datasets import builders, is_given_to_tf_data
from tb_retrace_plugin.explain.advice.evidence.reading import names_of_closure
from tb_retrace_plugin.explain.advice.from_records import frames_of
from tb_retrace_plugin.explain.verdict.evidence import CLOSES_OVER_THE_SAME, SAME_GRAPH_AND_CAPTURES
from tb_retrace_plugin.explain.verdict.new_objects import OTHER_ELEMENTS
from tb_retrace_plugin.explain.what_if.replay import Lookup
from tb_retrace_plugin.schema.signature import Signature

#: Traces of one function, and functions, that are looked at and told of.
_LOOKED_AT = 300
_MOST = 3
_NEAR_LINES = 3
#: Functions around a line that builds: further out is the program, which may build others.
_MOST_AROUND = 2
#: Of what is another one for the dataset's sake, whatever it closes over.
_OF_THE_DATASET = "`tf.data` makes"
_SAME = (SAME_GRAPH_AND_CAPTURES, CLOSES_OVER_THE_SAME)


def beside_in_dataset(group: FunctionGroup, traces: Sequence[Traced]) -> tuple[Beside, ...]:
    """Functions of the user's in the same line, or else in the same function of the user's, those first; also in one
    that calls it."""
    given = [places for trace in itertools.islice(traces, _LOOKED_AT) if (places := _places(trace.stack))]
    lines = {places[0] for places in given}
    if not lines:
        return ()
    around = {functions for places in given for functions in _functions_of(places)}
    found = []
    for other in list(group.session.functions.values()):
        if other is group or other.function.library:
            continue
        for event, places in _made_anew(other):
            same_line = places[0] in lines
            if same_line or _functions_of(places) & around or any(map(partial(_is_near, places[0]), lines)):
                found.append(Beside(_name(other), tuple(names_of_closure(event.record.evidence)), same_line))
                break
    return tuple(sorted(found, key=lambda one: not one.same_line)[:_MOST])


def given_others_beside(group: FunctionGroup, traces: Sequence[Traced]) -> tuple[str, ...]:
    """Functions of the user's that the same function gives to `tf.data`, and that get elements of another shape, or so,
    from each dataset: what makes them so may be a step between, such as `padded_batch`."""
    places = {place for trace in itertools.islice(traces, _LOOKED_AT) if (place := _place(trace.stack)) is not None}
    found = []
    for other in list(group.session.functions.values()) if places else ():
        if other is group or other.function.library:
            continue
        for event in list(other.events)[:_LOOKED_AT]:
            if OTHER_ELEMENTS not in event.record.evidence:
                continue
            there = _place(frames_of(event.session.stacks.get(event.record.stack_id)))
            if there is not None and any(_is_of_one_function(there, place) for place in places):
                found.append(_name(other))
                break
    return tuple(found[:_MOST])


def _is_of_one_function(one: tuple[str, str, int], other: tuple[str, str, int]) -> bool:
    return one == other or (one[1] != "<module>" and one[:2] == other[:2]) or _is_near(one, other)


def _name(group: FunctionGroup) -> str:
    name = group.function.name
    return f"{name} of line {group.function.line}" if name == "<lambda>" else name


def _is_near(one: tuple[str, str, int], other: tuple[str, str, int]) -> bool:
    """In a script, which may build many datasets."""
    return one[:2] == other[:2] and abs(one[2] - other[2]) <= _NEAR_LINES


def _functions_of(places: Sequence[tuple[str, str, int]]) -> set[tuple[str, str]]:
    """Of what is built there, and of those that call it; in a script many may be."""
    return {(file, function) for file, function, _ in places[:_MOST_AROUND] if function != "<module>"}


def _made_anew(group: FunctionGroup) -> Iterator[tuple[TraceEvent, list[tuple[str, str, int]]]]:
    places: dict[str, list[tuple[str, str, int]]] = {}
    for event in list(group.events)[:_LOOKED_AT]:
        record = event.record
        if record.kind != "recreated" or record.evidence.endswith(_SAME) or _OF_THE_DATASET in record.evidence:
            continue
        if record.stack_id not in places:
            places[record.stack_id] = _places(frames_of(event.session.stacks.get(record.stack_id)))
        if found := places[record.stack_id]:
            yield event, found


def _place(stack: tuple[Frame, ...]) -> tuple[str, str, int] | None:
    return next(iter(_places(stack)), None)


def _places(stack: tuple[Frame, ...]) -> list[tuple[str, str, int]]:
    """Of the user's line that gives it to `tf.data`, and of those that call that: file, function, line."""
    trace = Traced(Lookup(Signature(())), stack=stack)
    lines = builders(trace) if is_given_to_tf_data(trace) else ()
    return [(line.file, line.function, line.line) for line in lines]
