"""Programs made up at random: one tf.function, what it does with its arguments, and calls with others each time.

What they do is of no use; how arguments change, and where functions and instances are made, is as in real ones.
"""

from __future__ import annotations

import random
import re
import textwrap
from typing import NamedTuple


class Kind(NamedTuple):
    """Of an argument: statements that use it as `{n}`, and lists of what calls pass by turns."""

    name: str
    uses: tuple[str, ...]
    values: tuple[tuple[str, ...], ...]


#: In a loop over `i`.
_EACH = 3
KINDS = (
    Kind(
        "batch",
        (
            "y = y + tf.reduce_sum({n})", "y = y + tf.reduce_mean(tf.nn.relu({n} @ W))",
            "y = y + tf.reduce_sum(tf.reshape({n}, [{n}.shape[0], 3])[0])", "y = y + tf.reduce_max({n}) / {n}.shape[0]",
            "b = tf.shape({n})[0]\ny = y + tf.reduce_sum(tf.zeros([b, 3]) + {n})",
            "for row in tf.unstack({n}[:2]):\n    y = y + tf.reduce_sum(row)",
            "y = y + tf.reduce_sum(tf.concat([{n}, tf.zeros([1, 3])], 0))",
        ),
        (
            ("tf.ones([4, 3])", "tf.ones([4, 3])", "tf.ones([2, 3])"),
            ("tf.ones([2, 3])", "tf.ones([3, 3])", "tf.ones([4, 3])", "tf.ones([5, 3])"),
            ("tf.ones([2, 3])", "tf.ones([3, 3])", "tf.ones([2, 3])", "tf.ones([5, 3])"),
        ),
    ),
    Kind(
        "seq",
        (
            "y = y + tf.reduce_sum({n})", "y = y + tf.reduce_sum(tf.cumsum({n}, axis=1))",
            "for i in range({n}.shape[1]):\n    y = y + {n}[0, i]",
            "y = y + tf.reduce_sum(tf.image.resize({n}[None, ..., None], [4, 4]))",
        ),
        (("tf.ones([2, 3])", "tf.ones([2, 4])", "tf.ones([2, 5])"), ("tf.ones([2, 3])", "tf.ones([3, 4])")),
    ),
    Kind(
        "num",
        (
            "y = y * {n}", "y = y + tf.pow(2.0, {n})", "y = y / (1.0 + {n})", "y = y + tf.nn.leaky_relu(y, {n})",
            "if {n} > 0.25:\n    y = y + 1.0\nelse:\n    y = y - 1.0", "y = y + tf.clip_by_value(y, -{n}, {n})",
            "y = y + math.exp({n})", "y = y + tf.constant({n})", "y = y + np.float32({n})", "y = y + {n} ** 2",
        ),
        (
            ("0.1", "0.2", "0.3"), ("1.0", "0.5", "0.25", "0.125"), ("0.1 * (i + 1)",) * _EACH,
            ("np.float32(0.1)", "np.float32(0.2)"), ("1", "0.5", "0.25"), ("np.float64(0.5)", "0.25", "1.0"),
            ("tf.constant(0.5)", "0.25", "1.0"),
        ),
    ),
    Kind(
        "count",
        (
            "y = y * {n}", "y = y + tf.cast({n}, tf.float32)", "for _ in range({n}):\n    y = y + 1.0",
            "for _ in tf.range({n}):\n    y = y + 1.0", "y = y + tf.reduce_sum(tf.ones([{n}]))",
            "y = y + tf.reduce_sum(tf.ones([8, 2])[:{n}])", "y = y + tf.reduce_sum(tf.one_hot([0, 1], {n}))",
            "if {n} % 2 == 0:\n    y = y + 1.0", "y = y + tf.reduce_sum(tf.tile(tf.ones([2]), [{n}]))",
            "y = y + 1.0 / {n}", "y = y + TABLE[{n} % 7]", 'print("tracing with", {n})',
            "y = y + tf.random.stateless_uniform([], [{n}, 0])", "y = y + tf.math.top_k(tf.range(10.0), {n}).values[0]",
        ),
        (
            ("1", "2", "3"), ("i + 1",) * _EACH, ("np.int64(1)", "np.int64(2)"), ("2", "3", "2", "4"),
            ("tf.constant(2)", "3", "4"),
        ),
    ),
    Kind(
        "flag",
        (
            "if {n}:\n    y = y * 2.0", "y = y + (1.0 if {n} else 0.0)", "y = y + tf.cast({n}, tf.float32)",
        ),
        (("True", "False"), ("i % 2 == 0",) * _EACH, ("np.bool_(True)", "np.bool_(False)"), ("True", "None", "False")),
    ),
    Kind(
        "mode",
        (
            'if {n} == "a":\n    y = y * 2.0\nelse:\n    y = y + 3.0', "y = y + SCALES[{n}]",
            "y = tf.identity(y, name={n})", "with tf.name_scope({n}):\n    y = y + 1.0",
            "y = y + tf.cast(tf.strings.length({n}), tf.float32)", "y = y + 1.0  # {n}",
        ),
        (('"a"', '"b"'), ('"a"', '"b"', '"c"'), ("NAMES[i % 3]",) * _EACH),
    ),
    Kind(
        "config",
        ("y = y * {n}.rate", "y = y + {n}(y)", "y = y + 1.0", "if {n}.rate > 0.15:\n    y = y + 1.0"),
        (
            ("Config(0.1)", "Config(0.2)", "Config(0.3)"), ("Config(0.1)",) * 3, ("Config(0.1 * (i + 1))",) * _EACH,
            ("CONFIGS[i % 2]",) * _EACH,
        ),
    ),
    Kind(
        "items",
        (
            "y = y + tf.add_n({n})", "for one in {n}:\n    y = y + one", "y = y + tf.reduce_sum(tf.stack({n}))",
            "y = y + {n}[0]", "y = y * len({n})",
        ),
        (
            ("[tf.ones([])]", "[tf.ones([])] * 2", "[tf.ones([])] * 3"), ("[0.1, 0.2]", "[0.3, 0.4]", "[0.5, 0.6]"),
            ("(tf.ones([]), tf.ones([]))", "[tf.ones([]), tf.ones([])]"), ("[1.0] * (i + 1)",) * _EACH,
        ),
    ),
    Kind(
        "feats",
        (
            'y = y + tf.reduce_sum({n}["a"])', "y = y + sum(tf.reduce_sum(v) for v in {n}.values())",
            'if "mask" in {n}:\n    y = y * tf.reduce_sum({n}["mask"])',
        ),
        (
            ('{"a": tf.ones([3])}', '{"a": tf.ones([3]), "mask": tf.ones([3])}'),
            ('{"a": tf.ones([2])}', '{"a": tf.ones([3])}', '{"a": tf.ones([4])}'),
        ),
    ),
    Kind(
        "numbers",
        ("y = y + tf.cast(tf.reduce_sum({n}), tf.float32)", "y = y + tf.cast({n}[0], tf.float32)"),
        (
            ("tf.constant([1, 2])", "tf.constant([1.0, 2.0])"), ("np.array([1.0, 2.0])", "tf.constant([1.0, 2.0])"),
            ("np.array([1, 2])", "np.array([1.0, 2.0])", "np.array([1, 2], np.int32)"),
        ),
    ),
    Kind(
        "mask",
        ("if {n} is not None:\n    y = y + tf.reduce_sum({n})",),
        (("None", "tf.ones([3])"), ("None", "tf.ones([3])", "tf.ones([4])")),
    ),
    Kind(
        "function",
        ("y = {n}(y)",),
        (
            ("lambda v: v * 2.0",) * 3, ("tf.nn.relu", "tf.nn.tanh"), ("(lambda v, k=float(i): v * k)",) * _EACH,
            ("functools.partial(tf.multiply, 0.5 + i)",) * _EACH, ("make(float(i))",) * _EACH,
        ),
    ),
    Kind(
        "axis",
        ("y = y + tf.reduce_sum(tf.reduce_sum(tf.ones([2, 3, 4]), axis={n}))",),
        (("0", "1", "2"), ("[0, 1]", "[1, 0]"), ("(0,)", "(0, 1)")),
    ),
    Kind(
        "shape",
        ("y = y + tf.reduce_sum(tf.zeros({n}))", "y = y + tf.reduce_sum(tf.reshape(tf.ones([12]), {n}))"),
        (("(2, 6)", "(3, 4)", "(6, 2)"), ("[2, 6]", "[3, 4]"), ("(2, 6)", "[2, 6]")),
    ),
)  # fmt: skip
_DECORATORS = ("@tf.function",) * 6 + ("@tf.function(reduce_retracing=True)", "@tf.function(autograph=True)")
_STRUCTURES = (
    *("plain",) * 4, "method", "method of new instances", "wrapped", "compiled by a call", "local", "nested", "helper",
    *("module", "helper by other names", "own method", "static method", "object", "layer"),
)  # fmt: skip
_WITHIN_A_TRAINER = ("own method", "static method", "object", "layer")
_HEAD = """\
import functools
import math

import numpy as np
import tensorflow as tf

W = tf.ones([3, 2])
TABLE = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
SCALES = {"a": 1.0, "b": 2.0, "c": 3.0}
NAMES = ["a", "b", "c"]


class Config:
    def __init__(self, rate):
        self.rate = rate

    def __call__(self, x):
        return x * self.rate


def make(k):
    def inner(v):
        return v * k
    return inner


CONFIGS = [Config(0.1), Config(0.2)]
"""


