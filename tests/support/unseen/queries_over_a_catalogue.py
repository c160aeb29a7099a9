"""Each query, a tensor, maps a function over the same catalogue; queries are asked at two places."""

import tensorflow as tf

catalogue = tf.data.Dataset.from_tensor_slices(tf.reshape(tf.range(12.0), [6, 2])).batch(3)


def ranked(query):
    def score(rows):
        return tf.linalg.matvec(rows, query)

    return catalogue.map(score)


for number in range(3):
    query = tf.constant([1.0, float(number)])
    best = max(float(tf.reduce_max(scores)) for scores in ranked(query))
assert best == 32.0
for number in range(3):
    query = tf.constant([float(number), 1.0])
    worst = min(float(tf.reduce_min(scores)) for scores in ranked(query))
assert worst == 1.0
