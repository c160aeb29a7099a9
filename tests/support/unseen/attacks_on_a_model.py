"""Adversarial examples by two attacks, one of which calls the model by a lambda of its own and has its own loss."""

import numpy as np
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.Input([3]), tf.keras.layers.Dense(4)])


@tf.function
def compute_gradient(model_fn, loss_fn, x, y):
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = loss_fn(labels=y, logits=model_fn(x))
    return tape.gradient(loss, x)


def fast_gradient(model_fn, x, y, eps):
    loss_fn = tf.nn.sparse_softmax_cross_entropy_with_logits
    return x + eps * tf.sign(compute_gradient(model_fn, loss_fn, x, y))


def momentum(model_fn, x, y, eps, steps=2):
    total = tf.zeros_like(x)
    for _ in range(steps):
        total += compute_gradient(model_fn, cross_entropy, x, y)
        x = x + eps / steps * tf.sign(total)
    return x


def cross_entropy(labels, logits):
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)


def logits(model):
    return lambda x: model(x)


x, y = tf.constant(np.linspace(-1, 1, 12, dtype=np.float32).reshape(4, 3)), tf.constant([0, 1, 2, 3])
moved = fast_gradient(model, x, y, 0.1)
for eps in (0.1, 0.2, 0.3):
    moved = momentum(logits(model), moved, y, eps)
