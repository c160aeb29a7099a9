"""Programs made up at random that pass one function objects that they keep and objects that a line makes for each call.

What they compute is of no use; where objects are made, who keeps them and which call takes which is as in real ones.
"""

from __future__ import annotations

import random
import textwrap
from typing import NamedTuple


class Kind(NamedTuple):
    """`makes`: the lines of `make(k)`; `also`: how a line may make one itself; `uses`: of `{o}`, adding to `y`."""

    makes: tuple[str, ...]
    also: tuple[str, ...]
    uses: tuple[str, ...]


_DENSE = "tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense({units}, kernel_initializer='{init}')])"
KINDS = {
    "model": Kind(
        (f"return {_DENSE.format(units=2, init='ones')}", f"return {_DENSE.format(units='k + 1', init='ones')}",
         f"return {_DENSE.format(units=2, init='glorot_uniform')}"),
        ("tf.keras.models.clone_model(KEPT)", _DENSE.format(units=1, init="ones"), "copied(KEPT)"),
        ("y = y + tf.reduce_sum({o}(x))", "y = train(x, {o}) + y"),
    ),
    "layer": Kind(
        ("layer = tf.keras.layers.Dense(2, kernel_initializer='ones')\nlayer.build((None, 3))\nreturn layer",),
        ("copy.deepcopy(KEPT)", "built(tf.keras.layers.Dense(2))"),
        ("y = y + tf.reduce_sum({o}(x))",),
    ),
    "module": Kind(
        ("return Module()", "return Module(0.5 * (k + 1))", "return Module(size=k + 1)"),
        ("Module()", "Module(0.5 * i)", "copy.deepcopy(KEPT)"),
        ("y = y + {o}(x)", "y = y + {o}.rate * {o}(x)"),
    ),
    "holder": Kind(
        ("return Holder()", "return Holder(0.5 * (k + 1))", "return Holder(1.0, k + 1)"),
        ("Holder()", "Holder(0.5 * i)", "copy.copy(KEPT)"),
        ("y = y + {o}.scaled(x)", "y = y * tf.reduce_sum({o}.w)", "{o}.w.assign_add(tf.ones_like({o}.w))"),
    ),
    "plain": Kind(
        ("return Plain()", "return Plain(0.5 * (k + 1))", "return Plain(0.5, k + 1)"),
        ("Plain()", "Plain(0.5 * i)", "copy.copy(KEPT)", "Plain(0.5, i)"),
        ("y = y * {o}.rate", "for _ in range({o}.count):\n    y = y + {o}.rate", "y = {o}.scaled(y)"),
    ),
    "config": Kind(
        ("return Config()", "return Config(0.5 * (k + 1))"),
        ("Config()", "dataclasses.replace(KEPT)", "dataclasses.replace(KEPT, rate=0.1 * i)"),
        ("y = y * {o}.rate",),
    ),
    "optimizer": Kind(
        ("return built_optimizer(0.1)", "return built_optimizer(0.1 * (k + 1))",
         "o = tf.keras.optimizers.Adam(0.01)\no.build([W])\nreturn o"),
        ("built_optimizer(0.5)", "built_optimizer(0.1 * i)"),
        ("{o}.apply_gradients([(tf.ones([3]), W)])\ny = y + tf.reduce_sum(W)",),
    ),
    "metric": Kind(
        ("return tf.keras.metrics.Mean()", "return tf.keras.metrics.MeanSquaredError()"),
        ("tf.keras.metrics.Mean()", "tf.keras.metrics.Mean(name='mean')"),
        ("{o}.update_state(x, x) if isinstance({o}, tf.keras.metrics.MeanSquaredError) else {o}.update_state(x)\n"
         "y = y + {o}.result()",),
    ),
    "table": Kind(
        ("return table_of([1, 2], [3.0, 4.0])", "return table_of([1, 2], [3.0, float(k)])"),
        ("table_of([1, 2], [5.0, 6.0])",),
        ("y = y + tf.reduce_sum({o}.lookup(tf.constant([1, 2])))",),
    ),
    "variable": Kind(
        ("return tf.Variable([1.0, 2.0, 3.0])", "return tf.Variable(tf.ones([3]) * float(k))",
         "return tf.Variable([1.0] * (k + 1))"),
        ("tf.Variable(tf.zeros([3]))", "tf.Variable(KEPT)"),
        ("y = y + tf.reduce_sum({o})", "{o}.assign_add(tf.ones_like({o}))\ny = y * 2.0"),
    ),
    "function": Kind(
        ("return lambda v: v * 2.0", "return lambda v: v * float(k)", "return functools.partial(tf.multiply, 0.5 + k)"),
        ("lambda v: v + 1.0", "functools.partial(tf.multiply, 0.5)", "Plain(0.5 * i).scaled", "KEPT_PLAIN.scaled"),
        ("y = {o}(y)",),
    ),
}  # fmt: skip
#: What lines keep, by what they keep it in; `{i}`: which of two.
KEPT = {
    "KEPT": "",
    "NETS[{i}]": "NETS = [make(0), make(1)]",
    "ALL[i]": "ALL = [make(k) for k in range(4)]",
    "BY_KEY['ab'[{i}]]": "BY_KEY = {'a': make(0), 'b': make(1)}",
    "BY_NAME[name]": "BY_NAME = {name: make(k) for k, name in enumerate('ab')}",
    "PAIR[1]": "PAIR = (make(0), make(1))",
    "cached({i})": "@functools.lru_cache(maxsize=None)\ndef cached(k):\n    return make(k)",
    "remembered({i})":
        "_made = {}\n\n\ndef remembered(k):\n    if k not in _made:\n        _made[k] = make(k)\n    return _made[k]",
    "owner.part": "owner = types.SimpleNamespace(part=make(0), parts=[make(1), make(0)])",
    "owner.parts[{i}]": "owner = types.SimpleNamespace(part=make(0), parts=[make(1), make(0)])",
    "pool.get({i})":
        "class Pool:\n    def __init__(self):\n        self.items = [make(0), make(1)]\n\n"
        "    def get(self, k):\n        return self.items[k]\n\n\npool = Pool()",
}  # fmt: skip
#: What goes with it in each call: the parameter, its use, and what lines pass.
BESIDE = {
    "": ("", ("",)),
    "n": ("y = y * tf.cast(n, tf.float32)", ("i", "2", "float(i)", "tf.constant(2)")),
    "flag": ("if flag:\n    y = y + 1.0", ("i > 1", "True", "i % 2 == 0")),
    "count": ("for _ in range(count):\n    y = y + 1.0", ("i + 1", "2")),
}
_FORMS = ("argument",) * 4 + ("keyword", "in a dictionary", "in a list", "two", "two", "receiver", "receiver",
                              "trainer", "closure", "closure")  # fmt: skip
