"""First executions of traced graphs: the next record carries them, or one of their own."""

from __future__ import annotations

import time

from tb_retrace_plugin.capture.session.record_writer import RecordWriter
from tb_retrace_plugin.schema import retrace_pb2 as pb
from tb_retrace_plugin.schema import tags

#: One within this time of the last write waits to be carried by the next record.
_PAUSE_NS = 100_000_000
#: That wait for a file that cannot be written; the oldest are lost.
_MAX_WAITING = 10_000


class FirstCalls:
    """Of one session. `waiting`: those that no record holds yet. Not thread-safe."""

    def __init__(self, writer: RecordWriter) -> None:
        self._writer = writer
        self.waiting: list[pb.FirstCall] = []
        self._records = 0
        self._last_write_ns = 0

    def add(self, seq: int, duration_ns: int, failed: bool) -> None:
        self.waiting.append(pb.FirstCall(seq=seq, duration_ns=duration_ns, failed=failed))
        if len(self.waiting) > _MAX_WAITING:
            del self.waiting[0]
            self._writer.losses.count("first_calls_lost")

    def are_due(self) -> bool:
        """Whether no record has been theirs for a while."""
        return time.monotonic_ns() - self._last_write_ns >= _PAUSE_NS

    def write(self) -> None:
        """In a record of their own, if there are any."""
        if not self.waiting:
            return
        self._records += 1
        self._last_write_ns = time.monotonic_ns()
        if self._writer.write(
            tags.first_calls_tag(self._writer.session_id, self._records), pb.FirstCalls(calls=self.waiting)
        ):
            self.waiting = []
