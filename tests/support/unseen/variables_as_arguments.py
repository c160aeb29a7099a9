"""Variables of other sizes and dtypes, shared, new for each picture; a list of those that are trained."""

import tensorflow as tf

v = {n: tf.Variable(tf.ones([n])) for n in range(1, 9)}
like, double = tf.Variable(tf.ones([2])), tf.Variable(tf.ones([2], tf.float64))


@tf.function
def mix(one, two, three):
    return tf.reduce_sum(one) + tf.reduce_sum(two) + tf.reduce_sum(three)


@tf.function
def total(x):
    return tf.reduce_sum(x)


@tf.function
def step(image):
    return tf.reduce_sum(image)


@tf.function
def train(variables):
    for variable in variables:
        variable.assign_sub(0.1 * variable)


third = tf.Variable(tf.ones([2]))
mix(v[2], like, third)
mix(like, like, like)
mix(v[3], v[2], like)
total(like)
total(double)
for n in range(2, 13):
    step(tf.Variable(tf.ones([n, 3])))
train([v[1]])
train([v[1], v[2]])
