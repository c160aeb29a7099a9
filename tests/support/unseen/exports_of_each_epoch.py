"""A model is exported in each epoch, with a function that is declared and asked for there."""

import tempfile

import tensorflow as tf

module = tf.Module()
module.weights = tf.Variable(tf.ones([4, 2]))


def export(model, path):
    @tf.function(input_signature=[tf.TensorSpec([None, 4], tf.float32, name="x")])
    def serve(x):
        return {"y": tf.matmul(x, model.weights)}

    tf.saved_model.save(model, path, signatures=serve.get_concrete_function())


for epoch in range(2):
    module.weights.assign_add(tf.ones([4, 2]))
    with tempfile.TemporaryDirectory() as path:
        export(module, path)
        served = tf.saved_model.load(path).signatures["serving_default"](x=tf.ones([3, 4]))["y"]
    assert float(served[0, 0]) == 4.0 * (epoch + 2)
