"""Training scripts made up at random: one to three tf.functions, data in batches, and what calls pass beside it.

What they compute is of no use; where the data and the other arguments come from, and through which of the user's own
code they go to the call, is as in real ones.
"""

from __future__ import annotations

import random
import textwrap
from typing import NamedTuple


class Beside(NamedTuple):
    """An argument beside the data: how it is used (changing `loss`), and what calls pass (of `epoch`, `step`, `x`)."""

    name: str
    uses: tuple[str, ...]
    values: tuple[str, ...]
    default: str = ""


BESIDE = (
    Beside(
        "weight",
        ("loss = loss * {n}", "loss += {n} * tf.reduce_sum(tf.square(W))", "loss = loss / (1.0 + {n})"),
        (
            "1.0 / (epoch + 1)", "WEIGHTS[epoch]", "weight_of(epoch)", "max(0.1, 1.0 - 0.2 * step)", "settings.weight",
            "options['weight']", "0.5 if epoch else 1.0", "np.float32(0.1 * step)", "0.5", "weights[step % 2]",
            "float(rng.uniform())", "np.linspace(0, 1, 3)[epoch]", "min(1.0, step / 4)", "tf.constant(0.5 * epoch)",
            "len(x) / 4",
        ),
        "1.0",
    ),
    Beside(
        "count",
        (
            "for _ in range({n}):\n    loss = loss * 0.5", "loss = loss + tf.cast({n}, tf.float32)",
            "loss += tf.reduce_sum(tf.ones([{n}]))", "if {n} % 2 == 0:\n    loss = loss * 2.0",
            "loss = loss / tf.cast({n}, loss.dtype)", "loss += tf.reduce_sum(tf.one_hot([0], {n}))",
            "loss += tf.reduce_sum(out[:{n}])",
        ),
        (
            "epoch + 1", "step + 1", "len(x)", "x.shape[0]", "COUNTS[epoch]", "settings.count", "2 + epoch % 2",
            "int(rng.integers(1, 4))", "3", "np.int64(step + 1)",
        ),
        "2",
    ),
    Beside(
        "training",
        (
            "if {n}:\n    loss = loss * 2.0", "loss = loss * (1.0 if {n} else 0.5)",
            "if {n}:\n    for w in [W, B]:\n        w.assign_sub(0.01 * w)",
        ),
        ("True", "epoch < 2", "step % 2 == 0", "settings.training", "epoch > 0"),
        "False",
    ),
    Beside(
        "mode",
        (
            'if {n} == "sum":\n    loss = tf.reduce_sum(loss)\nelif {n} == "half":\n    loss = loss * 0.5',
            "loss = SCALES[{n}] * loss", 'loss = REDUCE[{n}](out)',
        ),
        ('"sum"', 'MODES[epoch % 2]', '"half" if epoch else "sum"', "settings.mode"),
        '"sum"',
    ),
    Beside(
        "mask",
        ("if {n} is not None:\n    loss = loss * tf.reduce_mean(tf.cast({n}, tf.float32))",),
        ("None", "np.ones(len(x), np.float32)", "None if epoch == 0 else tf.ones([len(x)])", "[1.0] * len(x)"),
        "None",
    ),
    Beside(
        "settings",
        ("loss = loss * {n}.weight", "if {n}.training:\n    loss = loss * 2.0", "loss += {n}.count"),
        ("settings", "Settings()", "Settings(weight=0.5 * epoch)", "ALL[epoch % 2]"),
    ),
    Beside(
        "options",
        ("loss = loss * {n}['weight']", "loss = loss * {n}.get('weight', 1.0)"),
        ("options", "{'weight': 0.5}", "{'weight': 0.5 * epoch}", "dict(options, step=step)",
         "{'weight': tf.constant(0.5)}"),
    ),
    Beside(
        "opt",
        ("{n}.apply_gradients([(tf.ones([3, 1]), W)])", "loss = loss * {n}.learning_rate"),
        ("optimizer", "optimizers[epoch % 2]"),
    ),
    Beside(
        "loss_fn",
        ("loss += tf.reduce_sum({n}(y, out))",),
        ("mse", "lambda a, b: tf.reduce_mean(tf.square(a - b))", "LOSSES[epoch % 2]", "scaled(0.5 * epoch)",
         "tf.keras.losses.MeanSquaredError()", "functools.partial(huber, delta=0.5)"),
    ),
    Beside(
        "dims",
        ("loss += tf.reduce_sum(tf.zeros({n}))", "loss += tf.reduce_mean(tf.reshape(out, {n}))",
         "loss += tf.reduce_sum(tf.random.stateless_normal({n}, [1, 2]))"),
        ("[len(x), 1]", "(x.shape[0], 1)", "x.shape[:1] + (1,)", "out_shape(x)"),
    ),
    Beside(
        "state",
        ("loss = loss * {n}[0]", "loss += tf.add_n({n})", "loss += sum({n})"),
        ("state", "[w * 0.5 for w in state]", "(1.0, 0.5 * epoch)", "[float(step), 1.0]", "tuple(state)"),
    ),
)  # fmt: skip
#: What goes through `X` and `Y` in batches, with `BODY` for each.
_DATA = (
    "for start in range(0, 10, 4):\n    x, y = X[start:start + 4], Y[start:start + 4]\nBODY",
    "for x, y in dataset:\nBODY", "for x, y in dataset.take(2):\nBODY",
    "for batch in named:\n    x, y = batch['x'], batch['y']\nBODY",
    "for x, y in zip(np.array_split(X, 3), np.array_split(Y, 3)):\nBODY", "for x, y in batches(4):\nBODY",
    "for x, y in batches(5):\nBODY", "for i, (x, y) in enumerate(batches(4)):\nBODY",
    "for rows in np.split(rng.permutation(10), [4, 8]):\n    x, y = X[rows], Y[rows]\nBODY",
    "n = int(rng.integers(2, 9))\nx, y = X[:n], Y[:n]\nif True:\nBODY",
    "for x, y in zip(X[:3, None], Y[:3, None]):\nBODY",
    "for x, y in [(X[:4], Y[:4]), (X[4:8], Y[4:8])]:\nBODY",
    "x, y = tf.constant(X[:2 + epoch]), tf.constant(Y[:2 + epoch])\nif True:\nBODY",
    "for x, y in batches(4):\n    x, y = tf.convert_to_tensor(x), tf.convert_to_tensor(y)\nBODY",
    "for x, y in zip(X.astype('float64')[:2, None], Y[:2, None]):\nBODY",
    "for x, y in dataset.as_numpy_iterator():\nBODY",
    "x, y = X[:4].tolist(), Y[:4].tolist()\nif True:\nBODY",
)  # fmt: skip
_HEAD = """\
import functools
from dataclasses import dataclass

import numpy as np
import tensorflow as tf

rng = np.random.default_rng(0)
X = rng.normal(size=(10, 3)).astype("float32")
Y = rng.normal(size=(10, 1)).astype("float32")
W = tf.Variable(tf.ones([3, 1]))
B = tf.Variable(tf.zeros([1]))
WEIGHTS = [1.0, 0.5, 0.25]
COUNTS = (1, 2, 4)
SCALES = {"sum": 1.0, "half": 0.5}
MODES = ["sum", "half"]
REDUCE = {"sum": tf.reduce_sum, "half": tf.reduce_mean}


@dataclass(eq=False)
class Settings:
    weight: float = 1.0
    count: int = 2
    training: bool = True
    mode: str = "sum"


settings = Settings()
ALL = [Settings(0.1), Settings(0.2)]
options = {"weight": 0.5}
weights = [0.5, 0.25]
state = [tf.ones([]), tf.zeros([])]


def mse(a, b):
    return tf.reduce_mean(tf.square(a - b))


def huber(a, b, delta):
    return tf.reduce_mean(tf.minimum(tf.abs(a - b), delta))


def scaled(k):
    return lambda a, b: k * mse(a, b)


LOSSES = [mse, tf.keras.losses.cosine_similarity]
optimizer = tf.keras.optimizers.SGD(0.01)
optimizers = [optimizer, tf.keras.optimizers.SGD(0.1)]
for each in optimizers:
    each.build([W])
dataset = tf.data.Dataset.from_tensor_slices((X, Y)).batch(4)
named = tf.data.Dataset.from_tensor_slices({"x": X, "y": Y}).batch(4)


def batches(size):
    for start in range(0, 10, size):
        yield X[start:start + size], Y[start:start + size]


def weight_of(epoch):
    return 1.0 / (1 + epoch)


def out_shape(x):
    return [len(x), 1]
"""
#: What is set between epochs, of what values are read of.
_SET = ("settings.weight *= 0.5", "settings.count += 1", "settings.training = not settings.training",
        "options['weight'] *= 0.5", "settings = Settings(1.0 / (epoch + 2))", "state = [w + 1.0 for w in state]",
        "settings.mode = MODES[epoch % 2]", "weights = [w * 0.5 for w in weights]")  # fmt: skip
