"""Collocation points: as many as each round takes, from NumPy as float64 and later as float32."""

import numpy as np
import tensorflow as tf

W = tf.Variable(tf.ones([3]))


class PINN:
    lam = 1.0

    @tf.function
    def loss_grad(self, pts):
        with tf.GradientTape() as t:
            loss = tf.reduce_sum(tf.square(tf.cast(pts, tf.float32) * W)) * self.lam
        return loss, t.gradient(loss, W)


p = PINN()
for i in range(3):
    p.loss_grad(np.random.rand(5 + i, 3))
p.lam = 10.0
p.loss_grad(np.random.rand(5, 3))
p.loss_grad(tf.constant(np.random.rand(5, 3), tf.float32))
