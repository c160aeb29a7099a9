"""`assert_max_traces`, the marker and `--retrace-budget`: red where there is a trace too many, and only there."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest
import tensorflow as tf

from tb_retrace_plugin import assert_max_traces, record
from tb_retrace_plugin.capture.tf_seam import private, tracing_hook
from tb_retrace_plugin.gate.in_memory import CannotCount, record_in_memory
from tb_retrace_plugin.gate.max_traces import TooManyTraces
from tests.capture.conftest import Recorded

pytest_plugins = ["pytester"]
ROOT = Path(__file__).resolve().parents[2]


def new_function() -> Any:
    @tf.function
    def total(x: tf.Tensor) -> tf.Tensor:
        return tf.reduce_sum(x)

    return total


def call(function: Any, *lengths: int) -> None:
    for n in lengths:
        function(tf.ones([n]))


def test_as_many_as_allowed_pass() -> None:
    total = new_function()
    with assert_max_traces(2):
        call(total, 1, 2, 1)
    with assert_max_traces(0, total):
        call(total, 2, 1)
    assert total.experimental_get_tracing_count() == 2


def test_graphs_are_not_kept_in_memory() -> None:
    total = new_function()
    with record_in_memory() as found:
        call(total, 1, 2)
    traces = [event.record for group in found.functions for event in group.events]
    assert [(bool(trace.graph_sha256), trace.graph_content) for trace in traces] == [(True, b"")] * 2


def test_one_too_many_is_explained() -> None:
    total = new_function()
    with pytest.raises(TooManyTraces) as raised, assert_max_traces(1):
        call(total, 3, 5)
    lines = str(raised.value).splitlines()
    assert re.fullmatch(r"total \(tests/capture/test_gate.py:\d+\) was traced twice; 1 is allowed.", lines[0])
    assert lines[1].split() == ["#1", "total", "was", "traced", "for", "the", "first", "time."]
    assert re.search(r"called from tests/capture/test_gate.py:\d+: function\(tf.ones\(\[n\]\)\)", lines[2])
    assert lines[3].split() == [
        "#2",
        "total",
        "was",
        "traced",
        "again",
        "because",
        "x",
        "changed",
        "shape:",
        "(3,)",
        "→",
        "(5,).",
    ]
    assert lines[4] == "  fix: x of total changes shape. Declare it with unknown dimensions: one trace serves all."
    assert lines[5].strip() == "@tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])"
    assert lines[6].strip() == "2 traces → 1"
    assert isinstance(raised.value, AssertionError)


def test_what_was_traced_before_is_compared_with() -> None:
    total = new_function()
    call(total, 3)
    with pytest.raises(TooManyTraces, match=r"x changed shape: \(3,\) → \(4,\)"), assert_max_traces(0):
        call(total, 3, 4)


@pytest.mark.parametrize("how", ["object", "python function", "name", "qualified name", "place"])
def test_one_function_is_meant(how: str) -> None:
    one, other = new_function(), tf.function(lambda x: x)
    wanted = {
        "object": one, "python function": one.python_function, "name": "total",
        "qualified name": "new_function.<locals>.total", "place": "test_gate.py:total",
    }[how]  # fmt: skip
    with assert_max_traces(1, wanted):
        call(other, 1, 2, 3)
        call(one, 1)
    with pytest.raises(TooManyTraces, match="total"), assert_max_traces(1, wanted):
        call(one, 4, 5)


def test_methods_are_meant_by_their_code() -> None:
    class Model:
        @tf.function
        def step(self, x: tf.Tensor) -> tf.Tensor:
            return x

    model = Model()
    with pytest.raises(TooManyTraces, match="step"), assert_max_traces(1, model.step):
        call(model.step, 1, 2)


def test_new_objects_of_the_same_code_count_together() -> None:
    def twice() -> None:
        call(new_function(), 1)
        call(new_function(), 1)

    with pytest.raises(TooManyTraces, match="traced twice; 1 is allowed"), assert_max_traces(1):
        twice()


def test_no_object_of_the_program_is_asked_what_it_is() -> None:
    class Hostile:
        def __getattribute__(self, name: str) -> object:
            raise AssertionError(name)

    kept = [Hostile()]
    with pytest.raises(LookupError, match="totl"), assert_max_traces(1, "totl"):
        call(new_function(), 1)
    assert len(kept) == 1


def test_a_name_that_nothing_has_is_an_error_and_a_cached_function_is_not() -> None:
    total = new_function()
    call(total, 1)
    with pytest.raises(LookupError, match="totl"), assert_max_traces(1, "totl"):
        call(total, 1)
    with assert_max_traces(0, "total"):
        call(total, 1)


def test_another_failure_is_not_hidden() -> None:
    def broken() -> None:
        call(new_function(), 1)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), assert_max_traces(0):
        broken()


def test_it_can_be_nested_and_used_with_a_recording(tmp_path: Path) -> None:
    total = new_function()
    with record(tmp_path), assert_max_traces(3):
        call(total, 1)
        with assert_max_traces(1):
            call(total, 2)
        with pytest.raises(TooManyTraces, match="was traced once; none is allowed"), assert_max_traces(0):
            call(total, 3)
    assert Recorded(tmp_path).read().count("total") == 3
    assert getattr(private.attribute(tracing_hook.TRACING, tracing_hook.SEAM), "__retrace_hook__", False) is False


def test_it_is_a_decorator_too_and_counts_each_call_by_itself() -> None:
    total = new_function()

    @assert_max_traces(1)
    def step(n: int) -> None:
        call(total, n)

    step(1)
    step(2)
    with pytest.raises(TooManyTraces), assert_max_traces(1):
        list(map(step, (3, 4)))


def test_other_threads_count_too() -> None:
    total = new_function()
    with pytest.raises(TooManyTraces), assert_max_traces(1), ThreadPoolExecutor(1) as threads:
        threads.submit(call, total, 1, 2)


def test_a_second_trace_for_variables_counts_as_tensorflow_counts_it() -> None:
    made: list[tf.Variable] = []

    @tf.function
    def count(x: tf.Tensor) -> tf.Tensor:
        if not made:
            made.append(tf.Variable(1.0))
        return x + made[0]

    with pytest.raises(TooManyTraces, match="because its first call created variables"), assert_max_traces(1):
        call(count, 1)
    assert count.experimental_get_tracing_count() == 2


def small_model() -> Any:
    model = keras.Sequential([keras.Input([4]), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    return model


def test_keras_models_are_counted_each_by_itself_and_their_pipelines_are_not() -> None:
    x, y = np.zeros((4, 4), "float32"), np.zeros((4, 1), "float32")
    with assert_max_traces(1):
        for _ in range(2):
            model = small_model()
            model.fit(x, y, verbose=0)
            model.fit(x, y, verbose=0)
            model.predict(x, verbose=0)
    with pytest.raises(TooManyTraces, match="one_step_on_data"), assert_max_traces(0):
        model.train_on_batch(x[:3], y[:3])


def test_functions_that_run_eagerly_are_warned_of() -> None:
    tf.config.run_functions_eagerly(True)
    try:
        with pytest.warns(UserWarning, match="functions run eagerly"), assert_max_traces(0):
            call(new_function(), 1)
    finally:
        tf.config.run_functions_eagerly(False)


def test_what_was_lost_is_no_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    from tb_retrace_plugin.capture.session import memory_sink

    monkeypatch.setattr(memory_sink, "MAX_RECORDS", 1)
    with pytest.raises(CannotCount, match="records not written"), assert_max_traces(5):
        call(new_function(), 1)


@pytest.mark.parametrize(("n", "function"), [(-1, None), (1.0, None), (True, None), (None, None), (1, 3)])
def test_arguments_that_mean_nothing(n: Any, function: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        assert_max_traces(n, function)


# --- pytest ---

TESTS = """
import contextlib
import unittest
import pytest
import tensorflow as tf
from tb_retrace_plugin import assert_max_traces

