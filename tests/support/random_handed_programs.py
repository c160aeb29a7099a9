"""Programs made up at random whose calls of a tf.function lie behind the user's own helpers, decorators and registries.

What they compute is of no use; how calls come to the function, and what is handed on to it, is as in real ones.
"""

from __future__ import annotations

import random
import textwrap
from typing import NamedTuple


class Value(NamedTuple):
    """A parameter: how the function uses it, adding to `y`; what is passed in round `i`."""

    uses: tuple[str, ...]
    passed: tuple[str, ...]


VALUES = {
    "rate": Value(
        ("y = y * rate", "y = y + tf.reduce_mean(x) * rate", "W.assign_sub(rate * tf.ones_like(W))"),
        ("0.1 * 0.9 ** i", "schedule(i)", "RATES[i % 3]", "np.float32(0.1 * i)", "0.5", "1.0 / (1 + i)",
         "tf.constant(0.1 * i)", "np.linspace(0.1, 0.5, 5)[i]"),
    ),
    "count": Value(
        ("y = y + tf.cast(count, tf.float32)", "for _ in range(count):\n    y = y + 1.0", "y = y * count",
         "if count > 2:\n    y = y + 1.0"),
        ("i", "i + 1", "2", "np.int64(i)", "len(X[:i + 1])", "tf.constant(i)", "min(i, 2)"),
    ),
    "training": Value(
        ("if training:\n    y = y * 2.0", "y = y * 2.0 if training else y"),
        ("True", "i % 2 == 0", "bool(i)", "None if i else True"),
    ),
    "mode": Value(
        ("if mode == 'mean':\n    y = y / 4.0", "y = y * {'sum': 1.0, 'mean': 0.25}[mode]"),
        ("'mean'", "['mean', 'sum'][i % 2]", "MODES[i % 2]"),
    ),
    "cfg": Value(
        ("y = y * cfg.rate", "for _ in range(cfg.steps):\n    y = y + 1.0", "y = y + cfg.rate * cfg.scale"),
        ("CONFIG", "Config()", "Config(0.1 * i)", "dataclasses.replace(CONFIG, rate=schedule(i))", "Config(0.5, i)",
         "types.SimpleNamespace(rate=0.1 * i, steps=2, scale=1.0)"),
    ),
    "loss": Value(
        ("y = y + loss(x)",),
        ("tf.reduce_sum", "lambda v: tf.reduce_sum(v) * 0.5", "LOSSES[i % 2]", "made_loss(0.1 * i)", "made_loss(0.5)",
         "functools.partial(tf.reduce_sum, axis=None)"),
    ),
    "net": Value(
        ("y = y + tf.reduce_sum(net(x))", "y = y * tf.reduce_sum(net.w)"),
        ("NET", "Net()", "NETS[i % 2]", "Net(0.5 * i)", "NETS_BY_NAME['ab'[i % 2]]"),
    ),
    "batch": Value(
        ("y = y + tf.reduce_sum(batch['x'])", "y = y * tf.reduce_sum(batch.get('w', 1.0))"),
        ("{'x': X}", "{'x': X[:i + 1]}", "{'x': X, 'w': tf.ones([4])} if i else {'x': X}", "{'x': X, 'w': 0.1 * i}"),
    ),
    "scale": Value(
        ("y = y + tf.reduce_sum(scale)", "y = y * tf.reduce_mean(scale)"),
        ("[1.0, 0.5 * i]", "tf.ones([2])", "np.ones(2, np.float32) * i", "(1.0, 2.0)", "X[:i + 1]"),
    ),
}  # fmt: skip
SHAPES = (
    "X",
    "X",
    "X[:4 - i % 2]",
    "X[: i + 1]",
    "X[2 * i % 4 : 2 * i % 4 + 2]",
    "tf.ones([4, 3])",
    "X.numpy()[:i + 1]",
)
_HEAD = """\
import contextlib
import dataclasses
import functools
import threading
import time
import types
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(1)
W = tf.Variable([1.0, 2.0, 3.0])
X = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0], [0.5, 0.5, 0.5]])
RATES = [0.1, 0.01, 0.001]
MODES = ("sum", "mean")


@dataclasses.dataclass(eq=False)
class Config:
    rate: float = 0.5
    steps: int = 2
    scale: float = 1.0


CONFIG = Config()


class Net(tf.Module):
    def __init__(self, gain=1.0):
        super().__init__()
        self.w = tf.Variable(tf.ones([3]) * gain)

    def __call__(self, x):
        return tf.reduce_sum(x * self.w)


NET = Net()
NETS = [Net(), Net(2.0)]
NETS_BY_NAME = {"a": Net(), "b": Net(0.5)}


def made_loss(weight):
    def loss(v):
        return tf.reduce_sum(v) * weight

    return loss


LOSSES = [tf.reduce_sum, tf.reduce_max]

def schedule(i):
    return 0.1 * 0.5 ** i


def show(value):
    print(round(float(value), 3))
"""
_TIMED = """\
def timed(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        begin = time.perf_counter()
        result = function(*args, **kwargs)
        TIMES.append(time.perf_counter() - begin)
        return result

    return wrapper


TIMES = []
"""
_RETRIED = """\
def retried(times):
    def decorate(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            for attempt in range(times):
                try:
                    return function(*args, **kwargs)
                except tf.errors.AbortedError:
                    if attempt + 1 == times:
                        raise
        return wrapper

    return decorate
"""
_SCOPE = """\
@contextlib.contextmanager
def scope(name):
    begin = time.perf_counter()
    yield name
    TOOK[name] = time.perf_counter() - begin


TOOK = {}
"""
_THREADS = """\
results = {{}}


def work(i):
    results[i] = {call}


for i in range({rounds}):
    thread = threading.Thread(target=work, args=(i,))
    thread.start()
    thread.join()
    show(results[i])
"""
_ROUNDS = """\
def train_round({names}):
    result = 0.0
    for _ in range(2):
        result = {callee}({names})
    return result


for i in range({rounds}):
    show(train_round({given}))
"""
_IN_MAIN = """\
def main():
    for i in range({rounds}):
        show({call})


if __name__ == "__main__":
    main()
"""


