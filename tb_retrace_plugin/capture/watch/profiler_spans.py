"""Traces as named spans in TensorFlow's profiler while it runs: xprof's trace viewer shows them in their place."""

from __future__ import annotations

import contextlib
from typing import Any

from tb_retrace_plugin.capture import tf_seam
from tb_retrace_plugin.explain.words.sentence import trace_sentence
from tb_retrace_plugin.schema import retrace_pb2 as pb
from tb_retrace_plugin.schema.vocabulary import span_name

_CLOSING = {"}": "{", ")": "(", "]": "["}
_PLAIN = str.maketrans({",": ";", "(": "⟨", "[": "⟨", "{": "⟨", ")": "⟩", "]": "⟩", "}": "⟩", '"': "”", "'": "’"})


class Span:
    """One trace. Begun and ended by the thread that traces, and never raises. Next to nothing while nobody profiles.

    The profiler takes a span's end from its clock, and the cause is known only once the trace is described: the span
    holds Retrace's own work at its end too. Its `tracing_us` are without.
    """

    __slots__ = ("_described", "_span")

    def __init__(self, function: pb.Function) -> None:
        self._span: Any = None
        self._described = False
        try:
            if tf_seam.is_profiled():
                self._span = tf_seam.start_profiler_span(span_name(function.name))
        except Exception:
            return

    @property
    def is_open(self) -> bool:
        return self._span is not None

    def describe(self, session: str, record: pb.Trace) -> None:
        """Called once the trace's cause is known, and before it is written: it says whether a profile has it."""
        if self._span is None:
            return
        with contextlib.suppress(Exception):
            record.profiled = tf_seam.is_profiled()
            if self._described:  # by another recorder
                return
            self._described = True
            change = record.changes[0] if record.changes else None
            self._span.set_metadata(
                id=f"{session}/{record.seq}",
                n=record.n,
                kind=record.kind,
                cause=one_value(f"{change.cause} {change.path}".strip()) if change is not None else "none",
                why=one_value(trace_sentence(record)),
                verdict=record.verdict,
                tracing_us=record.trace_duration_ns // 1000,
            )

    def end(self) -> None:
        span, self._span = self._span, None
        if span is not None:
            with contextlib.suppress(Exception):
                span.__exit__(None, None, None)


def one_value(text: str) -> str:
    """`text` so that the profiler reads it as one value of `#key=value,key=value#`: `#` ends all of them, a comma
    outside of brackets and quotes ends one, and within ones that are not closed it ends none."""
    text = text.replace("#", "№")
    opened: list[str] = []
    found = []
    for sign in text:
        if sign in "\"'":
            opened.pop() if opened and opened[-1] == sign else opened.append(sign)
        elif sign in "{([":
            opened.append(sign)
        elif sign in _CLOSING and opened and opened[-1] == _CLOSING[sign]:
            opened.pop()
        found.append(";" if sign == "," and not opened else sign)
    return text.translate(_PLAIN) if opened else "".join(found)