@tf.function
def total(x):
    return tf.reduce_sum(x)

@tf.function
def other(x):
    return x

def call(function, *lengths):
    for n in lengths:
        function(tf.ones([n]))

@pytest.mark.max_traces(1)
def test_within():
    call(total, 1, 1)

@pytest.mark.max_traces(1, function="total")
def test_over():
    call(other, 1, 2)
    call(total, 2, 3)

@pytest.mark.max_traces(0)
def test_other_reason():
    call(total, 4)
    assert 1 == 2, "another reason"

@pytest.mark.xfail(strict=True)
@pytest.mark.max_traces(0)
def test_expected():
    call(total, 5)

@pytest.mark.max_traces(-1)
def test_wrong_mark():
    pass

@pytest.mark.max_traces()
def test_mark_without_a_number():
    pass

@pytest.mark.max_traces(1, "totl")
def test_wrong_name():
    pass

@pytest.mark.max_traces(5)
class TestClass:
    @pytest.mark.max_traces(0)
    def test_closest_mark(self):
        call(total, 6)

    def test_mark_of_the_class(self):
        call(total, 7, 8)

    @pytest.mark.max_traces(0, function="other")
    def test_both_marks(self):
        call(total, 9)
        with assert_max_traces(1):
            call(other, 9)

class TestUnit(unittest.TestCase):
    @pytest.mark.max_traces(0)
    def test_unit(self):
        call(total, 14)

    @pytest.mark.max_traces(0)
    def test_unit_within(self):
        self.assertEqual(1, 1)

    @pytest.mark.max_traces(0)
    def test_unit_other_reason(self):
        call(total, 15)
        self.fail("a reason of its own")

