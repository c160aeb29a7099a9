"""A sampled minibatch is unzipped: lists of Python numbers and of bools; a flag takes turns, as it is meant to."""

import tensorflow as tf

weights = tf.Variable([0.0, 0.0])


@tf.function
def learn(rewards, dones, explore):
    target = tf.stack(rewards) * (1.0 - tf.cast(tf.stack(dones), tf.float32))
    if explore:
        target += 0.1
    weights.assign_add(0.1 * (target - weights))


learn([0.5, 1.0], [False, True], True)
learn([0.25, 2.0], [True, True], False)
learn([0.75, 3.0], [False, False], True)
learn([0.75, 3.0], [True, False], False)