def random_handed_program(seed: int) -> str:
    """The same for the same number."""
    draw = random.Random(seed)
    names = draw.sample(sorted(VALUES), draw.choice([0, 1, 1, 1, 2, 2]))
    x = draw.choice(SHAPES if names else SHAPES[2:])
    passed = {name: draw.choice(VALUES[name].passed) for name in names}
    uses = [draw.choice(VALUES[name].uses) for name in names]
    text, callee = _function(draw, names, uses)
    parts = [_HEAD, *text]
    for _ in range(draw.choice([1, 1, 2, 2])):
        layer = draw.choice(_LAYERS) if "i % 2" not in callee else _decorated  # which one it is is known where `i` is
        more, callee = layer(draw, callee, names)
        parts += [one for one in more if one not in parts]
    return "\n\n".join(parts) + "\n\n" + _main(draw, callee, x, passed)


def _function(draw: random.Random, names: list[str], uses: list[str]) -> tuple[list[str], str]:
    """Its text, and how it is called."""
    body = ["y = tf.reduce_sum(x * W)", *uses, "return y"]
    form = draw.choice(["plain"] * 4 + ["made", "method", "base class", "cached", "by key"])
    if form == "method":
        init = "def __init__(self, gain):\n    self.gain = gain\n"
        step = (
            f"@tf.function\ndef step({', '.join(['self', 'x', *names])}):\n{_in(*body[:-1], 'return y * self.gain')}\n"
        )
        return [f"class Model:\n{_in(init)}\n\n{_in(step)}\n", "model = Model(2.0)\n"], "model.step"
    if form == "base class":
        head = ", ".join(["self", "x", *names])
        base = f"class Base:\n    def run({head}):\n        return self.step({', '.join(['x', *names])})\n"
        step = f"class Own(Base):\n    @tf.function\n    def step({head}):\n{_in(_in(*body))}\n"
        return [base, step, "own = Own()\n"], "own.run"
    head = ", ".join(["x", *names])
    if form == "made":
        return [f"def raw({head}):\n{_in(*body)}\n", "step = tf.function(raw)\n"], "step"
    step = f"@tf.function\ndef step({head}):\n{_in(*body)}\n"
    if form == "cached":
        inner = f"def step_of(gain):\n{_in(step.replace('return y', 'return y * gain'))}\n    return step\n"
        return [
            f"@functools.lru_cache(maxsize=None)\n{inner}"
        ], f"step_of({draw.choice(['2.0', '2.0', 'float(i % 2)'])})"
    if form == "by key":
        return [step, 'STEPS = {"train": step, "eval": step}\n'], draw.choice(
            ['STEPS["train"]', "STEPS[['train', 'eval'][i % 2]]"]
        )
    return [step], "step"


def _helper(draw: random.Random, callee: str, names: list[str]) -> tuple[list[str], str]:
    """It is handed each, or all as a dictionary or a dataclass, by its own names."""
    given = ", ".join(["x", *names])
    way = draw.choice(["each", "each", "by name", "**", "function", "loop"])
    n = draw.randrange(1000)
    if way == "function":
        text = f"def run_{n}(function, {given}):\n    return function({given})\n"
        return (
            [text],
            f"functools.partial(run_{n}, {callee})"
            if draw.random() < 0.5
            else f"(lambda *args: run_{n}({callee}, *args))",
        )
    call = f"{callee}({given})"
    if way == "by name":
        call = f"{callee}(x, {', '.join(f'{name}={name}' for name in names)})"
    if way == "**":
        call = f"{callee}(x, **dict({', '.join(f'{name}={name}' for name in names)}))"
    body = f"return {call}"
    if way == "loop":
        body = f"result = 0.0\nfor _ in range(2):\n    result = result + {call}\nreturn result"
    return [f"def run_{n}({given}):\n{_in(body)}\n"], f"run_{n}"


