"""Programs made up at random as research code is: classes with networks, optimizers and settings, whose methods are
tf.functions; made for each trial, or for several tasks; with counters and schedules in their attributes.

What they compute is of no use; what they hold, what their methods are passed and who calls them is as in real ones.
"""

from __future__ import annotations

import random
import textwrap
from typing import NamedTuple


class Passed(NamedTuple):
    """A parameter of `update` beside the data: uses of it (changing `loss`), and what calls pass (of `epoch`, `i`)."""

    name: str
    uses: tuple[str, ...]
    values: tuple[str, ...]


PASSED = (
    Passed(
        "reward",
        ("loss = loss * {n}", "loss += tf.reduce_mean({n} - out)", "loss += tf.cast({n}, tf.float32)"),
        ("float(rng.uniform())", "1.0", "env.reward()", "rng.normal()", "0.5 * i", "np.float32(i)", "i"),
    ),
    Passed(
        "done",
        ("if {n}:\n    loss = loss * 0.5", "loss = loss * (1.0 - tf.cast({n}, tf.float32))",
         "loss = loss * (1.0 - float({n}))"),
        ("i == 2", "False", "env.done(i)", "bool(i % 2)", "np.bool_(i == 2)"),
    ),
    Passed(
        "action",
        ("loss += out[0, 0] * tf.cast({n}, tf.float32)", "loss += tf.reduce_sum(tf.one_hot({n}, 3))",
         "loss += W[{n} % 3, 0]"),
        ("int(rng.integers(3))", "i % 3", "1", "env.action()", "np.int64(i)"),
    ),
    Passed(
        "tau",
        ("loss = {n} * loss + (1 - {n}) * tf.reduce_mean(out)", "W.assign({n} * W)"),
        ("0.005", "0.5 if epoch else 1.0", "self.tau", "self.cfg.tau", "1.0 / (1 + epoch)", "schedule(epoch)"),
    ),
    Passed(
        "epoch",
        ("if {n} > 1:\n    loss = loss * 2.0", "loss = loss / (1.0 + tf.cast({n}, tf.float32))",
         "for _ in range({n}):\n    loss = loss * 0.5"),
        ("epoch", "self.epoch", "2", "epoch // 2"),
    ),
    Passed("training", ("if {n}:\n    loss += 0.1",), ("True", "self.training", "epoch < 2", "i > 0")),
    Passed(
        "weights", ("loss = loss * tf.reduce_mean({n})", "if {n} is not None:\n    loss += tf.reduce_sum({n})"),
        ("None", "[1.0] * len(x)", "np.ones(len(x), 'float32')", "None if epoch == 0 else np.ones(4, 'float32')"),
    ),
    Passed(
        "names", ("for name in {n}:\n    loss += SCALES[name]",), ("['a']", "self.names", "['a', 'b'][:1 + epoch % 2]"),
    ),
    Passed(
        "net", ("loss += tf.reduce_mean({n}(x))",), ("self.net", "self.nets[epoch % 2]", "self.target", "dense()"),
    ),
    Passed(
        "optimizer",
        ("{n}.apply_gradients([(tf.ones([3, 1]), W)])",),
        ("self.optimizer", "self.optimizers[epoch % 2]"),
    ),
    Passed(
        "batch",
        ("loss += tf.reduce_mean(tf.cast({n}['x'], tf.float32))", "loss = loss * {n}['scale']"),
        ("{'x': x, 'scale': 0.5 * i}", "{'x': x, 'scale': 1.0}", "dict(x=x, scale=self.cfg.tau)"),
    ),
)  # fmt: skip


class Read(NamedTuple):
    """An attribute: what it is made of (of `k`: which object), how `update` reads it, what an epoch sets it to."""

    name: str
    made: tuple[str, ...]
    uses: tuple[str, ...]
    sets: tuple[str, ...]


