"""A trainer hands options of its losses on by `**`: weights that adapt, for which one method has a default value."""

import tensorflow as tf


class Trainer:
    @tf.function
    def content(self, real, made, weight, sharpness=2.0):
        return weight * tf.reduce_mean(tf.abs(real - made)) ** sharpness

    @tf.function
    def texture(self, real, made, weight):
        return weight * tf.reduce_mean(tf.square(real - made))

    def step(self, real, made, **options):
        return self.content(real, made, **options) + self.texture(real, made, weight=options["weight"])


trainer, real, made = Trainer(), tf.ones([4]), tf.zeros([4])
weight = 0.5
for sharpness in (1.5, 2.5, 2.0):
    loss = trainer.step(real, made, weight=weight, sharpness=sharpness)
    weight *= 0.9
assert abs(float(loss) - 2 * 0.405) < 1e-5