def random_program(seed: int, most_kinds: int = 3) -> str:
    """Of up to so many arguments that change. The same for the same numbers."""
    draw = random.Random(seed)
    kinds = draw.sample(KINDS, draw.randint(1, most_kinds))
    values = {kind.name: draw.choice(kind.values) for kind in kinds}
    if len(kinds) > 1 and draw.random() < 0.25:  # one that stays
        name = draw.choice(kinds).name
        values[name] = values[name][:1]
    body = ["y = tf.reduce_sum(x)"]
    for kind in kinds:
        uses = draw.sample(kind.uses, min(len(kind.uses), draw.choice([1, 1, 1, 2])))
        body += [use.replace("{n}", kind.name) for use in uses]
    structure, decorator = draw.choice(_STRUCTURES), draw.choice(_DECORATORS)
    parameters = ", ".join(["x", *values])
    definition = f"def step({parameters}):\n{textwrap.indent(chr(10).join([*body, 'return y']), '    ')}"
    text, setup, called = _defined(structure, decorator, definition, parameters)
    by_name = draw.randint(0, len(kinds) + 2)  # from which on arguments are passed by their names
    calls = _calls(values, setup, called, by_name, is_a_loop=draw.random() < 0.4)
    if draw.random() < 0.4:
        calls = f"def main():\n{textwrap.indent(calls, '    ')}\n\n\nif __name__ == '__main__':\n    main()"
    return f"{_HEAD}\n\n{text}\nx = tf.constant([1.0, 2.0, 3.0])\n{calls}\n"


