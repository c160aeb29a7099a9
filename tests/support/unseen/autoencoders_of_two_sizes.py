"""Variational autoencoders of two sizes; a method asks what it is passed for its shape, and a last batch is smaller."""

import numpy as np
import tensorflow as tf


class Autoencoder(tf.keras.Model):
    def __init__(self, latent):
        super().__init__()
        self.encoder = tf.keras.Sequential([tf.keras.Input((6,)), tf.keras.layers.Dense(2 * latent)])
        self.decoder = tf.keras.Sequential([tf.keras.Input((latent,)), tf.keras.layers.Dense(6)])

    def encode(self, x):
        mean, log_variance = tf.split(self.encoder(x), num_or_size_splits=2, axis=1)
        return mean, log_variance

    def reparameterize(self, mean, log_variance):
        noise = tf.random.normal(shape=mean.shape)
        return noise * tf.exp(log_variance * 0.5) + mean

    def decode(self, z):
        return self.decoder(z)


def compute_loss(model, x):
    mean, log_variance = model.encode(x)
    z = model.reparameterize(mean, log_variance)
    kl = -0.5 * tf.reduce_sum(1.0 + log_variance - mean**2 - tf.exp(log_variance), axis=1)
    return tf.reduce_mean(tf.reduce_sum((model.decode(z) - x) ** 2, axis=1) + kl)


@tf.function
def train_step(model, x, optimizer):
    with tf.GradientTape() as tape:
        loss = compute_loss(model, x)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    return loss


data = np.random.default_rng(0).normal(size=(22, 6)).astype("float32")
for latent in (2, 3):
    model, optimizer = Autoencoder(latent), tf.keras.optimizers.SGD(1e-2)
    optimizer.build(model.trainable_variables)
    for epoch in range(2):
        for x in tf.data.Dataset.from_tensor_slices(data).batch(8):
            loss = train_step(model, x, optimizer)
    print(bool(loss > 0.0))
