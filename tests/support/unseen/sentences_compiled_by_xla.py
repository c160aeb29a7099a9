"""jit_compile=True with an unknown dimension: one trace, and a compilation for each length all the same."""

import tensorflow as tf

weights = tf.Variable(tf.ones([3]))


@tf.function(jit_compile=True, input_signature=[tf.TensorSpec([None, 3])])
def encode(sentence):
    return tf.reduce_sum(tf.abs(sentence) * weights)


for length in (9, 4, 11, 3, 10, 4):
    sentence = tf.reshape(tf.range(length * 3, dtype=tf.float32), [length, 3])
    print(float(encode(sentence)))
print(encode.experimental_get_tracing_count())
