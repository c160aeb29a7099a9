"""`on_retrace`: warm up, then be told, or forbid; never within TensorFlow's tracing, and never without need."""

from __future__ import annotations

import logging
import re
import warnings
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest
import tensorflow as tf

from tb_retrace_plugin import Retrace, RetraceCallback, RetraceError, RetraceWarning, record, set_step, start, stop
from tb_retrace_plugin.capture import on_retrace as module
from tb_retrace_plugin.capture.api import Recording
from tests.capture.conftest import Recorded

X, Y = np.zeros((24, 4), "float32"), np.zeros((24, 1), "float32")


def new_function() -> Any:
    @tf.function
    def penalty(step: Any) -> tf.Tensor:
        return tf.cast(step, tf.float32) * 0.1

    return penalty


def fit(callback: RetraceCallback, function: Any, *, epochs: int = 1, **options: Any) -> list[int]:
    """Six batches an epoch; `function` is called before each with its number. Returns the batches that ended."""
    ended: list[int] = []
    model = keras.Sequential([keras.Input([4]), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    calls = keras.callbacks.LambdaCallback(
        on_train_batch_begin=lambda batch, logs: function(batch), on_train_batch_end=lambda b, logs: ended.append(b)
    )
    model.fit(X, Y, batch_size=4, epochs=epochs, verbose=0, callbacks=[callback, calls], **options)
    return ended


def test_training_is_ended_at_the_end_of_the_batch(tmp_path: Path) -> None:
    penalty = new_function()
    callback = RetraceCallback(tmp_path, on_retrace="raise", after_step=3)
    with pytest.raises(RetraceError) as raised:
        fit(callback, penalty)
    text = str(raised.value)
    assert text.startswith("traced again after 3 steps of warm-up:\npenalty (tests/capture/test_on_retrace.py:")
    assert "step is another Python value: 2 → 3" in text
    assert "called from tests/capture/test_on_retrace.py:" in text
    assert "fix: penalty is traced for each value of the Python number step (4 values so far)." in text
    assert "4 traces → 1" in text
    (retrace,) = raised.value.retraces
    assert (retrace.step, retrace.trace, retrace.cause, retrace.path) == (3, 4, "python_value", "step")
    assert raised.tb.tb_next is not None
    frames = [entry.path.name if isinstance(entry.path, Path) else str(entry.path) for entry in raised.traceback]
    assert not [name for name in frames if "polymorphic_function" in name or "tracing_compilation" in name]
    # the function is intact, and the recording has its end
    assert penalty.experimental_get_tracing_count() == 4
    assert float(penalty(3)) == pytest.approx(0.3)
    r = Recorded(tmp_path).read()
    assert (r.count("penalty"), len(r.ends), r.losses) == (4, 1, {})


def test_warm_up_is_free_and_what_is_cached_after_it_is_no_retrace(tmp_path: Path) -> None:
    callback = RetraceCallback(tmp_path, on_retrace="raise", after_step=6)
    assert fit(callback, new_function(), epochs=2) == [*range(6), *range(6)]


def test_steps_are_counted_over_epochs(tmp_path: Path) -> None:
    penalty, count = new_function(), iter(range(100))
    callback = RetraceCallback(tmp_path, on_retrace="raise", after_step=8)
    with pytest.raises(RetraceError) as raised:
        fit(callback, lambda _: penalty(next(count) // 2), epochs=2)  # twice a batch
    assert raised.value.retraces[0].step == 8


def test_warnings_come_at_once_and_not_without_end(tmp_path: Path) -> None:
    callback = RetraceCallback(tmp_path, on_retrace="warn", after_step=2)
    with pytest.warns(RetraceWarning) as caught:
        assert fit(callback, new_function()) == [*range(6)]
    texts = [str(warning.message) for warning in caught if warning.category is RetraceWarning]
    assert [re.findall(r"at step (\d)", text) for text in texts] == [["2"], ["3"], ["4"], ["5"]]
    assert "fix: penalty is traced for each value" in texts[0]
    assert "Called from tests/capture/test_on_retrace.py" in texts[0]
    assert "fix:" not in texts[1]


def test_many_alike_are_warned_of_ten_times(tmp_path: Path) -> None:
    penalty = new_function()
    with pytest.warns(RetraceWarning) as caught, record(tmp_path, on_retrace="warn"):
        list(map(penalty, range(15)))
    assert len(caught) == 10
    assert "More of the same are not told" in str(caught[-1].message)


def test_warnings_that_are_errors_are_raised_at_the_end_of_the_batch(tmp_path: Path) -> None:
    penalty = new_function()
    with warnings.catch_warnings():
        warnings.simplefilter("error", RetraceWarning)
        with pytest.raises(RetraceWarning, match="1 → 2"):
            fit(RetraceCallback(tmp_path, on_retrace="warn", after_step=2), penalty)
    assert penalty.experimental_get_tracing_count() == 3


def test_a_function_is_called_outside_of_any_tracing(tmp_path: Path) -> None:
    seen: list[Retrace] = []
    penalty, other = new_function(), tf.function(lambda x: x)

    def told(retrace: Retrace) -> None:
        assert tf.executing_eagerly()
        assert int(other(tf.constant(retrace.step))) == retrace.step  # it may trace: it is the user's own code
        seen.append(retrace)

    assert fit(RetraceCallback(tmp_path, on_retrace=told, after_step=1), penalty) == [*range(6)]
    assert [(r.step, r.cause, r.old, r.new) for r in seen] == [
        (step, "python_value", f"{step - 1}", f"{step}") for step in range(1, 6)
    ]
    first = seen[0]
    assert (first.function, first.qualname, first.trace) == ("penalty", "new_function.<locals>.penalty", 2)
    assert first.file == __file__
    assert first.called_from.startswith("tests/capture/test_on_retrace.py:")
    assert first.seconds > 0
    assert not first.failed
    assert first.changes == (("python_value", "step", "0", "1"),)
    assert first.sentence == "penalty was traced again at step 1 because step is another Python value: 0 → 1."
    assert "tf.constant" in (first.fix or "")
    assert first.explanation.startswith("penalty (tests/capture/test_on_retrace.py:")
    assert "penalty" in repr(first)


def test_what_the_users_function_raises_ends_training(tmp_path: Path) -> None:
    def told(retrace: Retrace) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fit(RetraceCallback(tmp_path, on_retrace=told), new_function())
    assert len(Recorded(tmp_path).read().ends) == 1


def test_what_needs_no_change_is_not_forbidden(tmp_path: Path) -> None:
    """First traces, validation's pipelines, a flag's two values, a widened batch dimension."""

    @tf.function
    def flagged(x: tf.Tensor, training: bool) -> tf.Tensor:
        return x * 2.0 if training else x

    widening = tf.function(lambda x: x, reduce_retracing=True)
    made: list[Any] = []

    def calls(batch: int) -> None:
        flagged(tf.ones([2]), training=batch < 3)
        widening(tf.ones([batch + 1]))
        if batch == 4 and not made:
            made.append(new_function())
            made[0](0)

    callback = RetraceCallback(tmp_path, on_retrace="raise", after_step=1)
    assert fit(callback, calls, epochs=2, validation_data=(X, Y)) == [*range(6), *range(6)]
    traced = {trace.function.name for trace in Recorded(tmp_path).read().traces if trace.kind == "retrace"}
    assert traced >= {"flagged", "<lambda>"}


def test_a_loop_of_ones_own_is_ended_by_set_step(tmp_path: Path) -> None:
    penalty = new_function()
    reached = []

    def loop() -> None:
        for step in range(10):
            set_step(step)
            reached.append(step)
            penalty(step)

    try:
        with pytest.raises(RetraceError, match="3 → 4"), record(tmp_path, on_retrace="raise", after_step=4):
            loop()
        assert reached == [0, 1, 2, 3, 4]
        with pytest.raises(RuntimeError, match="not recording"):
            stop()
        set_step(1)  # nothing is left of it
    finally:
        set_step(None)


def test_without_set_step_it_is_told_at_the_end(tmp_path: Path) -> None:
    seen: list[str] = []
    penalty = new_function()
    start(tmp_path / "a", on_retrace=lambda retrace: seen.append(retrace.new))
    penalty(0)
    penalty(1)
    assert seen == []
    stop()
    assert seen == ["1"]
    start(tmp_path / "b", on_retrace="raise")
    penalty(2)
    with pytest.raises(RetraceError, match="traced again:"):
        stop()
    with pytest.raises(RuntimeError, match="not recording"):
        stop()


def test_another_exception_is_not_hidden(tmp_path: Path) -> None:
    penalty = new_function()

    def broken() -> None:
        penalty(0)
        penalty(1)
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"), record(tmp_path, on_retrace="raise"):
        broken()


def test_set_step_within_a_trace_raises_nothing(tmp_path: Path) -> None:
    penalty = new_function()

    @tf.function
    def outer() -> tf.Tensor:
        penalty(0)
        penalty(1)
        set_step(5)
        return tf.constant(0)

    with pytest.raises(RetraceError), record(tmp_path, on_retrace="raise"):
        assert int(outer()) == 0
    set_step(None)


def test_a_retrace_explains_those_within_it(tmp_path: Path) -> None:
    inner = tf.function(lambda x: x)

    @tf.function
    def outer(x: tf.Tensor) -> tf.Tensor:
        return inner(x)

    with pytest.raises(RetraceError) as raised, record(tmp_path, on_retrace="raise"):
        list(map(outer, (tf.ones([1]), tf.ones([2]))))
    assert [retrace.function for retrace in raised.value.retraces] == ["<lambda>", "outer"]
    assert "outer (" in str(raised.value)
    assert "<lambda> (" not in str(raised.value)


def test_memory_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MAX_KEPT", 20)
    monkeypatch.setattr(module, "_MAX_WAITING", 15)
    seen: list[Retrace] = []
    penalty = new_function()
    with record(tmp_path, on_retrace=seen.append):
        for step in range(60):
            penalty(step)
    assert [retrace.new for retrace in seen] == [str(step) for step in range(1, 16)]
    recent = seen[0]._recent
    assert sum(map(len, recent._traces.values())) <= 20
    assert "penalty" in seen[0].explanation  # although its own traces are gone


def test_at_the_programs_end_it_is_said(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    penalty = new_function()
    recording = Recording(tmp_path, on_retrace="raise")
    recording.begin()
    penalty(0)
    penalty(1)
    with caplog.at_level(logging.WARNING, "tb_retrace_plugin"):
        recording._close_at_exit()
    assert "traced again:\npenalty (" in caplog.text


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"on_retrace": "shout"}, ValueError),
        ({"on_retrace": "warn", "after_step": -1}, ValueError),
        ({"on_retrace": "warn", "after_step": 1.5}, TypeError),
        ({"after_step": 3}, ValueError),
    ],
)
def test_arguments_that_mean_nothing(options: dict[str, Any], error: type[Exception], tmp_path: Path) -> None:
    for make in (RetraceCallback, start):
        with pytest.raises(error):
            make(tmp_path, **options)
    with pytest.raises(RuntimeError, match="not recording"):
        stop()
