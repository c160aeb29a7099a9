"""As in github.com/deel-ai/xplique/issues/35: a method is passed anew with each batch, of which the last is smaller."""

import tensorflow as tf


class Operator:
    @staticmethod
    @tf.function
    def gradient(func, inputs, labels):
        with tf.GradientTape() as tape:
            tape.watch(inputs)
            loss = func(inputs, labels)
        return tape.gradient(loss, inputs)


class Detector:
    def __init__(self):
        self.operator = Operator()
        self.kernel = tf.Variable(tf.ones([3, 2]))

    def loss(self, inputs, labels):
        return tf.reduce_sum(tf.gather(inputs @ self.kernel, labels, batch_dims=1))

    def perturbed(self, inputs):
        labels = tf.argmax(inputs @ self.kernel, axis=1)
        return inputs - tf.sign(self.operator.gradient(self.loss, inputs, labels))


@tf.function
def run_epoch(batch, step):
    return step(batch)


class Trainer:
    def __init__(self):
        self.scale = tf.Variable(2.0)

    def train(self, batch):
        return tf.reduce_sum(batch * self.scale)

    def evaluate(self, batch):
        return tf.reduce_mean(batch)

    def epoch(self, batch, training):
        return run_epoch(batch, self.train) if training else run_epoch(batch, self.evaluate)


detector, trainer = Detector(), Trainer()
for batch in tf.data.Dataset.from_tensor_slices(tf.reshape(tf.range(30.0), [10, 3])).batch(4):
    print(tf.reduce_sum(detector.perturbed(batch)).numpy())
    print(trainer.epoch(batch, True).numpy() + trainer.epoch(batch, False).numpy())
