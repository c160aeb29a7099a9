"""A weight of consistency that is ramped up, beside an optimizer that the first trace builds.

https://github.com/ryancheunggit/tensorflow2_model_zoo/issues/13: pass the weight as a tensor. Keras numbers the scope
of the optimizer's operations in the trace that builds it, which is none of the weight's doing.
"""

import math

import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(0)
model = tf.keras.Sequential([tf.keras.Input((5,)), tf.keras.layers.Dense(3)])
optimizer = tf.keras.optimizers.SGD(0.1)


@tf.function
def train_step(x, y, other, w):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(y, model(x)))
        consistency = tf.reduce_mean(tf.square(model(0.5 * x + 0.5 * other) - 0.5 * model(x) - 0.5 * model(other)))
        total = loss + w * consistency
    gradients = tape.gradient(total, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    return total


rng = np.random.default_rng(0)
for epoch in range(4):
    w = 100.0 * math.exp(-5.0 * (1 - min(epoch, 2) / 2) ** 2)
    x, other = rng.random((4, 5)).astype("f4"), rng.random((4, 5)).astype("f4")
    train_step(x, rng.integers(0, 3, 4), other, w)
