"""Programs made up at random that make functions or instances again: each holds something, the same or another one.

What they compute is of no use; where functions are made, what they hold and which are kept is as in real ones.
"""

from __future__ import annotations

import random
import re
import textwrap
from typing import NamedTuple


class Held(NamedTuple):
    """What a function reads as `{n}`: how (adding to `y`), and what each of three in turn is made with (`i`: which)."""

    name: str
    uses: tuple[str, ...]
    values: tuple[str, ...]


HELD = (
    Held(
        "rate",
        (
            "y = y * {n}", "y = y + tf.clip_by_value(y, -{n}, {n})", "y = tf.nn.leaky_relu(y, {n})", "y = y + {n} ** 2",
            "if {n} > 0.25:\n    y = y + 1.0\nelse:\n    y = y - 1.0", "y = y + math.log({n})",
            "y = y + tf.random.stateless_normal([], [1, 2], stddev={n})",
            "y = tf.keras.ops.relu(y, negative_slope={n})",
        ),
        ("0.1 * (i + 1)", "(0.1, 0.2, 0.1)[i]", "0.5", "np.float32(0.5 + i)", "1 + i", "RATES[i]"),
    ),
    Held(
        "count",
        (
            "for _ in range({n}):\n    y = y + 1.0", "y = y + tf.reduce_sum(tf.ones([{n}]))",
            "y = y + tf.reduce_sum(tf.one_hot([0, 1], {n}))", "y = y + TABLE[{n} % 7]",
            "y = y * tf.cast({n}, tf.float32)",
        ),
        ("i + 1", "(2, 3, 2)[i]", "3"),
    ),
    Held(
        "mode",
        (
            "if {n} == 'a':\n    y = y * 2.0\nelse:\n    y = y + 3.0", "y = y + SCALES[{n}]",
            "with tf.name_scope({n}):\n    y = y + 1.0", "y = getattr(tf.nn, ACTS[{n}])(y)",
        ),
        ("'abc'[i]", "'a'", "NAMES[i % 2]"),
    ),
    Held("flag", ("if {n}:\n    y = y * 2.0", "y = y + (1.0 if {n} else 0.0)"), ("i % 2 == 0", "True", "i > 0")),
    Held(
        "weight",
        ("y = y + tf.reduce_sum(x * {n})", "y = y + tf.reduce_sum({n})"),
        (
            "tf.constant([1.0, 2.0, 3.0]) * i", "tf.ones([3])", "np.full(3, float(i), 'float32')",
            "tf.Variable([1.0] * 3)", "WEIGHT", "tf.random.normal([3])", "tf.Variable(tf.ones([3]) * float(i))",
        ),
    ),
    Held(
        "table",
        ("y = y + tf.reduce_sum(tf.stack({n}))", "for one in {n}:\n    y = y + one", "y = y + {n}[0]"),
        ("[float(i), 1.0]", "[1.0] * (i + 1)", "(0.1, 0.2)", "[tf.constant(1.0), tf.constant(2.0)]"),
    ),
    Held(
        "options",
        ("y = y * {n}['rate']", "if {n}.get('double'):\n    y = y * 2.0"),
        ("{'rate': 0.1 * (i + 1)}", "{'rate': 0.5, 'double': i > 0}", "{'rate': 0.5}", "dict(rate=RATES[i])"),
    ),
    Held(
        "config",
        ("y = y * {n}.rate", "y = y + {n}.scale(y)"),
        ("Config(0.1 * (i + 1))", "Config(0.5)", "CONFIGS[i % 2]", "Config(RATES[i])"),
    ),
    Held(
        "net",
        ("y = y + tf.reduce_sum({n}(x[None]))", "for layer in {n}.layers:\n    y = y + tf.reduce_sum(layer.kernel)"),
        ("dense(2)", "dense(2 + i)", "NET", "dense(2, 'relu' if i else None)"),
    ),
    Held(
        "act",
        ("y = {n}(y)",),
        ("tf.nn.relu", "(tf.nn.relu, tf.nn.tanh, tf.nn.relu)[i]", "lambda v: v * 2.0", "lambda v, k=i: v * float(k)",
         "functools.partial(tf.multiply, 0.5 + i)", "Scale(0.5 + i)", "scaled(0.5 + i)"),
    ),
)  # fmt: skip
_HEAD = """\
import functools
import math
from dataclasses import dataclass

import numpy as np
import tensorflow as tf

RATES = [0.1, 0.2, 0.4]
TABLE = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
SCALES = {"a": 1.0, "b": 2.0, "c": 3.0}
ACTS = {"a": "relu", "b": "tanh", "c": "sigmoid"}
NAMES = ["a", "b"]
WEIGHT = tf.constant([1.0, 2.0, 3.0])


@dataclass
class Config:
    rate: float = 0.5

    def scale(self, y):
        return y * self.rate


class Scale:
    def __init__(self, k):
        self.k = k

    def __call__(self, v):
        return v * self.k


def scaled(k):
    def inner(v):
        return v * k
    return inner


def dense(units, activation=None):
    return tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(units, activation=activation)])


CONFIGS = [Config(0.1), Config(0.2)]
NET = dense(2)
"""
_STRUCTURES = (
    *("factory", "method", "wrapped in __init__") * 2, "module", "in the loop", "lambda", "wrapped in the loop",
    "partial", "__call__", "subclass", "helper's", "inner object",
)  # fmt: skip
_KEPT = ("replaced", "replaced", "list", "dictionary", "called twice", "in a function", "cached by hand")


