"""A generator that grows: each level has one kernel more, and alpha is asked for by an `if`, which takes a tensor."""

import tensorflow as tf

kernels = [tf.Variable(tf.ones([3, 3]) * 0.25) for _ in range(3)]


@tf.function
def generate(noise, level, alpha):
    x = noise
    for i in range(level):
        x = x @ kernels[i]
    if alpha < 1.0 and level > 0:
        x = alpha * x + (1.0 - alpha) * noise
    return x


for level in range(3):
    for alpha in (0.25, 0.5, 1.0):
        x = generate(tf.ones([2, 3]), level, alpha)
    tf.debugging.assert_near(x, tf.ones([2, 3]) * 0.75**level)


average = tf.Variable(tf.ones([3]))


@tf.function
def averaged(x, step):
    if step >= 3:  # a tensor takes this branch, too
        average.assign(0.5 * average + 0.5 * x)
    return x + kernels[0][0]


for step in range(6):
    averaged(tf.ones([3]), step)
tf.debugging.assert_near(average, tf.ones([3]))
