"""Inner steps, none in some calls, with a rate that changes before the other sizes come."""

import tensorflow as tf


class Learner:
    def __init__(self):
        self.w, self.alpha = tf.Variable([[0.5]]), 0.01

    @tf.function
    def adapted(self, x, y, n):
        w = tf.identity(self.w)
        for _ in range(n):
            with tf.GradientTape() as tape:
                tape.watch(w)
                loss = tf.reduce_mean((x @ w - y) ** 2)
            w = w - self.alpha * tape.gradient(loss, w)
        return w


learner = Learner()
for size in (5, 10):
    for n in (0, 1, 3):
        print(size, n, learner.adapted(tf.ones([size, 1]), tf.zeros([size, 1]), n).numpy())
    learner.alpha = 0.05
