"""A recorded function as what `explain.advice` reads, and its advice as JSON."""

from __future__ import annotations

import itertools
import threading
import time
import warnings
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from tb_retrace_plugin.analysis.for_advice.beside_in_dataset import beside_in_dataset, given_others_beside
from tb_retrace_plugin.analysis.for_advice.graph_pairs import GraphPairs, Reading
from tb_retrace_plugin.analysis.for_advice.made_before import made_before
from tb_retrace_plugin.analysis.for_advice.uses_within import uses_within
from tb_retrace_plugin.analysis.sessions.session import FunctionGroup, TraceEvent
from tb_retrace_plugin.analysis.sessions.stale import read_by_keras, traced_within, values_read, values_read_within
from tb_retrace_plugin.explain.advice.advise import advise
from tb_retrace_plugin.explain.advice.evidence.facts import (
    MOST_COMPILED,
    Advice,
    Compiled,
    Frame,
    FunctionFacts,
    Traced,
    Within,
)
from tb_retrace_plugin.explain.advice.evidence.graph_pairs import Graphs
from tb_retrace_plugin.explain.advice.from_records import RecordReader, frames_of
from tb_retrace_plugin.explain.advice.tried_on_a_part import told_of_a_part
from tb_retrace_plugin.explain.verdict.evidence import (
    says_a_metric_is_another,
    says_a_model_is_made_of_the_same,
    says_each_value_needs_a_graph,
    says_variables_of_objects_differ,
    says_what_is_its_own,
)
from tb_retrace_plugin.explain.verdict.random_generators import another_generator
from tb_retrace_plugin.explain.what_if.replay import Memory
from tb_retrace_plugin.schema import retrace_pb2 as pb

#: Functions of which what was read, and advice, is kept.
_MOST = 64

#: Advice that takes longer is thought over again at most this share of the time: a run may be adding traces all along.
_LONG_S = 0.1
_PAUSE = 10
#: Traces of one function of which those within are looked at for what was drawn.
_LOOKED_INTO = 8
#: Traces of one function whose outer ones are looked at.
_LOOKED_AT = 300

#: The file of what fetches a dataset's elements for the devices of a strategy.
_DISTRIBUTED = "multi_device_iterator_ops.py"

_kept: OrderedDict[int, _Kept] = OrderedDict()
_lock = threading.Lock()


def advice_json(group: FunctionGroup) -> list[dict[str, Any]]:
    """Fixes that were tried on the recorded signatures, the one that removes most traces first."""
    return [advice.to_json() for advice in advice_of(group)]


def advice_of(group: FunctionGroup) -> list[Advice]:
    """Kept until one of the function's traces changes, or for a while after where it takes long.

    Empty for signatures that cannot be read.
    """
    if not any(map(_may_be_advised, group.events)):
        return []
    return _kept_of(group).advice(group)


def _may_be_advised(event: TraceEvent) -> bool:
    evidence = event.record.evidence
    is_told = says_each_value_needs_a_graph(evidence) or says_a_metric_is_another(evidence)
    is_told = is_told or says_variables_of_objects_differ(evidence) or bool(another_generator(evidence))
    is_told = is_told or says_what_is_its_own(evidence) or says_a_model_is_made_of_the_same(evidence)
    creates_variables = event.kind == "variable_creation" and not event.failed
    return event.avoidable or bool(event.recompilations) or is_told or creates_variables


def facts_of(group: FunctionGroup) -> FunctionFacts:
    """What is known of a function's traces. Raises ValueError for signatures that cannot be read."""
    return _kept_of(group).current_facts(group)


def _kept_of(group: FunctionGroup) -> _Kept:
    key = id(group.function)
    with _lock:
        kept = _kept.get(key)
        if kept is None or kept.function is not group.function:
            kept = _kept[key] = _Kept(group.function)
        _kept.move_to_end(key)
        while len(_kept) > _MOST:
            _kept.popitem(last=False)
    return kept


