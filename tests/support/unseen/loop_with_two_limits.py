"""`tf.while_loop` with a limit that is a constant of the graph, and one that is an attribute of the loop."""

import tensorflow as tf


@tf.function
def minimize(x, limit=10, parallel=10):
    def halve(x):
        return [x * 0.5]

    return tf.while_loop(
        lambda x: tf.reduce_any(x > 1e-3), halve, [x], maximum_iterations=limit, parallel_iterations=parallel
    )


for limit in (3, 5, 8):
    minimize(tf.constant([1.0, 2.0]), limit)
for parallel in (1, 4):
    minimize(tf.constant([1.0, 2.0]), 20 * parallel, parallel)
