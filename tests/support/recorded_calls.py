"""A recorded function made of lookups, as the store has it."""

from __future__ import annotations

from collections.abc import Sequence

from tb_retrace_plugin.analysis.sessions.session import FunctionGroup, Session, TraceEvent
from tb_retrace_plugin.explain.what_if.replay import Lookup
from tb_retrace_plugin.schema import retrace_pb2 as pb
from tb_retrace_plugin.schema.signature import signature_to_proto

SECOND = 1_000_000_000


def function_of(lookups: Sequence[Lookup], name: str = "f", *, jit_compile: bool = False) -> FunctionGroup:
    """Each trace took one second; the n-th one of them has seq n."""
    session = Session("session-1", "fit", 0)
    function = pb.Function(name=name, qualname=name, file="/home/user/train.py", line=12)
    group = FunctionGroup(session, 0, function)
    for seq, lookup in enumerate(lookups, start=1):
        trace = pb.Trace(
            seq=seq, n=seq, function=function, object=lookup.object_number, failed=lookup.failed,
            kind="variable_creation" if lookup.variables_created else "retrace" if seq > 1 else "first",
            verdict="avoidable" if seq > 1 else "needed", reduce_retracing=lookup.reduce_retracing,
            trace_duration_ns=SECOND, jit_compile=jit_compile,
        )  # fmt: skip
        signature_to_proto(lookup.signature, trace.signature)
        session.add_event(TraceEvent(trace, session, group, 1))
    return group
