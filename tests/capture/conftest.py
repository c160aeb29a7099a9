"""Recording real TensorFlow and reading back what was written."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

from tb_retrace_plugin.capture import notice
from tb_retrace_plugin.capture.api import Recording
from tb_retrace_plugin.events.files import read_logdir
from tb_retrace_plugin.events.records import Problem
from tb_retrace_plugin.schema import retrace_pb2 as pb
from tests.support.tensorflow_version import IS_OLDEST


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """With the oldest TensorFlow, tests marked `newest` are deselected, which pytest counts."""
    out = [item for item in items if IS_OLDEST and item.get_closest_marker("newest")]
    if out:
        config.hook.pytest_deselected(items=out)
        items[:] = [item for item in items if item not in out]


class Recorded:
    """What a recording wrote, read back from its files."""

    def __init__(self, log_dir: Path) -> None:
        self.log_dir = log_dir
        self.traces: list[pb.Trace] = []
        self.stacks: dict[str, pb.Stack] = {}
        self.first_calls: dict[int, pb.FirstCall] = {}
        self.ends: list[pb.SessionEnd] = []
        self.sessions: list[pb.SessionStart] = []
        self.stale: list[pb.StaleValue] = []
        self.xla: list[pb.XlaCompilation] = []

    def read(self) -> Recorded:
        self.__init__(self.log_dir)  # type: ignore[misc]
        for item in read_logdir(str(self.log_dir)):
            assert not isinstance(item, Problem), item.text
            message: Any = item.message
            if isinstance(message, pb.Trace):
                self.traces.append(message)
                self.first_calls.update((c.seq, c) for c in message.first_calls)
            elif isinstance(message, pb.Stack):
                self.stacks[item.tag.key] = message
            elif isinstance(message, pb.FirstCalls):
                self.first_calls.update((c.seq, c) for c in message.calls)
            elif isinstance(message, pb.SessionEnd):
                self.ends.append(message)
                self.first_calls.update((c.seq, c) for c in message.first_calls)
            elif isinstance(message, pb.StaleValue):
                self.stale.append(message)
            elif isinstance(message, pb.XlaCompilation):
                self.xla.append(message)
            elif isinstance(message, pb.SessionStart):
                self.sessions.append(message)
        self.traces.sort(key=lambda trace: trace.seq)
        return self

    def of(self, name: str) -> list[pb.Trace]:
        return [trace for trace in self.traces if trace.function.name == name]

    def count(self, name: str) -> int:
        """Successful traces: what `experimental_get_tracing_count()` counts."""
        return sum(not trace.failed for trace in self.of(name))

    @property
    def losses(self) -> dict[str, int]:
        return dict(self.ends[-1].losses) if self.ends else {}


RecordFixture = Callable[..., contextlib.AbstractContextManager[Recorded]]


@pytest.fixture
def recording(tmp_path: Path) -> RecordFixture:
    """`with recording() as r: …`; afterwards `r` holds what was written. Losses fail the test."""

    @contextlib.contextmanager
    def record(*, may_lose: bool = False, **options: Any) -> Iterator[Recorded]:
        recorded = Recorded(tmp_path / "logs")
        session = Recording(tmp_path / "logs", **options)
        session.begin()
        try:
            yield recorded
        finally:
            session.close()
        recorded.read()
        if not may_lose:
            assert recorded.losses == {}

    notice.forget()
    return record


def live_tracing_count(name: str) -> int:
    """The oracle for functions that nobody hands out (Keras' own): TensorFlow's count over all living objects."""
    from tensorflow.python.eager.polymorphic_function.polymorphic_function import Function

    functions = [o for o in gc.get_objects() if issubclass(type(o), Function)]  # runs no `__class__` of a test's
    return sum(f.experimental_get_tracing_count() for f in functions if f.python_function.__name__ == name)


def numbers_of_one_code(make: Callable[[], Any], recording: RecordFixture) -> Recorded:
    """Three functions that `make` makes, each called with a tensor and another number."""
    with recording() as recorded:
        for number in range(3):
            make()(tf.ones([2]), number)
    return recorded


def changes(trace: pb.Trace) -> list[tuple[str, str, str, str]]:
    return [(c.cause, c.path, c.old, c.new) for c in trace.changes]
