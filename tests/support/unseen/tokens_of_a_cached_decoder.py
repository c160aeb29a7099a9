"""A decoder that caches what it has seen: None before the first token; the step, which it never reads, is a number."""

import tensorflow as tf

table, head = tf.Variable(tf.eye(10)[:, :4]), tf.Variable(tf.eye(10)[:4])


@tf.function
def next_token(ids, step, temperature=1.0, past=None):
    h = tf.reduce_mean(tf.nn.embedding_lookup(table, ids), 1)
    if past is not None:
        h = h + tf.reduce_mean(past, 1)
    return tf.argmax(h @ head / temperature, -1, output_type=tf.int32), h


def generate(ids, count, temperature):
    past = None
    for step in range(count):
        token, h = next_token(ids, step, temperature, past)
        ids = tf.concat([ids, token[:, None]], 1)
        past = h[:, None] if past is None else tf.concat([past, h[:, None]], 1)
    return ids


for temperature in (1.0, 0.7):
    print(generate(tf.constant([[1, 2]]), 3, temperature).numpy().tolist())
