"""Objects and functions as arguments: verdicts and promised traces, against TensorFlow and the program changed so."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

from tb_retrace_plugin.capture import tf_seam
from tb_retrace_plugin.explain.advice.evidence.facts import Advice
from tests.capture.conftest import RecordFixture
from tests.capture.test_advice_is_exact import run

pytestmark = pytest.mark.newest  # objects are told apart on both in test_traces.py

CONFIG = """
class Config:
    def __init__(self, scale):
        self.scale = scale
"""


@dataclass(frozen=True)
class Changed:
    """`mended`: the program as its advice of `rule` says. `traces`: before and after."""

    source: str
    rule: str
    mended: str
    traces: tuple[int, int]


PROGRAMS = {
    # an `__eq__` over all that they hold would leave two
    "objects in a list that hold others beside what is read": Changed(
        f"""{CONFIG}
@tf.function
def f(parts, x):
    return x * parts[0].scale

kept = []
for i in range(4):
    config = Config(0.5)
    config.count = i % 2
    kept.append(config)
    f([config], tf.ones([3]))
""",
        "same_object",
        f"""{CONFIG}
@tf.function
def f(parts, x):
    return x * parts[0].scale

kept = Config(0.5)
for i in range(4):
    f([kept], tf.ones([3]))
""",
        (4, 1),
    ),
    "an object beside a function made anew that closes over nothing": Changed(
        f"""{CONFIG}
@tf.function
def f(config, loss, x):
    return loss(x) * config.scale

for i in range(4):
    f(Config(0.1 * (i + 1)), lambda v: tf.reduce_sum(v**2), tf.ones([3]))
""",
        "same_object+pass_numbers_of_object",
        f"""{CONFIG}
@tf.function
def f(config, loss, x, config_scale):
    return loss(x) * config_scale

loss = lambda v: tf.reduce_sum(v**2)
kept_config = Config(0.1)
for i in range(4):
    f(kept_config, loss, tf.ones([3]), config_scale=tf.constant(Config(0.1 * (i + 1)).scale))
""",
        (4, 1),
    ),
    "an object beside a function made anew that closes over a number": Changed(
        f"""{CONFIG}
def make(power):
    return lambda v: tf.reduce_sum(v) * power

@tf.function
def f(config, loss, x):
    return loss(x) * config.scale

for i in range(4):
    f(Config(0.1 * (i + 1)), make(0.5 + i), tf.ones([3]))
""",
        "pass_number_of_function+pass_numbers_of_object",
        f"""{CONFIG}
@tf.function
def f(config, loss, x, loss_power, config_scale):
    return loss(x, loss_power) * config_scale

kept_loss = lambda v, power: tf.reduce_sum(v) * power
kept_config = Config(0.1)
for i in range(4):
    f(kept_config, kept_loss, tf.ones([3]), tf.constant(0.5 + i), tf.constant(Config(0.1 * (i + 1)).scale))
""",
        (4, 1),
    ),
    "two functions made anew": Changed(
        """
@tf.function
def f(one, other, x):
    return one(x) + other(x)

for i in range(4):
    a, b = 0.5 + i, 0.25 + i
    f(lambda v: v * a, lambda v: v - b, tf.ones([3]))
""",
        "pass_number_of_function",
        """
@tf.function
def f(one, other, x, one_a, other_b):
    return one(x, one_a) + other(x, other_b)

one, other = lambda v, a: v * a, lambda v, b: v - b
for i in range(4):
    f(one, other, tf.ones([3]), one_a=tf.constant(0.5 + i), other_b=tf.constant(0.25 + i))
""",
        (4, 1),
    ),
    # lambdas of two lines by turns: each is compared with the one of its line
    "functions of several codes by turns": Changed(
        """
w = tf.Variable([[1.0, 2.0], [3.0, 4.0]])

@tf.function
def f(step, y):
    for _ in tf.range(5):
        y = y + step(y)
    return y

for k in (0.1, 0.5):
    f(lambda y: k * (y @ w), tf.ones([1, 2]))
    f(lambda y: tf.tanh(k * y), tf.ones([1, 2]))
""",
        "pass_number_of_function",
        """
w = tf.Variable([[1.0, 2.0], [3.0, 4.0]])

@tf.function
def f(step, y, step_k):
    for _ in tf.range(5):
        y = y + step(y, step_k)
    return y

kept = [lambda y, k: k * (y @ w), lambda y, k: tf.tanh(k * y)]
for k in (0.1, 0.5):
    for step in kept:
        f(step, tf.ones([1, 2]), step_k=tf.constant(k))
""",
        (4, 2),
    ),
    # the same graph of other code is merged with what differs in fractions
    "functions of the same graph and of other numbers": Changed(
        """
@tf.function
def f(step, y):
    return y + step(y)

for k in (0.1, 0.5):
    f(lambda y: k * y, tf.ones([2]))
    f(lambda y: k * y, tf.ones([2]))
""",
        "pass_number_of_function",
        """
@tf.function
def f(step, y, step_k):
    return y + step(y, step_k)

kept = lambda y, k: k * y
for k in (0.1, 0.5):
    f(kept, tf.ones([2]), step_k=tf.constant(k))
    f(kept, tf.ones([2]), step_k=tf.constant(k))
""",
        (4, 1),
    ),
    "an object that a number changes beside": Changed(
        f"""{CONFIG}
@tf.function
def f(config, x, step, name):
    return config.scale * x + tf.cast(step, tf.float32)

for i in range(4):
    f(Config(2.0), tf.ones([3]), i + 2, f"step {{i}}")
""",
        "same_object+unused_argument+tensor_for_python_number",
        f"""{CONFIG}
@tf.function
def f(config, x, step):
    return config.scale * x + tf.cast(step, tf.float32)

config = Config(2.0)
for i in range(4):
    f(config, tf.ones([3]), tf.constant(i + 2))
""",
        (4, 1),
    ),
    "a method made a tf.function again for other numbers of its object, a whole one too": Changed(
        """
class Trainer:
    def __init__(self):
        self.rate, self.scale = 0.5, 2
        self.compile()

    def compile(self):
        self.step = tf.function(self.f)

    def f(self, x):
        return self.rate * x + self.halved(x)

    def halved(self, x):
        return x / self.scale

trainer = Trainer()
for i in range(4):
    trainer.step(tf.ones([3]))
    trainer.rate, trainer.scale = 0.25 * i, i + 3
    trainer.compile()
""",
        "keep_number_in_variable",
        """
class Trainer:
    def __init__(self):
        self.rate, self.scale = tf.Variable(0.5), tf.Variable(2, dtype=tf.float32)
        self.step = tf.function(self.f)

    def f(self, x):
        return self.rate * x + self.halved(x)

    def halved(self, x):
        return x / self.scale

trainer = Trainer()
for i in range(4):
    trainer.step(tf.ones([3]))
    trainer.rate.assign(0.25 * i), trainer.scale.assign(i + 3)
""",
        (4, 1),
    ),
    # no call passes what each has by default
    "functions that have other numbers by default, and are passed others": Changed(
        """
