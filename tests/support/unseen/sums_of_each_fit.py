"""Each fit makes a step of its own, for another number, which is called in two modes with several sizes."""

import tensorflow as tf


class Trainer:
    def __init__(self):
        self.w = tf.Variable([1.0, 2.0])

    def fit(self, alpha):
        @tf.function
        def step(x, mode):
            y = x * self.w * alpha
            return tf.reduce_sum(y) if mode == "sum" else tf.reduce_mean(y)

        for n in (2, 3, 4):
            for mode in ("sum", "mean"):
                step(tf.ones([n, 2]), mode)


trainer = Trainer()
for alpha in (1.0, 2.0, 3.0):
    trainer.fit(alpha)
