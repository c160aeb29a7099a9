"""A detector's losses are made for each batch, in a list, and the last batch is smaller."""

import numpy as np
import tensorflow as tf


class ScaleLoss:
    def __init__(self, anchors):
        self.anchors = anchors

    def __call__(self, boxes, predicted):
        return tf.reduce_mean(tf.square(boxes - predicted) * tf.constant(self.anchors))


ANCHORS = [np.array([0.1, 0.2], np.float32), np.array([0.3, 0.4], np.float32)]
heads = [tf.Variable(tf.ones([4, 2])) for _ in ANCHORS]


def make_losses():
    return [ScaleLoss(anchors) for anchors in ANCHORS]


@tf.function
def train_step(images, boxes, losses):
    with tf.GradientTape() as tape:
        total = tf.add_n([loss(boxes, images @ head) for head, loss in zip(heads, losses)])
    for head, gradient in zip(heads, tape.gradient(total, heads)):
        head.assign_sub(0.1 * gradient)
    return total


for epoch in range(2):
    for rows in (4, 4, 3):
        losses = make_losses()
        train_step(tf.ones([rows, 4]), tf.ones([rows, 2]), losses)
