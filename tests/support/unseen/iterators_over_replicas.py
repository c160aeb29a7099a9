"""Several steps in a loop of the graph, with iterators over distributed datasets: training drops a last batch."""

import tensorflow as tf

strategy = tf.distribute.MirroredStrategy(["CPU:0"])
weights = tf.Variable([0.5, 0.25, 0.125])


def distributed(rows, batch_size, training):
    dataset = tf.data.Dataset.from_tensors(tf.ones([3])).repeat(rows)
    dataset = dataset.batch(batch_size, drop_remainder=training)
    return strategy.experimental_distribute_dataset(dataset)


def loss_of(x):
    return tf.reduce_mean(tf.square(x * weights))


@tf.function
def steps(iterator):
    total = 0.0
    for _ in tf.range(2):
        total += strategy.run(loss_of, (next(iterator),))
    return total


for _ in range(2):
    steps(iter(distributed(8, 4, training=True)))
    steps(iter(distributed(5, 3, training=False)))
