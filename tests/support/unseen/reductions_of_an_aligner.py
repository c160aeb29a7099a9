"""As in github.com/as-ideas/TransformerTTS: what is set makes the step again, whose first call made the variables."""

import tensorflow as tf


class Aligner(tf.Module):
    def __init__(self, channels, max_r):
        super().__init__()
        self.channels = channels
        self.r = self.max_r = max_r
        self.force_diagonal = True
        self.projection = None
        self.apply_signatures()

    def apply_signatures(self):
        signature = [tf.TensorSpec([None, None, self.channels], tf.float32)]
        self.train_step = tf.function(self._train_step, input_signature=signature)

    def set_constants(self, reduction_factor, force_diagonal):
        if self.r != reduction_factor:
            self.r = reduction_factor
            self.apply_signatures()
        if self.force_diagonal != force_diagonal:
            self.force_diagonal = force_diagonal
            self.apply_signatures()

    def _forward(self, mel):
        if self.projection is None:
            self.projection = tf.Variable(tf.ones([self.channels, self.channels * self.max_r]))
        out = tf.matmul(mel[:, :: self.r, :], self.projection)[:, :, : self.r * self.channels]
        loss = tf.reduce_mean(tf.square(out))
        if self.force_diagonal:
            loss += tf.reduce_mean(tf.abs(out)) / 10.0
        return loss

    def _train_step(self, mel):
        with tf.GradientTape() as tape:
            loss = self._forward(mel)
        self.projection.assign_sub(0.01 * tape.gradient(loss, self.projection))
        return loss


model = Aligner(channels=2, max_r=4)
for step in range(8):
    model.set_constants(reduction_factor=4 if step < 5 else 2, force_diagonal=step < 3)
    print(step, model.train_step(tf.ones([1 + step % 3, 8 + step, 2])).numpy())
