"""Sonnet: a module's step is given the number of pictures, and the last batch is smaller."""

import tensorflow as tf


class Mlp(tf.Module):
    def __init__(self):
        super().__init__()
        self.w = tf.Variable(tf.ones([4, 2]))

    @tf.Module.with_name_scope
    def __call__(self, x):
        return x @ self.w


mlp = Mlp()


@tf.function
def step(images, labels, num_images):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum((mlp(images) - labels) ** 2) / num_images
    grads = tape.gradient(loss, mlp.trainable_variables)
    for v, g in zip(mlp.trainable_variables, grads):
        v.assign_sub(0.01 * g)
    return loss


data = tf.data.Dataset.from_tensor_slices((tf.ones([10, 4]), tf.ones([10, 2]))).batch(4)
for epoch in range(2):
    for images, labels in data:
        print(float(step(images, labels, len(images))))