def _defined(structure: str, decorator: str, definition: str, parameters: str) -> tuple[str, str, str]:
    """The function's text, what is done before each call, and how it is called."""
    decorated = f"{decorator}\n{definition}"
    if structure in ("method", "method of new instances", "module"):
        method = textwrap.indent(decorated.replace("def step(", "def step(self, "), "    ")
        base = "(tf.Module)" if structure == "module" else ""
        holds = "self.w = tf.Variable(2.0)" if structure == "module" else "self.scale = 1.0"
        text = f"class Trainer{base}:\n    def __init__(self):\n        {holds}\n\n{method}\n\n"
        if structure == "method of new instances":
            return text, "trainer = Trainer()\n", "trainer.step"
        return f"{text}\ntrainer = Trainer()\n", "", "trainer.step"
    if structure == "wrapped":
        return f"{decorated}\n\n\ndef run(*args, **kwargs):\n    return step(*args, **kwargs)\n\n", "", "run"
    if structure == "compiled by a call":
        options = decorator.partition("(")[2]
        return f"{definition}\n\n\ncompiled = tf.function(step{', ' + options if options else ')'}\n", "", "compiled"
    if structure == "local":
        return f"def build():\n{textwrap.indent(decorated, '    ')}\n    return step\n\n", "", "build()"
    inner = definition.replace("def step(", "def compute(")
    outer = f"def step({parameters}):\n    return compute({parameters}) * 2.0"
    if structure == "nested":
        return f"{decorator}\n{inner}\n\n\n@tf.function\n{outer}\n\n", "", "step"
    if structure == "helper":
        return f"{inner}\n\n\n{decorator}\n{outer}\n\n", "", "step"
    if structure == "helper by other names":
        names = parameters.split(", ")[1:]
        others = re.sub(rf"\b({'|'.join(names)})\b", r"of_\1", inner)
        return f"{others}\n\n\n{decorator}\n{outer}\n\n", "", "step"
    if structure in _WITHIN_A_TRAINER:
        return (
            f"{_within_a_trainer(structure, decorator, inner, parameters)}\n\ntrainer = Trainer()\n",
            "",
            "trainer.step",
        )
    return f"{decorated}\n\n", "", "step"