def made(shift):
    def f(n, shift=shift):
        return tf.fill([2], 2.0) * tf.cast(n, tf.float32) + shift
    return tf.function(f)

functions = [made(0.5 * k) for k in range(1, 4)]
for n in range(2, 4):
    for function in functions:
        function(n)
""",
        "pass_closed_over_number+tensor_for_python_number",
        """
@tf.function
def f(n, shift):
    return tf.fill([2], 2.0) * tf.cast(n, tf.float32) + shift

for n in range(2, 4):
    for k in range(1, 4):
        f(tf.constant(n), tf.constant(0.5 * k))
""",
        (6, 1),
    ),
    # asked for beforehand with what is kept, and the new parameters
    "numbers of an object beside sizes": Changed(
        f"""{CONFIG}
class T:
    @tf.function
    def f(self, x, config, training=False):
        return tf.reduce_sum(x) * config.scale + float(training)

t = T()
for k in range(3):
    config = Config(0.1 / (k + 1))
    for n in (4, 4, 2):
        t.f(tf.ones([n]), config, training=True)
""",
        "pass_numbers_of_object+trace_beforehand",
        f"""{CONFIG}
class T:
    @tf.function
    def f(self, x, config, training=False, *, config_scale):
        return tf.reduce_sum(x) * config_scale + float(training)

t = T()
kept_config = Config(0.1)
t.f.get_concrete_function(
    tf.TensorSpec([None], tf.float32), kept_config, True, config_scale=tf.TensorSpec([], tf.float32)
)
for k in range(3):
    config = Config(0.1 / (k + 1))
    for n in (4, 4, 2):
        t.f(tf.ones([n]), kept_config, True, config_scale=tf.constant(config.scale))
""",
        (6, 1),
    ),
    # what is made one for its numbers is not told to be kept for the rest as well
    "objects that are made at each call, with the same number in some": Changed(
        f"""{CONFIG}
@tf.function
def f(x, config):
    return tf.reduce_sum(x) * config.scale

for k in range(3):
    for n in (4, 4, 2):
        f(tf.ones([n]), Config(0.1 * (k + 1)))
""",
        "pass_numbers_of_object+trace_beforehand",
        f"""{CONFIG}
@tf.function
def f(x, config, config_scale):
    return tf.reduce_sum(x) * config_scale

kept_config = Config(0.1)
f.get_concrete_function(tf.TensorSpec([None], tf.float32), kept_config, config_scale=tf.TensorSpec([], tf.float32))
for k in range(3):
    for n in (4, 4, 2):
        f(tf.ones([n]), kept_config, config_scale=tf.constant(0.1 * (k + 1), tf.float32))
""",
        (9, 1),
    ),
    "a number of a function beside a number and sizes": Changed(
        """
def scaled(k):
    return lambda v: tf.reduce_sum(v) * k

@tf.function
def f(x, count, loss):
    return loss(x) * tf.cast(count, tf.float32)

n = 0
for k in range(3):
    loss = scaled(0.5 * (k + 1))
    for size in (4, 4, 2):
        n += 1
        f(tf.ones([size]), n, loss)
""",
        "tensor_for_python_number+pass_number_of_function+trace_beforehand",
        """
@tf.function
def f(x, count, loss, loss_k):
    return loss(x, loss_k) * tf.cast(count, tf.float32)

kept_loss = lambda v, k: tf.reduce_sum(v) * k
f.get_concrete_function(
    tf.TensorSpec([None], tf.float32), tf.TensorSpec([], tf.int32), kept_loss, loss_k=tf.TensorSpec([], tf.float32)
)
n = 0
for k in range(3):
    for size in (4, 4, 2):
        n += 1
        f(tf.ones([size]), tf.constant(n), kept_loss, loss_k=tf.constant(0.5 * (k + 1)))
""",
        (9, 1),
    ),
    # they would not be equal, whatever the function reads of them
    "objects that hold others beside a number that changes each time": Changed(
        f"""{CONFIG}
@tf.function
def f(x, n, config):
    return tf.reduce_sum(x) * n if config else x

ALL = [Config(0.1), Config(0.2)]
n = 0
for k in range(4):
    for size in (4, 2):
        n += 1
        f(tf.ones([size]), float(n), config=ALL[k % 2])
""",
        "tensor_for_python_number+same_object+trace_beforehand",
        f"""{CONFIG}
@tf.function
def f(x, n, config):
    return tf.reduce_sum(x) * n if config else x

config = Config(0.1)
f.get_concrete_function(tf.TensorSpec([None], tf.float32), tf.TensorSpec([], tf.float32), config)
n = 0
for k in range(4):
    for size in (4, 2):
        n += 1
        f(tf.ones([size]), tf.constant(float(n)), config=config)
""",
        (8, 1),
    ),
    # of a dataclass it is known which fields the function reads, itself and by a method
    "fields of a dataclass, whole ones too": Changed(
        """
from dataclasses import dataclass

@dataclass(frozen=True)
class Scaler:
    mean: float
    steps: int
    def centred(self, x):
        return x - self.mean

@tf.function
def f(x, scaler):
    for _ in tf.range(scaler.steps):
        x = scaler.centred(x)
    return x

for i in range(4):
    f(tf.ones([4]), Scaler(0.5 * i, i + 3))
""",
        "pass_numbers_of_object",
        """
@tf.function
def f(x, scaler_mean, scaler_steps):
    for _ in tf.range(scaler_steps):
        x = x - scaler_mean
    return x

for i in range(4):
    f(tf.ones([4]), tf.constant(0.5 * i), tf.constant(i + 3))
""",
        (4, 1),
    ),
    # the second is not read: nothing of it is passed
    "an object that holds a number beside one that does not": Changed(
        f"""{CONFIG}
@tf.function
def f(config, other, x, how):
    return how(x) * config.scale

def make(n):
    return lambda v: v * n

for i in range(3):
    f(Config(0.5 + i), Config(0.25 + i), tf.ones([2]), make(i + 2))
""",
        "same_object+pass_number_of_function+pass_numbers_of_object",
        f"""{CONFIG}
@tf.function
def f(config, other, x, how, how_n, config_scale):
    return how(x, how_n) * config_scale

other, kept_config, kept_how = Config(0.25), Config(0.5), lambda v, n: v * n
for i in range(3):
    f(kept_config, other, tf.ones([2]), kept_how, tf.constant(i + 2, tf.float32), tf.constant(0.5 + i))
""",
        (3, 1),
    ),
    # equal, but the earlier one is gone: it is the number beside it alone that the graphs differ in
    "an equal configuration that is made anew beside a number": Changed(
        """
from dataclasses import dataclass

@dataclass(frozen=True)
class Config:
    rate: float = 0.5
    layers: tuple = (2, 3)

@tf.function
def f(x, config, step):
    for n in config.layers:
        x = x * config.rate + n
    return x * (1.0 - step)

for i in range(4):
    f(tf.ones([2]), Config(), 0.1 * i)
""",
        "same_object+tensor_for_python_number",
        """
from dataclasses import dataclass

