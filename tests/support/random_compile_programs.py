"""Programs of Keras users made up at random that compile or build models again: transfer learning, searches, folds.

What they learn is of no use; what is compiled, frozen, copied and saved when, and asked by which method, is as in real
ones.
"""

from __future__ import annotations

import random
import re
import textwrap

_HEAD = """\
import os

import keras
import numpy as np
import tensorflow as tf

keras.utils.set_random_seed(1)
rng = np.random.default_rng(0)
X = rng.normal(size=(12, 4)).astype("float32")
Y = rng.normal(size=(12, 1)).astype("float32")
PATH = f"/tmp/fuzz_{os.getpid()}"
weight = 1.0


def show(value):
    if isinstance(value, keras.callbacks.History):
        value = value.history["loss"]
    print(np.asarray(value, dtype="float64").round(3).tolist())


def batches(n, b):
    return tf.data.Dataset.from_tensor_slices((X[:n], Y[:n])).batch(b)


def weighted(y, p):
    return weight * keras.ops.mean(keras.ops.square(y - p))


"""
_MODELS = {
    "sequential": """\
def build(units=8, rate=0.0):
    return keras.Sequential([
        keras.Input((4,)), keras.layers.Dense(units, activation="relu", name="first"), keras.layers.Dropout(rate),
        keras.layers.Dense(1, name="last"),
    ])
""",
    "not built": """\
def build(units=8, rate=0.0):
    return keras.Sequential([
        keras.layers.Dense(units, activation="relu", name="first"), keras.layers.Dense(1, name="last")])
""",
    "on a base": """\
base = keras.Sequential([keras.Input((4,)), keras.layers.Dense(6), keras.layers.BatchNormalization()], name="base")


def build(units=8, rate=0.0):
    base.trainable = False
    inputs = keras.Input((4,))
    hidden = keras.layers.Dense(units, name="first")(base(inputs, training=False))
    return keras.Model(inputs, keras.layers.Dense(1, name="last")(keras.layers.Dropout(rate)(hidden)))
""",
    "subclassed": """\
class Net(keras.Model):
    def __init__(self, units, rate):
        super().__init__()
        self.scale = 1.0 + rate
        self.first = keras.layers.Dense(units, name="first")
        self.last = keras.layers.Dense(1, name="last")

    def call(self, x, training=False):
        return self.last(tf.nn.relu(self.first(x))) * self.scale


def build(units=8, rate=0.0):
    return Net(units, rate)
""",
    "train_step": """\
class Net(keras.Model):
    def __init__(self, units, rate):
        super().__init__()
        self.penalty = rate
        self.first = keras.layers.Dense(units, name="first")
        self.last = keras.layers.Dense(1, name="last")

    def call(self, x, training=False):
        return self.last(self.first(x))

    def train_step(self, data):
        x, y = data[:2]
        with tf.GradientTape() as tape:
            loss = self.compute_loss(y=y, y_pred=self(x, training=True)) + self.penalty
        self.optimizer.apply_gradients(
            zip(tape.gradient(loss, self.trainable_variables), self.trainable_variables))
        return {"loss": loss}


def build(units=8, rate=0.0):
    return Net(units, rate)
""",
}
#: What is compiled, of `i`: which turn. The same or another one each time.
_OPTIMIZERS = (
    '"sgd"', '"adam"', "keras.optimizers.Adam(0.01)", "keras.optimizers.SGD(0.1 / (i + 1))",
    "keras.optimizers.SGD(RATES[i])", "keras.optimizers.Adam(learning_rate=RATES[i % 2])",
    "keras.optimizers.SGD(0.1, momentum=0.1 * i)", "(keras.optimizers.SGD, keras.optimizers.Adam)[i % 2](0.01)",
    "keras.optimizers.SGD(keras.optimizers.schedules.ExponentialDecay(0.1, 10, 0.9))",
    "keras.optimizers.SGD(keras.optimizers.schedules.ExponentialDecay(0.1 / (i + 1), 10, 0.9))",
    "keras.optimizers.Adam(0.01, clipnorm=1.0)", "keras.optimizers.AdamW(0.01, weight_decay=0.01 * i)",
)  # fmt: skip
_LOSSES = ('"mse"', '"mse"', "keras.losses.Huber()", "keras.losses.Huber(1.0 + i)", "weighted",
           '["mse", "mae", "mse"][i]',
           "lambda y, p: keras.ops.mean((y - p) ** 2)", "loss_of(0.5)", "loss_of(0.5 * i)")  # fmt: skip
_METRICS = ("", "", "", ', metrics=["mae"]', ", metrics=[keras.metrics.MeanAbsoluteError()]",
            ', metrics=["mae"] if i else None', ", steps_per_execution=2", ", run_eagerly=True", ", jit_compile=False",
            ", steps_per_execution=1 + i", ", weighted_metrics=[]")  # fmt: skip
