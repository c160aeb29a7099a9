"""Traces as named spans in TensorFlow's profiler while it runs: xprof's trace viewer shows them in their place."""

from __future__ import annotations

import sys
from typing import Any

from tb_retrace_plugin.explain.sentence import trace_sentence
from tb_retrace_plugin.schema import retrace_pb2 as pb


class Span:
    """One trace. Begun and ended by the thread that traces. Costs next to nothing while nobody profiles."""

    __slots__ = ("_record", "_session", "_trace")

    def __init__(self, function: pb.Function) -> None:
        # "#" begins the metadata in a span's name
        trace = sys.modules["tensorflow"].profiler.experimental.Trace(f"Retrace: {function.name.replace('#', '')}")
        self._trace: Any = trace if getattr(trace, "_traceme", None) is not None else None
        self._record: pb.Trace | None = None
        self._session = ""

    def describe(self, session: str, record: pb.Trace) -> None:
        """Called once the trace's cause is known."""
        if self._trace is not None:
            self._session, self._record = session, record

    def end(self) -> None:
        trace, self._trace = self._trace, None
        if trace is None:
            return
        if (record := self._record) is not None:
            change = record.changes[0] if record.changes else None
            trace.set_metadata(
                id=f"{self._session}/{record.seq}",
                n=record.n,
                kind=record.kind,
                cause=_plain(f"{change.cause} {change.path}".strip()) if change is not None else "",
                why=_plain(trace_sentence(record)),
                verdict=record.verdict,
            )
        trace.__exit__(None, None, None)


def _plain(text: str) -> str:
    """Metadata is written as `#key=value,key=value#`: signs that end a value are replaced by their like."""
    return text.replace("#", "№").replace(",", ";").replace("=", "꞊")
