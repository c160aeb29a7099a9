"""A decoder's target without its last token: the mask is made of the size of that, in Python; the rate is warmed up."""

import tensorflow as tf

embedding = tf.Variable(tf.reshape(tf.range(24, dtype=tf.float32) / 24.0, [12, 2]))


def look_ahead_mask(size):
    return 1.0 - tf.linalg.band_part(tf.ones((size, size)), -1, 0)


@tf.function
def train_step(source, target, rate):
    shifted, following = target[:, :-1], target[:, 1:]
    mask = look_ahead_mask(shifted.shape[1])
    with tf.GradientTape() as tape:
        keys, x = tf.gather(embedding, source), tf.gather(embedding, shifted)
        x = tf.nn.softmax(tf.matmul(x, x, transpose_b=True) - 1e9 * mask) @ x
        x = tf.nn.softmax(tf.matmul(x, keys, transpose_b=True)) @ keys
        logits = tf.matmul(x, embedding, transpose_b=True)
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(following, logits))
    embedding.assign_sub(rate * tf.convert_to_tensor(tape.gradient(loss, embedding)))
    return loss


for step, (batch, longest, length) in enumerate([(4, 5, 6), (3, 7, 7), (4, 5, 8), (4, 5, 6)], 1):
    rate = 0.5 * min(step**-0.5, step / 3)
    print(float(train_step(tf.ones([batch, longest], tf.int32), tf.fill([batch, length], step), rate)))
