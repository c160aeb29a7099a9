"""A circuit of rotations, whose angles are a list of Python numbers that an optimizer changes."""

import tensorflow as tf


@tf.function
def energy(state, angles):
    for i, angle in enumerate(angles):
        cosine, sine = tf.cos(angle / 2), tf.sin(angle / 2)
        gate = tf.stack([tf.stack([cosine, -sine]), tf.stack([sine, cosine])])
        state = tf.linalg.matvec(gate if i % 2 == 0 else tf.transpose(gate), state)
    return tf.reduce_sum(state * tf.constant([1.0, -1.0]) * state)


angles = [0.1, 0.2, 0.3, 0.4]
for _ in range(4):
    energy(tf.constant([1.0, 0.0]), angles)
    angles = [angle * 0.9 for angle in angles]
