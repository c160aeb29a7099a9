"""A score of several sizes and two ways, which is saved afterwards: saving traces once more what was traced."""

import tempfile

import tensorflow as tf


class Scorer(tf.Module):
    def __init__(self):
        super().__init__()
        self.w = tf.Variable(tf.ones([3]))

    @tf.function
    def score(self, x, normalize=False):
        out = tf.linalg.matvec(x, self.w)
        return out / tf.norm(out) if normalize else out


scorer = Scorer()
for n in (2, 4, 6):
    for flag in (False, True):
        scorer.score(tf.ones([n, 3]), normalize=flag)
tf.saved_model.save(scorer, tempfile.mkdtemp())
