"""A step that is made anew for the iterator of each epoch."""

import tensorflow as tf

data = tf.data.Dataset.range(12).batch(5)


def steps_of(batches):
    @tf.function
    def step(scale):
        return scale * tf.cast(tf.reduce_sum(next(batches)), tf.float32)

    return step


for epoch in range(3):
    step = steps_of(iter(data))
    for _ in range(3):
        print(step(tf.constant(0.5)).numpy())
