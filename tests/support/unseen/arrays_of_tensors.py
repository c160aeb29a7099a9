"""TensorArrays of steps are passed to a function that adds them up; longer ones later."""

import tensorflow as tf


@tf.function
def summed(ta):
    return tf.reduce_sum(ta.stack())


for n, width in ((2, 3), (4, 3), (2, 5), (3, 7)):
    ta = tf.TensorArray(tf.float32, size=n, element_shape=[width])
    for i in range(n):
        ta = ta.write(i, tf.ones([width]))
    print(float(summed(ta)))
