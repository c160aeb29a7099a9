"""A number from which one for a function within is computed, which is split by it, and a test by which a number chooses
a text: google/uncertainty-baselines, hyperbatchensemble.py, and hansbuehler/deephedging, objectives.py."""

import tensorflow as tf

ENSEMBLE = 2
weights = tf.Variable(tf.ones([3, 2]))


@tf.function
def ensemble_crossentropy(labels, logits, ensemble_size):
    tiles = tf.concat([part[None] for part in tf.split(tf.nn.log_softmax(logits), ensemble_size, axis=0)], 0)
    return -tf.reduce_mean(tf.gather(tf.reduce_mean(tiles, 0), labels, batch_dims=1))


@tf.function
def test_step(images, labels, num_eval_samples):
    ensemble_size = ENSEMBLE * (1 + num_eval_samples)
    logits = tf.matmul(tf.tile(images, [ensemble_size, 1]), weights)
    return ensemble_crossentropy(labels, logits, ensemble_size)


@tf.function
def utility(gains, lmbda, kind):
    if lmbda < 1e-12:
        kind = "mean"
    if kind == "mean":
        return gains
    return (1.0 - tf.exp(-lmbda * gains)) / lmbda


images, labels = tf.random.stateless_uniform([4, 3], [1, 2]), tf.constant([0, 1, 1, 0])
for num_eval_samples in (0, 5):
    print(test_step(images, labels, num_eval_samples).numpy())
for lmbda in (0.5, 1.0, 2.0):
    print(utility(labels / 2, lmbda, "exp").numpy())
