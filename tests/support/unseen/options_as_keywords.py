"""Options are passed on as keywords, those that a caller gives."""

import tensorflow as tf


@tf.function
def augment(image, **options):
    if options.get("flip"):
        image = tf.reverse(image, [0])
    return image * options.get("gain", 1.0) + options.get("bias", 0.0)


im = tf.ones([4, 4])
augment(im)
augment(im, flip=True)
augment(im, flip=True, gain=2.0)
augment(im, gain=2.0, flip=True)
augment(im, flip=True, gain=2)
augment(im, flip=1, gain=2.5)
augment(im, bias=tf.constant(1.0))