class _Kept:
    """Of one function. The message is held, so that no other one has its id. A long run adds to what is known."""

    def __init__(self, function: pb.Function) -> None:
        self.function = function
        self._lock = threading.Lock()
        self._thinking = threading.Lock()
        self._state: tuple[int, ...] | None = None
        self._advice: list[Advice] = []
        self._reader = RecordReader()
        self._stacks: dict[str, tuple[Frame, ...]] = {}
        self._traces: list[tuple[pb.Trace, Traced]] = []
        self._known: tuple[tuple[int, ...], FunctionFacts] | None = None
        self._memory = Memory()
        self._pairs = GraphPairs()
        self._took_s = 0.0
        self._next_s = 0.0

    def advice(self, group: FunctionGroup) -> list[Advice]:
        if _state_of(group) == self._state:
            return self._advice
        if self._took_s <= _LONG_S:
            with self._thinking:
                self._think(group)
        elif time.monotonic() >= self._next_s and self._thinking.acquire(blocking=False):
            # whoever asks gets the last advice meanwhile
            threading.Thread(target=self._think_and_release, args=(group,), name="retrace-advice", daemon=True).start()
        return self._advice

    def _think_and_release(self, group: FunctionGroup) -> None:
        try:
            self._think(group)
        finally:
            self._thinking.release()

    def _think(self, group: FunctionGroup) -> None:
        state = _state_of(group)
        if state == self._state:  # another thread has
            return
        began = time.monotonic()
        try:
            facts = self.current_facts(group)
            self._advice = told_of_a_part(advise(facts, self._memory), facts)
        except ValueError:  # nested deeper than any real signature
            self._advice = []
        except Exception as error:  # a fault of ours: of what else is reported nothing is wrong
            self._advice = []
            what = f"Retrace: no advice on `{group.function.name}`, for an error of its own: "
            warnings.warn(f"{what}{type(error).__name__}: {error}", RuntimeWarning, stacklevel=2)
        self._state = state
        self._took_s = time.monotonic() - began
        self._next_s = began + (_PAUSE * self._took_s if self._took_s > _LONG_S else 0)

    def current_facts(self, group: FunctionGroup) -> FunctionFacts:
        with self._lock:
            state = _state_of(group)
            if self._known is None or self._known[0] != state:
                self._known = state, self._facts(group)
            return self._known[1]

    def _facts(self, group: FunctionGroup) -> FunctionFacts:
        events = list(group.events)
        places = {event.seq: place for place, event in enumerate(events)}
        if any(event.record is not record for event, (record, _) in zip(events, self._traces, strict=False)):
            self._traces = []  # one was found in between: the others have other places
        for place, event in enumerate(events):
            if place == len(self._traces):
                self._traces.append((event.record, self._traced(event, places)))
            elif self._traces[place][1].cost_ns != _cost_ns(event):  # its first execution became known
                first_call_ns = event.first_call_ns or 0
                traced = replace(self._traces[place][1], cost_ns=_cost_ns(event), first_call_ns=first_call_ns)
                self._traces[place] = event.record, traced
        traces = [traced for _, traced in self._traces[: len(events)]]
        return FunctionFacts(
            name=group.function.name,
            traces=traces,
            library=group.function.library,
            jit_compile=any(event.record.jit_compile for event in events),
            compiled_in_part=len({event.record.jit_compile for event in events}) > 1,
            keyword_only=frozenset(group.function.keyword_only),
            with_default=frozenset(group.function.with_default),
            undecorated=group.function.undecorated,
            passed_as=group.function.passed_as,
            bound_as=group.function.bound_as,
            compiled=tuple(itertools.islice(_compiled(events), MOST_COMPILED)),
            distributes=any(file.endswith(_DISTRIBUTED) for file, *_ in list(group.session.functions)),
            file=group.function.file,
            qualname=group.function.qualname,
            omitted=group.omitted_traces,
            values_read=values_read_within(events) | values_read(events),
            objects_read=values_read_within(events, of_objects=True) | values_read(events, of_objects=True),
            read_by_keras=read_by_keras(events),
            drawn=_drawn(group, events),
            type_questions=tuple(group.function.type_questions),
            python_uses=tuple(group.function.python_uses),
            counted=tuple(group.function.counted),
            within=_within(events),
            uses_within=uses_within(events),
            beside=beside_in_dataset(group, traces),
            given_others=given_others_beside(group, traces),
            made_before=made_before(group),
            graphs=_graphs(self._pairs.of(events)),
        )

    def _traced(self, event: TraceEvent, places: dict[int, int]) -> Traced:
        stack_id = event.record.stack_id
        stack = self._stacks.get(stack_id)
        if stack is None:
            stack = frames_of(event.session.stacks.get(stack_id))
            if stack:  # one that is read later is looked for again
                self._stacks[stack_id] = stack
        return self._reader.traced(event.record, places, _cost_ns(event), stack, event.first_call_ns or 0)


