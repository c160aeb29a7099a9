"""A recorded function as what `explain.advice` reads, and its advice as JSON."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Any

from tb_retrace_plugin.analysis.session import FunctionGroup, TraceEvent
from tb_retrace_plugin.explain.advice.advise import advise
from tb_retrace_plugin.explain.advice.facts import Advice, Frame, FunctionFacts, Traced
from tb_retrace_plugin.explain.change import Change
from tb_retrace_plugin.explain.what_if import Lookup
from tb_retrace_plugin.schema import retrace_pb2 as pb
from tb_retrace_plugin.schema.signature import Node, Signature, node_from_proto

#: Functions whose advice is kept.
_MOST = 256

_cache: OrderedDict[int, tuple[pb.Function, tuple[int, int], list[Advice]]] = OrderedDict()
_lock = threading.Lock()


def advice_json(group: FunctionGroup) -> list[dict[str, Any]]:
    """Fixes that were tried on the recorded signatures, the one that removes most traces first."""
    return [advice.to_json() for advice in advice_of(group)]


def advice_of(group: FunctionGroup) -> list[Advice]:
    """Kept until one of the function's traces changes. Empty for signatures that cannot be read."""
    if not any(event.record.verdict == "avoidable" for event in group.events):
        return []
    state = len(group.events), max(event.revision for event in group.events)
    key = id(group.function)
    with _lock:
        known = _cache.get(key)
        # the message is held, so its id is not another one's
        if known is not None and known[0] is group.function and known[1] == state:
            _cache.move_to_end(key)
            return known[2]
    try:
        found = advise(function_facts(group))
    except ValueError:  # nested deeper than any real signature
        found = []
    with _lock:
        _cache[key] = group.function, state, found
        _cache.move_to_end(key)
        while len(_cache) > _MOST:
            _cache.popitem(last=False)
    return found


def function_facts(group: FunctionGroup) -> FunctionFacts:
    """Raises ValueError for signatures nested deeper than any real one."""
    reader = _SignatureReader()
    stacks: dict[str, tuple[Frame, ...]] = {}
    places = {event.seq: place for place, event in enumerate(group.events)}
    traces = []
    for event in group.events:
        stack = stacks.get(event.record.stack_id)
        if stack is None:
            stack = stacks[event.record.stack_id] = _frames(event)
        traces.append(_traced(event, reader, stack, places))
    return FunctionFacts(
        name=group.function.name,
        traces=traces,
        library=group.function.library,
        jit_compile=any(event.record.jit_compile for event in group.events),
        file=group.function.file,
    )


def _traced(event: TraceEvent, reader: _SignatureReader, stack: tuple[Frame, ...], places: dict[int, int]) -> Traced:
    trace = event.record
    lookup = Lookup(
        signature=reader.read(trace.signature),
        object_number=trace.object,
        variables_created=trace.kind == "variable_creation",
        failed=trace.failed,
        reduce_retracing=trace.reduce_retracing,
        traced=reader.read(trace.traced_signature) if trace.generalized else None,
    )
    return Traced(
        lookup=lookup,
        kind=trace.kind,
        verdict=trace.verdict,
        evidence=trace.evidence,
        changes=tuple([Change(c.cause, c.path, c.old, c.new) for c in trace.changes]),
        closest=places.get(trace.closest_seq) if trace.closest_seq else None,
        cost_ns=event.trace_ns + (event.first_call_ns or 0),
        stack=stack,
    )


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