@dataclass(frozen=True)
class Config:
    rate: float = 0.5
    layers: tuple = (2, 3)

@tf.function
def f(x, config, step):
    for n in config.layers:
        x = x * config.rate + n
    return x * (1.0 - step)

config = Config()
for i in range(4):
    f(tf.ones([2]), config, tf.constant(0.1 * i))
""",
        (4, 1),
    ),
    "numbers of an object that a helper reads": Changed(
        f"""{CONFIG}
def clipped(x, settings):
    return tf.minimum(x, settings.scale)

@tf.function
def f(x, config):
    return clipped(x, config)

for i in range(3):
    f(tf.constant([1, 20]), Config(i + 3))
""",
        "pass_numbers_of_object",
        """
def clipped(x, scale):
    return tf.minimum(x, scale)

@tf.function
def f(x, config_scale):
    return clipped(x, config_scale)

for i in range(3):
    f(tf.constant([1, 20]), tf.constant(i + 3))
""",
        (3, 1),
    ),
    "functions that close over other tensors": Changed(
        """
def make(t, rate):
    return lambda x: x * t * rate

@tf.function
def f(x, g, step):
    return g(x) + step

for i in range(3):
    f(tf.ones([200]), make(tf.ones([200]) * i, 0.5 + i), i)
""",
        "pass_tensors_of_function+tensor_for_python_number",
        """
g = lambda x, t, rate: x * t * rate

@tf.function
def f(x, g, step, g_t, g_rate):
    return g(x, g_t, g_rate) + step

for i in range(3):
    f(tf.ones([200]), g, tf.constant(i, tf.float32), g_t=tf.ones([200]) * i, g_rate=tf.constant(0.5 + i))
""",
        (3, 1),
    ),
    "functions that read other variables": Changed(
        """
@tf.function
def f(x, g):
    return g(x)

for i in range(3):
    v = tf.Variable([0.5, float(i)])
    f(tf.ones([2]), lambda x: x * v)
""",
        "pass_tensors_of_function",
        """
g = lambda x, v: x * v

@tf.function
def f(x, g, g_v):
    return g(x, g_v)

for i in range(3):
    v = tf.Variable([0.5, float(i)])
    f(tf.ones([2]), g, g_v=v)
""",
        (3, 1),
    ),
    "a function that is compiled at each call, and passed a function of other tensors": Changed(
        """
def f(x, how):
    return tf.reduce_sum(how(x)) + 0.1

for i in range(3):
    sample = tf.ones([2]) * i
    tf.function(f)(tf.ones([2]), lambda x: x * sample)
""",
        "create_function_once+pass_tensors_of_function",
        """
def f(x, how, how_sample):
    return tf.reduce_sum(how(x, how_sample)) + 0.1

compiled_f = tf.function(f)
how = lambda x, sample: x * sample

for i in range(3):
    sample = tf.ones([2]) * i
    compiled_f(tf.ones([2]), how, how_sample=sample)
""",
        (3, 1),
    ),
    "a whole number beside a tensor, both closed over": Changed(
        """
def make(scores, k):
    @tf.function
    def f(y):
        return tf.math.top_k(scores * y ** k, k).values
    return f

for i in range(1, 4):
    make(tf.constant([1.0, 2.0, 3.0]) * i, i)(tf.ones([3]))
""",
        "pass_closed_over_tensor",
        """
@tf.function
def f(y, scores, k):
    return tf.math.top_k(scores * y ** tf.cast(k, tf.float32), k).values

for i in range(1, 4):
    f(tf.ones([3]), tf.constant([1.0, 2.0, 3.0]) * i, tf.constant(i))
""",
        (3, 1),
    ),
    "a tensor that is closed over and grows": Changed(
        """
def make(memory):
    @tf.function
    def f(x):
        return tf.reduce_sum(tf.matmul(x, memory, transpose_b=True))
    return f

for i in range(4):
    make(tf.ones([i + 1, 2]))(tf.ones([1, 2]))
""",
        "pass_closed_over_tensor",
        """
@tf.function(input_signature=[tf.TensorSpec([1, 2], tf.float32), tf.TensorSpec([None, 2], tf.float32)])
def f(x, memory):
    return tf.reduce_sum(tf.matmul(x, memory, transpose_b=True))

for i in range(4):
    f(tf.ones([1, 2]), tf.ones([i + 1, 2]))
""",
        (4, 1),
    ),
    "what partials bind": Changed(
        """
import functools

def scaled(x, by):
    return x * by

@tf.function
def f(x, how):
    return how(x)

for by in (0.5, 1.5, 2.5):
    f(tf.ones([2]), functools.partial(scaled, by=by))
""",
        "pass_number_of_function",
        """
def scaled(x, by):
    return x * by

@tf.function
def f(x, how, how_by):
    return how(x, how_by)

for by in (0.5, 1.5, 2.5):
    f(tf.ones([2]), scaled, how_by=tf.constant(by))
""",
        (3, 1),
    ),
    "functions that a factory names": Changed(
        """
def make(i):
    def f(x):
        return x * 2.0
    f.__qualname__ = f"make.step_{i}"
    return tf.function(f)

for i in range(3):
    make(i)(tf.ones([2]))
""",
        "create_function_once",
        """
@tf.function
def f(x):
    return x * 2.0

for i in range(3):
    f(tf.ones([2]))
""",
        (3, 1),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_advice_gives_the_promised_traces(name: str, tmp_path: Path, recording: RecordFixture) -> None:
    program = PROGRAMS[name]
    before, advice = run(program.source, "before", tmp_path, recording)
    assert (before, advice[0].rule, advice[0].traces_after) == (program.traces[0], program.rule, program.traces[1])
    assert (advice[0].code or "").count("\ndef ") <= 1  # one definition that takes all
    assert "shift=" not in (advice[0].code or "")  # what one of them has
    after, remaining = run(program.mended, "after", tmp_path, recording)
    assert after == program.traces[1]
    assert not [one for one in remaining if one.traces_after is not None]


METRICS = """
w = tf.Variable(1.0)

def evaluate(x):
    seen = tf.keras.metrics.Mean()

    @tf.function
    def f(x):
        seen.update_state(w * x)

    f(x)
    f(x)
    return float(seen.result())

for epoch in range(3):
    assert evaluate(tf.ones([2]) * epoch) == epoch
"""


def test_a_metric_that_is_closed_over_is_kept(tmp_path: Path, recording: RecordFixture) -> None:
    """Made once, and the function after it, it is set back before each pass, and gives the same."""
    before, (advice,) = run(METRICS, "before", tmp_path, recording)
    assert (before, advice.rule, advice.traces_after) == (3, "keep_metric", None)
    assert advice.code == "seen.reset_state()  # before each pass, in place of making another"
    mended = """
w = tf.Variable(1.0)
seen = tf.keras.metrics.Mean()

@tf.function
def f(x):
    seen.update_state(w * x)

for epoch in range(3):
    seen.reset_state()
    f(tf.ones([2]) * epoch)
    f(tf.ones([2]) * epoch)
    assert float(seen.result()) == epoch
