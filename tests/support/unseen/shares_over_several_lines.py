"""A call over several lines within a function that AutoGraph converts, and one beside letters of no ASCII."""

import tensorflow as tf


@tf.function
def blended(values, share):
    return values * share


@tf.function
def report(values, share):
    return (
        tf.reduce_sum(
            blended(
                values,
                share,
            )
        )
        + 1.0
    )


values = tf.ones([3])
for i in range(3):
    print("über", float(report(values, 0.5 / (i + 1))))