_HEAD = """\
import copy
import dataclasses
import functools
import types

import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(1)
W = tf.Variable([1.0, 2.0, 3.0])


class Module(tf.Module):
    def __init__(self, rate=1.0, size=3):
        super().__init__()
        self.rate = rate
        self.w = tf.Variable(tf.ones([size]) * rate)

    def __call__(self, x):
        return tf.reduce_sum(x) * tf.reduce_sum(self.w)


class Holder:
    def __init__(self, rate=1.0, size=3):
        self.rate = rate
        self.w = tf.Variable([rate] * size)

    def scaled(self, x):
        return tf.reduce_sum(x) * tf.reduce_sum(self.w) * self.rate


class Plain:
    def __init__(self, rate=0.5, count=2):
        self.rate = rate
        self.count = count

    def scaled(self, v):
        return v * self.rate


@dataclasses.dataclass(eq=False)
class Config:
    rate: float = 0.5


KEPT_PLAIN = Plain()


def built(layer):
    layer.build((None, 3))
    return layer


def copied(net):
    other = tf.keras.models.clone_model(net)
    other.set_weights(net.get_weights())
    return other


def built_optimizer(rate):
    optimizer = tf.keras.optimizers.SGD(rate)
    optimizer.build([W])
    return optimizer


def table_of(keys, values):
    initializer = tf.lookup.KeyValueTensorInitializer(tf.constant(keys), tf.constant(values))
    return tf.lookup.StaticHashTable(initializer, 0.0)


def train(x, net):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(net(x)))
    for variable, gradient in zip(net.trainable_variables, tape.gradient(loss, net.trainable_variables)):
        variable.assign_sub(0.1 * gradient)
    return loss
"""
_METHODS = {"module": "Module", "holder": "Holder", "plain": "Plain"}


