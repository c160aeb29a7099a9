"""A language model's step is passed how many words there are, by which its rate goes; a method that it calls goes over
them one by one."""

import numpy as np
import tensorflow as tf

VOCABULARY, WIDTH = 11, 5


class Recurrent(tf.Module):
    def __init__(self):
        super().__init__()
        self.table = tf.Variable(tf.random.normal([VOCABULARY, WIDTH], seed=1))
        self.carried = tf.Variable(tf.random.normal([WIDTH, WIDTH], seed=2))

    def __call__(self, words, state):
        rows = tf.gather(self.table, words)
        outputs = []
        for place in range(words.shape[0]):
            state = tf.tanh(rows[place] + state @ self.carried)
            outputs.append(tf.matmul(state, self.table, transpose_b=True))
        return tf.stack(outputs), state


class Trainer:
    def __init__(self, model):
        self.model = model

    @tf.function
    def step(self, words, targets, state, count):
        with tf.GradientTape() as tape:
            logits, state = self.model(words, state)
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(targets, logits))
        for variable, gradient in zip(
            self.model.trainable_variables, tape.gradient(loss, self.model.trainable_variables)
        ):
            variable.assign_sub(0.1 * count / 6 * tf.convert_to_tensor(gradient))
        return loss, state


trainer = Trainer(Recurrent())
text = np.random.default_rng(1).integers(0, VOCABULARY, (24, 3))
for epoch in range(2):
    state, start = tf.zeros([3, WIDTH]), 0
    for count in (6, 4, 5, 6):
        words, targets = text[start : start + count], text[start + 1 : start + 1 + count]
        loss, state = trainer.step(words, targets, state, count)
        start += count
    print(bool(loss > 0.0))
