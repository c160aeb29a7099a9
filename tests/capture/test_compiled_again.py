"""A Keras model that is compiled again: what for, and how it need not be."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tb_retrace_plugin.explain.verdict.evidence import COMPILED_FOR_OTHER_PARTS
from tests.capture.conftest import RecordFixture
from tests.capture.test_advice_is_exact import run

pytestmark = pytest.mark.newest  # what Keras does, which is the same with the oldest TensorFlow

_BEFORE = """
import keras
import numpy as np
weight = 1.0
def weighted(y, p):
    return weight * keras.ops.mean((y - p) ** 2)
def loss_of(gamma, model=None):
    def powered(y, p):
        return weight * keras.ops.mean(abs(y - p) ** gamma) + (0.0 if model is None else keras.ops.mean(model(p)))
    return powered
dropped = keras.layers.Dropout(0.1, name="dropped")
dropped.rate = 0.0
dense = keras.layers.Dense(2, name="first", kernel_initializer="ones")
model = keras.Sequential([keras.Input((3,)), dense, dropped, keras.layers.Dense(1, kernel_initializer="ones")])
x, y = np.ones((4, 3), "float32"), np.ones((4, 1), "float32")
"""
_STEP = "one_step_on_data"


def _recorded(
    recording: RecordFixture, path: Path, once: str, each: str, step: str = _STEP
) -> tuple[list[Any], list[float]]:
    lines = "\n".join(f"    {line}" for line in each.splitlines())
    path.write_text(f"{_BEFORE}\n{once}\nlosses = []\nfor i in range(3):\n{lines}\n", "utf-8")
    names: dict[str, Any] = {"__name__": "__main__"}
    with recording() as r:
        exec(compile(path.read_text("utf-8"), str(path), "exec"), names)
    return [trace for trace in r.traces if step in ("", trace.function.name)], names["losses"]


@pytest.mark.parametrize(
    ("compiles", "word", "told"),
    [
        ("model.compile(keras.optimizers.SGD(0.1 * i), 'mse')", "avoidable", "with the same as before"),
        (
            "model.compile('adam', keras.losses.Huber(), metrics=['mae'])",
            "avoidable",
            "with the same as before",
        ),
        (
            "model.compile('sgd', keras.losses.CategoricalCrossentropy(from_logits=True, label_smoothing=0.1))",
            "avoidable",
            "with the same as before",
        ),
        ("model.compile('sgd', keras.losses.Huber(delta=1.0 + i))", "bounded", "`loss`: "),
        ("model.compile(keras.optimizers.SGD(momentum=0.1 * i), 'mse')", "bounded", "`optimizer.momentum`: 0.0 → 0.1"),
        (
            "model.compile(keras.optimizers.LossScaleOptimizer(keras.optimizers.SGD(momentum=0.1 * i)), 'mse')",
            "bounded",
            "`optimizer.inner_optimizer.momentum`: 0.0 → 0.1",
        ),
        (
            "kinds = keras.metrics.mean_absolute_error, weighted, keras.metrics.mean_squared_error\n"
            "model.compile('sgd', 'mse', metrics=[keras.metrics.MeanMetricWrapper(kinds[i], name='m')])",
            "bounded",
            "`metrics`: ",
        ),
        (
            "model.compile('sgd', 'mse', metrics=[keras.metrics.AUC(curve='PR')])",
            "avoidable",
            "with the same as before",
        ),
        (
            "model.compile('sgd', 'mse', metrics=[keras.metrics.AUC(curve=['ROC', 'PR', 'ROC'][i])])",
            "bounded",
            "`metrics`: ",
        ),
        (
            "decay = keras.optimizers.schedules.CosineDecay(0.1, 10)\n"
            "model.compile(keras.optimizers.SGD(decay if i else 0.1), 'mse')",
            "bounded",
            "`optimizer.learning_rate`: a number → CosineDecay(initial_learning_rate=0.1",
        ),
        ("model.compile(['sgd', 'adam', 'adagrad'][i], 'mse')", "bounded", "`optimizer`: SGD → Adam"),
        ("model.compile('sgd', ['mse', 'mae', 'mape'][i])", "bounded", "`loss`: 'mse' → 'mae'"),
        ("model.compile('sgd', 'mse', metrics=[['mse'], ['mae'], []][i])", "bounded", "`metrics`: ['mse'] → ['mae']"),
        ("dense.trainable = i != 1\nmodel.compile('sgd', 'mse')", "bounded", "it leaves frozen `first`, which was"),
        ("weight = 1.0 + i\nmodel.compile('sgd', weighted)", "unknown", "This one reads `weight`: 1.0 → 2.0."),
        ("dropped.rate = 0.4 * i\nmodel.compile('sgd', 'mse')", "unknown", "This one reads `dropped.rate`: 0.0 → 0.4."),
        ("model.compile('sgd', loss_of(2.0))", "avoidable", "with the same as before"),
        (
            "model.compile('sgd', loss_of(2.0 + i))",
            "bounded",
            "`loss`: loss_of.powered(gamma=2.0, model=None) of line 8 → loss_of.powered(gamma=3.0, model=None) of line",
        ),
        ("model.compile('sgd', loss_of(2.0, keras.Sequential([keras.layers.Dense(1)])))", "unknown", "is not known"),
        ("weight = 1.0 + i\nmodel.compile('sgd', loss_of(2.0))", "unknown", "This one reads `weight`: 1.0 → 2.0."),
        ("model.compile('sgd', lambda y, p: keras.ops.mean((y - p) ** 2))", "avoidable", "with the same as before"),
        ("model.compile('sgd', [lambda y, p: y - p, lambda y, p: (y - p) ** 2][i % 2])", "bounded", "`loss`: lambda "),
        ("model.compile('sgd', lambda y, p: i * (y - p) ** 2)", "unknown", "This one reads `i`: 0 → 1."),
    ],
)
def test_what_it_is_compiled_again_for(
    recording: RecordFixture, tmp_path: Path, compiles: str, word: str, told: str
) -> None:
    traces, _ = _recorded(recording, tmp_path / "program.py", "", f"{compiles}\nmodel.train_on_batch(x, y)")
    again = [trace for trace in traces if trace.kind == "recreated"]
    assert len(again) == 2
    assert again[0].verdict == word
    assert told in again[0].evidence


def test_compiled_as_before_the_last_it_is_not_known_why(recording: RecordFixture, tmp_path: Path) -> None:
    each = "dense.trainable = i != 1\nmodel.compile('sgd', 'mse')\nmodel.train_on_batch(x, y)"
    traces, _ = _recorded(recording, tmp_path / "program.py", "", each)
    assert [trace.verdict for trace in traces if trace.kind == "recreated"] == ["bounded", "unknown"]


def test_a_function_that_is_made_anew_without_that_is_not_said_to_be(recording: RecordFixture, tmp_path: Path) -> None:
    each = "model.make_train_function(force=True)\nmodel.train_on_batch(x, y)"
    traces, _ = _recorded(recording, tmp_path / "program.py", "model.compile('sgd', 'mse')", each)
    assert [trace.verdict for trace in traces if trace.kind == "recreated"] == ["unknown"] * 2


def test_compiled_once_it_trains_alike(recording: RecordFixture, tmp_path: Path) -> None:
    compiles, trains = "model.compile(keras.optimizers.Adam(0.1 / (1 + i)), 'mse')", "losses.append(model.{}(x, y{}))"
    before, anew = _recorded(recording, tmp_path / "a.py", "", f"{compiles}\n{trains.format('train_on_batch', '')}")
    once = f"i = 0\n{compiles}\nmodel.optimizer.build(model.trainable_variables)\n"
    once += "initial = [variable.numpy() for variable in model.optimizer.variables]"
    each = (
        "for variable, start in zip(model.optimizer.variables, initial): variable.assign(start)\n"
        "model.optimizer.learning_rate = 0.1 / (1 + i)\n"
        "model.reset_metrics()\n"
    )
    after, kept = _recorded(recording, tmp_path / "b.py", once, each + trains.format("train_on_batch", ""))
    assert (len(before), len(after) - len(before)) == (6, 1)  # both are in one directory
    np.testing.assert_array_equal(anew, kept)


def test_it_is_advised_to_be_compiled_once(recording: RecordFixture, tmp_path: Path) -> None:
    program = f"""{_BEFORE}