def random_kept_program(seed: int) -> str:
    """The same for the same number."""
    draw = random.Random(seed)
    form, beside = draw.choice(_FORMS), draw.choice(["", "", "", "n", "n", "flag", "count"])
    name = draw.choice(sorted(_METHODS)) if form == "receiver" else draw.choice(sorted(KINDS))
    kind = KINDS[name]
    text = [_HEAD, f"def make(k):\n{_in(draw.choice(kind.makes))}\n", "KEPT = make(0)\nOTHER = make(1)\n"]
    use = draw.choice(kind.uses)
    step, call = _function(draw, form, name, use, beside)
    text.append(step)
    lines: list[str] = []
    needed: list[str] = []
    after: list[str] = []
    begin: list[str] = []
    for _ in range(draw.choice([1, 2, 2, 2, 3])):
        before, passed = _passed(draw, kind, needed, begin, after)
        other = draw.choice(["OTHER", "make(1)", "KEPT", passed])
        x = draw.choice(["X"] * 4 + ["X[:i + 1]", "tf.ones([4, 3])"])
        line = call.replace("{o}", passed).replace("{other}", other).replace("{x}", x)
        line = line.replace("{n}", draw.choice(BESIDE[beside][1]))
        way = draw.random()
        line = f"if {draw.choice(['i % 2', 'i == 2', 'i'])}:\n{_in(line)}" if way < 0.2 else line
        lines += [*before, line]
    lines += after
    text += [*dict.fromkeys(needed)]
    text.append("X = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0], [0.5, 0.5, 0.5]])\n")
    return "\n\n".join(text) + "\n\n" + _main(draw, begin, lines)


def _function(draw: random.Random, form: str, name: str, use: str, beside: str) -> tuple[str, str]:
    """And a call of it on `{x}`, with `{o}`, `{other}` and `{n}`."""
    more = f", {beside}" if beside else ""
    number = ", {n}" if beside else ""
    options = draw.choice([""] * 5 + ["(reduce_retracing=True)"])

    def body(own: str) -> list[str]:
        return ["y = tf.reduce_sum(x)", use.replace("{o}", own), BESIDE[beside][0], "return y"]

    def defined(head: str, lines: list[str]) -> str:
        return f"@tf.function{options}\ndef {head}:\n{_in(*lines)}\n"

    if form == "receiver":
        method = defined(f"step(self, x{more})", body("self"))
        kept = f"class {_METHODS[name]}({_METHODS[name]}):\n{_in(method)}\n"
        return kept, f"print(round(float(ONE.step({{x}}{number})), 3))".replace("ONE", "{o}")
    if form == "trainer":
        init = "def __init__(self, part):\n    self.part = part\n"
        text = f"class Trainer:\n{_in(init)}\n\n{_in(defined(f'step(self, x{more})', body('self.part')))}\n"
        made = draw.choice(["Trainer({o})", "trainer_of({o})"])
        text += "\n\ntrainers = {}\n\n\ndef trainer_of(part):\n    if id(part) not in trainers:\n"
        text += "        trainers[id(part)] = Trainer(part)\n    return trainers[id(part)]\n"
        return text, f"trainer = {made}\nprint(round(float(trainer.step({{x}}{number})), 3))"
    if form == "closure":
        inner = defined(f"step(x{more})", body("part"))
        text = f"def make_step(part):\n{_in(inner)}\n    return step\n"
        call = draw.choice(["make_step({o})({x}", "step_of({o})({x}"])
        text += "\n\nsteps = {}\n\n\ndef step_of(part):\n    if id(part) not in steps:\n"
        text += "        steps[id(part)] = part, make_step(part)\n    return steps[id(part)][1]\n"
        return text, f"print(round(float({call}{number})), 3))"
    if form == "two":
        lines = ["y = tf.reduce_sum(x)", use.replace("{o}", "net"), use.replace("{o}", "target"), BESIDE[beside][0]]
        return defined(f"step(x, net, target{more})", [*lines, "return y"]), (
            f"print(round(float(step({{x}}, {{o}}, {{other}}{number})), 3))"
        )
    own = {"in a dictionary": "parts['net']", "in a list": "parts[0]"}.get(form, "part")
    text = defined(f"step(x, {own.partition('[')[0]}{more})", body(own))
    given = {"in a dictionary": "{'net': {o}}", "in a list": "[{o}]", "keyword": "part={o}"}.get(form, "{o}")
    if form == "keyword" and beside:
        number = f", {beside}={{n}}"
    if draw.random() < 0.2 and form != "keyword":
        name_of = own.partition("[")[0]
        text += f"\n\ndef evaluate({name_of}, x{more}):\n    return step(x, {name_of}{more})\n"
        return text, f"print(round(float(evaluate({given}, {{x}}{number})), 3))"
    return text, f"print(round(float(step({{x}}, {given}{number})), 3))"


