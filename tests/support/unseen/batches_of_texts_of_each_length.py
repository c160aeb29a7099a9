"""A translator's training: a Python loop goes over the words, the last batch of each length is a smaller one."""

import numpy as np
import tensorflow as tf

rng = np.random.default_rng(0)
table = tf.Variable(rng.normal(size=[9, 4]).astype("float32"))
cell = tf.Variable(rng.normal(size=[8, 4]).astype("float32"))
out = tf.Variable(rng.normal(size=[4, 9]).astype("float32"))


@tf.function
def train_step(words, state, is_forced):
    loss = 0.0
    with tf.GradientTape() as tape:
        word = words[:, 0]
        for t in range(1, words.shape[1]):
            state = tf.tanh(tf.concat([state, tf.gather(table, word)], -1) @ cell)
            logits = state @ out
            loss += tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(words[:, t], logits))
            word = words[:, t] if is_forced else tf.argmax(logits, -1, output_type=tf.int32)
    for variable, gradient in zip((cell, out), tape.gradient(loss, (cell, out)), strict=True):
        variable.assign_sub(0.1 * gradient)
    return loss


for length in (5, 7):
    for rows in (6, 6, 2, 6, 3):
        batch = rng.integers(0, 9, [rows, length]).astype("int32")
        loss = train_step(tf.constant(batch), tf.zeros([rows, 4]), length < 6)
print(f"{loss:.4f}")
