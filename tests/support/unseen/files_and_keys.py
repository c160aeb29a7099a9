"""Files and a table's keys as Python strings, which graphs hold and no more; a mode, and what Python makes of one."""

import os
import tempfile

import tensorflow as tf

directory = tempfile.mkdtemp()
files = [os.path.join(directory, f"{number}.txt") for number in range(3)]
for number, file in enumerate(files):
    with open(file, "w") as handle:
        handle.write(str(number))
table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a", "b", "c"], [1, 2, 3]), -1)


@tf.function
def load(path, scale):
    return tf.strings.to_number(tf.io.read_file(path)) * scale


@tf.function
def find(keys):
    return table.lookup(tf.convert_to_tensor(keys))


@tf.function
def activate(x, mode):
    return tf.nn.relu(x) if mode == "relu" else tf.tanh(x)


@tf.function
def described(x, name):
    return tf.strings.join([name.upper(), ": ", tf.strings.as_string(x)])


weights = {"a": tf.Variable(1.0), "b": tf.Variable(2.0)}


@tf.function
def weighted(x, key):
    """No tensor can be a key of `weights`, or of what it returns."""
    return weights[key] * x * tf.cast(table.lookup(tf.convert_to_tensor(key)), tf.float32)


@tf.function
def by_name(x, key):
    return {key: x + tf.cast(table.lookup(tf.convert_to_tensor(key)), tf.float32)}


for file in files:
    print(float(load(file, tf.constant(2.0))))
for keys in (["a", "b"], ["c", "b"], ["c", "a"]):
    print(find(keys).numpy())
for mode in ("relu", "tanh", "relu"):
    activate(tf.constant(-1.0), mode)
for name in ("loss", "rate"):
    described(tf.constant(1.0), name)
for key in ("a", "b"):
    weighted(tf.constant(1.0), key)
    by_name(tf.constant(1.0), key)
