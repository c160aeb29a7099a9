"""An agent is updated in minibatches, the last of which is smaller, with a clip range that is annealed."""

import numpy as np
import tensorflow as tf


class Agent:
    def __init__(self):
        self.net = tf.keras.Sequential([tf.keras.layers.Dense(8, activation="tanh"), tf.keras.layers.Dense(2)])
        self.opt = tf.keras.optimizers.Adam(1e-3)
        self.net.build((None, 4))
        self.opt.build(self.net.trainable_variables)

    @tf.function
    def update(self, obs, act, adv, clip, normalize=True):
        if normalize:
            adv = (adv - tf.reduce_mean(adv)) / (tf.math.reduce_std(adv) + 1e-8)
        with tf.GradientTape() as tape:
            logp = tf.nn.log_softmax(self.net(obs))
            p = tf.gather(logp, act, axis=1, batch_dims=1)
            loss = -tf.reduce_mean(tf.clip_by_value(p, -clip, clip) * adv)
        self.opt.apply_gradients(zip(tape.gradient(loss, self.net.trainable_variables), self.net.trainable_variables))
        return loss


agent = Agent()
rng = np.random.default_rng(0)
for it in range(3):
    clip = 0.2 * (1 - it / 3)
    obs = rng.normal(size=(50, 4)).astype("float32")
    act = rng.integers(0, 2, size=(50,))
    adv = rng.normal(size=(50,)).astype("float32")
    for s in range(0, 50, 20):
        agent.update(obs[s : s + 20], act[s : s + 20], adv[s : s + 20], clip)
