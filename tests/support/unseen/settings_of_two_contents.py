"""Settings, and a function, are made anew for each call: of two contents, so that there are two graphs."""

import tensorflow as tf


class Settings:
    def __init__(self, rate):
        self.rate = rate


@tf.function
def solve(f, x, settings):
    return f(x) * settings.rate


for rate in (0.5, 0.5, 0.25, 0.25):
    solve(lambda x: x * x, tf.constant(1.5), Settings(rate))
