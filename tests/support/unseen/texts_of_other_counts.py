"""A server's requests have other numbers of texts, and a threshold in some."""

import tensorflow as tf

initializer = tf.lookup.KeyValueTensorInitializer(["a", "b"], tf.constant([0, 1], tf.int64))
table = tf.lookup.StaticVocabularyTable(initializer, 2)
scores = tf.Variable(tf.ones([4, 3]))


class Server:
    @tf.function
    def predict(self, texts, count=2, threshold=None):
        found = tf.reduce_sum(tf.gather(scores, table.lookup(tf.convert_to_tensor(texts))), 1)
        values, _ = tf.math.top_k(found, k=count)
        if threshold is not None:
            values = tf.where(values > threshold, values, 0.0)
        return values


server = Server()
requests = [(["a", "b"], 2, None), (["a", "b", "c"], 3, None), (["x", "y"], 2, 0.5), (["x", "y"], 2, 0.7)]
for texts, count, threshold in (*requests, (["a", "b", "c"], 3, 0.7)):
    server.predict(texts, count, threshold)
