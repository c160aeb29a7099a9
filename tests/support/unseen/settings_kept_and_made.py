"""A step that is passed settings which are kept, and in its other phase such as are made for each call."""

import tensorflow as tf


class Settings:
    def __init__(self, gain):
        self.gain = gain


class Runner:
    def __init__(self):
        self.w = tf.Variable(1.0)

    @tf.function
    def run(self, x, settings, phase):
        y = x * self.w * settings.gain
        if phase == 0:
            y = y + 1.0
        return tf.reduce_sum(y)


runner = Runner()
kept = Settings(2.0)
for i in range(4):
    print(float(runner.run(tf.ones([2 + i % 2]), kept, 0)))
    print(float(runner.run(tf.ones([2 + i % 2]), Settings(2.0), 1)))
