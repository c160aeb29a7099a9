"""A search's state in a dataclass that tells TensorFlow what it holds: its step, and the frontiers that it has seen."""

import dataclasses

import tensorflow as tf


@dataclasses.dataclass
class State:
    step: int
    seen: tuple

    def __tf_flatten__(self):
        return (), (self.step, self.seen)

    @classmethod
    def __tf_unflatten__(cls, metadata, components):
        return cls(*components)


@tf.function
def damped(state, x):
    return x * state.step + state.seen[0]


@tf.function
def total(state, x):
    return x * state.step + tf.add_n(list(state.seen))


x, seen = tf.ones([3]), ()
for step in range(4):
    seen = (*seen, x)
    damped(State(step, (x,)), x)
    total(State(step, seen), x)