"""
    assert run(mended, "after", tmp_path, recording)[0] == 1


TREES = {
    "tuples of tensors": """
def encode(tree):
    return tf.tanh(encode(tree[0]) + encode(tree[1])) if isinstance(tree, tuple) else tree
x = tf.ones([2])
f = tf.function(lambda tree: encode(tree))
for tree in ((x, x), ((x, x), x), (x, (x, x))):
    f(tree)
""",
    "a class's method, over tuples of words": """
class Encoder(tf.Module):
    words = tf.ones([9, 2])
    def __call__(self, tree):
        return self.words[tree] if isinstance(tree, int) else tf.tanh(self(tree[0]) + self(tree[1]))
encoder = Encoder()
@tf.function
def f(tree):
    return encoder(tree)
for tree in ((1, 2), ((1, 2), 3), ((4, 5), 6)):
    f(tree)
""",
    "a lambda, over lists": """
@tf.function
def f(tree):
    total = lambda node: tf.add_n([total(one) for one in node]) if isinstance(node, list) else node
    return total(tree)
x = tf.ones([2])
for tree in ([x, x], [[x, x], x], [x, [x, x], x]):
    f(tree)
""",
    "named tuples that end with None": """
import collections
Node = collections.namedtuple("Node", "value left right")
def total(node):
    return 0.0 if node is None else node.value + total(node.left) + total(node.right)
@tf.function
def f(node):
    return total(node)
value = tf.constant(1.0)
leaf = Node(value, None, None)
for node in (leaf, Node(value, leaf, None), Node(value, leaf, leaf)):
    f(node)
""",
    "a function within, over dictionaries": """
@tf.function
def f(tree):
    def summed(node):
        return node["value"] + sum(summed(child) for child in node["children"])
    return summed(tree)
def leaf(*children):
    return {"value": tf.ones([2]), "children": list(children)}
for tree in (leaf(leaf()), leaf(leaf(), leaf()), leaf(leaf(leaf()))):
    f(tree)
""",
}


@pytest.mark.parametrize("name", TREES)
def test_a_tree_needs_a_graph_for_each_structure(name: str, tmp_path: Path, recording: RecordFixture) -> None:
    program = tmp_path / "program.py"
    program.write_text(f"import tensorflow as tf\n{TREES[name]}")
    with recording() as r:
        exec(compile(program.read_text(), str(program), "exec"), {"__name__": "program"})
    traces = [trace for trace in r.traces if trace.function.name in ("f", "<lambda>") and trace.kind == "retrace"]
    assert [trace.verdict for trace in traces] == ["unknown", "unknown"]
    assert traces[0].evidence.startswith(("It calls a function that calls itself", "`tree[0]` is one Python number"))
    assert traces[1].evidence.startswith("It calls a function that calls itself")


def test_a_structure_that_nothing_goes_through_can_be_one(recording: RecordFixture) -> None:
    def summed(x: tf.Tensor) -> tf.Tensor:
        return tf.reduce_sum(x)

    f = tf.function(lambda pair: summed(pair[0]))
    with recording() as r:
        for pair in ((tf.ones([2]), 1), ((tf.ones([2]), tf.ones([2])), 1)):
            f(pair)
    assert [trace.verdict for trace in r.traces[1:]] == ["avoidable"]


@pytest.mark.parametrize(
    ("body", "verdict"),
    [
        ("return counted(model) * options['x']", "avoidable"),
        ("parts = [counted(one) for one in model.parts]; return options['x'] * len(parts)", "avoidable"),
        ("return options['x'] * helper(model, options)", "avoidable"),
        ("return options['x'] * helper(options, model)", "unknown"),
        ("return options['x'] * helper(options=model, model=options)", "unknown"),
        ("mine = [options]; return options['x'] * counted(mine[0])", "unknown"),
        ("return options['x'] * len([*map(counted, options)])", "unknown"),
        ("mine = []; mine.append(options); return options['x'] * counted(*mine)", "unknown"),
    ],
)
def test_what_goes_through_another_argument_does_not_need_the_structure(
    body: str, verdict: str, tmp_path: Path, recording: RecordFixture
) -> None:
    source = f"""
import tensorflow as tf
class Model:
    def __init__(self, *parts):
        self.parts = parts
def counted(one):
    return 1.0 + sum(counted(part) for part in getattr(one, "parts", ()))
def helper(model, options):
    return counted(model) * len(options if isinstance(options, dict) else "a")
@tf.function
def f(model, options):
    {body}
model = Model(Model(), Model(Model()))
f(model, {{"x": tf.ones([2])}})
f(model, {{"x": tf.ones([2]), "kept": [tf.ones([2])]}})
"""
    program = tmp_path / "program.py"
    program.write_text(source)
    with recording() as r:
        exec(compile(source, str(program), "exec"), {"__name__": "program"})
    assert [trace.verdict for trace in r.of("f")[1:]] == [verdict]


def test_datasets_of_other_elements_need_a_trace_each(recording: RecordFixture) -> None:
    with recording() as r:
        for size in (3, 4, 4):
            for _ in tf.data.Dataset.from_tensors(tf.zeros([size])).map(lambda x: x + 1.0):
                pass
    first, second = r.of("<lambda>")[1:]
    assert (first.verdict, second.verdict) == ("unknown", "avoidable")
    assert "the elements of this one are of another shape" in first.evidence


def test_a_number_that_another_step_pads_to_is_warned_of(tmp_path: Path, recording: RecordFixture) -> None:
    source = """
import functools

def cut(x, limit):
    return x[:limit]

def batches(limit):
    ds = tf.data.Dataset.range(2).map(lambda n: tf.ones([9]), name="rows")
    ds = ds.map(functools.partial(cut, limit=limit))
    ds = ds.padded_batch(2, [PADDED])
    return ds.map(lambda x: x + 1.0)

for limit in (4, 6, 8):
    list(batches(limit))
"""
    for padded, is_told in (("limit", True), ("9", False)):
        _, advice = run(source.replace("PADDED", padded), f"padded_to_{padded}", tmp_path, recording, "cut")
        (number,) = [one for one in advice if one.rule == "number_in_dataset"]
        assert any("gets elements of another shape" in warning for warning in number.warnings) == is_told


def test_models_beside_a_function_made_anew_can_be_kept(tmp_path: Path, recording: RecordFixture) -> None:
    _, advice = run(
        """
class Model(tf.Module):
    def __init__(self):
        self.w = tf.Variable(tf.ones([3]))

@tf.function
def f(model, loss, x):
    return loss(model.w * x)

for model in [Model() for _ in range(3)]:
    f(model, lambda v: tf.reduce_sum(v**2), tf.ones([3]))
""",
        "models", tmp_path, recording,
    )  # fmt: skip
    assert [(one.rule, one.traces_after) for one in advice] == [("keep_model", None)]
    assert "Keep one function for `loss`, too, which is the same." in advice[0].text
    assert "loss.variables" not in (advice[0].code or "")


_FOLDS = """
import keras
import numpy as np