def test_unmarked():
    call(total, 10, 11)

@pytest.mark.parametrize("n", [12, 13])
def test_inside(n):
    with assert_max_traces(1):
        call(total, n)
"""
OUTCOMES = {
    "test_within": "passed", "test_over": "failed", "test_other_reason": "failed", "test_expected": "xfailed",
    "test_mark_without_a_number": "failed",
    "test_wrong_mark": "failed", "test_wrong_name": "failed", "test_closest_mark": "failed",
    "test_mark_of_the_class": "passed", "test_both_marks": "failed", "test_unmarked": "passed",
    "test_unit": "failed", "test_unit_within": "passed", "test_unit_other_reason": "failed",
    "test_inside[12]": "passed", "test_inside[13]": "passed",
}  # fmt: skip


def test_the_marker(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(TESTS)
    result = pytester.runpytest_inprocess("-rA", "--strict-markers", "-p", "no:cacheprovider")
    said = "\n".join(result.outlines)
    words = {"PASSED": "passed", "FAILED": "failed", "XFAIL": "xfailed"}
    found = {name: words[word] for word, name in re.findall(r"^(PASSED|FAILED|XFAIL) \S+::([\w\[\]]+)", said, re.M)}
    assert found == OUTCOMES
    assert "x changed shape: (2,) → (3,)" in said
    assert "@tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])" in said
    assert "another reason" in said
    assert "a reason of its own" in said
    assert "0 or more, not -1" in said
    assert "max_traces(n, function=None): missing 1 required positional argument: 'n'" in said
    assert "no tf.function is called 'totl'" in said
    assert "pytest_plugin.py" not in said  # its frames would tell nothing


BUDGET = """
[default]
traces = 1
[functions.other]
causes = ["shape"]
"""


def test_a_budget_for_each_test(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        TESTS.partition("@pytest.mark.max_traces(1)\n")[0]
        + """
def test_within():
    call(total, 20)
    call(other, 20, 21)

def test_over():
    call(total, 21, 22)

def test_unnamed_cause():
    other(tf.ones([1], tf.int32))
    other(tf.ones([1], tf.int64))

def test_without_traces():
    pass
"""
    )
    pytester.makefile(".toml", retrace=BUDGET)
    result = pytester.runpytest_inprocess("--retrace-budget", "retrace.toml", "-p", "no:cacheprovider")
    result.assert_outcomes(passed=2, failed=2)
    result.stdout.fnmatch_lines(
        [
            "total (*.py:7) was traced twice; 1 allowed.",
            "*x changed shape: (21,) → (22,).",
            "other (*.py:11) was traced again for dtype (twice); only shape is allowed.",
        ]
    )


BAD = [("[all]\ntrace = 1", "all.trace"), ("[all", "is not TOML"), (None, "cannot read")]


@pytest.mark.parametrize(("text", "said"), BAD)
def test_a_budget_that_cannot_be_used(text: str | None, said: str, pytester: pytest.Pytester) -> None:
    if text is not None:
        pytester.makefile(".toml", retrace=text)
    result = pytester.runpytest_inprocess("--retrace-budget", "retrace.toml")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert said in result.stderr.str()


@pytest.mark.newest
def test_workers_of_xdist_and_a_run_that_uses_none_of_it(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(TESTS)
    (tmp_path / "retrace.toml").write_text("[default]\ntraces = 9\n")
    (tmp_path / "test_light.py").write_text(
        """
import sys

def test_light():
    assert not [name for name in sys.modules if name.split(".")[0] in ("tensorflow", "keras", "tensorboard")]
    ours = {name for name in sys.modules if name.startswith("tb_retrace_plugin")}
    assert ours == {"tb_retrace_plugin", "tb_retrace_plugin.gate", "tb_retrace_plugin.gate.pytest_plugin"}
"""
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1"}

    def run(*arguments: str) -> str:
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments]
        return subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        ).stdout

    assert "1 passed" in run("test_light.py")
    said = run("test_it.py", "-n", "2", "--retrace-budget", "retrace.toml")
    assert "9 failed, 6 passed, 1 xfailed" in said, said
    assert "x changed shape: (2,) → (3,)" in said


def test_nothing_is_left_behind(pytester: pytest.Pytester) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pytester.makepyfile("import pytest\n@pytest.mark.max_traces(0)\ndef test_it():\n    pass\n")
        pytester.runpytest_inprocess("-p", "no:cacheprovider").assert_outcomes(passed=1)
    assert getattr(private.attribute(tracing_hook.TRACING, tracing_hook.SEAM), "__retrace_hook__", False) is False
