"""A recorded function as what `explain.advice` reads, and its advice as JSON."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from dataclasses import replace
from typing import Any

from tb_retrace_plugin.analysis.session import FunctionGroup, TraceEvent
from tb_retrace_plugin.explain.advice.advise import advise
from tb_retrace_plugin.explain.advice.facts import Advice, Frame, FunctionFacts, Traced
from tb_retrace_plugin.explain.change import Change
from tb_retrace_plugin.explain.what_if import Lookup, Memory
from tb_retrace_plugin.schema import retrace_pb2 as pb
from tb_retrace_plugin.schema.signature import Node, Signature, node_from_proto

#: Functions of which advice, and what it was made from, is kept.
_MOST = 64

#: Advice that takes longer is thought over again at most this share of the time: a run may be adding traces all along.
_LONG_S = 0.1
_PAUSE = 10

_kept: OrderedDict[int, _Kept] = OrderedDict()
_lock = threading.Lock()


def advice_json(group: FunctionGroup) -> list[dict[str, Any]]:
    """Fixes that were tried on the recorded signatures, the one that removes most traces first."""
    return [advice.to_json() for advice in advice_of(group)]


def advice_of(group: FunctionGroup) -> list[Advice]:
    """Kept until one of the function's traces changes, or for a while after where it takes long.

    Empty for signatures that cannot be read.
    """
    if not any(event.record.verdict == "avoidable" for event in group.events):
        return []
    key = id(group.function)
    with _lock:
        kept = _kept.get(key)
        if kept is None or kept.function is not group.function:
            kept = _kept[key] = _Kept(group.function)
        _kept.move_to_end(key)
        while len(_kept) > _MOST:
            _kept.popitem(last=False)
    return kept.advice(group)


class _Kept:
    """Of one function. The message is held, so that no other one has its id. A long run adds to what is known."""

    def __init__(self, function: pb.Function) -> None:
        self.function = function
        self._lock = threading.Lock()
        self._state: tuple[int, int] | None = None
        self._advice: list[Advice] = []
        self._reader = _SignatureReader()
        self._stacks: dict[str, tuple[Frame, ...]] = {}
        self._traces: list[tuple[pb.Trace, Traced]] = []
        self._memory = Memory()
        self._next_s = 0.0

    def advice(self, group: FunctionGroup) -> list[Advice]:
        state = len(group.events), max(event.revision for event in group.events)
        with self._lock:
            if state != self._state and time.monotonic() >= self._next_s:
                began = time.monotonic()
                try:
                    self._advice = advise(self._facts(group), self._memory)
                except ValueError:  # nested deeper than any real signature
                    self._advice = []
                self._state = state
                seconds = time.monotonic() - began
                self._next_s = began + (_PAUSE * seconds if seconds > _LONG_S else 0)
            return self._advice

    def _facts(self, group: FunctionGroup) -> FunctionFacts:
        events = group.events
        places = {event.seq: place for place, event in enumerate(events)}
        if any(event.record is not record for event, (record, _) in zip(events, self._traces, strict=False)):
            self._traces = []  # one was found in between: the others have other places
        for place, event in enumerate(events):
            if place == len(self._traces):
                self._traces.append((event.record, self._traced(event, places)))
            elif self._traces[place][1].cost_ns != _cost_ns(event):  # its first execution became known
                traced = replace(self._traces[place][1], cost_ns=_cost_ns(event))
                self._traces[place] = event.record, traced
        return FunctionFacts(
            name=group.function.name,
            traces=[traced for _, traced in self._traces[: len(events)]],
            library=group.function.library,
            jit_compile=any(event.record.jit_compile for event in events),
            file=group.function.file,
        )

    def _traced(self, event: TraceEvent, places: dict[int, int]) -> Traced:
        trace = event.record
        stack = self._stacks.get(trace.stack_id)
        if stack is None:
            stack = _frames(event)
            if stack:  # one that is read later is looked for again
                self._stacks[trace.stack_id] = stack
        lookup = Lookup(
            signature=self._reader.read(trace.signature),
            object_number=trace.object,
            variables_created=trace.kind == "variable_creation",
            failed=trace.failed,
            reduce_retracing=trace.reduce_retracing,
            traced=self._reader.read(trace.traced_signature) if trace.generalized else None,
        )
        return Traced(
            lookup=lookup,
            kind=trace.kind,
            verdict=trace.verdict,
            evidence=trace.evidence,
            changes=tuple([Change(c.cause, c.path, c.old, c.new) for c in trace.changes]),
            closest=places.get(trace.closest_seq) if trace.closest_seq else None,
            cost_ns=_cost_ns(event),
            stack=stack,
        )


def _cost_ns(event: TraceEvent) -> int:
    return event.trace_ns + (event.first_call_ns or 0)


def _frames(event: TraceEvent) -> tuple[Frame, ...]:
    stack = event.session.stacks.get(event.record.stack_id)
    frames = stack.frames if stack is not None else ()
    return tuple(Frame(f.file, f.line, f.function, f.source, f.user) for f in frames)


class _SignatureReader:
    """Reads each distinct argument once: the signatures of one function share most of theirs."""

    def __init__(self) -> None:
        self._arguments: dict[bytes, tuple[str, Node]] = {}

    def read(self, message: pb.Signature) -> Signature:
        return Signature(
            tuple([self._argument(a) for a in message.arguments]),
            tuple([self._argument(c) for c in message.captures]),
            dict(message.context),
        )

    def _argument(self, message: pb.Argument) -> tuple[str, Node]:
        key = message.SerializeToString(deterministic=True)
        known = self._arguments.get(key)
        if known is None:
            known = self._arguments[key] = message.path, node_from_proto(message.type)
        return known