_OPTIONS = ("",) * 6 + ("(reduce_retracing=True)", "(jit_compile=True)", "(autograph=True)")
_NAMES = ("train_step", "evaluate", "update", "fit_batch", "step_fn", "score")
_WHERE = ("module", "module", "methods", "methods", "closures", "wrapped")
_HANDED = ("at once", "at once", "at once", "through a helper", "through **kwargs", "by a list", "through run_epoch")


class Call(NamedTuple):
    """`given` as they are written; what stands beside the data all by name, or none."""

    function: str
    given: list[str]
    by_name: bool

    def text(self, handed: str) -> str:
        """What assigns to `loss`."""
        if handed == "through a helper":
            return f"loss = run({', '.join([self.function, *self.given])})"
        if handed == "through **kwargs" and self.by_name:
            return f"given = dict({', '.join(['x=x', 'y=y', *self.given[2:]])})\nloss = {self.function}(**given)"
        if handed == "by a list" and not self.by_name:
            return f"arguments = [{', '.join(self.given)}]\nloss = {self.function}(*arguments)"
        return f"loss = {self.function}({', '.join(self.given)})"


def random_training_program(seed: int) -> str:
    """The same for the same number."""
    draw = random.Random(seed)
    where, handed = draw.choice(_WHERE), draw.choice(_HANDED)
    names = draw.sample(_NAMES, draw.choice([1, 1, 2]))
    functions, calls = [], []
    for name in names:
        beside = draw.sample(BESIDE, draw.choice([0, 1, 1, 2, 2, 3]))
        functions.append(_defined(draw, name, beside, where))
        calls += [_call(draw, name, beside, where) for _ in range(draw.choice([1, 1, 1, 2]))]
    if where == "methods":
        methods = "\n\n".join(textwrap.indent(function, "    ") for function in functions)
        begins = "class Trainer:\n    def __init__(self):\n        self.best = 0.0"
        text = f"{begins}\n\n{methods}\n\n\ntrainer = Trainer()"
    elif where == "closures":
        text = "\n\n\n".join(
            f"def make_{name}():\n{textwrap.indent(function, '    ')}\n    return {name}\n\n\n{name} = make_{name}()"
            for name, function in zip(names, functions, strict=True)
        )
    else:
        text = "\n\n\n".join(functions)
    helper = "\n\ndef run(fn, *args, **kwargs):\n    result = fn(*args, **kwargs)\n    return result\n"
    loop = _loop(draw, [call.text(handed) for call in calls], handed == "through run_epoch")
    return f"{_HEAD}{helper if handed == 'through a helper' else ''}\n\n{text}\n\n\n{loop}\n"


