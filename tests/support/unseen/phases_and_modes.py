"""Steps of two phases, with a number of one of them and a mode that nothing reads."""

import tensorflow as tf


@tf.function
def step(x, phase, alpha=None, mode=b"train"):
    y = x
    if phase == "g":
        y = y * 2.0
    elif phase == "d":
        y = y * 3.0
    if alpha is not None:
        y = y * alpha
    return tf.reduce_sum(y)


for i, n in enumerate((2, 3, 4)):
    print(float(step(tf.ones([n]), "d")))
    print(float(step(tf.ones([n]), "g", alpha=0.1 * i)))
    print(float(step(tf.ones([n]), phase="d", mode=b"eval")))