def random_object_program(seed: int) -> str:
    """Of up to three things held. The same for the same number."""
    draw = random.Random(seed)
    held = draw.sample(HELD, draw.choice([1, 1, 2, 2, 3]))
    values = {one.name: draw.choice(one.values) for one in held}
    structure, kept = draw.choice(_STRUCTURES), draw.choice(_KEPT)
    uses = [draw.choice(one.uses) for one in held]
    body = [use.replace("{n}", one.name) for use, one in zip(uses, held, strict=True)]
    shape = draw.choice(["[3]"] * 3 + ["[3 + i]"] if "weight" not in values and "net" not in values else ["[3]"])
    text, made = _made(structure, body, values)
    calls = _calls(kept, made, values, shape)
    if draw.random() < 0.4:
        calls = f"def main():\n{textwrap.indent(calls, '    ')}\n\n\nif __name__ == '__main__':\n    main()"
    return f"{_HEAD}\n\n{text}\n\n{calls}\n"


def _compute(body: list[str], names: list[str], prefix: str, of: str = "") -> str:
    lines = "\n".join(["y = tf.reduce_sum(x)", *body, "return y"])
    for name in names:
        lines = _renamed(lines, name, f"{prefix}{name}")
    return f"def step({of}x):\n{textwrap.indent(lines, '    ')}"


def _renamed(lines: str, name: str, new: str) -> str:
    return re.sub(rf"(?<![\w'\".]){name}(?![\w'\"(=])(?!\()|(?<![\w'\".]){name}(?=\()", new, lines)