def _decorated(draw: random.Random, callee: str, names: list[str]) -> tuple[list[str], str]:
    if draw.random() < 0.5:
        return [_TIMED], f"timed({callee})"
    return [_RETRIED], f"retried(2)({callee})"


def _options(draw: random.Random, callee: str, names: list[str]) -> tuple[list[str], str]:
    """Through a dataclass or a dictionary of all that is passed."""
    if not names:
        return _decorated(draw, callee, names)
    n = draw.randrange(1000)
    if draw.random() < 0.5:
        fields = "\n".join(f"    {name}: object" for name in names)
        given = ", ".join(f"options.{name}" for name in names)
        text = [f"@dataclasses.dataclass\nclass Options{n}:\n{fields}\n"]
        text.append(f"def with_{n}(x, options):\n    return {callee}(x, {given})\n")
        return text, f"(lambda x, {', '.join(names)}: with_{n}(x, Options{n}({', '.join(names)})))"
    given = ", ".join(f"options['{name}']" for name in names)
    call = draw.choice([f"{callee}(x, {given})", f"{callee}(x, **options)"])
    text = [f"def with_{n}(x, **options):\n    return {call}\n"]
    return text, f"(lambda x, {', '.join(names)}: with_{n}(x, {', '.join(f'{name}={name}' for name in names)}))"


def _hooks(draw: random.Random, callee: str, names: list[str]) -> tuple[list[str], str]:
    n = draw.randrange(1000)
    given = ", ".join(["x", *names])
    text = f"HOOKS_{n} = [{callee}]\n\n\ndef fire_{n}({given}):\n    return sum(hook({given}) for hook in HOOKS_{n})\n"
    return [text], f"fire_{n}"


def _context(draw: random.Random, callee: str, names: list[str]) -> tuple[list[str], str]:
    n = draw.randrange(1000)
    given = ", ".join(["x", *names])
    return [
        _SCOPE,
        f"def within_{n}({given}):\n    with scope('step'):\n        return {callee}({given})\n",
    ], f"within_{n}"


_LAYERS = (_helper, _helper, _helper, _decorated, _options, _options, _hooks, _context)


def _main(draw: random.Random, callee: str, x: str, passed: dict[str, str]) -> str:
    rounds = draw.choice([3, 4, 5])
    named = [f"{name}={value}" for name, value in passed.items()]
    if "functools.partial(run" in callee or draw.random() < 0.6:
        named = list(passed.values())
    call = f"{callee}({', '.join([x, *named])})"
    way = draw.choice(
        ["loop"] * 5
        + ["map", "comprehension", "generator", "thread", "pool", "partial", "epochs", "main", "rounds", "rounds"]
    )
    if way == "map":
        return f"for value in map(lambda i: {call}, range({rounds})):\n    show(value)\n"
    if way == "comprehension":
        return f"results = [{call} for i in range({rounds})]\nfor value in results:\n    show(value)\n"
    if way == "generator":
        given = ", ".join([x, *passed.values()])
        names = ", ".join(["x", *passed])
        text = f"def batches():\n    for i in range({rounds}):\n        yield i, {given}\n\n\n"
        return f"{text}for i, {names} in batches():\n    show({callee}({names}))\n"
    if way == "thread":
        return _THREADS.format(call=call, rounds=rounds)
    if way == "pool":
        text = f"with ThreadPoolExecutor(1) as pool:\n    for value in pool.map(lambda i: {call}, range({rounds})):\n"
        return f"{text}        show(value)\n"
    if way == "partial" and passed:
        bound = ", ".join(f"{name}={value}" for name, value in passed.items())
        return f"for i in range({rounds}):\n    bound = functools.partial({callee}, {bound})\n    show(bound({x}))\n"
    if way == "epochs":
        text = f"def train_one_epoch(epoch):\n    for i in range(2):\n        show({call})\n\n\n"
        text = text.replace("(i)", "(epoch)").replace("* i", "* epoch") if draw.random() < 0.5 else text
        return f"{text}for epoch in range({rounds}):\n    train_one_epoch(epoch)\n"
    if way == "rounds" and "i % 2" not in callee:
        names = ", ".join(["x", *passed])
        return _ROUNDS.format(callee=callee, names=names, given=", ".join([x, *passed.values()]), rounds=rounds)
    if way == "main":
        return _IN_MAIN.format(call=call, rounds=rounds)
    return f"for i in range({rounds}):\n    show({call})\n"


def _in(*lines: str) -> str:
    return textwrap.indent("\n".join(line for line in lines if line), "    ")
