"""Programs made up at random of functions that XLA compiles: for shapes and values, traced anew or not.

Each lets XLA dump what it compiles to `<the program's path without .py>.dumps`.
"""

from __future__ import annotations

import random
import textwrap

_HEAD = """\
import os

os.environ["XLA_FLAGS"] = f"--xla_dump_to={os.path.splitext(__file__)[0]}.dumps --xla_dump_hlo_as_text"

import numpy as np
import tensorflow as tf

W = tf.Variable(tf.ones([3, 2]))
scale = tf.Variable(2.0)


"""
#: Parameter lists with lines that use them: `x` is [n, 3], `m` [n], `n` an integer tensor or Python number.
_BODIES = (
    ("x", ("y = tf.reduce_sum(x @ W)",)),
    ("x", ("y = tf.reduce_sum(tf.nn.softmax(x)) * scale",)),
    ("x, m", ("y = tf.reduce_sum(x * m[:, None])",)),
    ("x, n", ("y = tf.reduce_sum(x[:n])",)),
    ("x, n", ("y = tf.reduce_sum(x) * tf.cast(n, tf.float32)",)),
    ("x, n", ("y = tf.reduce_sum(tf.tile(x, [n, 1]))",)),
    ("x, n", ("y = tf.reduce_sum(tf.range(n)) + tf.cast(tf.shape(x)[0], n.dtype if tf.is_tensor(n) else tf.int32)",
              "y = tf.cast(y, tf.float32)")),
    ("x, n", ("y = tf.reduce_sum(x)", "for _ in tf.range(n):", "    y = y * 1.5")),
    ("x, n", ("y = tf.reduce_sum(tf.gather(x, n % 2, axis=0))",)),
    ("x, n", ("y = tf.reduce_sum(tf.roll(x, n, axis=0))",)),
    ("x, n", ("y = tf.reduce_sum(tf.one_hot([0, 1], n))  + tf.reduce_max(x)",)),
    ("x, n", ("y = tf.reduce_sum(tf.reshape(x, [-1])[: n + 1])",)),
    ("x", ("y = inner(x)",)),
    ("x, n", ("y = inner(x) + tf.cast(n, tf.float32)",)),
    ("x, n", ("y = tf.reduce_sum(tf.cond(tf.reduce_sum(x) > 4.0, lambda: x[:n], lambda: x))",)),
)  # fmt: skip
_INNER = (
    "def inner(x):\n    return tf.reduce_sum(tf.cumsum(x))",
    "@tf.function\ndef inner(x):\n    return tf.reduce_sum(tf.cumsum(x))",
    "@tf.function(jit_compile=True)\ndef inner(x):\n    return tf.reduce_sum(tf.cumsum(x))",
)
_OPTIONS = (
    ("jit_compile=True",) * 3 + ("jit_compile=True, reduce_retracing=True",) * 2 + ("jit_compile=True, {spec}",) * 3
)
_CALLS = (
    "{f}({args})", "{f}({args})", "print(float({f}({args})))", "with tf.GradientTape() as tape:\n    y = {f}({args})",
    "with tf.GradientTape() as tape:\n    y = {f}({args})\ntape.gradient(y, [W, scale])",
    "with tf.GradientTape() as tape:\n    v = {x}\n    tape.watch(v)\n    y = {f}({args})\ntape.gradient(y, v)",
)  # fmt: skip
_KERAS = """\
import keras

model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(2, activation="relu"), keras.layers.Dense(1)])
model.compile("sgd", "mse", jit_compile=True)
"""
_KERAS_CALLS = (
    "model.predict(np.ones([{n}, 3], np.float32), batch_size=4, verbose=0)",
    "model.fit(np.ones([{n}, 3], np.float32), np.ones([{n}, 1], np.float32), batch_size=4, verbose=0)",
    "model.evaluate(np.ones([{n}, 3], np.float32), np.ones([{n}, 1], np.float32), verbose=0)",
    "model.train_on_batch(np.ones([{n}, 3], np.float32), np.ones([{n}, 1], np.float32))",
    "model.predict_on_batch(np.ones([{n}, 3], np.float32))",
)


def random_xla_program(seed: int) -> str:
    """The same for the same number."""
    draw = random.Random(seed)
    if draw.random() < 0.2:
        calls = [draw.choice(_KERAS_CALLS).replace("{n}", str(draw.choice([3, 4, 6, 9]))) for _ in range(3)]
        return f"{_HEAD.rstrip()}\n{_KERAS}{chr(10).join(calls)}\n"
    parameters, lines = draw.choice(_BODIES)
    tensors = draw.random() < 0.6  # for `n`
    specs = {"x": "tf.TensorSpec([None, 3])", "m": "tf.TensorSpec([None])", "n": "tf.TensorSpec([], tf.int32)"}
    names = parameters.split(", ")
    options = draw.choice(_OPTIONS).replace("{spec}", f"input_signature=[{', '.join(specs[n] for n in names)}]")
    tensors = tensors or "input_signature" in options
    structure = draw.choice(["plain", "plain", "plain", "method", "within", "within a compiled one", "local"])
    body = textwrap.indent("\n".join([*lines, "return y"]), "    ")
    text = f"{draw.choice(_INNER)}\n\n\n@tf.function({options})\ndef step({parameters}):\n{body}\n\n\n"
    called = "step"
    if structure == "method":
        method = f"@tf.function({options})\ndef step(self, {parameters}):\n{body}"
        text = f"{draw.choice(_INNER)}\n\n\nclass Model(tf.Module):\n{textwrap.indent(method, '    ')}\n\n\n"
        text += "model = Model()\n"
        called = "model.step"
    elif structure in ("within", "within a compiled one"):
        outer = "@tf.function" if structure == "within" else "@tf.function(jit_compile=True)"
        text += f"{outer}\ndef outer({parameters}):\n    return step({parameters}) * 2.0\n\n\n"
        called = draw.choice(["outer", "outer", "step"])
    elif structure == "local":
        inner, _, step = text.partition("\n\n\n")
        text = f"{inner}\n\n\ndef build():\n{textwrap.indent(step.strip(), '    ')}\n    return step\n\n\n"
        called = draw.choice(["build()", "build()", "compiled"])
        text += "compiled = build()\n"

    def call(size: str, value: str) -> str:
        given = {"x": f"tf.ones([{size}, 3])", "m": f"tf.ones([{size}])", "n": value}
        line = draw_call.replace("{f}", called).replace("{x}", given["x"])
        x = "v" if "{x}" in draw_call else given["x"]
        return line.replace("{args}", ", ".join({**given, "x": x}[name] for name in names))

    def value(number: str) -> str:
        return f"tf.constant({number})" if tensors else number

    draw_call = draw.choice(_CALLS)
    sizes = draw.choice([[4, 4, 5], [4, 5, 6, 7], [4, 5, 4, 6], [4, 4, 4]])
    numbers = draw.choice([[2, 2, 3, 2], [1, 2, 3, 4], [2, 2, 2, 2]])
    if draw.random() < 0.5:
        lines = [f"all_numbers = {numbers}", f"for size, n in zip({sizes}, all_numbers):"]
        return f"{_HEAD}{text}{lines[0]}\n{lines[1]}\n{textwrap.indent(call('size', value('n')), '    ')}\n"
    several = []
    for size, number in zip(sizes, numbers, strict=False):
        several.append(call(str(size), value(str(number))))
        if draw.random() < 0.3:
            draw_call = draw.choice(_CALLS)
    return f"{_HEAD}{text}{chr(10).join(several)}\n"
