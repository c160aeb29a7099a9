"""Two threads call one function with shapes of their own, one after the other."""

import threading

import tensorflow as tf


@tf.function
def work(x):
    return x + 1.0


for rows in (2, 3):
    thread = threading.Thread(target=lambda rows=rows: [work(tf.ones([rows])) for _ in range(3)])
    thread.start()
    thread.join()
work(tf.ones([2]))
