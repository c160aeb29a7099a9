"""A model that was saved for sentences of any length is loaded, as a hub does, and asked with some of each length."""

import os
import tempfile

import tensorflow as tf


class Answers(tf.Module):
    def __init__(self):
        self.table = tf.Variable(tf.random.stateless_normal([20, 4], (1, 2)))

    @tf.function
    def __call__(self, inputs, weighted=False):
        words, mask = inputs
        score = tf.reduce_sum(tf.gather(self.table, words) * tf.cast(mask, tf.float32)[..., None])
        return score * (2.0 if weighted else 1.0)


answers = Answers()
answers.__call__.get_concrete_function([tf.TensorSpec([None, None], tf.int32)] * 2)
path = os.path.join(tempfile.mkdtemp(), "answers")
tf.saved_model.save(answers, path)
model = tf.saved_model.load(path)
for sentence in ("who is it", "what is it now", "why", "who is it"):
    words = tf.ones([1, len(sentence.split())], tf.int32)
    print(model([words, words]).numpy())
