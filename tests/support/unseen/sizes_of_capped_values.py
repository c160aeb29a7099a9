"""A class with `__tf_flatten__` whose component changes its size."""

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
def total(batch):
    return tf.reduce_sum(batch.values)


for rows in (2, 3, 4, 5):
    print(total(Capped(0.5, tf.ones([rows]))).numpy())