def _passed(
    draw: random.Random, kind: Kind, needed: list[str], begin: list[str], after: list[str]
) -> tuple[list[str], str]:
    """What a line passes, and lines before it; adds what the program needs, what an epoch begins and ends with."""
    way = draw.choice(["kept"] * 4 + ["made"] * 4 + ["epoch", "rebound", "swapped", "once"])
    if way == "kept":
        kept = draw.choice(sorted(KEPT))
        needed += [f"{KEPT[kept]}\n"] if KEPT[kept] else []
        if "name" in kept:
            return [f"name = {draw.choice(['chr(97 + i % 2)', repr('b')])}"], kept
        return [], kept.replace("{i}", draw.choice(["i % 2", "0", "i % 2", "min(i, 1)"]))
    if way == "made":
        made = draw.choice(["make(0)", "make(i)", "make(i % 2)", *kind.also])
        return ([f"fresh = {made}"], "fresh") if draw.random() < 0.5 else ([], made)
    if way == "epoch":
        begin.append(f"own = {draw.choice(['make(0)', 'make(epoch)', *(a for a in kind.also if 'i' not in a)])}")
        return [], "own"
    if way == "rebound":
        needed.append("current = make(0)\n")
        after.append(f"if i == {draw.choice([0, 1, 1])}:\n    current = make({draw.choice(['0', '1', 'i'])})")
        return [], "current"
    if way == "swapped":
        needed.append("first, second = make(0), make(1)\n")
        after.append("first, second = second, first")
        return [], draw.choice(["first", "second"])
    begin.append("one = make(0) if epoch == 0 else one")
    return [], "one"


def _main(draw: random.Random, begin: list[str], lines: list[str]) -> str:
    rounds, epochs = draw.choice([3, 4]), draw.choice([1, 2]) if begin else draw.choice([1, 1, 1, 2])
    loop = f"for i in range({rounds}):\n{_in(*dict.fromkeys(lines))}"
    main = "\n".join([*dict.fromkeys(begin), loop])
    if epochs > 1 or begin:
        main = f"for epoch in range({epochs}):\n{_in(main)}"
    names = [name for name in ("current", "first, second") if f"{name} = " in main]
    if draw.random() < 0.4:
        head = f"    global {', '.join(names)}\n" if names else ""
        return f"def main():\n{head}{_in(main)}\n\n\nmain()\n"
    return main + "\n"


def _in(*lines: str) -> str:
    return textwrap.indent("\n".join(line for line in lines if line), "    ")
