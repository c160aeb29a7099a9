"""Programs made up at random that change a Python value after the trace that read it; what is stale then is known."""

from __future__ import annotations

import random
import textwrap
from typing import NamedTuple


class Held(NamedTuple):
    """What a program sets up, how its function reads it, how it is changed, and changed back; `is_read_anew`: of each
    call, or not at all, so that nothing is stale."""

    setup: str
    read: str
    change: str
    back: str
    is_read_anew: bool = False


_CLASS = "class Config:\n    def __init__(self, rate=0.5):\n        self.rate = rate\n\n\nconfig = Config()"
_HOLDS = "class Config:\n    held = 0.5\n\n"
HELD = {
    "global": Held("RATE = 0.5", "RATE", "RATE = 2.0", "RATE = 0.5"),
    "item of a dictionary": Held("CFG = {'rate': 0.5}", "CFG['rate']", "CFG['rate'] = 2.0", "CFG['rate'] = 0.5"),
    "item of a list": Held("VALUES = [0.5, 1.0]", "VALUES[0]", "VALUES[0] = 2.0", "VALUES[0] = 0.5"),
    "attribute": Held(_CLASS, "config.rate", "config.rate = 2.0", "config.rate = 0.5"),
    "attribute of another object": Held(
        f"{_CLASS}\nfirst = config", "config.rate", "config = Config(2.0)", "config = first"
    ),
    "attribute of an attribute": Held(
        f"{_CLASS}\nconfig.inner = Config()", "config.inner.rate", "config.inner.rate = 2.0", "config.inner.rate = 0.5"
    ),
    "attribute by its name": Held(_CLASS, "getattr(config, 'rate')", "config.rate = 2.0", "config.rate = 0.5"),
    "class": Held("class Config:\n    rate = 0.5", "Config.rate", "Config.rate = 2.0", "Config.rate = 0.5"),
    "property": Held(
        f"{_HOLDS}    @property\n    def rate(self):\n        return self.held\n\n\nconfig = Config()",
        "config.rate", "config.held = 2.0", "config.held = 0.5",
    ),
    "method": Held(
        f"{_HOLDS}    def rate(self):\n        return self.held\n\n\nconfig = Config()",
        "config.rate()", "config.held = 2.0", "config.held = 0.5",
    ),
    "string": Held("MODE = 'a'", "(1.0 if MODE == 'a' else 3.0)", "MODE = 'b'", "MODE = 'a'"),
    "bool": Held("FLAG = True", "(1.0 if FLAG else 3.0)", "FLAG = False", "FLAG = True"),
    "None": Held("MASK = None", "(1.0 if MASK is None else 3.0)", "MASK = 1", "MASK = None"),
    "tuple": Held("SIZE = (2, 3)", "float(SIZE[0])", "SIZE = (4, 3)", "SIZE = (2, 3)"),
    "length": Held("ITEMS = [1, 2]", "float(len(ITEMS))", "ITEMS.append(3)", "ITEMS.pop()"),
    "list read whole": Held("VALUES = [0.5] * 20", "sum(VALUES)", "VALUES[15] = 2.0", "VALUES[15] = 0.5"),
    "array": Held("W = np.full(9, 0.5)", "float(np.sum(W))", "W[3] = 2.0", "W[3] = 0.5"),
    "large array": Held("W = np.full(8000, 0.5)", "float(np.sum(W.T))", "W[:] = 2.0", "W[:] = 0.5"),
    "item of an array": Held("W = np.full(9, 0.5, 'float32')", "W[3]", "W[3] = 2.0", "W[3] = 0.5"),
    "another item of an array": Held(
        "W = np.full(9, 0.5, 'float32')", "W[3]", "W[4] = 2.0", "W[4] = 0.5", is_read_anew=True
    ),
    "array of an object": Held(
        f"{_CLASS}\nconfig.rate = np.full(9, 0.5)", "float(config.rate.sum())", "config.rate[3] = 2.0",
        "config.rate[3] = 0.5",
    ),
    "arrays of a list": Held(
        "VALUES = [np.full(9, 0.5, 'float32'), 1.0]", "tf.reduce_sum([tf.reduce_sum(v) for v in VALUES])",
        "VALUES[0][3] = 2.0", "VALUES[0][3] = 0.5",
    ),
    "number of NumPy's": Held("N = np.float32(0.5)", "N", "N = np.float32(2.0)", "N = np.float32(0.5)"),
    "tensor": Held("T = tf.constant(0.5)\nFIRST = T", "T", "T = tf.constant(2.0)", "T = FIRST"),
    "variable": Held("V = tf.Variable(0.5)", "V", "V.assign(2.0)", "V.assign(0.5)", is_read_anew=True),
}  # fmt: skip
_TOTAL = "tf.reduce_sum(x)"
_STRUCTURES = (
    f"@tf.function\ndef step(x):\n    return {_TOTAL} * READ\n",
    f"def scale(y):\n    return y * READ\n\n\n@tf.function\ndef step(x):\n    return scale({_TOTAL})\n",
    "def factor():\n    return READ\n\n\ndef scale(y):\n    return y * factor()\n\n\n"
    f"@tf.function\ndef step(x):\n    return scale({_TOTAL})\n",
    f"step = tf.function(lambda x: {_TOTAL} * READ)\n",
    f"class Model(tf.Module):\n    @tf.function\n    def run(self, x):\n        return {_TOTAL} * READ\n\n\n"
    "step = Model().run\n",
    f"def make():\n    @tf.function\n    def inner(x):\n        return {_TOTAL} * READ\n    return inner\n\n\n"
    "step = make()\n",
    f"@tf.function\ndef step(x, k=2.0):\n    y = k * READ\n    return {_TOTAL} * y\n",
    f"@tf.function\ndef step(x):\n    def part(v):\n        return v * READ\n    return part({_TOTAL})\n",
    f"@tf.function\ndef low(x):\n    return {_TOTAL} * READ\n\n\n@tf.function\ndef step(x):\n    return low(x) + 1.0\n",
    "def logged(f):\n    @functools.wraps(f)\n    def call(*args, **kwargs):\n        return f(*args, **kwargs)\n"
    "    return call\n\n\n"
    f"@tf.function\n@logged\ndef step(x):\n    return {_TOTAL} * READ\n",
)  # fmt: skip


def random_stale_program(seed: int) -> tuple[str, bool]:
    """And whether something in it is stale when it ends. The same for the same number."""
    draw = random.Random(seed)
    held, structure = HELD[draw.choice(sorted(HELD))], draw.choice(_STRUCTURES)
    is_read, is_changed_back = draw.random() < 0.85, draw.random() < 0.2
    call = "print(float(step(x)))"
    lines = [call, held.change, *[call][: draw.random() < 0.7], *[held.back][:is_changed_back]]
    text = """\
        import functools

        import numpy as np
        import tensorflow as tf

        x = tf.constant([1.0, 2.0])
    """
    body = structure.replace("READ", held.read if is_read else "1.0")
    program = "\n".join([textwrap.dedent(text), held.setup, "", "", body, *lines, ""])
    return program, is_read and not is_changed_back and not held.is_read_anew
