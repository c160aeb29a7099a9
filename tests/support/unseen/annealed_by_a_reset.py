"""KL annealing: beta is a Python number, and the train function is reset so that it is seen."""

import keras
import numpy as np
import tensorflow as tf

keras.utils.set_random_seed(0)


class VAE(keras.Model):
    def __init__(self):
        super().__init__()
        self.encoder, self.decoder = keras.layers.Dense(4), keras.layers.Dense(3)
        self.beta = 0.0

    def call(self, x):
        return self.decoder(self.encoder(x)[:, :2])

    def train_step(self, data):
        with tf.GradientTape() as tape:
            mean, log_var = tf.split(self.encoder(data), 2, axis=1)
            rebuilt = self.decoder(mean)
            kl = -0.5 * tf.reduce_mean(1 + log_var - mean**2 - tf.exp(log_var))
            loss = tf.reduce_mean((rebuilt - data) ** 2) + self.beta * kl
        self.optimizer.apply_gradients(zip(tape.gradient(loss, self.trainable_variables), self.trainable_variables))
        return {"loss": loss}


x = np.random.default_rng(0).normal(size=(8, 3)).astype("float32")
vae = VAE()
vae.build((None, 3))
vae.compile(keras.optimizers.SGD(0.1))
for epoch in range(4):
    vae.beta = epoch / 4
    vae.train_function = None
    print(vae.fit(x, batch_size=4, epochs=1, verbose=0, shuffle=False).history["loss"])