x, y = np.arange(36.0).reshape(12, 3) / 36.0, np.arange(12.0) / 12.0

def build():
    model = keras.Sequential([keras.Input((3,))] + [keras.layers.Dense(n, kernel_initializer="ones") for n in (2, 1)])
    model.layers[1].kernel.assign([[0.5], [0.25]])
    model.compile(loss="mse", optimizer=keras.optimizers.Adam(0.1))
    return model

{once}
for fold in range(3):
    {each}
    rows = np.arange(12) % 3 != fold
    losses = model.fit(x[rows], y[rows], epochs=2, shuffle=False, verbose=0).history["loss"]
    with open("{told}", "a") as told:
        print(losses, file=told)
"""


def test_a_model_of_each_fold_is_set_back(tmp_path: Path, recording: RecordFixture) -> None:
    def folds(name: str, once: str, each: str) -> tuple[int, list[Advice], str]:
        told = tmp_path / f"{name}.txt"
        source = _FOLDS.format(once=once, each=each, told=told)
        return (*run(source, name, tmp_path, recording, "multi_step_on_iterator"), told.read_text())

    traces, advice, losses = folds("anew", "", "model = build()")
    assert (traces, [(one.rule, one.traces_after) for one in advice]) == (3, [("keep_model", 1)])
    once, _, each = (advice[0].code or "").partition("# before each run\n")
    assert folds("kept", f"model = build()\n{once}", each) == (1, [], losses)


def test_metrics_of_each_epoch_beside_a_rate_are_kept_and_reset(tmp_path: Path, recording: RecordFixture) -> None:
    def epochs(made: str, each: str, name: str) -> tuple[int, list[Advice]]:
        return run(
            f"""
@tf.function
def f(x, rate, seen):
    seen["mean"].update_state(x * rate)
    return x * rate

{made}
for epoch in range(3):
    {each}
    f(tf.ones([2]), {"tf.constant(0.5**epoch)" if made else "0.5**epoch"}, seen)
    assert float(seen["mean"].result()) == 0.5**epoch
""",
            name, tmp_path, recording,
        )  # fmt: skip

    anew = "seen = {'mean': tf.keras.metrics.Mean()}"
    traces, advice = epochs("", anew, "anew")
    assert (traces, [(one.rule, one.traces_after) for one in advice]) == (3, [("keep_metric", None)])
    assert "whose graphs have the same operations" in advice[0].text
    assert advice[0].text.endswith("that needs no trace. Pass `rate` as a tensor, too.")
    assert epochs(anew, (advice[0].code or "").partition("  #")[0], "kept") == (1, [])


def test_models_that_are_made_for_each_call_beside_such_that_are_kept(tmp_path: Path, recording: RecordFixture) -> None:
    """What is kept has variables of its own: none that is made stands for it, nor is equal to another one."""

    def rounds(name: str, once: str, each: str) -> tuple[int, list[Advice]]:
        program = f"""
class Net(tf.Module):
    def __init__(self):
        self.w = tf.Variable([1.0, 2.0])
@tf.function
def f(net, x):
    return tf.reduce_sum(net.w * x)
x = tf.ones([2])
clients = {{i: Net() for i in range(2)}}
{once}
for i in range(3):
    f(clients[i % 2], x)
    {each}
    f(server, x)
"""
        return run(program, name, tmp_path, recording)

    traces, (advice,) = rounds("anew", "", "server = Net()")
    assert (traces, advice.rule, advice.traces_before, advice.traces_after) == (5, "same_object", 5, 3)
    assert advice.code == "server = Net()  # once, before the loop"
    assert "is made for each call (`server = Net()`)" in advice.text
    assert rounds("kept", advice.code, "") == (3, [])


def test_a_model_that_takes_anothers_place_with_another_size(tmp_path: Path, recording: RecordFixture) -> None:
    """Progressive growing: what comes with the sizes of a model is no signature with unknown dimensions."""

    def growing(name: str, decorator: str, weight: str) -> tuple[int, list[Advice]]:
        program = f"""
class Growing:
    def grow(self, size):
        self.model = tf.keras.layers.Dense(1)
        self.model.build([None, size])
    {decorator}
    def f(self, x, weight):
        return tf.reduce_sum(self.model(x)) * weight
growing = Growing()
for size in (2, 4):
    growing.grow(size)
    growing.f(tf.ones([3, size]), {weight.format("0.5")})
    growing.f(tf.ones([5, size]), {weight.format("0.5")})
    growing.f(tf.ones([3, size]), {weight.format("2.0")})
"""
        return run(program, name, tmp_path, recording)

    traces, advice = growing("as_written", "@tf.function", "{}")
    best = advice[0]
    assert (traces, best.rule, best.traces_after) == (6, "tensor_for_python_number+reduce_retracing", 3)
    assert not any("Declare" in one.text or "before the first call" in one.text for one in advice)
    assert growing("mended", "@tf.function(reduce_retracing=True)", "tf.constant({})")[0] == 3


def test_a_function_that_is_kept_beside_one_of_other_numbers(tmp_path: Path, recording: RecordFixture) -> None:
    """The line that calls passes both."""
    program = """
def scaled(scale):
    def target(x):
        return x / scale
    return target
@tf.function
def f(target, x, then):
    return then(target(x))
for i in range(4):
    target = scaled(1.0 + i)
    f(target, tf.ones([3]), then=lambda y: tf.exp(y))
"""
    traces, (advice, *_) = run(program, "kept_beside", tmp_path, recording)
    assert (traces, advice.traces_after) == (4, 1)
    call = (advice.code or "").splitlines()[-1]
    assert call == "f(kept_target, tf.ones([3]), then=then, target_scale=tf.constant(scale, tf.float32))"


def test_models_that_several_lines_make_for_each_call(tmp_path: Path, recording: RecordFixture) -> None:
    def rounds(name: str, once: str, *each: str) -> tuple[int, list[Advice]]:
        lines = "\n".join(f"    {line}" for line in each)
        program = f"""
class Net(tf.Module):
    def __init__(self):
        self.w = tf.Variable([1.0, 2.0])
def build():
    return Net()
@tf.function
def f(x, net, target):
    return tf.reduce_sum(net.w * x) - tf.reduce_sum(target.w)
