"""An agent's target network follows the online one in a step of its own, and is another one in the second round."""

import keras
import tensorflow as tf


def network():
    return keras.Sequential([keras.Input((2,)), keras.layers.Dense(2)])


online, target = network(), network()


@tf.function
def follow(share):
    for to, of in zip(target.trainable_variables, online.trainable_variables):
        to.assign(share * of + (1.0 - share) * to)


for _ in range(2):
    follow(tf.constant(0.1))
    target = network()
