"""`verbose=1`: one plain sentence on standard error at the moment of each retrace."""

from __future__ import annotations

import collections
import contextlib
import os
import sys

from tb_retrace_plugin.capture.code.function_place import key_of
from tb_retrace_plugin.explain.words.made_by_libraries import role_of
from tb_retrace_plugin.explain.words.place import user_frame
from tb_retrace_plugin.explain.words.sentence import trace_sentence
from tb_retrace_plugin.schema import retrace_pb2 as pb

#: After this many sentences on one function and cause the rest is left to the report.
_MAX_ALIKE = 10


class Narrator:
    def __init__(self) -> None:
        self._told: collections.Counter[tuple[str, int, str, str, str]] = collections.Counter()

    def tell(self, record: pb.Trace, stack: pb.Stack) -> None:
        """Prints a sentence if the trace is a retrace: function, step, what changed, place, seconds lost."""
        if record.kind not in ("retrace", "recreated"):
            return
        cause = record.changes[0].cause if record.changes else ""
        key = (*key_of(record.function), cause)
        self._told[key] += 1
        if self._told[key] > _MAX_ALIKE:
            return
        frame = user_frame(stack)
        place = f" Called from {os.path.basename(frame.file)}:{frame.line}." if frame is not None else ""
        seconds = record.trace_duration_ns / 1e9
        sentence = trace_sentence(record, role_of(record.function, [stack]))
        line = f"[retrace] {sentence}{place} Tracing took {seconds:.2g} s."
        if self._told[key] == _MAX_ALIKE:
            line += " More of the same are not printed; `tb-retrace report` shows them all."
        with contextlib.suppress(Exception):
            print(line.replace("`", ""), file=sys.stderr, flush=True)
