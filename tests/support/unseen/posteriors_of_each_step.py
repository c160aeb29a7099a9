"""An object of a plain class for each step, which holds tensors: the graphs capture other ones, and are the same."""

import tensorflow as tf


class Normal:
    def __init__(self, loc, scale):
        self.loc, self.scale = loc, scale

    def log_prob(self, x):
        return -0.5 * ((x - self.loc) / self.scale) ** 2 - tf.math.log(self.scale)


@tf.function
def elbo(dist, x):
    return tf.reduce_mean(dist.log_prob(x))


found = []
for n in range(4):
    posterior = Normal(tf.constant([float(n)]), tf.constant([1.0 + n]))
    found.append(float(elbo(posterior, tf.constant([0.0, 1.0, 2.0]))))
tf.debugging.assert_near(found[:3], [-0.8333, -0.7765, -1.1912], atol=1e-3)
