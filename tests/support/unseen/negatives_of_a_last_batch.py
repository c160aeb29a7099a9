"""Word vectors with negative samples, of which there are so many for each word: the last batch has fewer."""

import numpy as np
import tensorflow as tf

WORDS, NEGATIVES = 20, 3
vectors = tf.Variable(tf.random.normal([WORDS, 4], seed=1))
contexts = tf.Variable(tf.zeros([WORDS, 4]))


def loss_of(inputs, labels):
    sampled, _, _ = tf.random.fixed_unigram_candidate_sampler(
        true_classes=labels, num_true=1, num_sampled=inputs.shape[0] * NEGATIVES, unique=False, range_max=WORDS,
        unigrams=[1.0] * WORDS,
    )  # fmt: skip
    rows = tf.gather(vectors, inputs)
    positive = tf.reduce_sum(rows * tf.gather(contexts, labels[:, 0]), 1)
    others = tf.reshape(tf.gather(contexts, sampled), [-1, NEGATIVES, 4])
    negative = tf.reduce_sum(tf.math.log_sigmoid(-tf.einsum("bd,bkd->bk", rows, others)), 1)
    return -tf.reduce_mean(tf.math.log_sigmoid(positive) + negative)


@tf.function
def train_step(inputs, labels, progress):
    with tf.GradientTape() as tape:
        loss = loss_of(inputs, labels)
    rate = 0.025 * (1 - progress)
    for variable, gradient in zip((vectors, contexts), tape.gradient(loss, (vectors, contexts))):
        variable.assign_sub(rate * tf.convert_to_tensor(gradient))
    return loss


pairs = np.random.default_rng(0).integers(0, WORDS, (22, 2))
for epoch in range(2):
    for start in range(0, 22, 8):
        inputs, labels = pairs[start : start + 8, 0], pairs[start : start + 8, 1:]
        loss = train_step(inputs, labels, epoch / 2 + start / 44)
    print(bool(loss > 0.0))
