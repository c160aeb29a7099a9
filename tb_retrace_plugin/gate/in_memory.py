"""Recording in memory for the length of a test, and reading it as a recording from disk is read."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from tb_retrace_plugin.analysis.sessions.losses import lost_traces
from tb_retrace_plugin.analysis.sessions.session import FunctionGroup, Session, TraceEvent, is_initializer
from tb_retrace_plugin.analysis.sessions.store import Store
from tb_retrace_plugin.events.records import Record
from tb_retrace_plugin.explain.explanation import explain_traces
from tb_retrace_plugin.schema import tags


class CannotCount(RuntimeError):
    """Traces cannot be counted here, so that a test that passed would say nothing; the message says why."""


class InMemory:
    """What was recorded, once the `with` is over."""

    def __init__(self) -> None:
        self.store = Store()
        self.ran_eagerly = False

    @property
    def session(self) -> Session | None:
        return self.store.sessions[0] if self.store.sessions else None

    @property
    def functions(self) -> list[FunctionGroup]:
        """All but TensorFlow's own initialization of variables."""
        groups = self.session.functions.values() if self.session is not None else ()
        return [group for group in groups if not any(is_initializer(event) for event in group.events)]


@contextlib.contextmanager
def record_in_memory() -> Iterator[InMemory]:
    """Every trace of this process. Raises CannotCount before, or, if nothing else was raised, after."""
    from tb_retrace_plugin.capture import tf_seam
    from tb_retrace_plugin.capture.session.memory_sink import MemorySink
    from tb_retrace_plugin.capture.session.recorder import Recorder

    try:
        tf_seam.check()
    except tf_seam.SeamMissingError as error:
        raise CannotCount(f"Retrace cannot count traces in this TensorFlow: {error}") from error
    sink = MemorySink()
    recorder: Any = Recorder("", sampled=False, open_sink=lambda _: sink)
    recorder.attach()
    found = InMemory()
    try:
        yield found
    finally:
        recorder.detach()
        found.ran_eagerly = tf_seam.functions_run_eagerly()
        for tag, message, time_s in sink.records:
            parsed = tags.parse_tag(tag)
            assert parsed is not None
            found.store.add([Record(".", parsed, message, time_s)])
    if lost := lost_traces(recorder.losses):
        what = ", ".join(f"{name.replace('_', ' ')}: {count}" for name, count in lost.items())
        raise CannotCount(f"Retrace could not record every trace ({what}): there may have been more.")


def explanation(group: FunctionGroup, events: list[TraceEvent] | None = None) -> list[str]:
    calls = {event.seq: event.first_call_ns or 0 for event in group.events}
    about = None if events is None else [event.record for event in events]
    return explain_traces([e.record for e in group.events], group.session.stacks, calls, about=about)