kept, nets, x = Net(), [Net(), Net()], tf.ones([2])
{once}
for i in range(4):
{lines}
"""
        return run(program, name, tmp_path, recording)

    lines = "f(x, {0}, kept)", "f(x, {1}, kept)", "f(x, kept, {2})"
    traces, (advice,) = rounds("anew", "", *(line.format("Net()", "build()", "build()") for line in lines))
    assert (traces, advice.rule, advice.traces_before, advice.traces_after) == (12, "same_object", 12, 3)
    once, calls = (advice.code or "").split("\n\n")
    assert once == (
        "kept_net = [Net(), build()]  # one for each line, once, before the loop\n"
        "target = build()  # once, before the loop"
    )
    assert calls == "f(x, kept_net[…], kept)\nf(x, kept, target)"
    assert "Make one for each of these lines" in advice.text
    assert rounds("kept", once, *(line.format("kept_net[0]", "kept_net[1]", "target") for line in lines)) == (3, [])
    # what is kept beside it needs a trace each, once
    traces, (advice,) = rounds("beside", "", "f(x, nets[i % 2], Net())")
    assert (traces, advice.rule, advice.traces_after) == (4, "same_object", 2)
    once, call = (advice.code or "").split("\n\n")
    assert rounds("kept_beside", once, call)[0] == 2
    # of what comes with another size, too, it is said who makes it
    traces, (advice, *_) = rounds("sizes", "", "f(x, kept, kept)", "f(tf.ones([1 + i % 2]), Net(), kept)")
    assert "is made for each call (`Net()`)" in advice.text
    # two that are made together go on with their variables both
    traces, (advice,) = rounds("together", "", "net = Net()", "goal = build()", "f(x, net, goal)")
    assert (traces, advice.traces_after, len(advice.warnings)) == (4, 1, 2)
    assert advice.code == "net = Net()  # once, before the loop\ngoal = build()  # once, before the loop"
    # it stays for the turns after
    assert rounds("in_some_turns", "net = Net()", "f(x, net, kept)", "if i % 2:", "    net = Net()") == (2, [])


def test_what_lies_in_a_container_is_shown_to_be_kept_for_it(tmp_path: Path, recording: RecordFixture) -> None:
    def rounds(name: str, once: str, passed: str) -> tuple[int, list[Advice]]:
        program = f"""{CONFIG}
@tf.function
def f(x, parts):
    return tf.reduce_sum(x) * parts['config'].scale
{once}
for i in range(3):
    f(tf.ones([2]), {{'config': {passed}}})
"""
        return run(program, name, tmp_path, recording)

    traces, (advice, *_) = rounds("anew", "", "Config(0.5)")
    assert (traces, advice.rule, advice.traces_after) == (3, "same_object", 1)
    assert advice.code == "config = Config(…)  # once, before the loop: for parts['config'] at every call"
    assert rounds("kept", advice.code.replace("…", "0.5"), "config") == (1, [])


def test_metrics_in_a_dictionary_are_metrics_where_the_first_call_makes_variables(
    tmp_path: Path, recording: RecordFixture
) -> None:
    traces, advice = run(
        """
opt = tf.keras.optimizers.SGD(0.1)
w = tf.Variable(1.0)
class Seen(tf.keras.metrics.Mean):
    pass
@tf.function
def f(x, seen):
    opt.apply_gradients([(x, w)])
    seen["mean"].update_state(x)
for epoch in range(4):
    seen = {"mean": Seen()}
    f(tf.constant(1.0), seen)
""",
        "made_within", tmp_path, recording,
    )  # fmt: skip
    assert (traces, [one.rule for one in advice]) == (4, ["keep_metric"])


def test_a_model_of_each_fold_that_a_script_defines_is_one_that_is_set_back(
    tmp_path: Path, recording: RecordFixture
) -> None:
    def folds(once: str, each: str, name: str) -> tuple[int, list[Advice]]:
        define = """
@tf.function
def f(x):
    net.kernel.assign_add(tf.ones([2, 1]))
    return tf.reduce_sum(net(x))
"""
        indented = define.replace("\n", "\n    ")
        make = "net = tf.keras.layers.Dense(1, kernel_initializer='ones')\n{0}net.build([None, 2])"
        return run(
            f"""
{make.format("") + define + once if once else ""}
for fold in range(3):
    {each or make.format("    ") + indented}
    assert float(f(tf.ones([1, 2]))) == 4.0
    assert float(f(tf.ones([1, 2]))) == 6.0
""",
            name, tmp_path, recording,
        )  # fmt: skip

    traces, advice = folds("", "", "anew")
    assert (traces, [(one.rule, one.traces_after) for one in advice]) == (3, [("keep_model", 1)])
    initial, each = (advice[0].code or "").splitlines()
    assert folds(initial, each, "kept") == (1, [])


def test_models_that_a_function_is_made_anew_for_and_passed_are_one(tmp_path: Path, recording: RecordFixture) -> None:
    """https://github.com/PwnerHarry/Stronger_GCN/issues/1: the function is defined once, and the model kept."""

    def folds(once: str, each: str, name: str) -> tuple[int, list[Advice]]:
        return run(
            f"""
def trainer():
    @tf.function
    def f(net, x):
        net.kernel.assign_add(tf.ones([2, 1]))
        return tf.reduce_sum(net(x))
    return f

{once}
for fold in range(3):
    {each}
    assert float(f(net, tf.ones([1, 2]))) == 4.0
    assert float(f(net, tf.ones([1, 2]))) == 6.0
""",
            name, tmp_path, recording,
        )  # fmt: skip

    make = "net = tf.keras.layers.Dense(1, kernel_initializer='ones'); net.build([None, 2])"
    traces, advice = folds("", f"{make}; f = trainer()", "anew")
    assert (traces, [(one.rule, one.traces_after) for one in advice]) == (3, [("keep_model", None)])
    assert advice[0].text.endswith(
        "`f` is made anew, too, and has no trace yet each time: define it once, where it stays."
    )
    initial, each = (advice[0].code or "").splitlines()
    assert folds("\n".join((make, "f = trainer()", initial)), each, "kept") == (1, [])


def test_agents_of_each_seed_are_one_that_is_set_back(tmp_path: Path, recording: RecordFixture) -> None:
    def seeds(once: str, each: str, name: str) -> tuple[int, list[Advice]]:
        return run(
            f"""
class Agent:
    def __init__(self, lr):
        self.net = tf.keras.Sequential([tf.keras.Input([2]), tf.keras.layers.Dense(1, kernel_initializer="ones")])
        self.opt = tf.keras.optimizers.SGD(lr)
        self.opt.build(self.net.trainable_variables)

    @tf.function
    def f(self, x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(self.net(x))
        self.opt.apply(tape.gradient(loss, self.net.trainable_variables), self.net.trainable_variables)
        return loss

{once}
for seed in range(3):
    {each}
    assert float(agent.f(tf.ones([1, 2]))) == 2.0
    assert float(agent.f(tf.ones([1, 2]))) != 2.0
""",
            name, tmp_path, recording,
        )  # fmt: skip

    traces, advice = seeds("", "agent = Agent(0.5)", "anew")
    assert (traces, [(one.rule, one.traces_after) for one in advice]) == (3, [("keep_model", None)])
    made, initial, each = (advice[0].code or "").replace("agent.….variables", "held").splitlines()
    held = "held = [*agent.net.variables, *agent.opt.variables]"
    assert seeds("\n".join((made.replace("…", "0.5"), held, initial)), each, "kept") == (1, [])


