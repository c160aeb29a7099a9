"""Programs of Keras users made up at random: a model, its data, and what is done with them in turns or in a loop.

Beside them datasets with functions of their own, and functions that XLA compiles.
"""

from __future__ import annotations

import random
import textwrap

_MODELS = {
    "sequential": """\
def build():
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, activation="relu"), keras.layers.Dense(1)])
    {compile}
    return model
""",
    "not built": """\
def build():
    model = keras.Sequential([keras.layers.Dense(8, activation="relu"), keras.layers.Dense(1)])
    {compile}
    return model
""",
    "functional": """\
def build():
    inputs = keras.Input(shape=(4,))
    hidden = keras.layers.Dropout(0.1)(keras.layers.Dense(8)(inputs))
    model = keras.Model(inputs, keras.layers.Dense(1)(hidden))
    {compile}
    return model
""",
    "subclassed": """\
class Net(keras.Model):
    def __init__(self):
        super().__init__()
        self.hidden = keras.layers.Dense(8)
        self.out = keras.layers.Dense(1)

    def call(self, x, training=False):
        h = tf.nn.relu(self.hidden(x))
        if training:
            h = tf.nn.dropout(h, 0.1)
        return self.out(h)


def build():
    model = Net()
    {compile}
    return model
""",
    "train_step": """\
class Net(keras.Model):
    def __init__(self):
        super().__init__()
        self.weight = 1.0
        self.out = keras.layers.Dense(1)

    def call(self, x):
        return self.out(x)

    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            loss = self.weight * tf.reduce_mean(tf.square(y - self(x, training=True)))
        gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
        return {{"loss": loss}}


def build():
    model = Net()
    {compile}
    return model
""",
    "of any length": """\
def build():
    model = keras.Sequential([
        keras.Input((None, 4)), keras.layers.GRU(4), keras.layers.Dense(1)])
    {compile}
    return model
""",
}
_COMPILE = (
    *('model.compile("sgd", "mse")',) * 5, 'model.compile(optimizer=keras.optimizers.Adam(0.01), loss="mse")',
    'model.compile("adam", "mse", metrics=["mae"])', 'model.compile("sgd", "mse", jit_compile=True)',
    'model.compile("sgd", "mse", steps_per_execution=2)', 'model.compile("sgd", "mse", run_eagerly=True)',
)  # fmt: skip
#: `{n}`: rows, `{b}`: rows of a batch; of lengths where the model is of any.
_FITS = (
    "model.fit(xs({n}), ys({n}), batch_size={b}, epochs=2, verbose=0)",
    "model.fit(xs({n}), ys({n}), batch_size={b}, validation_split=0.3, verbose=0)",
    "model.fit(xs({n}), ys({n}), batch_size={b}, validation_data=(xs(5), ys(5)), verbose=0)",
    "model.fit(dataset({n}).batch({b}), epochs=2, verbose=0)",
    "model.fit(dataset({n}).batch({b}, drop_remainder=True), epochs=1, verbose=0)",
    "model.fit(batches({n}, {b}), steps_per_epoch=2, epochs=2, verbose=0)",
    "model.fit(Batches({n}, {b}), epochs=1, verbose=0)",
    "model.fit(dataset({n}).repeat().batch({b}), steps_per_epoch=3, verbose=0)",
)  # fmt: skip
_OTHERS = (
    "model.predict(xs({n}), verbose=0)", "model.predict(xs({n}), batch_size={b}, verbose=0)",
    "model.predict(dataset({n}).batch({b}).map(lambda x, y: x), verbose=0)",
    "model.predict(tf.constant(xs({n})), verbose=0)", "model.predict_on_batch(xs({n}))",
    "model.evaluate(xs({n}), ys({n}), verbose=0)", "model.evaluate(dataset({n}).batch({b}), verbose=0)",
    "model.train_on_batch(xs({n}), ys({n}))", "model.test_on_batch(xs({n}), ys({n}))", "model(xs({n}))",
    "infer(model, xs({n}))", "infer(model, tf.constant(xs({n})))", "infer(model, xs({n}), training=True)",
    "own_step(model, tf.constant(xs({n})), tf.constant(ys({n})))",
    "for x, y in dataset({n}).batch({b}):\n    own_step(model, x, y)",
    "for x, y in dataset({n}).batch({b}):\n    model.train_on_batch(x, y)",
    "for x, y in dataset({n}).batch({b}):\n    score = forward(x)",
    "for row in xs({n}):\n    model.predict(row[None], verbose=0)",
)  # fmt: skip
_BETWEEN = (
    "model.{compile_again}", "model.layers[0].trainable = False", "keras.backend.clear_session()", "model = build()",
    'model.save("/tmp/fuzz_%d.keras" % os.getpid())\n'
    'model = keras.models.load_model("/tmp/fuzz_%d.keras" % os.getpid(), compile=True)',
    "model.optimizer.learning_rate = 0.001", "model = keras.models.clone_model(model)\n{compile}", "model.weight = 0.5",
    "forward = tf.function(model)", "rate = 0.5",
)  # fmt: skip
_HEAD = """\
import os

import keras
import numpy as np
import tensorflow as tf

rng = np.random.default_rng(0)
rate = 0.1


def xs(n):
    return rng.normal(size=({rows})).astype("float32")


def ys(n):
    return rng.normal(size=(n, 1)).astype("float32")


def dataset(n):
    return tf.data.Dataset.from_tensor_slices((xs(n), ys(n))){mapped}


def batches(n, b):
    while True:
        for start in range(0, n, b):
            yield xs(min(b, n - start)), ys(min(b, n - start))


class Batches(keras.utils.PyDataset):
    def __init__(self, n, b):
        super().__init__()
        self.n, self.b = n, b

    def __len__(self):
        return -(-self.n // self.b)

    def __getitem__(self, i):
        size = min(self.b, self.n - i * self.b)
        return xs(size), ys(size)


{model}

@tf.function
def infer(model, x, training=False):
    return model(x, training=training)


optimizer = keras.optimizers.SGD(0.01)


@tf.function{options}
def own_step(model, x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(model(x, training=True) - y)) * rate
    gradients = tape.gradient(loss, model.trainable_variables)
    for variable, gradient in zip(model.trainable_variables, gradients):
        variable.assign_sub(0.01 * gradient)
    return loss


model = build()
forward = tf.function(model)
"""
_DATASETS = """\
import numpy as np
import tensorflow as tf

SCALES = [1.0, 0.5]


def augment(x, k=1.0):
    return x * k


class Pipeline:
    def __init__(self, scale):
        self.scale = scale

    def scaled(self, x):
        return x * self.scale

    def of(self, n, b):
        return tf.data.Dataset.range(n).map(lambda v: tf.cast(v, tf.float32)).map(self.scaled).batch(b)


pipeline = Pipeline(2.0)


def generate(n):
    for i in range(n):
        yield np.full([i % 3 + 1], i, np.float32)


@tf.function{options}
def consume(data):
    total = 0.0
    for batch in data:
        total += tf.reduce_sum(tf.cast(batch, tf.float32))
    return total


@tf.function{options}
def next_of(iterator):
    return tf.reduce_sum(tf.cast(next(iterator), tf.float32))


@tf.function{options}
def total_of(batch, weight=1.0):
    return tf.reduce_sum(tf.cast(batch, tf.float32)) * weight


"""
_MADE = (
    "tf.data.Dataset.range({n}).batch({b})", "tf.data.Dataset.range({n}).map(lambda v: v * 2).batch({b})",
    "tf.data.Dataset.range({n}).map(lambda v: tf.cast(v, tf.float32) * {k}).batch({b}, drop_remainder=True)",
    "tf.data.Dataset.from_generator(generate, args=None or [{n}], output_signature=tf.TensorSpec([None], tf.float32))",
    "tf.data.Dataset.from_tensor_slices(np.ones([{n}, 2], np.float32)).batch({b}).prefetch(1)", "pipeline.of({n}, {b})",
    "Pipeline({k}).of({n}, {b})",
    "tf.data.Dataset.range({n}).filter(lambda v: v % 2 == 0).map(lambda v: augment(tf.cast(v, tf.float32), {k}))",
    "tf.data.Dataset.range({n}).window({b}, drop_remainder=True).flat_map(lambda w: w.batch({b}))",
    "tf.data.Dataset.range({n}).interleave(lambda v: tf.data.Dataset.range(v + 1)).batch({b})",
)  # fmt: skip
_CONSUMED = (
    "print(float(consume(data)))", "for batch in data:\n    total_of(batch)",
    "iterator = iter(data)\nfor _ in range(2):\n    next_of(iterator)", "for batch in data:\n    total_of(batch, {k})",
    "for batch in data.take(2):\n    total_of(batch.numpy())", "for batch in data:\n    pass",
    "for step, batch in enumerate(data):\n    total_of(batch, step * 0.5)",
)  # fmt: skip


