"""Each request passes a scoring function made for it, some with another temperature, and each batch other steps."""

import tensorflow as tf

table = tf.Variable([[0.1, 0.5, 0.2], [0.3, 0.1, 0.9], [0.2, 0.2, 0.7]])


class Penalty:
    def apply(self, scores):
        return scores - 0.1


@tf.function
def search(ids, score, max_length):
    for _ in tf.range(max_length):
        ids = tf.argmax(score(tf.gather(table, ids)), -1, output_type=tf.int32)
    return ids


def serve(ids, max_length=2, temperature=1.0):
    return search(tf.constant(ids), lambda rows: rows / temperature, max_length)


serve([0, 1])
serve([0, 1], max_length=3)
serve([0], temperature=0.5)
serve([1, 0])


@tf.function
def refine(scores, steps, count):
    for step in steps:
        scores = step(scores)
    return scores * count


penalty = Penalty()
refine(tf.ones([3]), [tf.nn.relu], 1.0)
refine(tf.ones([3]), [tf.nn.relu, tf.nn.softmax], 1.0)


@tf.function
def penalized(scores, penalize, weight):
    return penalize(scores) * weight


for weight in (1.0, 0.5):
    penalized(tf.ones([3]), penalty.apply, weight)
