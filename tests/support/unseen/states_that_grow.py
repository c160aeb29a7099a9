"""What a dataset collects grows: `scan` and `reduce` trace again for a state whose size is unknown."""

import tensorflow as tf

days = tf.data.Dataset.range(4)


def history(state, day):
    state = tf.concat([state, [day]], 0)
    return state, tf.reduce_sum(state)


def collected(state, day):
    return tf.concat([state, [day]], 0)


for epoch in range(3):
    sums = days.scan(tf.zeros([0], tf.int64), history)
    assert [int(total) for total in sums] == [0, 1, 3, 6]
    state = days.reduce(tf.zeros([0], tf.int64), collected)
    assert state.shape == (4,)