_BEFORE = (
    "model.layers[0].trainable = i == 0", "model.get_layer('first').trainable = i > 0", "base.trainable = i > 0",
    "model.trainable = True", "for layer in model.layers[:1]:\n    layer.trainable = bool(i % 2)", "weight = 1.0 + i",
)  # fmt: skip
_FITS = (
    "show(model.fit(X, Y, batch_size=B, epochs=2, verbose=0))",
    "show(model.fit(X[:N], Y[:N], batch_size=B, verbose=0))",
    "show(model.fit(X, Y, validation_data=(X[:4], Y[:4]), batch_size=B, verbose=0))",
    "show(model.fit(X, Y, validation_split=0.25, batch_size=B, shuffle=False, verbose=0))",
    "show(model.fit(batches(N, B), epochs=2, verbose=0))", "show(model.train_on_batch(X[:N], Y[:N]))",
    "for s in range(0, N, B):\n    show(model.train_on_batch(X[s:s + B], Y[s:s + B]))",
    "for x, y in batches(N, B):\n    show(model.train_on_batch(x, y))",
    "show(model.fit(X, Y, batch_size=B, verbose=0, callbacks=[CALLBACK]))",
    "show(model.fit(batches(12, B).repeat(), steps_per_epoch=3, epochs=2, verbose=0))",
)  # fmt: skip
_ASKS = (
    "show(model.predict(X[:N], verbose=0).sum())", "show(model.predict(X, batch_size=B, verbose=0).sum())",
    "show(model(X[:N]).numpy().sum())", "show(model(tf.constant(X), training=False).numpy().sum())",
    "show(model.evaluate(X[:N], Y[:N], verbose=0))", "show(model.evaluate(batches(12, B), verbose=0))",
    "show(model.predict_on_batch(X[:N]).sum())", "show(model.test_on_batch(X[:N], Y[:N]))",
    "for n in (4, 6, 12):\n    show(model.predict(X[:n], verbose=0).sum())",
    "for row in X[:3]:\n    show(model.predict(row[None], verbose=0).sum())",
    "for row in X[:3]:\n    show(model(row[None]).numpy().sum())",
    "show(infer(model, tf.constant(X[:N])).numpy().sum())",
    "extract = keras.Model(model.input, model.layers[-2].output)\nshow(extract.predict(X, verbose=0).sum())",
)  # fmt: skip
_CALLBACKS = (
    "keras.callbacks.LearningRateScheduler(lambda epoch, lr: lr * 0.9)", "keras.callbacks.ReduceLROnPlateau('loss')",
    "keras.callbacks.EarlyStopping('loss')", "Each()", "Each()", "keras.callbacks.ModelCheckpoint(PATH + '.keras')",
)  # fmt: skip
_EACH = (
    "self.model.optimizer.learning_rate = 0.01 / (epoch + 1)", "self.model.predict(X[:3], verbose=0)",
    "self.model.evaluate(X[:4], Y[:4], verbose=0)", "self.model.layers[0].trainable = False", "self.model(X[:3])",
    "self.model.penalty = 0.5", "self.losses = [*getattr(self, 'losses', []), logs['loss']]",
)  # fmt: skip
_CALLBACK = """\
class Each(keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
"""
_LOSS_OF = """\
def loss_of(k):
    def loss(y, p):
        return k * keras.ops.mean(keras.ops.abs(y - p))
    return loss
"""
_AGAIN = (
    "model = keras.models.clone_model(model)\n{compile}",
    "copy = keras.models.clone_model(model)\ncopy.set_weights(model.get_weights())\nmodel = copy\n{compile}",
    "model.save(PATH + '.keras')\nmodel = keras.models.load_model(PATH + '.keras', compile=False)\n{compile}",
    "model.save_weights(PATH + '.weights.h5')\nmodel.load_weights(PATH + '.weights.h5')",
    "model.set_weights(start)", "model.optimizer.learning_rate = 0.001", "model.optimizer.learning_rate.assign(0.002)",
    "keras.backend.clear_session()", "model = build()\n{compile}", "{compile}", "{other}", "model.penalty = 0.25",
    "model.make_train_function(force=True)",
)  # fmt: skip