def _defined(draw: random.Random, name: str, beside: list[Beside], where: str) -> str:
    parameters = ["x", "y"]
    for one in beside:
        parameters.append(one.name)
    defaults = []
    for one in reversed(beside):  # defaults come last
        defaults.append(bool(one.default) and draw.random() < 0.4 and all(defaults))
    listed = ["x", "y"] + [
        f"{one.name}={one.default}" if is_default else one.name
        for one, is_default in zip(beside, reversed(defaults), strict=True)
    ]
    first = draw.choice([
        *["out = tf.matmul(x, W) + B\nloss = tf.reduce_mean(tf.square(out - y))"] * 3,
        "with tf.GradientTape() as tape:\n    out = tf.matmul(x, W) + B\n    loss = mse(out, y)\n"
        "W.assign_sub(0.01 * tape.gradient(loss, W))",
        "x = tf.cast(x, tf.float32)\nout = x @ W\nloss = tf.reduce_sum(tf.abs(out - y)) / x.shape[0]",
        "out = tf.stack([tf.reduce_sum(row) for row in tf.unstack(x)])[:, None]\nloss = mse(out, y)",
    ])  # fmt: skip
    body = [first, *(draw.choice(one.uses).replace("{n}", one.name) for one in beside), "return loss"]
    options = draw.choice(_OPTIONS)
    head = f"def {name}({', '.join(['self', *listed] if where == 'methods' else listed)}):"
    definition = f"{head}\n{textwrap.indent(chr(10).join(body), '    ')}"
    if where == "wrapped":
        keywords = ", " + options.strip("()") if options else ""
        return f"{definition.replace(f'def {name}', f'def _{name}')}\n\n\n{name} = tf.function(_{name}{keywords})"
    return f"@tf.function{options}\n{definition}"


def _call(draw: random.Random, name: str, beside: list[Beside], where: str) -> Call:
    given = ["x", "y"]
    by_name = draw.random() < 0.4
    for one in beside:
        value = draw.choice(one.values)
        given.append(f"{one.name}={value}" if by_name else value)
    return Call(f"{'trainer.' if where == 'methods' else ''}{name}", given, by_name)


def _loop(draw: random.Random, calls: list[str], of_epochs: bool) -> str:
    lines = []
    for number, call in enumerate(calls):
        sometimes = number and draw.random() < 0.4
        lines.append(f"if step % 2:\n{textwrap.indent(call, '    ')}" if sometimes else call)
    body = "\n".join([*lines, "step += 1", "print(np.asarray(loss).round(3).sum())"])
    data = draw.choice(_DATA).replace("BODY", textwrap.indent(body, "    "))
    after = draw.choice(["", "", draw.choice(_SET)])
    assigned = after.partition(" = ")[0]
    begin = (f"global {assigned}\n" if assigned.isidentifier() else "") + "step = 0\nloss = 0.0\n"
    if of_epochs:
        within = textwrap.indent(f"{data}\nreturn step", "    ")
        loop = f"for epoch in range(3):\n    step = run_epoch(epoch, step)\n    {after}"
        main = textwrap.indent(begin + loop.rstrip(), "    ")
        return f"def run_epoch(epoch, step):\n{within}\n\n\ndef main():\n{main}\n\n\nmain()"
    loop = f"for epoch in range(3):\n{textwrap.indent(data, '    ')}\n    {after}".rstrip()
    if draw.random() < 0.5:
        return f"def main():\n{textwrap.indent(begin + loop, '    ')}\n\n\nmain()"
    return f"step = 0\nloss = 0.0\n{loop}"
