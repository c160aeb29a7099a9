"""What the overview blames a trace on: what differs from the trace that its verdict rests on, which may not be the
closest. `agent` alternates, `epsilon` is new in each round: of a call with another of both the closest earlier one has
that `epsilon`, and the one that it could have shared a trace with has that `agent`."""

from __future__ import annotations

from tb_retrace_plugin.analysis.sessions.session import TraceEvent
from tb_retrace_plugin.explain.differences.diff import diff_signatures
from tb_retrace_plugin.explain.verdict.earlier_trace import rests_on
from tb_retrace_plugin.schema import retrace_pb2 as pb
from tb_retrace_plugin.schema.signature import signature_from_proto

_Judged = tuple[tuple[str, str] | None, tuple[str, ...]]


class JudgedReasons:
    """Of one function's traces, asked for in time order. What compares signatures is worked out once for a trace."""

    def __init__(self) -> None:
        self._succeeded: dict[int, pb.Trace] = {}
        self._known: dict[int, _Judged] = {}

    def of(self, event: TraceEvent) -> _Judged:
        """Cause and path of the first change, and the paths of the further ones."""
        record = event.record
        judged_by = rests_on(record.evidence)
        earlier = self._succeeded.get(judged_by[0]) if judged_by is not None else None
        if not event.failed:
            self._succeeded[record.n] = record
        closest = event.reason, event.other_paths
        if earlier is None or event.kind == "recreated":  # which is for its being made anew, whatever differs besides
            return closest
        if event.seq not in self._known:
            self._known[event.seq] = _judged(earlier, record) or closest
        return self._known[event.seq]


def _judged(earlier: pb.Trace, record: pb.Trace) -> _Judged | None:
    before = earlier.traced_signature if earlier.generalized else earlier.signature
    changes = diff_signatures(signature_from_proto(before), signature_from_proto(record.signature))
    if not changes:
        return None
    return (changes[0].cause, changes[0].path), tuple([change.path for change in changes[1:] if change.path])