for i in range(3):
    model.compile(keras.optimizers.Adam(0.1 / (1 + i)), "mse")
    model.fit(x, y, verbose=0)
"""
    _, advice = run(program, "program", tmp_path, recording, _STEP)
    (found,) = [one for one in advice if one.rule == "compile_once"]
    assert (found.traces_before, found.traces_after) == (6, 2)
    assert (found.code or "").startswith("model.compile(…)  # once, before the loop\nmodel.optimizer.learning_rate = …")
    program = program.replace("range(3)", "range(4)").replace("(x, y, v", "(x, y, validation_data=(x, y), v")
    _, advice = run(program, "tested_too", tmp_path, recording, _STEP)
    (found,) = [one for one in advice if one.rule == "compile_once"]
    assert (found.code or "").startswith("model.compile(…)  # once, before the loop\n")  # for both steps
    assert "reset_metrics" not in (found.code or "")  # which `fit` and `evaluate` do
    program = program.replace("    model.compile", "    dense.trainable = i < 2\n    model.compile")
    _, advice = run(program, "frozen", tmp_path, recording, _STEP)
    (found,) = [one for one in advice if one.rule == "compile_once"]
    assert (found.code or "").startswith("model.compile(…)  # only where more than the learning rate is another one\n")


def test_what_metrics_have_gathered_of_batches_is_reset(recording: RecordFixture, tmp_path: Path) -> None:
    """As a `compile`, or a new model, does: Keras 3.12 returns the mean of all batches since then."""
    each = "for i in range(3):\n    model.compile('sgd', 'mse')\n    print(model.{}_on_batch(x, y))\n"
    for method in ("train", "test"):
        _, advice = run(f"{_BEFORE}\n{each.format(method)}", method, tmp_path, recording, _STEP)
        (found,) = [one for one in advice if one.rule == "compile_once"]
        assert (found.code or "").endswith("\nmodel.reset_metrics()  # in place of compiling again")
        assert f"what `{method}_on_batch` returns is the mean" in found.warnings[-1]


@pytest.mark.parametrize(("rate", "last"), [(0.0, "avoidable"), (0.5, "unknown")])
def test_compiled_again_and_given_other_parts(recording: RecordFixture, tmp_path: Path, rate: float, last: str) -> None:
    """With sample weights: its step, and the loop of `fit` around it, whose iterator has these, and which reads nothing
    itself of what the step does."""
    each = f"model.compile('sgd', 'mse')\ndropped.rate = {rate} * (i > 1)\n"
    each += "model.optimizer.build(model.trainable_variables)\n"
    each += "model.fit(x, y, sample_weight=np.ones(4) if i else None, verbose=0)"
    traces, _ = _recorded(recording, tmp_path / "program.py", "", each, "")
    for step in (_STEP, "multi_step_on_iterator"):
        again = [trace for trace in traces if trace.function.name == step and trace.kind == "recreated"]
        assert [trace.verdict for trace in again] == ["bounded", last]
        assert again[0].evidence == COMPILED_FOR_OTHER_PARTS
        assert again[1].evidence.endswith("reads `dropped.rate`: 0.0 → 0.5.") == (last == "unknown")