def _within_a_trainer(structure: str, decorator: str, inner: str, parameters: str) -> str:
    """A class whose step hands all that it is passed to what does something with it."""
    names = parameters.split(", ")[1:]
    method = textwrap.indent(inner.replace("def compute(", "def compute(self, "), "    ")
    called, given, makes, before = "self.compute", parameters, "self.scale = 2.0", ""
    if structure == "static method":
        method = textwrap.indent(f"@staticmethod\n{inner}", "    ")
    elif structure in ("object", "layer"):
        called, makes = "self.net", "self.net = Net()"
        base, name = ("(tf.keras.layers.Layer)", "call") if structure == "layer" else ("", "__call__")
        before = f"class Net{base}:\n{method.replace('def compute(', f'def {name}(')}\n\n\n"
        method = ""
        # a layer takes nothing but tensors by place
        given = ", ".join(["x", *(f"{each}={each}" for each in names)]) if structure == "layer" else parameters
    step = f"{decorator}\ndef step(self, {parameters}):\n    return {called}({given}) * 2.0"
    begins = f"def __init__(self):\n    {makes}"
    body = "\n\n".join(
        part for part in (textwrap.indent(begins, "    "), method, textwrap.indent(step, "    ")) if part
    )
    return f"{before}class Trainer:\n{body}\n"


def _calls(values: dict[str, tuple[str, ...]], setup: str, called: str, by_name: int, *, is_a_loop: bool) -> str:
    length = max(map(len, values.values()))

    def call(passed: dict[str, str]) -> str:
        given = [f"{n}={v}" if place >= by_name else v for place, (n, v) in enumerate(passed.items())]
        return f"{setup}print(np.asarray({called}({', '.join(['x', *given])})).round(4))"

    if any(_is_of_the_loop(value) for several in values.values() for value in several):
        line = call({name: several[0] for name, several in values.items()})
        return f"for i in range({length}):\n{textwrap.indent(line, '    ')}"
    if not is_a_loop:
        return "\n".join(call({n: several[i % len(several)] for n, several in values.items()}) for i in range(length))
    lists = {name: several for name, several in values.items() if len(several) > 1}
    text = "\n".join(f"all_{name} = [{', '.join(several)}]" for name, several in lists.items())
    line = call({name: f"one_{name}" if name in lists else several[0] for name, several in values.items()})
    names, sources = ", ".join(f"one_{name}" for name in lists), ", ".join(f"all_{name}" for name in lists)
    through = f"zip({sources})" if len(lists) > 1 else sources
    head = f"for {names} in {through}:" if lists else f"for _ in range({length}):"
    return f"{text}\n{head}\n{textwrap.indent(line, '    ')}".lstrip()


def _is_of_the_loop(value: str) -> bool:
    return any(part in value for part in ("i + 1", "i %", "float(i)", "+ i)"))