def random_compile_program(seed: int) -> str:
    """The same for the same number."""
    draw = random.Random(seed)
    kind = draw.choice(sorted(_MODELS))
    is_a_class = "class Net" in _MODELS[kind]  # Keras has no configuration of, nor inputs
    asks_of = [one for one in _ASKS if not (is_a_class and "model.input" in one)]
    again_of = [one for one in _AGAIN if not (is_a_class and ("clone_model" in one or ".keras" in one))]
    compiled, other = _compile(draw), _compile(draw)

    def filled(line: str) -> str:
        for name, values in (("N", (4, 5, 7, 12)), ("B", (2, 3, 4, 5))):
            line = re.sub(rf"\b{name}\b", str(draw.choice(values)), line)
        return line.replace("CALLBACK", draw.choice(_CALLBACKS))

    def act() -> str:
        lines = _FITS if draw.random() < 0.55 else asks_of
        return filled(draw.choice(lines))

    def fit() -> str:
        return filled(draw.choice(_FITS))

    each = f"{_CALLBACK}        {draw.choice(_EACH)}\n"
    infer = "@tf.function\ndef infer(net, x):\n    return net(x)\n"
    text = [_HEAD.rstrip() + "\n", _MODELS[kind], each, _LOSS_OF, infer, "RATES = [0.1, 0.01, 0.001]\ni = 0\n"]
    structure = draw.choice(["phases", "compile in a loop", "compile in a loop", "folds", "folds", "search", "lines",
                             "lines", "ask in a loop", "function"])  # fmt: skip
    before = draw.choice(_BEFORE)
    before = before.replace("base", "model.layers[0]") if kind != "on a base" else before
    body: list[str]
    if structure == "phases":
        body = ["model = build()", compiled, fit(), before.replace("i == 0", "False").replace("i > 0", "True"),
                draw.choice([compiled, other, other]), fit(), draw.choice(["", act()])]  # fmt: skip
        main = "\n".join(filter(None, body))
    elif structure == "compile in a loop":
        body = [*draw.choice([[before], [], []]), compiled, act(), *draw.choice([[], [act()]])]
        main = f"model = build()\nfor i in range(3):\n{_in(*body)}"
    elif structure == "folds":
        made = draw.choice(["model = build()", "model = keras.models.clone_model(template)", "model = build(4 + i)",
                            "model = build(rate=0.1 * i)"])  # fmt: skip
        made = "model = build()" if is_a_class else made
        rows = "rows = np.arange(12) % 3 != i"
        folds = draw.choice([fit(), "show(model.fit(X[rows], Y[rows], verbose=0))"])
        asks = draw.choice([filled(draw.choice(asks_of)), "show(model.evaluate(X[~rows], Y[~rows], verbose=0))"])
        main = f"template = build()\nfor i in range(3):\n{_in(made, rows, compiled, folds, asks)}"
    elif structure == "search":
        compiled = compiled.replace("RATES[i]", "rate").replace("RATES[i % 2]", "rate")
        body = [draw.choice(["model = build(units)", "model = build()"]), compiled, fit(), draw.choice(["", act()])]
        loops = draw.choice([
            "for rate in RATES[:2]:\n    for units in (4, 8):\n", "for i, rate in enumerate(RATES):\n"
        ])  # fmt: skip
        deep = 8 if "units in" in loops else 4
        if deep == 4:
            body[0] = body[0].replace("units", "8")
        main = loops + textwrap.indent("\n".join(filter(None, body)), " " * deep)
    elif structure == "ask in a loop":
        between = draw.choice(["model.set_weights(start)", "model.optimizer.learning_rate = RATES[i]", "pass",
                               "model.load_weights(PATH + '.weights.h5')"])  # fmt: skip
        first = "model = build()\nmodel.build((None, 4))\nstart = model.get_weights()\n"
        first += "model.save_weights(PATH + '.weights.h5')"
        asks = [filled(draw.choice(asks_of)).replace("X[:4]", "X[:2 + i]") for _ in range(draw.choice([1, 2]))]
        main = f"{first}\n{compiled}\nfor i in range(3):\n{_in(between, *asks)}"
    elif structure == "function":
        passed = draw.choice(["rate", "units=8", "model"])
        inner = [
            "model = build()" if passed != "model" else "",
            compiled.replace("RATES[i]", "rate" if passed == "rate" else "0.1"),
            fit(),
        ]
        calls = {"rate": "for rate in RATES:\n    run(rate)", "units=8": "for _ in range(3):\n    run()",
                 "model": "model = build()\nfor _ in range(3):\n    run(model)"}[passed]  # fmt: skip
        main = f"def run({passed}):\n{_in('i = 0', *inner, act())}\n\n\n{calls}"
    else:
        lines = ["model = build()", "model.build((None, 4))", "start = model.get_weights()", compiled, act()]
        for _ in range(draw.randint(2, 4)):
            again = draw.choice(again_of).replace("{compile}", compiled).replace("{other}", other)
            lines += [again if draw.random() < 0.6 else act()]
        main = "\n".join([*lines, act()])
    if draw.random() < 0.25 and "\n\n\n" not in main:
        names = "    global weight\n" if "weight =" in main else ""
        main = f"def main():\n{names}{_in('i = 0', main)}\n\n\nmain()"
    return "\n\n".join(text) + "\n\n" + main + "\n"


def _compile(draw: random.Random) -> str:
    return f"model.compile({draw.choice(_OPTIMIZERS)}, {draw.choice(_LOSSES)}{draw.choice(_METRICS)})"


def _in(*lines: str) -> str:
    return textwrap.indent("\n".join(line for line in lines if line), "    ")
