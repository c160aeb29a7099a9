"""An evolution strategy: noise of the parameters' own shape, for the seed of each member."""

import tensorflow as tf


@tf.function
def noise(seed, shape, sigma):
    return sigma * tf.random.stateless_normal(shape, seed=[seed, 1])


parameters, sigma = tf.zeros([2, 3]), 0.5
for generation in range(2):
    members = [noise(2 * generation + member, parameters.shape, sigma) for member in range(2)]
    parameters = parameters + tf.add_n(members)
    sigma *= 0.5
    print(float(tf.reduce_sum(parameters)))
