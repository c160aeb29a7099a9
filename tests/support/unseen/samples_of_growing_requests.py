"""A generator that is asked for other numbers of samples, and draws noise of the shape of what it makes."""

import tensorflow as tf

decoder = tf.keras.layers.Dense(4)
decoder.build((None, 3))


@tf.function
def sample(count, temperature):
    z = tf.random.normal([count, 3]) * temperature
    x = decoder(z)
    return x + tf.random.normal(x.shape) * 0.01


for count, temperature in ((2, 1.0), (4, 1.0), (8, 0.5)):
    sample(count, temperature)