def _made(structure: str, body: list[str], values: dict[str, str]) -> tuple[str, str]:
    """The text, and what makes one that can be called, of the held things by their names."""
    names = list(values)
    listed, passed = ", ".join(names), ", ".join(f"{name}={name}" for name in names)
    plain = _compute(body, names, "")
    if structure == "factory":
        return f"def make({listed}):\n{_in('@tf.function', plain)}\n    return step\n", f"make({listed})"
    if structure == "lambda":
        return f"{_compute(body, names, '', f'{listed}, ')}\n", f"tf.function(lambda x: step({listed}, x))"
    if structure == "partial":
        return f"{_compute(body, names, '', f'{listed}, ')}\n", f"tf.function(functools.partial(step, {listed}))"
    if structure == "in the loop":
        return "", f"LOCAL\n@tf.function\n{plain}"
    if structure == "wrapped in the loop":
        return "", f"LOCAL\n{plain}\nstep = tf.function(step)"
    holds = "\n".join(f"self.{name} = {name}" for name in names)
    method = _compute(body, names, "self.", "self, ")
    if structure == "wrapped in __init__":
        init = (
            f"def __init__(self, {listed}):\n{textwrap.indent(holds, '    ')}\n    self.step = tf.function(self._step)"
        )
        return (
            f"class Trainer:\n{_in('', init, '', method.replace('def step', 'def _step'))}\n",
            f"Trainer({listed}) .step",
        )
    init = f"def __init__(self, {listed}):\n{textwrap.indent(holds, '    ')}"
    if structure == "module":
        return f"class Trainer(tf.Module):\n{_in('', init, '@tf.function', method)}\n", f"Trainer({passed}) .step"
    if structure == "__call__":
        return (
            f"class Trainer:\n{_in('', init, '@tf.function', method.replace('def step', 'def __call__'))}\n",
            f"Trainer({listed})",
        )
    if structure == "subclass":
        base = f"class Base:\n{_in('', init, '@tf.function', method)}"
        return f"{base}\n\n\nclass Trainer(Base):\n    pass\n", f"Trainer({listed}) .step"
    if structure == "helper's":
        inner = f"class Part:\n{_in('', init, '', method.replace('def step', 'def compute'))}"
        outer = "def run(part):\n    @tf.function\n    def step(x):\n        return part.compute(x)\n    return step"
        return f"{inner}\n\n\n{outer}\n", f"run(Part({listed}))"
    if structure == "inner object":
        inner = f"class Part:\n{_in('', init, '', method.replace('def step', 'def __call__'))}"
        outer = (
            f"class Trainer:\n    def __init__(self, {listed}):\n        self.part = Part({listed})\n\n"
            "    @tf.function\n    def step(self, x):\n        return self.part(x) * 2.0"
        )
        return f"{inner}\n\n\n{outer}\n", f"Trainer({listed}) .step"
    return f"class Trainer:\n{_in('', init, '@tf.function', method)}\n", f"Trainer({listed}) .step"


def _in(*parts: str) -> str:
    lines: list[str] = []
    for part in parts:
        if part.startswith("def ") and lines and lines[-1] and not lines[-1].startswith("@"):
            lines.append("")
        lines += part.splitlines()
    return textwrap.indent("\n".join(lines), "    ").lstrip("\n")


def _calls(kept: str, made: str, values: dict[str, str], shape: str) -> str:
    before = "\n".join(f"{name} = {value}" for name, value in values.items())
    one, attribute = (made.removesuffix(" .step"), ".step") if made.endswith(" .step") else (made, "")
    if made.startswith("LOCAL\n"):
        before, one = f"{before}\n{made.removeprefix('LOCAL' + chr(10))}", "step"
    call = f"print(np.asarray({{}}{attribute}(tf.ones({shape}))).round(4))"
    within = textwrap.indent(before, "    ")
    if kept == "list":
        return (
            f"steps = []\nfor i in range(3):\n{within}\n    steps.append({one})\n"
            f"for i in range(6):\n    i = i % 3\n    {call.format('steps[i]')}"
        )
    if kept == "dictionary":
        return (
            f"steps = {{}}\nfor i in range(3):\n{within}\n    steps['abc'[i]] = {one}\n"
            f"for i, key in enumerate('abc'):\n    {call.format('steps[key]')}"
        )
    if kept == "called twice":
        return f"for i in range(3):\n{within}\n    f = {one}\n    {call.format('f')}\n    {call.format('f')}"
    if kept == "in a function":
        return f"def run(i):\n{within}\n    f = {one}\n    {call.format('f')}\n\n\nfor i in range(3):\n    run(i)"
    if kept == "cached by hand":
        deeper = textwrap.indent(within, "    ")
        return (
            f"steps = {{}}\nfor i in range(3):\n    i = i % 2\n    if i not in steps:\n{deeper}\n"
            f"        steps[i] = {one}\n    {call.format('steps[i]')}"
        )
    return f"for i in range(3):\n{within}\n    f = {one}\n    {call.format('f')}"
