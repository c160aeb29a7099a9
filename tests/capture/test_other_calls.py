"""Which other lines of its caller's file call a function by its name."""

from __future__ import annotations

from pathlib import Path

import pytest
import tensorflow as tf

from tb_retrace_plugin.capture.code import other_calls as other_calls_
from tb_retrace_plugin.capture.code.other_calls import other_calls
from tests.capture.conftest import RecordFixture

SOURCE = """def step(x):
    # step(0)
    return other_step(x)
a = step(1)
b = self.step(
    2,
)
class step(Base): pass
steps(3)
"""


def test_they_are_found_by_the_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "train.py"
    file.write_text(SOURCE, "utf-8")
    found = [(frame.line, frame.source, frame.user) for frame in other_calls("step", str(file), 4)]
    assert found == [(5, "b = self.step(2,)", True)]
    assert [frame.line for frame in other_calls("step", str(file), 0)] == [4, 5]
    assert other_calls("<lambda>", str(file), 0) == other_calls("step", str(tmp_path / "none.py"), 0) == []
    monkeypatch.setattr(other_calls_, "_MAX_LINES", 8)
    assert other_calls("step", str(file), 0) == []


OF_TWO_CLASSES = """class A:
    def step(self, x):
        return x

    def run(self):
        for n in (
            1, 2,
        ):
            self.step(n)
        self.step(3)


class B:
    def step(self, x):
        return x

    def run(self):
        self.step(4)
"""


def test_of_several_of_a_name_those_of_the_same_function_alone(tmp_path: Path) -> None:
    file = tmp_path / "agents.py"
    file.write_text(OF_TWO_CLASSES, "utf-8")
    assert [frame.line for frame in other_calls("step", str(file), 9)] == [10]
    assert [frame.line for frame in other_calls("step", str(file), 18)] == []
    file = tmp_path / "agent.py"
    file.write_text(OF_TWO_CLASSES.replace("class B:\n    def step", "class B:\n    def other"), "utf-8")
    assert [frame.line for frame in other_calls("step", str(file), 9)] == [10, 18]


def test_once_for_each_file_where_something_can_be_avoided(recording: RecordFixture) -> None:
    @tf.function
    def scaled(x: tf.Tensor, rate: float) -> tf.Tensor:
        return x * rate

    with recording() as r:
        for n in range(3):
            scaled(tf.ones([1]), n / 2 + 0.1)
        scaled(tf.ones([1]), 0.1)
    with recording(values="none") as hidden:
        for n in range(2):
            scaled(tf.ones([2]), n / 2 + 0.1)
    assert [bool(trace.other_calls) for trace in r.traces] == [False, True, False]
    assert r.traces[1].other_calls[0].source == "scaled(tf.ones([1]), 0.1)"
    assert not any(trace.other_calls for trace in hidden.traces[len(r.traces) :])
