"""Which traces are recorded one by one, and exact counts of those that are not: the repetitive ones of a long run.

A kind of trace is: which function, why it was traced (each change's cause and argument), from which lines, whether it
failed. The first of a kind is always recorded, then all up to `MAX_ALIKE`, then one of `_ONE_OF`.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Hashable, Sequence
from typing import Any

from tb_retrace_plugin.capture.code.function_place import key_of
from tb_retrace_plugin.explain.differences.change import Change
from tb_retrace_plugin.schema import retrace_pb2 as pb

#: Traces of one kind that are all recorded, and what part of the later ones.
MAX_ALIKE = 2000
_ONE_OF = 100
#: Bytes of records of one process. Beyond them the first of a kind alone is recorded, and beyond twice as many none.
MAX_RECORD_BYTES = 256 << 20
#: Kinds that are told apart; of any more every trace counts as the first.
_MAX_KINDS = 20_000
#: Counts are kept by function, cause, argument, verdict: so many, the rest as one.
_MAX_SUMS = 1000
#: Omitted traces whose first execution is still awaited.
_MAX_AWAITED = 2000
#: Counts are written when so long has passed since the last time, and this part of the time since the beginning.
_PAUSE_S = 1.0
_PART_OF_THE_TIME = 0.01


class Repetition:
    """Of one session. Not thread-safe."""

    def __init__(self, *, sampled: bool = True) -> None:
        self._sampled = sampled
        self._alike: dict[int, int] = {}
        self._sums: dict[Any, pb.OmittedTraces] = {}
        self._awaited: OrderedDict[int, pb.OmittedTraces] = OrderedDict()
        self._began = self._written = time.monotonic()
        self._has_news = False
        self.traces = 0

    def omits(
        self, record: pb.Trace, code: Hashable, changes: Sequence[Change], error_type: str, bytes_written: int
    ) -> bool:
        """Whether this trace is to be counted only; asked once for each trace. `code`: what tells it from others."""
        if not self._sampled:
            return False
        why = tuple([(change.cause, change.path) for change in changes])
        kind = hash((code, record.kind, why, record.stack_id, error_type, record.generalized))
        seen = self._alike.get(kind, 0)
        if seen or len(self._alike) < _MAX_KINDS:
            self._alike[kind] = seen + 1
        if bytes_written > MAX_RECORD_BYTES:
            return seen > 0 or bytes_written > 2 * MAX_RECORD_BYTES
        return seen >= MAX_ALIKE and (seen - MAX_ALIKE) % _ONE_OF != _ONE_OF - 1

    def count(self, record: pb.Trace) -> None:
        """Counts one that is omitted, once it is described."""
        change = record.changes[0] if record.changes else None
        cause, path = (change.cause, change.path) if change is not None else ("", "")
        key = (key_of(record.function), record.kind, record.verdict, cause, path, record.failed, record.nested)
        sums = self._sums.get(key)
        if sums is None and len(self._sums) >= _MAX_SUMS:
            key = (key_of(record.function), record.kind, record.verdict, "", "", record.failed, record.nested)
            cause = path = ""
            sums = self._sums.get(key)
        if sums is None:
            sums = self._sums[key] = pb.OmittedTraces(
                function=record.function, kind=record.kind, verdict=record.verdict, cause=cause, path=path,
                failed=record.failed, nested=record.nested,
            )  # fmt: skip
        sums.traces += 1
        sums.trace_duration_ns += record.trace_duration_ns
        sums.nested_duration_ns += record.nested_duration_ns
        sums.lookup_duration_ns += record.lookup_duration_ns
        sums.latest_seq = record.seq
        self._awaited[record.seq] = sums
        if len(self._awaited) > _MAX_AWAITED:
            self._awaited.popitem(last=False)
        self.traces += 1
        self._has_news = True

    def is_omitted(self, seq: int) -> bool:
        """Of one of the latest."""
        return seq in self._awaited

    def first_call(self, seq: int, duration_ns: int) -> bool:
        """Adds a first execution; False if it is not that of an omitted trace."""
        sums = self._awaited.get(seq)
        if sums is None:
            return False
        sums.first_calls += 1
        sums.first_call_duration_ns += duration_ns
        self._has_news = True
        return True

    def news(self, *, final: bool = False) -> pb.Omitted | None:
        """All counts, if there are new ones and it is time to write them."""
        if not self._has_news:
            return None
        now = time.monotonic()
        if not final and now - self._written < max(_PAUSE_S, _PART_OF_THE_TIME * (now - self._began)):
            return None
        self._written, self._has_news = now, False
        return pb.Omitted(kinds=self._sums.values(), time_ns=time.time_ns())