def test_metrics_of_a_class_of_the_users_with_a_decorated_method_are_kept_and_reset(
    tmp_path: Path, recording: RecordFixture
) -> None:
    def epochs(made: str, each: str, name: str) -> tuple[int, list[Advice]]:
        return run(
            f"""
class Dice(tf.keras.metrics.Metric):
    def __init__(self):
        super().__init__(name="dice")
        self.total = self.add_weight(name="total", shape=(), initializer="zeros")

    @tf.function
    def f(self, x):
        self.total.assign_add(tf.reduce_sum(x))

    def update_state(self, x):
        self.f(x)

    def result(self):
        return self.total

{made}
for epoch in range(3):
    {each}
    dice.f(tf.ones([2]))
    assert float(dice.result()) == 2.0
""",
            name, tmp_path, recording,
        )  # fmt: skip

    traces, advice = epochs("", "dice = Dice()", "anew")
    assert (traces, [(one.rule, one.traces_after) for one in advice]) == (3, [("keep_metric", None)])
    assert (advice[0].code or "").startswith("dice.reset_state()  # before each pass")
    assert epochs("dice = Dice()", (advice[0].code or "").partition("  #")[0], "kept") == (1, [])


def test_a_lookup_table_is_no_variable_that_is_set_back(tmp_path: Path, recording: RecordFixture) -> None:
    _, advice = run(
        """
class Words(tf.Module):
    def __init__(self, words):
        self.table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(list(words), [0, 1]), -1)

def ask(known, words):
    @tf.function
    def f(x):
        return known.table.lookup(x)

    return f(tf.constant(list(words)))

for words in ("ab", "cd", "ef"):
    ask(Words(words), words)
""",
        "tables", tmp_path, recording,
    )  # fmt: skip
    assert "keep_model" not in [one.rule for one in advice]


def test_a_lookup_table_that_is_made_for_each_call_is_made_once(tmp_path: Path, recording: RecordFixture) -> None:
    """Of what is in it; of what is another one each time it is not known."""
    program = """
def table_of(first):
    return tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer([1, 2], [first, 4.0]), 0.0)

@tf.function
def f(x, table):
    return table.lookup(x)

for i in range(3):
    f(tf.constant([1, 2]), {made})
"""
    _, (advice, *_) = run(program.format(made="table_of(3.0)"), "table", tmp_path, recording)
    assert (advice.rule, advice.traces_after) == ("same_object", 1)
    assert "is made for each call (`table_of(3.0)`)" in advice.text
    (warning,) = advice.warnings
    assert "what calls before have put into `table` stays" in warning
    code = (advice.code or "").splitlines()
    assert (code[0], code[-1]) == ("table = table_of(3.0)  # once, before the loop", "f(x, table)")
    _, others = run(program.format(made="table_of(float(i))"), "tables", tmp_path, recording)
    assert others == []


def test_a_string_that_chooses_which_number_is_read_is_not_idle(recording: RecordFixture) -> None:
    f = tf.function(lambda x, a, b, which: x * (a if which == "a" else b))
    with recording() as r:
        for i, which in enumerate("aab"):
            f(tf.ones([2]), 0.5 + 0.1 * i, 0.8 + 0.1 * i, which)
    assert [trace.verdict for trace in r.traces[1:]] == ["avoidable", "bounded"]


def test_the_fields_that_are_others_are_told_and_passed(tmp_path: Path, recording: RecordFixture) -> None:
    _, advice = run(PROGRAMS["fields of a dataclass, whole ones too"].source, "fields", tmp_path, recording)
    assert "in nothing but `scaler.steps` and `scaler.mean` (" in advice[0].text
    assert (advice[0].code or "").splitlines()[-1] == (
        "f(x, kept_scaler, scaler_steps=tf.constant(scaler.steps), scaler_mean=tf.constant(scaler.mean))"
    )
    assert "What needs a Python number, such as `tf.split`, cannot take a tensor." in advice[0].notes


def test_what_a_field_builds_needs_a_graph_each(recording: RecordFixture) -> None:
    class Config:
        def __init__(self, steps: int) -> None:
            self.steps = steps

    def unrolled(x: tf.Tensor, config: Config) -> tf.Tensor:
        for _ in range(config.steps):
            x = x + 1.0
        return x

    f = tf.function(unrolled, autograph=False)
    with recording() as r:
        for steps in (2, 3):
            f(tf.ones([2]), Config(steps))
    assert [trace.verdict for trace in r.traces[1:]] == ["unknown"]


def test_of_instances_it_is_told_what_is_their_own(recording: RecordFixture) -> None:
    class Scaled:
        def __init__(self, by: float) -> None:
            self.by = by

        @tf.function
        def f(self, x: tf.Tensor) -> tf.Tensor:
            return x * self.by

    class Weighted:
        def __init__(self) -> None:
            self.weight = tf.Variable([1.0, 2.0])

        @tf.function
        def f(self, x: tf.Tensor) -> tf.Tensor:
            return x * self.weight

    kept = [Scaled(0.5), Scaled(0.25), Weighted(), Weighted()]
    with recording() as r:
        for one in kept:
            one.f(tf.ones([2]))
    scaled, weighted = (trace for trace in r.traces if trace.kind == "recreated")
    assert (scaled.verdict, weighted.verdict) == ("unknown", "unknown")
    assert "its graph is the same but for `self.by`: 0.5 → 0.25. If instances are many" in scaled.evidence
    assert (
        "the same but for tensors or variables of its own (`self.weight`). If instances are many" in weighted.evidence
    )


def test_of_instances_that_hold_a_list_of_objects_it_is_told_which_number(recording: RecordFixture) -> None:
    class Scale:
        def __init__(self, by: float) -> None:
            self.by = by

        def apply(self, x: tf.Tensor) -> tf.Tensor:
            return x * self.by

    class Pipeline:
        def __init__(self, steps: list[Scale]) -> None:
            self.steps = steps

        @tf.function
        def f(self, x: tf.Tensor) -> tf.Tensor:
            for step in self.steps:
                x = step.apply(x)
            return x

    kept = [Pipeline([Scale(0.5), Scale(by)]) for by in (0.125, 0.25)] + [Pipeline([Scale(0.5)])]
    with recording() as r:
        for one in kept:
            one.f(tf.ones([2]))
    alike, shorter = (trace for trace in r.traces if trace.kind == "recreated")
    assert "its graph is the same but for `self.steps[1].by`: 0.125 → 0.25. If instances are many" in alike.evidence
    assert "the same but for" not in shorter.evidence


def test_so_it_is_whatever_the_method_calls_its_instance(recording: RecordFixture) -> None:
    class Scaled:
        def __init__(this, by: float) -> None:
            this.by = by

        @tf.function
        def f(this, x: tf.Tensor) -> tf.Tensor:
            return x * this.by

    with recording() as r:
        for by in (0.5, 0.25):
            scaled = Scaled(by)
            scaled.f(tf.ones([2]))
    assert "its graph is the same but for `self.by`: 0.5 → 0.25." in r.traces[-1].evidence


def test_an_instance_that_one_object_is_passed_may_have_another_graph(recording: RecordFixture) -> None:
    class Net:
        def __init__(self, layers: int) -> None:
            self.weights = [tf.Variable([1.0, 2.0]) for _ in range(layers)]

        def call(self, x: tf.Tensor) -> tf.Tensor:
            for weight in self.weights:
                x = x * weight
            return x

    f = tf.function(Net.call, autograph=False)
    kept = [Net(1), Net(1), Net(3)]
    with recording() as r:
        for one in kept:
            f(one, tf.ones([2]))
    alike, deeper = (trace for trace in r.traces if trace.kind == "retrace")
    assert "its graph is the same but for what this one has of its own" in alike.evidence
    assert "this one has another graph" in deeper.evidence


