"""Programs made up at random that run functions on two devices, by a strategy of `tf.distribute`; Keras, too."""

from __future__ import annotations

import random
import textwrap

_HEAD = """\
import keras
import numpy as np
import tensorflow as tf

cpu = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.{strategy}
rng = np.random.default_rng(0)
with strategy.scope():
    w = tf.Variable(tf.ones([3, 1]))
    steps = tf.Variable(0, aggregation=tf.VariableAggregation.ONLY_FIRST_REPLICA)


def dataset(n, b):
    x = rng.normal(size=(n, 3)).astype("float32")
    return tf.data.Dataset.from_tensor_slices((x, x[:, :1])).batch(b)


class Config:
    def __init__(self, rate):
        self.rate = rate


configs = [Config(0.1), Config(0.2)]


def on_replica(x, y, rate=0.1, training=True):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(x @ w - y)) * rate
    if training:
        w.assign_sub(tape.gradient(loss, w))
    return loss


{functions}

"""
_STRATEGIES = (*('MirroredStrategy(["CPU:0", "CPU:1"])',) * 4, 'OneDeviceStrategy("CPU:0")', "get_strategy()")
_FUNCTIONS = """\
@tf.function{options}
def step(x, y, rate=0.1, training=True):
    losses = strategy.run(on_replica, args=(x, y, rate), kwargs={"training": training})
    return strategy.reduce("mean", losses, axis=None)


@tf.function{options}
def step_of(batch, rate=0.1):
    return strategy.reduce("sum", strategy.run(on_replica, args=(*batch, rate)), axis=None)


@tf.function{options}
def with_config(batch, config):
    return strategy.run(lambda x, y: on_replica(x, y, config.rate), args=batch)


@tf.function{options}
def epoch_of(data, rate=0.1):
    total = 0.0
    for batch in data:
        total += strategy.reduce("sum", strategy.run(on_replica, args=(*batch, rate)), axis=None)
    return total


@tf.function{options}
def next_step(iterator, rate=0.1):
    x, y = next(iterator)
    return strategy.reduce("sum", strategy.run(on_replica, args=(x, y, rate)), axis=None)


compiled = tf.function(on_replica{more})


def made(rate):
    @tf.function{options}
    def step(x, y):
        return strategy.run(lambda x, y: on_replica(x, y, rate), args=(x, y))
    return step"""
_LOOPS = (
    "for x, y in {data}:\n    step(x, y{number})", "for batch in {data}:\n    step_of(batch{number})",
    "for batch in {data}:\n    with_config(batch, configs[{i} % 2])", "epoch_of({data}{number})",
    "iterator = iter({data})\nfor _ in range(2):\n    next_step(iterator{number})",
    "for x, y in {data}:\n    strategy.run(compiled, args=(x, y{number}))",
    "for x, y in {data}:\n    strategy.run(on_replica, args=(x, y{number}))",
    "for x, y in {data}:\n    step(x, y, training={i} > 0)",
    "for x, y in {data}:\n    made(0.1)(x, y)", "one = made({value})\nfor x, y in {data}:\n    one(x, y)",
    "with strategy.scope():\n    for x, y in {data}:\n        step(x, y{number})",
    "for x, y in dataset({n}, {b}):\n    step(x, y{number})",
    "with strategy.scope():\n    own = tf.Variable(1.0 * {i})\nfor x, y in {data}:\n    step(x, y, own)",
)  # fmt: skip
_DATA = (
    "strategy.experimental_distribute_dataset(dataset({n}, {b}))", "distributed", "distributed",
    "strategy.distribute_datasets_from_function(lambda context: dataset({n}, {b}))",
)  # fmt: skip
_KERAS = """\
with strategy.scope():
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(2), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
x, y = np.ones([{n}, 3], np.float32), np.ones([{n}, 1], np.float32)"""
_KERAS_CALLS = (
    "model.fit(x, y, batch_size={b}, verbose=0)", "model.fit(dataset({n}, {b}), epochs=2, verbose=0)",
    "model.evaluate(x, y, batch_size={b}, verbose=0)", "model.predict(x[:{b}], verbose=0)",
    "model.predict(x, verbose=0)",
    "model.train_on_batch(x[:{b}], y[:{b}])", "model(x[:{b}])", "model.evaluate(dataset({n}, {b}), verbose=0)",
)  # fmt: skip


def random_distributed_program(seed: int) -> str:
    """The same for the same number."""
    draw = random.Random(seed)
    options = draw.choice(["", "", "", "(reduce_retracing=True)"])
    functions = _FUNCTIONS.replace("{options}", options).replace("{more}", f", {options[1:-1]}" if options else "")
    text = _HEAD.replace("{strategy}", draw.choice(_STRATEGIES)).replace("{functions}", functions)
    calls, is_of_keras = (_KERAS_CALLS, True) if draw.random() < 0.25 else (_LOOPS, False)
    lines = [_KERAS] if is_of_keras else ["distributed = strategy.experimental_distribute_dataset(dataset({n}, {b}))"]
    body = [draw.choice(calls) for _ in range(draw.choice([1, 1, 2]))]
    if draw.random() < 0.6:
        lines += ["for i in range(3):", textwrap.indent("\n".join(body), "    ").replace("{i}", "i")]
    else:
        lines += [line.replace("{i}", str(i)) for i, line in enumerate([*body, draw.choice(calls), body[0]])]
    is_a_loop = any(line.startswith("for i") for line in lines)
    filled = "\n".join(lines)
    while "{data}" in filled:
        filled = filled.replace("{data}", draw.choice(_DATA), 1)
    numbers = ["", "", ", 0.2", ", tf.constant(0.2)", *([", 0.1 * (i + 1)", ", tf.constant(0.1 * i)"] * is_a_loop)]
    while "{number}" in filled:
        filled = filled.replace("{number}", draw.choice(numbers), 1)
    filled = filled.replace("{value}", draw.choice(["0.1", "0.1 * i" if is_a_loop else "0.2"]))
    n, b = draw.choice([(8, 4), (10, 4), (12, 4), (9, 4)])
    return text + filled.replace("{n}", str(n)).replace("{b}", str(b)) + "\n"
