"""A function for each shape is made when it is first asked for, and kept."""

import tensorflow as tf

kernels = {}


def kernel_for(shape):
    if shape not in kernels:

        @tf.function
        def kernel(x):
            return tf.reduce_sum(x) / len(shape)

        kernels[shape] = kernel
    return kernels[shape]


for shape in ((2,), (3,), (2,), (2, 2)):
    kernel_for(shape)(tf.ones(shape))
