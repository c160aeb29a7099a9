"""As in github.com/N3PDF/vegasflow/issues/84: `compile` makes the function again, when a flag that it reads is set."""

import tensorflow as tf


class Integrator:
    def __init__(self, events):
        self.events = events
        self.train = True
        self.mode = "sum"
        self.divisions = tf.Variable([0.0, 0.5, 1.0])
        self.compile()

    def compile(self):
        self.run_event = tf.function(self._run_event)
        self.reduce = tf.function(self._reduce)

    def freeze(self, frozen=True):
        self.train = not frozen
        self.compile()

    def _run_event(self):
        weights = tf.ones([self.events]) * self.divisions[1]
        if self.train:
            self.divisions.assign(self.divisions * 0.9)
        return tf.reduce_sum(weights)

    def _reduce(self, values):
        return tf.reduce_sum(values) if self.mode == "sum" else tf.reduce_mean(values)

    def set_mode(self, mode):
        self.mode = mode
        self.reduce = tf.function(self._reduce)


integrator = Integrator(4)
for frozen in (True, False):
    print(integrator.run_event().numpy(), integrator.reduce(tf.ones([3])).numpy())
    integrator.freeze(frozen)
print(integrator.run_event().numpy(), integrator.reduce(tf.ones([3])).numpy())
integrator.set_mode("mean")
print(integrator.reduce(tf.ones([3])).numpy())
