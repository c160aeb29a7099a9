"""As of a CycleGAN: a pool of earlier fakes, empty at first, which grows and is in the mean; a weight that decays."""

import tensorflow as tf

weight = tf.Variable(0.5)


@tf.function
def train_step(real, pool, cycle):
    with tf.GradientTape() as tape:
        fake = real * weight
        seen = tf.concat([fake, *pool], axis=0)
        loss = tf.reduce_mean(tf.square(seen - 1.0)) + cycle * tf.reduce_mean(tf.abs(fake / 0.5 - real))
    weight.assign_sub(0.1 * tape.gradient(loss, weight))
    return loss, fake


pool = []
for epoch in range(3):
    for i in range(3):
        loss, fake = train_step(tf.ones([2, 4]) * (i + 1), pool, 10.0 * (1 - epoch / 3))
        pool = [*pool, fake][-3:]
    print(float(loss))