def _within(events: Sequence[TraceEvent]) -> Within | None:
    found = [event for event in events[:_LOOKED_AT] if event.avoidable and not _fails_the_outer(event)]
    around = [event.parent for event in found if event.parent is not None]
    groups = list({id(one.function): one.function for one in around}.values())
    inner = events[0].function
    if not groups or any(one is inner or (one.function.library and not inner.function.library) for one in groups):
        return None  # of a library's function around one of the user's it is the user's that can be mended
    # a call of a library's that failed is not mended by advice on it; nor is one whose fault its caller has handled
    pairs = [(one, one.parent) for one in found if one.parent is not None]
    pairs = [(one, outer) for one, outer in pairs if not (outer.failed and outer.function.function.library)]
    gone = [outer.function for one, outer in pairs if outer.avoidable and not (one.failed and not outer.failed)]
    names = {id(one): _name_beside(one.function, inner.function) for one in gone or groups}
    return Within(tuple(names.values()), len(gone), len(found), len(found) - len(around))


def _name_beside(outer: pb.Function, inner: pb.Function) -> str:
    return outer.name if outer.name != inner.name else outer.qualname or outer.name  # the `call` of another


def _fails_the_outer(event: TraceEvent) -> bool:
    """Whether what this trace failed of is what the one around it failed of: that one cannot be mended without it."""
    return event.failed and event.parent is not None and _what_failed(event) == _what_failed(event.parent) != ""


def _what_failed(event: TraceEvent) -> str:
    """Without the lines above it, of which the one around has more."""
    return event.record.error.strip().rpartition("\n")[2].strip()


def _graphs(reading: Reading) -> Graphs:
    return Graphs(reading.compare, reading.taken_by, reading.neutral, reading.differentiates, reading.rounds)


def _drawn(group: FunctionGroup, events: Sequence[TraceEvent]) -> tuple[str, ...]:
    """By itself, and by what was traced again within the first few: what the first trace's alone drew stays drawn."""
    inner_ones = (inner for event in events[1 : 1 + _LOOKED_INTO] for inner in traced_within(event))
    within = (text for inner in inner_ones for text in inner.record.function.drawn)
    return tuple(dict.fromkeys([*group.function.drawn, *within]))


def _compiled(events: Sequence[TraceEvent]) -> Iterator[Compiled]:
    """Of graphs that XLA compiled again without a trace."""
    for place, event in enumerate(events):
        for compilation in event.compilations.ordered if event.recompilations else ():
            record = compilation.record
            if compilation.failed:
                continue
            stack = frames_of(event.session.stacks.get(record.stack_id))
            yield Compiled(
                place,
                {shape.path: tuple(shape.dims) for shape in record.shapes},
                {value.path: value.text for value in record.values},
                frozenset(compilation.paths) if compilation.is_recompilation else frozenset(),
                record.gradient,
                compilation.duration_ns,
                next((frame for frame in stack if frame.user), None),
                record.backward,
            )


def _state_of(group: FunctionGroup) -> tuple[int, ...]:
    return len(group.events), *group.state


def _cost_ns(event: TraceEvent) -> int:
    return event.lookup_ns + event.trace_ns + (event.first_call_ns or 0)
