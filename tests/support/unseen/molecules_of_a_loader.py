"""Batches of molecules that a generator puts together, with their numbers of atoms; two partials of one step."""

from functools import partial

import numpy as np
import tensorflow as tf

random = np.random.default_rng(0)
kernel = tf.Variable(random.normal(size=(3, 1)).astype("float32"))


def collate(sizes):
    ids = np.repeat(np.arange(len(sizes)), sizes)
    return {"x": random.normal(size=(sum(sizes), 3)).astype("float32"), "ids": ids, "n_graphs": len(sizes)}


def loader(sizes, several):
    for i in range(0, len(sizes), several):
        yield collate(sizes[i : i + several])


@tf.function
def step(batch, train):
    with tf.GradientTape() as tape:
        pooled = tf.math.unsorted_segment_sum(batch["x"] @ kernel, batch["ids"], batch["n_graphs"])
        loss = tf.reduce_mean(pooled**2)
    if train:
        kernel.assign_sub(0.01 * tape.gradient(loss, kernel))
    return loss


train_step = partial(step, train=True)
eval_step = partial(step, train=False)
for _ in range(2):
    losses = [float(train_step(b)) for b in loader([3, 5, 4, 6, 4], 2)]
    values = [float(eval_step(b)) for b in loader([4, 5, 3], 2)]
