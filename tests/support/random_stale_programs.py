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
    "property that computes": Held(
        "class C:\n    base, factor = 0.25, 2.0\n\n    @property\n    def rate(self):\n"
        "        return self.base * self.factor\n\n\nconfig = C()",
        "config.rate", "config.factor = 4.0", "config.factor = 2.0",
    ),
    "class method": Held(
        "class C:\n    held = 0.5\n\n    @classmethod\n    def rate(cls):\n        return cls.held\n",
        "C.rate()", "C.held = 2.0", "C.held = 0.5",
    ),
    "static method": Held(
        "G = 0.5\n\n\nclass C:\n    @staticmethod\n    def rate():\n        return G\n",
        "C.rate()", "G = 2.0", "G = 0.5",
    ),
    "class of an instance": Held(
        "class C:\n    rate = 0.5\n\n\nconfig = C()", "config.rate", "C.rate = 2.0", "C.rate = 0.5"
    ),
    "in place of the class's": Held(
        "class C:\n    rate = 0.5\n\n\nconfig = C()", "config.rate", "config.rate = 2.0", "del config.rate"
    ),
    "base class": Held(
        "class B:\n    rate = 0.5\n\n\nclass C(B):\n    pass\n\n\nconfig = C()",
        "config.rate", "B.rate = 2.0", "B.rate = 0.5",
    ),
    "slots": Held(
        "class C:\n    __slots__ = ('rate',)\n\n\nconfig = C()\nconfig.rate = 0.5",
        "config.rate", "config.rate = 2.0", "config.rate = 0.5",
    ),
    "named tuple": Held(
        "P = collections.namedtuple('P', 'rate')\nconfig = P(0.5)\nfirst = config",
        "config.rate", "config = config._replace(rate=2.0)", "config = first",
    ),
    "value of a member": Held(
        "class E(enum.Enum):\n    A = 0.5\n    B = 2.0\n\n\nMODE = E.A", "MODE.value", "MODE = E.B", "MODE = E.A"
    ),
    "list of objects": Held(
        f"{_CLASS}\nCONFIGS = [config, Config(1.0)]", "sum(c.rate for c in CONFIGS)", "config.rate = 2.0",
        "config.rate = 0.5",
    ),
    "dictionary of objects": Held(
        f"{_CLASS}\nCONFIGS = {{'a': config}}", "CONFIGS['a'].rate", "CONFIGS['a'].rate = 2.0", "config.rate = 0.5"
    ),
    "object behind a weak reference": Held(
        f"{_CLASS}\nheld = weakref.ref(config)", "held().rate", "config.rate = 2.0", "config.rate = 0.5"
    ),
    "values of a dictionary": Held("D = {'a': 0.2, 'b': 0.3}", "sum(D.values())", "D['a'] = 2.0", "D['a'] = 0.2"),
    "what get gives": Held("CFG = {'a': 0.5}", "CFG.get('a', 1.0)", "CFG['a'] = 2.0", "CFG['a'] = 0.5"),
    "a default that get gives": Held("CFG = {}", "CFG.get('a', 0.5)", "CFG['a'] = 2.0", "del CFG['a']"),
    "keywords": Held("KW = {'a': 0.5}", "(lambda a: a)(**KW)", "KW['a'] = 2.0", "KW['a'] = 0.5"),
    "item of an item": Held("T = [[0.5, 1.0], [2.0, 3.0]]", "T[0][0]", "T[0][0] = 9.0", "T[0][0] = 0.5"),
    "deque": Held("Q = collections.deque([0.5, 1.0])", "Q[0]", "Q[0] = 2.0", "Q[0] = 0.5"),
    "several lists": Held("A = [0.5]\nB = [1.0]", "sum(a * b for a, b in zip(A, B))", "B[0] = 2.0", "B[0] = 1.0"),
    "sorted": Held("A = [0.5, 1.0]", "sorted(A)[0]", "A[0] = 0.1", "A[0] = 0.5"),
    "in a set": Held("SEEN = {1}", "(1.0 if 2 in SEEN else 3.0)", "SEEN.add(2)", "SEEN.discard(2)"),
    "in a string": Held("S = 'abc'", "(1.0 if 'z' in S else 3.0)", "S = 'xyz'", "S = 'abc'"),
    "a partial": Held(
        "P = functools.partial(lambda a, b: a * b, 0.5)\nFIRST = P",
        "P(1.0)", "P = functools.partial(lambda a, b: a * b, 2.0)", "P = FIRST",
    ),
    "another function": Held("F = lambda: 0.5\nFIRST = F", "F()", "F = lambda: 2.0", "F = FIRST"),
    "a function's default": Held(
        "def g(a=0.5):\n    return a\n", "g()", "g.__defaults__ = (2.0,)", "g.__defaults__ = (0.5,)"
    ),
    "a cell": Held(
        "def make():\n    n = 0.5\n\n    def get():\n        return n\n\n    def put(v):\n        nonlocal n\n"
        "        n = v\n\n    return get, put\n\n\nget, put = make()",
        "get()", "put(2.0)", "put(0.5)",
    ),
    "recursion": Held(
        "DEPTH = 2\n\n\ndef f(n):\n    return 0.0 if n == 0 else 1.0 + f(n - 1)\n", "f(DEPTH)", "DEPTH = 3", "DEPTH = 2"
    ),
    "the environment": Held(
        "os.environ['R'] = '0.5'", "float(os.environ['R'])", "os.environ['R'] = '2.0'", "os.environ['R'] = '0.5'"
    ),
    "decided alike": Held("V = 1", "(1.0 if V > 0 else 3.0)", "V = 2", "V = 1", is_read_anew=True),
    "text decided alike": Held("M = 'a'", "(1.0 if M == 'z' else 3.0)", "M = 'b'", "M = 'a'", is_read_anew=True),
    "not come to": Held("USE = False\nV = 1.0", "(V if USE else 3.0)", "V = 2.0", "V = 1.0", is_read_anew=True),
    "cached": Held(
        "BASE = 0.5\n\n\n@functools.lru_cache\ndef rate():\n    return BASE\n", "rate()", "BASE = 2.0", "BASE = 0.5",
        is_read_anew=True,
    ),
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
        import collections
        import enum
        import functools
        import os
        import weakref

        import numpy as np
        import tensorflow as tf

        x = tf.constant([1.0, 2.0])
    """
    body = structure.replace("READ", held.read if is_read else "1.0")
    program = "\n".join([textwrap.dedent(text), held.setup, "", "", body, *lines, ""])
    return program, is_read and not is_changed_back and not held.is_read_anew
