"""Keys that are missing in some calls: where a value is advised for one, TensorFlow gives the same results with it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

from tb_retrace_plugin import record
from tb_retrace_plugin.analysis.for_advice.advice import advice_of
from tests.support.stores import load

KERNEL = tf.constant([[1.0, 2.0, 3.0], [0.5, -1.0, 4.0], [2.0, 2.0, -3.0]])
X = tf.constant([1.0, -2.0, 3.0])
B = tf.constant([1.0, 0.0, 0.5])
TEXT = tf.constant(["ab", "", "cde"])
MASK = tf.constant([True, False, True])

#: (what is computed where the key is there, what the key holds, what is neutral: "…" if nothing is known to be)
CASES: dict[str, tuple[Callable[[Any, Any], Any], Any, str]] = {
    "a mask": (lambda x, b: x * b, B, "ones"),
    "a mask for each row": (lambda x, b: tf.reshape(tf.reshape(x, [3, 1]) * b[:, None], [3]), B, "ones"),
    "a divisor": (lambda x, b: x / b, B + 1, "ones"),
    "a divisor that may be 0": (lambda x, b: tf.math.divide_no_nan(x, b), B, "ones"),
    "what is divided": (lambda x, b: b / x, B, "…"),
    "an exponent": (lambda x, b: x**b, B, "ones"),
    "a base": (lambda x, b: b**x, B + 1, "…"),
    "a bias": (lambda x, b: x + b, B, "zeros"),
    "what is subtracted": (lambda x, b: x - b, B, "zeros"),
    "what it is subtracted from": (lambda x, b: b - x, B, "…"),
    "a factor beside 1": (lambda x, b: x * (1.0 + b), B, "zeros"),
    "where nothing is hidden": (lambda x, b: x * (1.0 - b), B, "zeros"),
    "an attention mask": (lambda x, b: x + (1.0 - b) * -1e9, B, "ones"),
    "a bias with a constant": (lambda x, b: x + (b + 3.0), B, "…"),
    "a bias with a weight": (lambda x, b: x + b * 3.0, B, "zeros"),
    "a factor with a weight": (lambda x, b: x * (b * 3.0), B, "…"),
    "both": (lambda x, b: x * b + b, B, "…"),
    "joined": (lambda x, b: tf.concat([x, b], 0), B, "…"),
    "rows of a table": (lambda x, b: x + tf.gather(KERNEL[0], b), tf.constant([0, 2, 1]), "…"),
    "a lower bound": (tf.maximum, B, "…"),
    "an upper bound": (tf.minimum, B, "…"),
    "broadcast to more": (lambda x, b: x * b[:, None], B, "…"),
    "one number for all": (lambda x, b: x * b, tf.constant(2.0), "ones"),
    "where a mask holds": (lambda x, b: tf.where(b, x, 0.0), MASK, "ones"),
    "where a mask does not hold": (lambda x, b: tf.where(b, -1e9, x), MASK, "zeros"),
    "where a mask is inverted": (lambda x, b: tf.where(~b, 0.0, x), MASK, "ones"),
    "a mask of two that are computed": (lambda x, b: tf.where(b, x, x * x), MASK, "ones"),
    "boolean_mask": (lambda x, b: tf.boolean_mask(x, b), MASK, "ones"),
    "a mask that is cast": (lambda x, b: x * tf.cast(b, tf.float32), MASK, "ones"),
    "and": (lambda x, b: tf.where((x > 0) & b, x, 0.0), MASK, "…"),  # without it there is no `where` at all
    "added as a product": (lambda x, b: x + tf.linalg.matvec(KERNEL, b), B, "zeros"),
    "a layer with a bias": (lambda x, b: x + tf.linalg.matvec(KERNEL, b) + KERNEL[0], B, "…"),
    "a loss of its own": (lambda x, b: tf.reduce_sum(x) + tf.reduce_mean(tf.abs(x - b)), B, "…"),
    "returned": (lambda x, b: b, B, "…"),
    "returned beside": (lambda x, b: x * b, B, "ones"),
    "a length": (lambda x, b: x * tf.cast(tf.strings.length(b), tf.float32), TEXT, "…"),
    "a loop": (lambda x, b: tf.while_loop(lambda i: i < 2.0, lambda i: i + b[0] + 1.0, [0.0])[0] * x, B, "not known"),
}  # fmt: skip


def advised(log_dir: Path, compute: Callable[[Any, Any], Any], there: Any, x: Any) -> Any:
    """Advice on a function that computes so where the key is there, and else leaves it out."""

    @tf.function
    def step(batch: Any) -> Any:
        x = tf.sin(batch["x"])
        return compute(x, batch["b"]) if "b" in batch else x

    with record(log_dir):
        step({"x": x})
        step({"x": x, "b": there})
        step({"x": x})
    (session,) = load(log_dir).sessions
    return step, next(one for one in advice_of(next(iter(session.functions.values()))) if one.rule == "same_keys")


@pytest.mark.parametrize("name", CASES)
def test_what_is_advised_changes_no_result(name: str, tmp_path: Path) -> None:
    compute, there, value = CASES[name]
    step, found = advised(tmp_path, compute, there, X)
    if value == "…":
        assert found.code.startswith("batch.setdefault('b', …)")
        assert found.traces_after is None
        return
    assert found.traces_after == 1
    if value == "not known":
        assert "Ones are neutral for what the code multiplies with" in found.in_one
        return
    assert found.code.startswith(f"batch.setdefault('b', tf.{value}(")
    assert f"{value} are neutral for that" in found.in_one
    neutral = tf.zeros_like(there) if value == "zeros" else tf.ones_like(there)
    before = step.experimental_get_tracing_count()
    assert step({"x": X, "b": neutral}).numpy().tolist() == pytest.approx((step({"x": X})).numpy().tolist(), abs=1e-6)
    assert step.experimental_get_tracing_count() == before


def test_a_training_step_with_weights(tmp_path: Path) -> None:
    """Gradients take them too, and the sum by which the loss is divided."""
    weight = tf.Variable(2.0)

    @tf.function
    def step(batch: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.square(batch["x"] * weight - 1.0)
            loss = tf.reduce_mean(loss * batch["b"] if "b" in batch else loss)
        (gradient,) = tape.gradient(loss, [weight])
        weight.assign_sub(0.1 * gradient)
        return loss

    with record(tmp_path):
        step({"x": X})
        step({"x": X, "b": B})
    (session,) = load(tmp_path).sessions
    (found,) = advice_of(next(iter(session.functions.values())))
    assert found.code == "batch.setdefault('b', tf.ones([3], tf.float32))  # or what is neutral"
    assert "The graphs take `batch['b']` in `Mul`: ones are neutral for that." in found.in_one


def test_what_stands_for_the_key_where_it_is_not_there(tmp_path: Path) -> None:
    """The graph without it multiplies with 1, too."""

    @tf.function
    def step(batch: Any) -> Any:
        return tf.reduce_sum(tf.sin(batch["x"]) * batch.get("b", 1.0))

    with record(tmp_path):
        step({"x": X, "b": B})
        step({"x": X})
    (session,) = load(tmp_path).sessions
    (found,) = advice_of(next(iter(session.functions.values())))
    assert found.code == "batch.setdefault('b', tf.ones([3], tf.float32))  # as the code has it"
    assert step({"x": X, "b": tf.ones([3])}).numpy() == pytest.approx(step({"x": X}).numpy())


@pytest.mark.parametrize(
    ("default", "passed", "code"),
    [
        (2.0, tf.constant(0.5), "batch.setdefault('b', tf.constant(2.0, tf.float32))"),
        (2.0, B, "batch.setdefault('b', 2.0 * tf.ones([3], tf.float32))"),
        (0.0, B, "batch.setdefault('b', tf.zeros([3], tf.float32))"),
    ],
)
def test_what_the_code_takes_where_the_key_is_missing(default: float, passed: Any, code: str, tmp_path: Path) -> None:
    """No other value is neutral, and each is written there."""

    def of_a_choice(batch: Any) -> Any:
        return tf.reduce_sum(batch["x"] + (0.0 if "b" not in batch else batch["b"]))  # noqa: SIM401

    def scaled(batch: Any) -> Any:
        return tf.reduce_sum(batch["x"]) * tf.reduce_mean(batch.get("b", 2.0))

    step = tf.function(scaled if default else of_a_choice)
    with record(tmp_path):
        step({"x": X, "b": passed})
        step({"x": X})
    (session,) = load(tmp_path).sessions
    (found,) = advice_of(next(iter(session.functions.values())))
    assert found.code == f"{code}  # as the code has it"
    assert f"with the value that the code takes (`{default}`) where there is none." in found.text
    assert found.traces_after == 1
    batch = {"x": X}
    exec(found.code, {"tf": tf, "batch": batch})
    before = step.experimental_get_tracing_count()
    assert step(batch).numpy() == pytest.approx(step({"x": X}).numpy())
    assert step.experimental_get_tracing_count() == before


def test_texts_that_are_joined(tmp_path: Path) -> None:
    for number, (separator, known) in enumerate((("", True), (" ", False))):
        _, found = advised_texts(tmp_path / str(number), separator)
        assert ("tf.zeros([3], tf.string)" in found.code, found.traces_after) == (known, 1 if known else None)


def advised_texts(log_dir: Path, separator: str) -> Any:
    @tf.function
    def step(batch: Any) -> Any:
        return tf.strings.join([batch["x"], batch["b"]], separator) if "b" in batch else tf.identity(batch["x"])

    with record(log_dir):
        step({"x": TEXT})
        step({"x": TEXT, "b": TEXT})
    (session,) = load(log_dir).sessions
    return step, next(one for one in advice_of(next(iter(session.functions.values()))) if one.rule == "same_keys")