READ = (
    Read("rate", ("0.1", "0.1 * (k + 1)", "cfg.tau"), ("loss = loss * {n}", "loss += {n}"), ("{n} * 0.5", "0.1")),
    Read("layers", ("k + 1", "2"), ("for _ in range({n}):\n    loss = tf.tanh(loss)",), ("{n} + 1",)),
    Read("flag", ("True", "k == 0"), ("if {n}:\n    loss = loss + 1.0",), ("not {n}",)),
    Read("kind", ("'a'", "'ab'[k % 2]"), ("loss = loss * SCALES[{n}]",), ("'b'",)),
    Read("history", ("[]",), ("loss = loss / (1.0 + len({n}))",), ("{n} + [float(epoch)]",)),
    Read("mean", ("np.zeros(3, 'float32')", "np.full(3, k, 'float32')"), ("loss += tf.reduce_mean(x - {n})",),
         ("{n} + 1.0",)),
    Read("scale", ("tf.Variable(1.0)", "tf.Variable(float(k))"), ("loss = loss * {n}",), ("tf.Variable(0.5)",)),
    Read("table", ("{'a': 0.1, 'b': 0.2}", "{'a': 0.1 * (k + 1)}"), ("loss = loss * {n}['a']",), ("{'a': 0.3}",)),
    Read("act", ("tf.nn.relu", "[tf.nn.relu, tf.nn.tanh][k % 2]", "lambda v: v * 2.0"), ("loss = {n}(loss)",),
         ("tf.nn.sigmoid",)),
)  # fmt: skip
_DATA = (
    "rng.normal(size=(4, 3)).astype('float32'), rng.normal(size=(4, 1)).astype('float32')",
    "X[:4], Y[:4]", "X[i * 4:i * 4 + 4], Y[i * 4:i * 4 + 4]", "tf.constant(X[:3 + i]), tf.constant(Y[:3 + i])",
    "self.buffer.sample(4)", "self.buffer.sample(2 + i)", "X[i:i + 1], Y[i:i + 1]",
    "tf.convert_to_tensor(X[:4]), tf.convert_to_tensor(Y[:4])",
)  # fmt: skip
_HEAD = """\
import argparse
import functools
from dataclasses import dataclass

import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(0)
rng = np.random.default_rng(0)
X = rng.normal(size=(10, 3)).astype("float32")
Y = rng.normal(size=(10, 1)).astype("float32")
W = tf.Variable(tf.ones([3, 1]))
SCALES = {"a": 1.0, "b": 2.0}


class Env:
    def reward(self):
        return float(rng.uniform())

    def done(self, i):
        return i % 3 == 2

    def action(self):
        return int(rng.integers(3))


class Buffer:
    def sample(self, n):
        rows = rng.integers(10, size=n)
        return X[rows], Y[rows]


env = Env()


def schedule(epoch):
    return max(0.1, 1.0 - 0.3 * epoch)


def dense():
    return tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(1)])
"""
_CONFIGS = {
    "cfg = Config(TAU)": "@dataclass\nclass Config:\n    tau: float = 0.005\n    size: int = 4\n",
    "cfg = argparse.Namespace(tau=TAU, size=4)": "",
    "cfg = Config(TAU)  ": "class Config:\n    def __init__(self, tau, size=4):\n        self.tau = tau\n",
}
_DECORATED = ("@tf.function",) * 5 + ("@tf.function(reduce_retracing=True)", "wrapped", "wrapped", "@tf.function()")
_BASES = ("", "", "(tf.Module)", "(Base)")


def random_agent_program(seed: int) -> str:
    """The same for the same number."""
    draw = random.Random(seed)
    passed = draw.sample(PASSED, draw.choice([0, 1, 1, 2, 2, 3]))
    read = draw.sample(READ, draw.choice([0, 1, 1, 2]))
    config, defined = draw.choice(list(_CONFIGS.items()))
    base = draw.choice(_BASES)
    decorated = draw.choice(_DECORATED)
    within = draw.choice(["method", "method", "function"])
    nested = draw.random() < 0.3
    text = [_HEAD, defined]
    if base == "(Base)":
        text.append("class Base:\n    def __init__(self):\n        self.epoch = 0\n        self.training = True\n")
    text.append(_class(draw, base, decorated, passed, read, nested, within == "method"))
    if within == "function":
        text.append(_train(draw, passed, read).replace("self", "agent"))
    text.append(_main(draw, config, within == "method"))
    return "\n\n".join(part for part in text if part)


