"""A program whose recorded traces are worth comparing: `python -m tests.support.compared_graphs LOGDIR [mobilenet]`.

`train_step`: a small conv net at two image sizes, then its evaluation; `unrolled`: a Python loop of 5 and of 6 rounds,
with branches and a while loop. With `mobilenet`, only `mobile_step`: MobileNetV2's train step at two image sizes.
"""

from __future__ import annotations

import sys
from typing import Any

import keras
import tensorflow as tf

import tb_retrace_plugin


def main(logdir: str, what: str = "small") -> None:
    keras.utils.set_random_seed(7)
    with tb_retrace_plugin.record(logdir, graphs_tab=["train_step"] if what == "small" else None):
        if what == "mobilenet":
            step = step_of(mobilenet(), "mobile_step")
            trace(step, 96, training=True)
            trace(step, 128, training=True)
            return
        step = step_of(conv_net(), "train_step")
        trace(step, 28, training=True)
        trace(step, 32, training=True)
        trace(step, 28, training=False)
        weight = tf.Variable(tf.ones((8, 8)))
        unrolled = unrolled_loop(weight)
        unrolled.get_concrete_function(tf.TensorSpec((4, 8)), 5)
        unrolled.get_concrete_function(tf.TensorSpec((4, 8)), 6)


def conv_net() -> Any:
    layers = keras.layers
    return keras.Sequential(
        [
            keras.Input((None, None, 3)),
            layers.Conv2D(16, 3, activation="relu"),
            layers.BatchNormalization(),
            layers.MaxPooling2D(),
            layers.Conv2D(32, 3, activation="relu"),
            layers.GlobalAveragePooling2D(),
            layers.Dropout(0.3),
            layers.Dense(10),
        ]
    )


def mobilenet() -> Any:
    base = keras.applications.MobileNetV2(weights=None, input_shape=(None, None, 3), include_top=False, pooling="avg")
    return keras.Sequential([base, keras.layers.Dense(10)])


def step_of(model: Any, name: str) -> Any:
    optimizer = keras.optimizers.Adam()
    optimizer.build(model.trainable_variables)
    loss_of = keras.losses.SparseCategoricalCrossentropy(from_logits=True)

    def step(x: Any, y: Any, training: bool) -> Any:
        with tf.GradientTape() as tape:
            loss = loss_of(y, model(x, training=training))
        if training:
            gradients = tape.gradient(loss, model.trainable_variables)
            optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        return loss

    step.__name__ = step.__qualname__ = name
    return tf.function(step)


def trace(step: Any, size: int, *, training: bool) -> None:
    step.get_concrete_function(tf.TensorSpec((32, size, size, 3)), tf.TensorSpec((32,), tf.int64), training)


def unrolled_loop(weight: Any) -> Any:
    @tf.function
    def unrolled(x: Any, rounds: int) -> Any:
        for _ in range(rounds):
            x = tf.nn.relu(x @ weight) + 0.1
            x = tf.cond(tf.reduce_sum(x) > 0, lambda x=x: x * 2.0, lambda x=x: x - 1.0)
        return tf.while_loop(lambda i, _: i < 3, lambda i, v: (i + 1, v * 1.5), (0, x))

    return unrolled


if __name__ == "__main__":
    main(*sys.argv[1:])