def random_keras_program(seed: int) -> str:
    """The same for the same number."""
    draw = random.Random(seed)
    return _of_datasets(draw) if draw.random() < 0.3 else _of_a_model(draw)


def _of_a_model(draw: random.Random) -> str:
    kind, compiled = draw.choice(sorted(_MODELS)), draw.choice(_COMPILE)
    options = draw.choice(["", "", "", "(reduce_retracing=True)", "(jit_compile=True)"])
    rows = "n, 3 + n % 4, 4" if kind == "of any length" else "n, 4"
    mapped = draw.choice(["", "", ".map(lambda x, y: (x * 2.0, y))"])
    text = _HEAD.replace("{rows}", rows).replace("{mapped}", mapped).replace("{options}", options)
    text = text.replace("{model}", _MODELS[kind].replace("{compile}", compiled).replace("{{", "{").replace("}}", "}"))

    def action() -> str:
        several = draw.choice([_FITS, _OTHERS, _OTHERS])
        line = draw.choice(several).replace("{n}", str(draw.choice([4, 6, 7, 9])))
        return line.replace("{b}", str(draw.choice([2, 3, 4])))

    def between() -> str:
        line = draw.choice(_BETWEEN).replace("{compile_again}", draw.choice(_COMPILE).partition(".")[2])
        return line.replace("{compile}", compiled)

    structure = draw.choice(["lines", "lines", "loop", "loop", "folds", "callback", "trainer"])
    if structure == "lines":
        lines = [draw.choice([action, action, between])() for _ in range(draw.randint(3, 6))]
        return f"{text}{chr(10).join(lines)}\n"
    if structure == "callback":
        other = textwrap.indent(_OTHERS[draw.randrange(8)].replace("{n}", "5").replace("{b}", "2"), "        ")
        fit = draw.choice(_FITS[:4]).replace("{n}", "7").replace("{b}", "3")
        fit = fit.replace("verbose=0)", "verbose=0, callbacks=[Each()])")
        head = "class Each(keras.callbacks.Callback):\n    def on_epoch_end(self, epoch, logs=None):\n"
        return f"{text}\n\n{head}        model = self.model\n{other}\n\n\n{fit}\n{fit}\n"
    body = [action() for _ in range(draw.randint(1, 2))]
    if structure == "trainer":
        steps = textwrap.indent("\n".join(body), "        ")
        head = "class Trainer:\n    def __init__(self, model):\n        self.model = model\n\n    def run(self):\n"
        made = draw.choice(["trainer = Trainer(model)\nfor _ in range(2):\n    trainer.run()",
                            "for _ in range(2):\n    Trainer(build()).run()"])  # fmt: skip
        return f"{text}\n\n{head}        model, forward = self.model, tf.function(self.model)\n{steps}\n\n\n{made}\n"
    begin = ["model = build()"] if structure == "folds" else draw.choice([[], [], [between()]])
    sizes = "for n in (4, 6, 7):" if draw.random() < 0.5 else "for fold in range(3):"
    steps = "\n".join([*begin, *body])
    if sizes.startswith("for n"):
        steps = steps.replace("xs(4)", "xs(n)").replace("ys(4)", "ys(n)").replace("xs(6)", "xs(n)")
        steps = steps.replace("ys(6)", "ys(n)").replace("dataset(7)", "dataset(n)")
    return f"{text}{sizes}\n{textwrap.indent(steps, '    ')}\n"


def _of_datasets(draw: random.Random) -> str:
    options = draw.choice(["", "", "", "(reduce_retracing=True)", "(jit_compile=True)"])
    text = _DATASETS.replace("{options}", options)

    def filled(line: str) -> str:
        line = line.replace("{n}", str(draw.choice([4, 6, 7]))).replace("{b}", str(draw.choice([2, 3])))
        return line.replace("{k}", draw.choice(["0.5", "SCALES[0]", "float(step)" if is_a_loop else "2.0"]))

    is_a_loop = draw.random() < 0.6
    if is_a_loop:
        body = "\n".join([f"data = {filled(draw.choice(_MADE))}", filled(draw.choice(_CONSUMED))])
        inside = draw.random() < 0.7
        if inside:
            return f"{text}for step in range(3):\n{textwrap.indent(body, '    ')}\n"
        made, consumed = body.replace("float(step)", "2.0").split("\n", 1)
        return f"{text}{made}\nfor step in range(3):\n{textwrap.indent(consumed, '    ')}\n"
    lines = []
    for _ in range(draw.randint(2, 3)):
        lines += [f"data = {filled(draw.choice(_MADE))}", filled(draw.choice(_CONSUMED))]
    return text + "\n".join(lines) + "\n"