def _class(
    draw: random.Random, base: str, decorated: str, passed: list[Passed], read: list[Read], nested: bool, trains: bool
) -> str:
    init = ["super().__init__()"] if base else []
    init += [
        "self.cfg = cfg", "self.tau = cfg.tau", "self.epoch = 0", "self.training = True", "self.names = ['a', 'b']",
        "self.net = dense()", "self.target = dense()", "self.nets = [self.net, self.target]",
        "self.optimizer = tf.keras.optimizers.SGD(0.01)",
        "self.optimizers = [self.optimizer, tf.keras.optimizers.SGD(0.1)]",
        "for optimizer in self.optimizers:\n    optimizer.build([W])", "self.buffer = Buffer()",
    ]  # fmt: skip
    init += [f"self.{one.name} = {draw.choice(one.made)}" for one in read]
    name = "update"
    if decorated == "wrapped":
        name = "_update"
        init.append("self.update = tf.function(self._update)")
    parameters = ", ".join(["self", "x", "y", *(one.name for one in passed)])
    body = ["out = self.predict(x)" if nested else "out = tf.matmul(x, W)", "loss = tf.reduce_mean(tf.square(out - y))"]
    body += [draw.choice(one.uses).replace("{n}", one.name) for one in passed]
    body += [draw.choice(one.uses).replace("{n}", f"self.{one.name}") for one in read]
    methods = [f"def __init__(self, cfg, k=0):\n{_in(init)}"]
    if nested:
        methods.append("@tf.function\ndef predict(self, x):\n    return tf.matmul(tf.cast(x, tf.float32), W)")
    head = "" if decorated == "wrapped" else f"{decorated}\n"
    methods.append(f"{head}def {name}({parameters}):\n{_in([*body, 'return loss'])}")
    if trains:
        methods.append(_train(draw, passed, read))
    return f"class Agent{base}:\n" + textwrap.indent("\n\n".join(methods), "    ") + "\n"


def _train(draw: random.Random, passed: list[Passed], read: list[Read]) -> str:
    given = ["x", "y"]
    by_name = draw.random() < 0.3
    for one in passed:
        value = draw.choice(one.values)
        given.append(f"{one.name}={value}" if by_name else value)
    lines = [f"x, y = {draw.choice(_DATA)}", f"loss = self.update({', '.join(given)})", "total += float(loss)"]
    loop = f"for i in range(3):\n{_in(lines)}"
    after = ["self.epoch += 1", "print(round(total, 3))"]
    changed = [one for one in read if draw.random() < 0.4]
    after += [f"self.{one.name} = {draw.choice(one.sets).replace('{n}', f'self.{one.name}')}" for one in changed]
    if draw.random() < 0.2:
        after.append(draw.choice(["self.training = False", "self.cfg.tau *= 0.5", "self.tau *= 0.5"]))
    epochs = f"for epoch in range(epochs):\n{_in(['total = 0.0', loop, *after])}"
    return f"def train(self, epochs):\n{_in([epochs])}"


def _main(draw: random.Random, config: str, is_method: bool) -> str:
    run = "agent.train(EPOCHS)" if is_method else "train(agent, EPOCHS)"
    main = draw.choice([
        "CONFIG\nagent = Agent(cfg)\nRUN3",
        "for k in range(2):\n    CONFIG\n    agent = Agent(cfg, k)\n    RUN2",
        "for k, tau in enumerate([0.1, 0.2, 0.1]):\n    CONFIG\n    agent = Agent(cfg, k)\n    RUN1",
        "CONFIG\nagents = [Agent(cfg, k) for k in range(2)]\nfor agent in agents:\n    RUN2",
        "CONFIG\nagents = {name: Agent(cfg, k) for k, name in enumerate('ab')}\n"
        "for name, agent in agents.items():\n    RUN1\nRUN1",
        "CONFIG\nagent = Agent(cfg)\nRUN2\nRUN1",
    ])  # fmt: skip
    main = main.replace("CONFIG", config.strip().replace("TAU", "tau" if "tau in" in main else "0.005"))
    for epochs in (1, 2, 3):
        main = main.replace(f"RUN{epochs}", run.replace("EPOCHS", str(epochs)))
    if draw.random() < 0.5:
        return f"def main():\n{textwrap.indent(main, '    ')}\n\n\nmain()\n"
    return main + "\n"


def _in(lines: list[str]) -> str:
    return textwrap.indent("\n".join(lines), "    ")
