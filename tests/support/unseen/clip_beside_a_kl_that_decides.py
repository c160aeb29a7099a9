"""A policy's update takes a clip that is annealed, and the last KL divergence, by which it decides in Python."""

import tensorflow as tf

w = tf.Variable([0.5, -0.5])


@tf.function
def update(advantages, clip, kl):
    loss = tf.reduce_mean(tf.clip_by_value(advantages * w, -clip, clip))
    if kl > 0.015:
        loss = tf.stop_gradient(loss) * 0.5
    return loss


for clip, kl in ((0.2, 0.0), (0.2, 0.09), (0.15, 0.06), (0.1, 0.01)):
    print(float(update(tf.constant([1.0, 2.0]), clip, kl)))