def test_tf_functions_that_are_passed_are_compared_like_plain_ones(recording: RecordFixture) -> None:
    """Methods are not: what these are made of is TensorFlow's."""

    class Scaled:
        def __init__(self, by: float) -> None:
            self.by = by

        @tf.function
        def call(self, x: tf.Tensor) -> tf.Tensor:
            return x * self.by

    def adds(k: float) -> Any:
        return tf.function(lambda x: x + k)

    @tf.function
    def apply(func: Any, x: tf.Tensor) -> tf.Tensor:
        return func(x)

    first, second = Scaled(1.0), Scaled(2.0)
    kept = [adds(1.0), adds(2.0), tf.tanh, tf.function(lambda x: x * x), first.call, second.call]
    with recording() as r:
        for one in kept:
            apply(one, tf.ones([2]))
    told = [(trace.verdict, trace.evidence) for trace in r.traces if trace.kind == "retrace"]
    assert [verdict for verdict, _ in told] == ["avoidable", "bounded", "bounded", "unknown", "unknown"]
    assert "closes over `k`: 1.0 → 2.0" in told[0][1]
    assert "`func` is a function of other code." in told[1][1]


def test_what_an_instance_reads_anew_is_no_number_of_an_argument(recording: RecordFixture) -> None:
    """One object for all calls would keep the first `self.by`."""

    class Config:
        pass

    class Scaled:
        by = 0.5

        @tf.function
        def f(self, x: tf.Tensor, config: Config) -> tf.Tensor:
            return tf.cast(x, tf.float32) * tf.cast(int(self.by * 4), tf.float32)

    one = Scaled()
    with recording() as r:
        for by in (0.5, 0.75):
            one.by = by
            one.f(tf.ones([2]), Config())
    assert [trace.verdict for trace in r.traces[1:]] == ["unknown"]


def test_what_no_change_helps_by_itself_is_told_all_the_same(tmp_path: Path, recording: RecordFixture) -> None:
    _, advice = run(
        f"""{CONFIG}
@tf.function
def f(x, config):
    return tf.cast(x, tf.float32) * config.scale

for i, (size, dtype) in enumerate([(2, tf.float32), (3, tf.float32), (3, tf.int32), (4, tf.int32)]):
    f(tf.ones([size], dtype), Config(0.5 + i))
""",
        "several_things", tmp_path, recording,
    )  # fmt: skip
    assert ("pass_numbers_of_object", None) in [(one.rule, one.traces_after) for one in advice]


def test_functions_that_are_compiled_anew_are_not_so_many(recording: RecordFixture) -> None:
    f = tf.function(lambda how, x: how(x))
    with recording() as r:
        for number in range(3):
            f(eval(f"lambda x: x + {number}.0"), tf.ones([2]))
    assert [trace.verdict for trace in r.traces[1:]] == ["unknown", "unknown"]


def test_where_recursion_cannot_be_looked_for_the_trace_is_recorded(
    recording: RecordFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> bool:
        raise ValueError("an instruction that nobody knows")

    monkeypatch.setattr("tb_retrace_plugin.capture.record.describe.passed_to_what_calls_itself", fail)
    f = tf.function(lambda pair: pair[0])
    with recording(may_lose=True) as r:
        f((tf.ones([2]), 1))
    assert (len(r.traces), r.losses) == (1, {"recursion_not_read": 1})


def test_where_numbers_cannot_be_read_of_objects_the_trace_is_recorded(
    recording: RecordFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> dict[str, str]:
        raise ValueError("an attribute that nobody knows")

    class Thing: ...

    monkeypatch.setattr("tb_retrace_plugin.capture.record.describe.numbers_as_texts", fail)
    f = tf.function(lambda cfg, x: x)
    with recording(may_lose=True) as r:
        f(Thing(), tf.ones([2]))
    assert (len(r.traces), r.losses) == (1, {"held_numbers_not_read": 1})


def test_a_wrapper_that_wraps_itself_ends_the_search_for_an_instance() -> None:
    def wrapper() -> None: ...

    wrapper.__wrapped__ = wrapper  # type: ignore[attr-defined]
    assert tf_seam.bound_instance(tf_seam.TracedFunction(wrapper, wrapper, None, (), is_bound=True)) is None


def test_functions_that_a_program_has_by_name_are_so_many(recording: RecordFixture) -> None:
    f = tf.function(lambda how, x: how(x))
    with recording() as r:
        for _ in range(2):
            for how in (tf.nn.relu, tf.nn.tanh, tf.sin):
                f(how, tf.ones([2]))
    assert [trace.verdict for trace in r.traces[1:]] == ["bounded", "bounded"]


def test_what_stays_of_several_functions_is_said(tmp_path: Path, recording: RecordFixture) -> None:
    _, advice = run(
        """
def make(activation):
    @tf.function
    def f(x):
        return activation(x)
    return f

for activation in (tf.nn.relu, tf.nn.tanh):
    f = make(activation)
    for size in (2, 3, 4):
        f(tf.ones([size]))
""",
        "several", tmp_path, recording,
    )  # fmt: skip
    assert (advice[0].rule, advice[0].traces_after) == ("input_signature", 2)
    assert "one trace of each tf.function serves all its calls." in advice[0].text


def test_what_one_call_compiles_is_not_decorated_too(tmp_path: Path, recording: RecordFixture) -> None:
    name = "a function that is compiled at each call, and passed a function of other tensors"
    _, (found, *_) = run(PROGRAMS[name].source, "compiled_once", tmp_path, recording)
    assert found.code == (
        "compiled_f = tf.function(f)  # once, before the loop; call it in place of what is made anew\n\n"
        "def f(x, how, how_sample):  # passes how what it closed over\n    …\n\n"
        "kept_how = …  # once, before the loop: with a parameter for sample\n…\n"
        "compiled_f(x, kept_how, how_sample=sample)"
    )


def test_what_partials_bind_otherwise_is_told_where_graphs_are_the_same(
    tmp_path: Path, recording: RecordFixture
) -> None:
    source = """
from functools import partial

RATES = {"actor": 0.1, "critic": 0.1}

def f(name, x):
    return x * RATES[name]

for name in RATES:
    tf.function(partial(f, name))(tf.ones([2]))
"""
    _, (found, *_) = run(source, "rates", tmp_path, recording)
    assert (found.rule, found.traces_after, found.apply) == ("create_function_once", 1, None)
    (warning,) = found.warnings
    assert warning.startswith("`functools.partial` binds another `name` each time, and one function keeps the first.")
    _, (found, *_) = run(source.replace("partial(f, name)", "partial(f, 'actor')"), "rate", tmp_path, recording)
    assert not found.warnings
    assert found.apply is not None
