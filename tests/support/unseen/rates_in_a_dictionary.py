"""Hyperparameters in dictionaries: a global one whose discount is annealed, and one for each step that is made."""

import tensorflow as tf

config = {"gamma": 0.5, "horizons": [2, 3, 4]}
w = tf.Variable(1.0)


@tf.function
def discounted(rewards):
    return tf.reduce_sum(rewards) * config["gamma"] * config.get("scale", 1.0)


@tf.function
def scaled(rewards, scale):
    return tf.reduce_sum(rewards) * scale * config["gamma"]


@tf.function
def returns(rewards, scale):  # reads nothing itself, but what it calls is traced within it
    return scaled(rewards, scale) + 1.0


def make_step(options):
    @tf.function
    def step(x):
        return w.assign_sub(options["rate"] * tf.reduce_mean(x) + options["decay"] * w)

    return step


for length in config["horizons"]:
    config["gamma"] = 0.5 + length / 10
    assert abs(float(discounted(tf.ones([length]))) - length * config["gamma"]) < 1e-6
    assert abs(float(returns(tf.ones([2]), 1.0 / length)) - 2.0 / length * config["gamma"] - 1.0) < 1e-6
for rate, decay in ((0.1, 0.0), (0.2, 0.1), (0.3, 0.1)):
    make_step({"rate": rate, "decay": decay})(tf.ones([2]))
