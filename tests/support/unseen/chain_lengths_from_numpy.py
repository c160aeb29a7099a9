"""A sampler is asked for results by Python numbers, and once by NumPy's, which it cannot do with."""

import numpy as np
import tensorflow as tf


@tf.function(autograph=False)
def sample_chain(num_results, state, step_size):
    def body(i, s):
        return i + 1, s - step_size * s

    return tf.while_loop(lambda i, _: i < num_results, body, (0, state))[1]


state = tf.ones([4])
for step_size in np.linspace(0.1, 0.3, 3, dtype="float32"):
    state = sample_chain(10, state, step_size)
state = sample_chain(20, state, 0.1)
try:
    sample_chain(np.int64(20), state, 0.1)
except TypeError as error:
    print(error)
