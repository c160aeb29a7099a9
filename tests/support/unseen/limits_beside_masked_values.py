"""A class with `__tf_flatten__` whose metadata is a limit."""

import dataclasses

import tensorflow as tf


@dataclasses.dataclass
class Capped:
    limit: float
    values: tf.Tensor

    def __tf_flatten__(self):
        return (self.limit,), (self.values,)

    @classmethod
    def __tf_unflatten__(cls, metadata, components):
        return cls(*metadata, *components)


@tf.function
def capped(batch):
    return tf.minimum(batch.values, batch.limit)


x = tf.ones([2])
for limit in (0.5, 0.25, 0.125):
    print(capped(Capped(limit, x)).numpy())
