"""A step counter that is mended piece by piece: Python numbers, tensors, the variable's number, and the variable."""

import tensorflow as tf

counter = tf.Variable(0, dtype=tf.int64)


@tf.function
def decayed(base, step):
    return base * tf.exp(-0.1 * tf.cast(step, tf.float32))


base = tf.constant(0.3)
for step in range(8):
    counter.assign(step)
    if step < 2:
        decayed(base, step)
    elif step < 4:
        decayed(base, tf.constant(step))
    elif step < 6:
        decayed(base, counter.numpy())
    else:
        decayed(base, counter)
