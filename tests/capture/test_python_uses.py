"""What code does with its numbers by Python's own means: read from its source, recorded with each trace."""

from __future__ import annotations

import contextlib
import functools
import math
from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any

import keras
import numpy as np
import pytest
import tensorflow as tf

from tb_retrace_plugin.capture.code import python_uses as module
from tb_retrace_plugin.capture.code import uses_in_layers
from tb_retrace_plugin.capture.code.by_code import ByCalled
from tb_retrace_plugin.capture.code.python_uses import may_ask_of_itself, python_uses
from tb_retrace_plugin.capture.code.unconverted import unconverted
from tests.capture.conftest import RecordFixture, numbers_of_one_code

RATES = [1.0, 0.5]
ALPHAS = np.array([1.0, 0.5])
WEIGHTS = np.zeros([2, 2], np.float32)
NAMED: Any = {0: 1.0}
KINDS: Any = {0: "relu", 1: "tanh"}
LIMIT = 3


def computes(x: Any, n: Any, k: Any = 1) -> Any:
    return x * math.exp(-0.1 * n) + np.sqrt(float(n) + k) + min(1.0, n / 3) + round(k, 1) + math.log(LIMIT)


def computes_of_what_it_looks_up(x: Any, n: Any) -> Any:
    return (x - np.sqrt(1 - ALPHAS[n])) / math.sqrt(x[n]) + ALPHAS[:n]


def looks_up(x: Any, n: Any, *, state: Any) -> Any:
    return x * RATES[n + 1] / NAMED[n] + RATES[state.step] + x[n] + RATES[:n] + max(RATES[n:])


LOSSES = [tf.nn.relu, tf.nn.tanh]


def asks(x: Any, n: Any, k: Any, m: Any, on: Any = True) -> Any:
    if not n and m.rate:
        return x
    if k:
        x = x * (k or 2.0)
    return x * 2.0 if on else x * m.rate if m.rate > 0 else x


def chooses_by_name(x: Any, k: Any) -> Any:
    return getattr(tf.nn, KINDS[k])(x) * NAMED[k]


def chooses_whole_numbers(x: Any, n: Any) -> Any:
    if n == 12:
        size, rate, kept = 16, 0.5, 1
    elif n == 13:
        size = kept = 10
    else:
        size, rate, kept = 8, 1, 2
    x = x * size * rate + kept * 2
    return x * (1 if n > 2 else 2) + (1.0 if n > 3 else 2.0) + (1 if x.shape[0] > 1 else 2)


class Stack:
    def of(self, x: Any, n: Any) -> Any:
        return tf.stack([x * i for i in range(n)])

    @staticmethod
    def scaled(x: Any, n: Any) -> Any:  # what it is passed is not told by the class
        return x * math.exp(n)


STACK, ours = Stack(), ModuleType("ours")
ours.rounded = lambda x, n: x * round(n)  # type: ignore[attr-defined]


def is_as_long(x: Any, n: Any, k: Any) -> Any:
    y = tf.reshape(x, [-1] + [1] * n) + x[(None,) * n] + tf.zeros((k, 1, 22222, 333333) * k)
    return tf.pad(y, [[0, 0]] * n) + tf.concat([y] * n, 0) + tf.zeros([1] * x.shape[0])


def calls_on(x: Any, n: Any, k: Any, m: Any) -> Any:
    return STACK.of(x, n) + STACK.scaled(x, k) + ours.rounded(x, m)


def calls_on_its_own(x: Any, STACK: Any, n: Any) -> Any:
    return STACK.of(x, n)


class Episodes(tf.keras.Model):
    def call(self, support: Any, query: Any) -> Any:
        return support * (1.0 / support.shape[1]) + query


EPISODES = Episodes()


def calls_a_model(x: Any, y: Any) -> Any:
    return EPISODES(x, query=y)


def chooses(x: Any, k: Any) -> Any:
    return LOSSES[k](x)


def takes_parts(x: Any, a: Any, b: Any) -> Any:
    y = x[a, b] + NAMED[a, b] + x[:, : a + 1]
    return y + WEIGHTS[a:b] + WEIGHTS[:, a] + WEIGHTS[:, 0]


def adds_if(x: Any, angles: Any, shifts: Any, n: Any) -> Any:
    out = [x]
    for angle in angles:
        if angle != 0.0:
            out.append(x * angle)
    for dx, dy in shifts:
        if dx != 0 or dy > 0:
            out.append(tf.roll(x, [dx, dy], [0, 1]))
    if n > 1:
        out += [x]
    return tf.stack(out)


def chooses_texts(x: Any, rate: Any, n: Any, kind: Any) -> Any:
    if rate < 0.5:
        kind, said = "mean", "low"
    act = tf.abs
    if n > 2:
        act = lambda y: -y  # noqa: E731
    return act(x) * rate if kind == "mean" else x + tf.cast(said, x.dtype)


def looks_up_members(self: Any, x: Any, n: Any) -> Any:
    x = x * self.alphas[n - 1] + self.config.betas[n] + ALPHAS[n] + x.shape[n]
    return x + self.alphas[:n] + self.table[n, 0] + self.make()[n] + self.alphas[0]


def goes_through(x: Any, rates: Any, lengths: Any) -> Any:
    for i, (rate, _) in enumerate(zip(rates, lengths)):  # noqa: B905
        x = x * rate + i
    return tf.add_n([x * n for n in lengths]) + tf.add_n(tuple(x * rate for rate in rates)) + len(list(range(3)))


def raises(x: Any, n: Any, k: Any = None) -> Any:
    if n < 0 or k is None:
        raise ValueError(min(n, 1))
    if k is None or not x.shape[0] == 2:
        raise ValueError
    if n == 1:
        x = -x
    elif k == 2:
        x = x + 1
    else:
        raise ValueError
    if n * 100000 + k * 200000 > 3000000 and n - 1000000 < k - 2000000:
        raise ValueError
    return x


def draws(x: Any, low: Any, seed: Any) -> Any:
    x = tf.image.random_contrast(x, low, upper=2 * low, seed=seed)
    x.set_shape([x.shape[0], low, None])
    x = tf.reshape(x, tf.TensorShape([low, 4]))
    return tf.image.stateless_random_hue(x, low, seed)


def binds(x: Any, low: Any, axis: Any) -> Any:
    drawn = [functools.partial(tf.image.random_contrast, lower=low, upper=2.0), functools.partial(min, low)]
    return functools.partial(tf.nn.softmax, axis=axis)(drawn[0](x))


def names(x: Any, n: Any) -> Any:
    x = tf.nn.convolution(x, x, dilations=[n])
    return tf.keras.losses.categorical_crossentropy(x, x, label_smoothing=0.1 * n)


def unpacks(x: Any, crop: Any, sizes: Any) -> Any:
    top, left, height, width = crop
    one, two = sizes
    _, rows, columns, _ = x.shape
    return x[:, top : top + height, left : left + width] * one * two * rows * columns


def writes(x: Any, n: Any) -> Any:
    tf.print(f"step {n}", "%d of %d" % (n, 3))  # noqa: UP031
    print(f"traced for {n}")
    with tf.name_scope(f"step_{x}"):
        x = tf.identity(x, name=f"x_{x}")
    if n < 0:
        raise ValueError(f"{n} is negative")
    return {f"out_{n:03d}": x, str(n): x, "{}".format(n + 1): x}  # noqa: UP032


def prints(x: Any, n: Any) -> Any:
    tf.print("step", n, x.shape, "of", n + 1)
    return x


def repeats(x: Any, n: Any) -> Any:
    def inner() -> Any:
        return [x for _ in range(n)] + [x] * n

    return inner() if n in (1, 2) else x


def summarizes(x: Any, n: Any, k: Any) -> Any:
    tf.summary.scalar("loss", x, step=n)
    tf.summary.histogram("weights", x, k // 10)
    return x


def takes_columns(x: Any, n: Any, k: Any) -> Any:
    half = n // 2
    return x[:, n] + x[: n * k] + x[:, k, 1:n] + x[half : half + n, :n]


def asks_how_large_a_part_is(x: Any, n: Any) -> Any:
    return x * x[: n + 1].shape[0]


def works_on_tensors(x: Any, n: Any) -> Any:
    for _ in range(n):
        x = x * float(n) + abs(n) + tf.exp(n) + math.pi + RATES[0]
    return x[:n]


def asks_for_sizes(x: Any, batch: Any, k: Any) -> Any:
    rows, _ = x.shape
    height, width = batch["image"].shape[1], batch["image"].shape[-2]
    y = x * 2
    return tf.reshape(x, [x.shape[0] * rows, height * width, y.shape[0], tf.shape(x)[1], x.shape[k], len(x.shape)])


def asks_whether_known(x: Any, y: Any) -> Any:
    rows = x.shape[0]
    width = x.shape[1]
    known = y.shape[0]
    if rows is not None and x.shape.is_fully_defined():
        x = x / (y.get_shape()[1] or 1)
    return x * (known or tf.shape(y)[0]) if not known else x * width


def slices_by_sizes(x: Any, y: Any) -> Any:
    rows = x.shape[-2]
    _, depth = y.shape
    first, last = x[0], y[0]
    rest = RATES[first:last] + RATES[depth:]
    return RATES[:rows] + y[:, 1 : x.shape[0], 2] + y[y.shape[1] :] + x[: x.shape[0], : tf.shape(x)[1]] + y[:2] + rest


def makes(scale: float) -> Callable[[Any], Any]:
    def scaled(x: Any) -> Any:
        return x * math.sqrt(scale)

    return scaled


def by_other_names(cfg: Any, batch: Any, *args: Any, **kwargs: Any) -> Any:
    k, inner = cfg["k"], cfg.inner
    rate, _ = inner.rates
    again = cfg["again"]
    again = again + 1
    images = batch.images
    height, width = images.shape
    return math.exp(k) + math.log(rate) + math.sin(again) + math.cos(args[0]) + round(kwargs["k"]) + height + width


def of_shapes(x: Any, batch: Any) -> Any:
    y = batch["y"]
    sizes = tf.random.normal(shape=y.shape) + tf.ones(len(x.shape)) + np.arange(x.shape[0]) + math.prod(x.shape[1:])
    return tf.zeros(x.shape) + sizes if x.dtype == tf.float32 else sizes


def of_parts_of_shapes(x: Any, y: Any) -> Any:
    heads = tf.reshape(x, x.shape[:-1] + [4, x.shape.as_list()[-1] // 4]) + tf.zeros([2, *x.shape[1:]])  # noqa: RUF005
    rows, _ = y.get_shape().as_list()
    heads += tf.ones(x.shape[:-1]) + tf.zeros([2] + list(y.shape)[1:])  # noqa: RUF005
    tf.unstack(y[:2])
    return heads + tf.unstack(y)[0] + tf.unstack(x, axis=1) + rows


def computes_what_it_asks(x: Any, y: Any, n: Any) -> Any:
    shifted, rest = y[:, :-1], n
    mean, deviation = tf.split(tf.nn.relu(x), 2, axis=1)
    x = tf.nn.relu(x)
    rows = tf.zeros([tf.shape(x)[0], 2])
    mean += shifted
    sizes = rows.shape[0], shifted.shape[1], rest.shape[0], tf.ones((shifted.shape[1], 2))
    return noise(mean, 2) + tf.reshape(deviation, [*deviation.shape[:1], -1]), sizes


def noise(mean: Any, scale: Any) -> Any:
    return tf.random.normal(shape=mean.shape) * scale


def test_sizes_of_what_is_computed_follow_from_parameters() -> None:
    found = python_uses(computes_what_it_asks.__code__, computes_what_it_asks)
    assert [use for use in found if "follows" in use] == [
        "tf.reshape(…, [*deviation.shape[:1], …]) follows .x", "shifted.shape[1] follows .y",
        "tf.random.normal(mean.shape) follows .x, .y",
    ]  # fmt: skip


class Drawing:
    def __init__(self) -> None:
        self.net = tf.nn.relu

    @staticmethod
    def drawn(mean: Any, deviation: Any) -> Any:
        return mean + deviation * tf.random.normal(deviation.shape)

    def step(self, x: Any, n: Any) -> Any:
        mean, deviation = tf.split(tf.nn.relu(x), 2)
        return self.drawn(mean, deviation)


def test_static_methods_are_read_as_others_are() -> None:
    found = python_uses(Drawing.step.__code__, Drawing.step)
    assert [use for use in found if "follows" in use] == ["tf.random.normal(deviation.shape) follows .x"]


def drawn_by_a_generator(x: Any, rng: Any) -> Any:
    h = tf.nn.relu(x)
    return rng.normal(h.shape) + rng.uniform(shape=x.shape) + rng.normal(0.0, 1.0, x.shape) + rng.beta(x.shape)


def test_a_generator_takes_no_shape_that_is_not_known() -> None:
    found = python_uses(drawn_by_a_generator.__code__, drawn_by_a_generator)
    assert {use for use in found if "shape" in use} == {"rng.uniform(x.shape)", "rng.normal(h.shape) follows .x"}


def _cropped(im, boxes, size):  # type: ignore[no-untyped-def]
    im = tf.cast(im, tf.float32)
    boxes = boxes / im.shape[2]
    im, boxes = tf.image.crop_to_bounding_box(im, 0, 0, size, size), boxes + 1.0
    return tf.ones([im.shape[1], 1]) * boxes.shape[0]


def test_sizes_of_a_parameter_that_is_given_another_value_follow_what_that_is_made_of() -> None:
    found = python_uses(_cropped.__code__, _cropped)
    assert "im.shape[1] follows .size" in found
    assert not any(use.startswith("boxes.shape[0] follows") and "size" in use for use in found)


def _asks_before(x, y, z):  # type: ignore[no-untyped-def]
    h, state, mask = WEIGHTS, tf.nn.relu(WEIGHTS), tf.zeros([2, 2])
    rows = noise(h, 1) + h.shape[1]
    for _ in range(3):
        rows += state.shape[1]
        state = tf.nn.relu(z)
    h = tf.nn.relu(y)
    late = lambda: mask.shape[1]  # noqa: E731
    mask = tf.nn.relu(x)
    return rows + late() + h.shape[0]


def test_what_a_name_is_given_later_says_nothing_of_a_size_that_was_asked_for_before() -> None:
    found = python_uses(_asks_before.__code__, _asks_before)
    assert [use for use in found if "follows" in use] == [
        "h.shape[0] follows .y", "mask.shape[1] follows .x", "state.shape[1] follows .z",
    ]  # fmt: skip


def _sampled(x, noise, seed):  # type: ignore[no-untyped-def]
    return noise.sample(x.shape, seed) + noise.sample(sample_shape=x.shape) + noise.prob(x.shape)


def test_a_distribution_samples_no_unknown_shape() -> None:
    found = python_uses(_sampled.__code__, _sampled)
    assert [use for use in found if "shape" in use] == ["noise.sample(x.shape)"]


def differentiates(x: Any, y: Any, tape: Any) -> Any:
    loss = tf.reduce_sum(x * y)
    by_x, by_y = tape.gradient(loss, x), tape.gradient(target=loss, sources=y)
    return tf.reshape(by_x, [-1, *by_x.shape[1:]]), by_y.shape[0]


def test_a_gradient_has_the_shape_of_what_it_is_by() -> None:
    found = python_uses(differentiates.__code__, differentiates)
    assert [use for use in found if "follows" in use] == [
        "tf.reshape(…, […, *by_x.shape[1:]]) follows .x", "by_y.shape[0] follows .y",
    ]  # fmt: skip


def contrasts(x: Any, y: Any, n: Any) -> Any:
    return noise(tf.nn.relu(x) + y, 2) + masked(y=tf.exp(y)) + masked(tf.zeros([tf.shape(n)[0], 2])) + masked(n)


def walked(x: Any, steps: Any, keep: Any = False, every: Any = True, *, log: Any = False) -> Any:
    kept: list[Any] = []
    for _ in range(steps):
        x = x + 1
        if keep:
            kept.append(x)
        if log:
            print(x)
    if every:
        for _ in range(2 * steps):
            kept += [x]
    return tf.stack(kept) if keep else x


def walks(x: Any, n: Any) -> Any:
    return walked(x, n)


def test_a_list_that_grows_on_demand_alone_may_not() -> None:
    found = python_uses(walks.__code__, walks)
    assert [use for use in found if "kept" in use] == ["kept += […] in range(n)"]


class Circuit:
    def __init__(self, state: Any) -> None:
        self.state = state

    def turn(self, angle: Any) -> None:
        self.state = self.state * tf.cos(angle)

    def __or__(self, gate: Any) -> None:
        self.turn(gate)


def built(x: Any, n: Any, others: Any) -> Any:
    circuit, unasked, total = Circuit(x), Circuit(x), keras.metrics.Mean()
    for i in range(n):
        for angle in others:
            circuit.turn(angle)
        unasked.turn(x[i])
        total.update_state(x)
    for _ in range(4):
        circuit.turn(1.0)
    return circuit.state + total.result()


def builds(x: Any, depth: Any, layers: Any) -> Any:
    with contextlib.nullcontext(Circuit(x)) as circuit:
        for i in range(layers):
            circuit | x[i]
    return circuit.state + built(x, depth, [0.5])


def test_an_object_that_a_loop_changes_at_each_turn() -> None:
    """The one turn that is traced of a loop of the graph leaves tensors in it that are none outside."""
    found = python_uses(builds.__code__, builds)
    assert [use for use in found if " in range(" in use] == [
        "… | … in range(layers)",
        "circuit.turn(…) in range(depth)",
    ]
    with pytest.raises(Exception, match="cannot be accessed from"):
        tf.function(built)(tf.ones([2]), tf.constant(2), [0.5])


def leaves_unknown(x: Any, y: Any) -> Any:
    rows = tf.TensorArray(x.dtype, y.shape[0], element_shape=(x.shape[0],))
    y.set_shape([None, x.shape[1]])
    return tf.ensure_shape(rows.stack(), [x.shape[2] * 2, y.shape[1]])


def test_none_is_what_an_unknown_size_of_a_shape_is() -> None:
    found = python_uses(leaves_unknown.__code__, leaves_unknown)
    assert sorted(use for use in found if ".shape" in use) == ["x.shape[2]", "y.shape[0]"]


def distances(x: Any, y: Any) -> Any:
    return tf.matmul(x, y, transpose_b=True)


def softmin(cost: Any, log: Any) -> Any:
    return tf.reshape(log, [cost.shape[0], -1]) + cost + log.shape[1]


def potentials(x: Any, y: Any, log: Any) -> Any:
    cost = distances(x, y)
    return softmin(cost, log)


def transports(x: Any, log: Any) -> Any:
    scaled = x / 2.0
    return potentials(scaled, scaled, log)


def forward_sums(logits: Any, transitions: Any) -> Any:
    alpha = logits[:, 0]
    for t in range(1, logits.shape[1]):
        alpha = tf.reduce_logsumexp(alpha[:, :, None] + transitions, 1) + logits[:, t]
    return alpha


def tagged(words: Any, transitions: Any) -> Any:
    logits = tf.one_hot(words, 3)
    return forward_sums(logits, transitions)


def test_loops_over_sizes_of_what_is_computed() -> None:
    found = python_uses(tagged.__code__, tagged)
    assert "for … in range(logits.shape[1]) follows .words" in found


def test_and_those_that_helpers_ask_in_turn_of_what_they_compute() -> None:
    found = python_uses(transports.__code__, transports)
    assert [use for use in found if "shape" in use] == ["log.shape[1]", "cost.shape[0] follows .x"]


class Coder:
    def halves(self, x: Any) -> Any:
        return tf.split(x, 2, axis=1)

    def noised(self, mean: Any) -> Any:
        return mean + tf.random.normal(shape=mean.shape)

    @tf.function
    def masked(self, mean: Any) -> Any:
        return mean * tf.ones(mean.shape)

    def scaled(self, mean: Any) -> Any:
        return mean / mean.shape[0]

    def measured(self, rows: Any) -> Any:
        return tf.reduce_sum(rows) / rows.shape[0]


class OtherCoder:
    def scaled(self, mean: Any) -> Any:
        return mean / mean.shape[1]


class SameCoder(Coder):
    def update(self, mean: Any) -> Any:
        return tf.zeros(mean.shape)


def coded(coder: Any, x: Any) -> Any:
    mean, deviation = coder.halves(x)
    return coder.noised(mean) + coder.masked(deviation) + coder.scaled(mean)


def codes(coder: Any, x: Any) -> Any:
    return tf.reduce_mean(coded(coder, x))


class Trainer:
    def __init__(self, coder: Any) -> None:
        self.coder = coder

    def codes(self, x: Any) -> Any:
        mean, _ = self.coder.halves(x)
        return self.coder.noised(mean) + self.coder.measured(x)


def measures(coder: Any, x: Any) -> Any:
    return coder.noised(x) + coder.measured(x)


def codes_with_another(coder: Any, x: Any) -> Any:
    coder = coder.inner
    return coder.noised(tf.nn.relu(x))


def updates(found: Any, x: Any) -> Any:
    found.update(tf.nn.relu(x))  # as a dictionary has, too


def test_so_do_those_that_methods_of_an_argument_ask_where_one_class_alone_has_such_a_method() -> None:
    expected = [
        "tf.random.normal(mean.shape) follows .coder, .x",
        "tf.ones(deviation.shape) follows .coder, .x",
    ]
    found = python_uses(coded.__code__, coded)
    assert [use for use in found if "follows" in use] == expected
    found = python_uses(codes.__code__, codes)
    assert [use for use in found if "follows" in use] == [use.replace("deviation", "mean") for use in expected]
    found = python_uses(measures.__code__, measures)
    assert [use for use in found if "shape" in use] == ["tf.random.normal(x.shape)", "x.shape[0]"]
    found = python_uses(Trainer.codes.__code__, Trainer.codes)
    assert [use for use in found if "shape" in use] == ["x.shape[0]", "tf.random.normal(mean.shape) follows .x"]
    for function in (codes_with_another, updates):
        assert not [use for use in python_uses(function.__code__, function) if "follows" in use]


def test_so_do_sizes_that_a_helper_asks_of_what_the_call_computes() -> None:
    found = python_uses(contrasts.__code__, contrasts)
    assert [use for use in found if "follows" in use] == [
        "tf.random.normal(mean.shape) follows .x, .y", "y.shape[0] follows .y", "tf.zeros(y.shape) follows .y",
    ]  # fmt: skip


def names_of_others(x: Any, k: Any, cfg: Any) -> Any:
    math.sin(k)
    sorted(x, key=lambda k: min(k, 2))
    [max(k, 1) for k in x.rows]

    def inner(k: Any) -> Any:
        return math.exp(k) + math.cosh(late)

    def own() -> Any:
        name = cfg["own"]
        return [name]

    class Local:
        name = cfg["own"]

    try:
        inner(own())
    except ValueError as k:
        str(k)
    late = cfg["late"]
    if x is None:
        k = 3
        math.log(k)
    math.cos(k)  # of the argument, or of 3
    cfg["n"] = 4
    k = 3
    return math.tan(k) + math.asin(cfg["n"]) + math.acos(cfg["m"]) + math.atan(name) + Local


def rebound_by_itself(n: Any, cfg: Any) -> Any:
    n = int(n)
    cfg = {"k": 7}
    again = cfg["k"]
    match [n]:
        case [name]:
            math.cos(name)
    with open(n) as n:
        pass
    for n in range(2):
        math.exp(n)
    return math.sin(n) + math.cos(again) + math.tan(cfg["k"])


name = 3


def test_a_name_that_means_something_else_is_no_parameter() -> None:
    assert python_uses(names_of_others.__code__, names_of_others) == [
        "math.sin(k)", "sorted(x)", "math.cosh(cfg['late'])", "math.cos(k)", "math.acos(cfg['m'])", "math.atan(name)",
        "[… for … in x.rows] through",
    ]  # fmt: skip
    assert python_uses(rebound_by_itself.__code__, rebound_by_itself) == []


def makes_constants(x: Any, n: Any, k: Any, size: Any, rates: Any) -> Any:
    half, chosen = n * 0.5, tf.constant(1 if k else 2)
    height, width = size
    corners, others = [0.0, height, width], [1.0, 2.0]
    same = tf.constant([1.0 for _ in range(3)]) + tf.constant(others) + tf.constant(x.shape[0] * 2)
    return (
        tf.constant(half)
        + tf.constant(corners) * tf.constant([float(r) for r in rates])
        + chosen
        + same
        + np.array(corners) * tf.constant(rates[0])
    )


def asks_of_what_is_computed(x: Any, n: Any, k: Any, rows: Any) -> Any:
    if n % 10:
        x = x if not k % 3 else -x
    x = x if n in RATES or k not in NAMED else -x
    for i in range(10):
        if i >= n:
            break
        x = x * 2.0
    for _each in rows:  # which may be a dataset
        if k > 2:
            break
    x += tf.zeros([n] + x.shape) + tf.zeros(list(x.shape)) + [1.0, 2.0][:n][0]  # noqa: RUF005
    return tf.keras.ops.pad(x, (n, 0)) + keras.ops.softmax(x, axis=k) + tf.sort(x, axis=k) + tf.tile(x, n)


def means(x: Any, rates: Any) -> Any:
    for i in range(len(rates)):
        x = x * rates[i]
    return x * sum(rates) / len(rates) + len(x.shape)


def spreads(x: Any, n: Any, k: Any, cfg: Any, **options: Any) -> Any:
    named = {"axis": 0, **{"ord": n}}  # noqa: PIE800
    set_later = dict(axis=0)  # noqa: C408
    set_later["ord"] = k
    other = functools.partial(tf.nn.softmax, axis=n)
    again = {"ord": n}
    again = {"ord": x}
    x = tf.norm(x, **named) + tf.norm(x, **set_later) + other(x) + tf.norm(x, **cfg["norm"])
    return tf.linalg.norm(x, **options) + tf.norm(x, **again) + of_named(x, **{"rate": k})  # noqa: PIE804


def of_named(x: Any, rate: Any) -> Any:
    return functools.partial(math.pow, rate)(x)


def test_arguments_are_where_they_end_up() -> None:
    assert python_uses(spreads.__code__, spreads) == [
        "tf.nn.softmax(axis=n)", "tf.norm(ord=n)", "tf.norm(ord=k)", "tf.norm(ord=cfg['norm']['ord'])",
        "tf.linalg.norm(ord=options['ord'])", "math.pow(k)",
    ]  # fmt: skip


def on_replicas(x: Any, n: Any, k: Any, strategy: Any) -> Any:
    y = strategy.run(of_named, args=(x, n)) + strategy.run(of_named, (x,), {"rate": k})
    return y + strategy.run(of_named, x) + strategy.run(of_named, args=(x,), kwargs=n) + strategy.run(of_named)


def test_what_a_strategy_runs_is_followed() -> None:
    assert python_uses(on_replicas.__code__, on_replicas) == ["math.pow(n)", "math.pow(k)"]


def hands_on(k: Any, n: Any) -> Any:
    return hands_on_what_it_got(k, 2) + hands_on_what_it_got(n, n)


def hands_on_what_it_got(rate: Any, n: Any) -> Any:
    return of_named(n, rate) + hands_on(n, n)


def calls_what_hands_on(x: Any, cfg: Any) -> Any:
    return x * hands_on(cfg.rate, cfg)


def test_what_helpers_hand_on_is_followed() -> None:
    """However long: they call one another."""
    assert python_uses(calls_what_hands_on.__code__, calls_what_hands_on) == ["math.pow(cfg.rate)", "math.pow(cfg)"]


def numpy_of_shapes(x: Any, g: Any) -> Any:
    return np.zeros(x.shape) + g.normal(x.shape) + tf.reshape(g, x.shape)


def test_what_lies_in_a_parameter_is_followed_by_its_name() -> None:
    assert python_uses(by_other_names.__code__, by_other_names) == [
        "math.exp(cfg['k'])", "math.log(cfg.inner.rates[0])", "math.cos(args[0])", "round(kwargs['k'])",
        "batch.images.shape[0]", "batch.images.shape[1]",
    ]  # fmt: skip


def test_what_is_made_of_a_whole_shape() -> None:
    assert python_uses(of_shapes.__code__, of_shapes) == [
        "np.arange(x.shape[0])", "math.prod(x.shape[1:])", "tf.zeros(x.shape)", "tf.random.normal(batch['y'].shape)",
        "x.shape[0]", "len(x.shape) of rank", "x.dtype == tf.float32 of dtype",
    ]  # fmt: skip
    assert python_uses(numpy_of_shapes.__code__, numpy_of_shapes) == [
        "np.zeros(x.shape)", "tf.reshape(…, x.shape)", "g.normal(x.shape)",
    ]  # fmt: skip


def goes_over_sizes(x: Any, y: Any, z: Any) -> Any:
    n = y.shape[0]
    total = [x[:, t] for t in range(1, x.shape[1])]
    for _ in range(n):
        total.append(tf.range(z.shape[0]))
    for _ in range(z.shape[0] or 4), range(len(z)):
        total += [y]
    return total


def asks_for_ranks(x: Any, y: Any, z: Any) -> Any:
    h = tf.reduce_mean(y, axis=-1)
    x = x[None] if x.shape.rank == 1 or len(x.get_shape()) < 2 else x
    n, _ = z.shape
    return ranked(x, z) if h.ndim > 1 else x * n + tf.rank(y) + len(y)


def ranked(one: Any, other: Any) -> Any:
    return one if len(other.shape.as_list()) > 1 and one.shape.ndims else other


def test_ranks_that_are_asked_for() -> None:
    uses = python_uses(asks_for_ranks.__code__, asks_for_ranks)
    assert [use for use in uses if " of rank" in use] == [
        "x.shape.rank of rank", "len(x.shape) of rank", "x.shape.ndims of rank", "len(z.shape) of rank",
        "h.ndim of rank follows .y",
    ]  # fmt: skip


def test_sizes_that_loops_go_over() -> None:
    uses = python_uses(goes_over_sizes.__code__, goes_over_sizes)
    assert [use for use in uses if use.startswith("for … in range(")] == [
        "for … in range(y.shape[0])", "for … in range(x.shape[1])",
    ]  # fmt: skip


def asks_in_python(x: Any, n: Any, k: Any) -> Any:
    assert n > 0 and x.shape[1] == k, n  # noqa: PT018
    match k:
        case 0:
            x = tf.nn.softmax(x, n) + tf.nn.softmax(x, axis=n) + tf.nn.relu(x)
        case 1:
            x = tf.keras.activations.relu(x, max_value=2 * k) + tf.norm(x, ord=k) + x.norm(k)
    x = tf.ensure_shape(x, [n, None]) * [0.5, 0.25][n] + {0: 1.0}[k] + NAMED.get(k, 1.0) + x.rates.get(k)
    return x * np.ones([n, 2]) + bool(k)


def goes_over(x: Any, arch: Any) -> Any:
    for op in arch:
        x = LOSSES[op](x)
    return x


def goes_over_a_dictionary(x: Any, weights: Any, rates: Any) -> Any:
    for name, weight in weights.items():
        x = x + min(weight, 1.0) * len(name)
    for rate in rates.values():
        x = x * math.exp(rate)
    return x * sum(math.sin(w) for _, w in weights.items())


def goes_over_several(x: Any, arch: Any, rates: Any, limits: Any) -> Any:
    for loss, op in zip(x, arch, strict=True):
        x = LOSSES[op](x, loss)
    for i, rate in enumerate(rates.all):
        x = x * math.exp(rate) * RATES[i]
    for limit in limits:
        limit = limit + 1
        x = x + math.sin(limit)
    return x


def test_what_a_loop_over_a_list_has_by_turns_is_followed() -> None:
    found = python_uses(goes_over.__code__, goes_over)
    assert found == ["LOSSES[arch[...]] of a list of objects", "for … in arch by turns"]
    found = python_uses(goes_over_a_dictionary.__code__, goes_over_a_dictionary)
    assert {"min(weights[...])", "math.exp(rates[...])", "math.sin(weights[...])"} <= {*found}
    found = python_uses(goes_over_several.__code__, goes_over_several)
    assert found[:2] == ["LOSSES[arch[...]] of a list of objects", "math.exp(rates.all[...])"]
    assert not any("sin" in use or "RATES" in use for use in found)


def decay(step: Any, total: Any = 4, n: Any = 1) -> Any:
    assert n + step
    assert step < n
    return math.cos(step) * RATES[step] + math.sin(n) + min(step, total) + math.exp(total)


def masked(y: Any) -> Any:
    x = y
    k, _ = x.shape
    return tf.zeros(y.shape) + k + math.exp(k)


def forwards(x: Any, n: Any, k: Any, inner: Any) -> Any:
    return decay(n) * masked(x) + decay(n=3, step=k["rate"]) + inner(decay) + masked(*x)


def shadows(x: Any, masked: Any) -> Any:
    return masked(x)


class Asks:
    def rate(self, step: Any) -> Any:
        return math.exp(step)

    def mask(self, x: Any, n: Any = 1) -> Any:
        return tf.ones([x.shape[0], 2]) * math.sin(n)

    def level(self, n: Any) -> Any:
        return math.cos(n)

    def call(self, x: Any, n: Any) -> Any:
        return self.rate(n) * self.mask(x) + self.level(n) + x.rate(n)


class AsksLess(Asks):
    def level(self, n: Any) -> Any:
        return n


class AsksInDecoratedMethods:
    @tf.function
    def loss(self, action: Any, n: Any) -> Any:
        return tf.random.normal(shape=action.shape) * math.sin(n)

    def train(self, action: Any, n: Any) -> Any:
        return self.loss(action, n)


class CallsItself(tf.keras.layers.Layer):
    def call(self, x: Any, steps: Any = None) -> Any:
        return x * (steps or 3)

    def infer(self, x: Any, n: Any = None) -> Any:
        return self(x, steps=n)


def test_so_is_what_a_call_of_self_runs() -> None:
    assert python_uses(CallsItself.infer.__code__, CallsItself.infer) == ["n or …"]


def test_so_is_what_methods_do_but_those_that_a_subclass_has_anew() -> None:
    assert python_uses(Asks.call.__code__, Asks.call) == ["math.exp(n)", "x.shape[0]"]


class Schedule:
    def at(self, n: Any) -> Any:
        return math.cos(n)


class Scaled:
    def __call__(self, x: Any, n: Any = 0) -> Any:
        return tf.stack([x, RATES[n]])


class Other(Scaled):
    pass


class Owner:
    def __init__(self, given: Any) -> None:
        self.net, self.schedule = Scaled(), Schedule()
        self.given, self.later, self.replaced = given, Scaled(), Scaled()
        self.below = Scaled()

    def replace(self) -> None:
        self.replaced = Other()

    def step(self, x: Any, n: Any, k: Any, m: Any) -> Any:
        x = self.net(x, n=n) * self.schedule.at(k)
        return self.given(self.replaced(x, m), m) + self.below(x, m)


class OwnerBelow(Owner):
    def __init__(self) -> None:
        super().__init__(None)
        self.below = Other()


def test_so_is_what_objects_do_that_its_class_makes() -> None:
    """Not of what is passed, or what another method, or a class below, gives it as well: which it is is not known."""
    assert python_uses(Owner.step.__code__, Owner.step) == ["RATES[n] of a list", "math.cos(k)"]


class Embeds(tf.keras.layers.Layer):
    def __init__(self, table: Any) -> None:
        super().__init__()
        self.places = tf.Variable(tf.zeros([4, 2]))
        self.table, self.drawn = table, np.zeros([4])
        self.replaced, self.scaled, self.below = tf.zeros([4]), tf.zeros([4]), tf.constant([1.0])

    def build(self, shape: Any) -> None:
        self.kernel: Any = self.add_weight(shape=(4, 2))

    @tf.function
    def replace(self, values: Any) -> None:
        self.replaced = values
        self.scaled *= 2.0

    def call(self, x: Any, n: Any) -> Any:
        x = x + self.places[n] + self.kernel[n] + self.places[:n] + self.table[n] + self.drawn[n]
        return x + self.replaced[n] + self.scaled[n] + self.below[n] + x.places[n]


class EmbedsBelow(Embeds):
    def __init__(self) -> None:
        super().__init__([1.0])
        self.below = [1.0]


def test_what_its_class_makes_a_tensor_takes_one_by_place() -> None:
    """`self.places = tf.Variable(…)`: not what is passed, or what another method, or a class below, gives as well."""
    assert python_uses(Embeds.call.__code__, Embeds.call) == [
        "self.table[n] of a member",
        "self.drawn[n] of a member",
        "self.replaced[n] of a member",
        "self.scaled[n] of a member",
        "self.below[n] of a member",
        "x.places[n] of a member",
        "self.places[:n] in parts",
    ]


EMBEDDED = tf.Module()
EMBEDDED.table, EMBEDDED.rows = tf.Variable([1.0, 2.0]), [1.0, 2.0]


def looks_up_in_objects(x: Any, n: Any) -> Any:
    return x + EMBEDDED.table[n] + EMBEDDED.rows[n] + x.table[n]


def test_so_does_what_an_object_of_a_known_name_holds() -> None:
    def closes_over(x: Any, n: Any) -> Any:
        return x + held.table[n] + held.rows[n] + later.table[n]

    held = EMBEDDED
    rows = ["EMBEDDED.rows[n] of a member", "x.table[n] of a member"]
    assert python_uses(looks_up_in_objects.__code__, looks_up_in_objects) == rows
    uses = python_uses(closes_over.__code__, closes_over)
    assert uses == ["held.rows[n] of a member", "later.table[n] of a member"]
    later = held


class Keeps:
    layers: Any = ()

    def step(self, x: Any, n: Any, k: Any, m: Any) -> Any:
        self.level = n
        self.rate, self.x = k, x
        for layer in self.layers:
            layer.bits = m - 1
        own = Schedule()
        own.level = n
        self.optimizer.learning_rate = k  # of an optimizer: a variable is assigned
        layer.lr = k
        return x * n * k * m


def test_what_is_kept_in_an_attribute_is_told() -> None:
    """Of what is not made there."""
    kept = [use for use in python_uses(Keeps.step.__code__, Keeps.step) if use.endswith(" kept")]
    assert kept == [
        "self.level = n kept",
        "self.rate = k kept",
        "self.x = x kept",
        "layer.bits = m kept",
        "layer.lr = k kept",
    ]


def test_so_is_what_a_decorated_method_does() -> None:
    """Stable Baselines' TD3: it is traced with what the one around it is passed, and fails of that as well."""
    train = AsksInDecoratedMethods.train
    assert python_uses(train.__code__, train) == ["math.sin(n)", "tf.random.normal(action.shape)"]


def test_what_helpers_do_with_what_they_are_passed_is_told_of_the_caller() -> None:
    assert set(python_uses(forwards.__code__, forwards)) == {
        "assert n < …", "math.cos(n)", "RATES[n] of a list", "min(n)", "assert k['rate'] < …",
        "math.cos(k['rate'])", "RATES[k['rate']] of a list", "min(k['rate'])", "tf.zeros(x.shape)", "x.shape[0]",
    }  # fmt: skip
    assert python_uses(shadows.__code__, shadows) == []


def brightened(x: Any, strength: Any, times: Any = 1) -> Any:
    return tf.image.random_brightness(x, 0.1 * strength) * math.exp(times)


def passes_what_it_computes(x: Any, n: Any) -> Any:
    return brightened(x, min(1.0, n / 3), times=x.level + len(x.level))


def test_so_is_what_a_helper_does_with_what_is_computed_for_it() -> None:
    computes = passes_what_it_computes
    told = {"min(n)", "tf.image.random_brightness(n)"}
    assert {use for use in python_uses(computes.__code__, computes) if use.endswith(")")} == told
    epoch = 2

    def of_an_epoch(x: Any) -> Any:
        return brightened(x, strength=epoch, times=-epoch)

    told = {"tf.image.random_brightness(epoch)", "math.exp(epoch)"}
    assert set(python_uses(of_an_epoch.__code__, of_an_epoch)) == told


def of_pairs(x: Any, pair: Any, rest: Any = ()) -> Any:
    for one in pair:
        x = x * math.sqrt(one)
    return x * np.mean(rest)


def passes_lists_of_what_it_computes(x: Any, n: Any, k: Any, m: Any) -> Any:
    pair, others = [n, n * 2], [abs(n) for n in (x, x)]
    return (
        of_pairs(x, pair) + of_pairs(x, (1.0, k / 2)) + of_pairs(x, [], [m * i for i in (1, 2)]) + of_pairs(x, others)
    )


def test_so_are_lists_of_what_is_computed() -> None:
    computes = passes_lists_of_what_it_computes
    assert {*python_uses(computes.__code__, computes)} >= {"math.sqrt(n)", "math.sqrt(k)", "np.mean(m)"}
    assert "math.sqrt(x)" not in python_uses(computes.__code__, computes)


def soft_minimum(costs: Any, f: Any) -> Any:
    n = costs.shape[1]
    return tf.reshape(f, (1, n)) - costs[:, :n]


def asks_by_a_name_of_its_own(x: Any, y: Any, n: Any) -> Any:
    return soft_minimum(x, y) * n


def test_what_a_helper_gives_a_name_of_its_own_is_told_wherever_it_is_read() -> None:
    """filterflow's Sinkhorn iterations: the name stands for what the helper is passed, in several places."""
    own = asks_by_a_name_of_its_own
    assert python_uses(own.__code__, own) == ["x.shape[1]"]


def score(inputs: Any, settings: Any) -> Any:
    x, index = inputs
    return tf.reshape(index, (x.shape[0], 1)) * math.exp(settings["rate"])


def passes_them_in_a_list(y: Any, index: Any, n: Any, rest: Any) -> Any:
    return score([y, index], {"rate": n}) + score([*rest, y], {**rest})


def test_what_a_call_passes_in_a_list_or_a_dictionary_is_told_by_its_own_name() -> None:
    """As Keras' models are called: `model([x, index])`; of a list that is spread out no places are known."""
    found = python_uses(passes_them_in_a_list.__code__, passes_them_in_a_list)
    assert found == ["math.exp(n)", "y.shape[0]"]


def test_what_is_asked_in_python_and_looked_up_in_what_is_written_there() -> None:
    assert set(python_uses(asks_in_python.__code__, asks_in_python)) >= {
        "assert n > 0 and x.shape[1] == k", "match k:", "tf.nn.softmax(axis=n)",
        "tf.keras.activations.relu(max_value=k)", "tf.norm(ord=k)", "tf.ensure_shape(n)", "[…][n]", "{…}[k]",
    }  # fmt: skip
    assert not any("x.norm" in use or "rates" in use for use in python_uses(asks_in_python.__code__, asks_in_python))

    def few(n: Any, k: Any) -> Any:
        assert bool(k)
        return NAMED.get(n) * np.ones([n, 2]) * bool(n)

    assert python_uses(few.__code__, few) == ["NAMED.get(n)", "np.ones(n)", "bool(n)"]


def test_so_is_what_is_written_to_or_looked_up_in_an_array_of_its_own() -> None:
    def masks(x: Any, keep: Any, n: Any) -> Any:
        mask, table = np.zeros(4, "float32"), np.arange(5)
        mask[keep] = 1.0
        mask[: n // 2, 0] = 0.5
        other = x * 2
        other[n] = 1
        return x * mask * table[n]

    found = python_uses(masks.__code__, masks)
    assert {use for use in found if "[" in use} == {"mask[keep] = …", "mask[:n, …] = …", "table[n] of a ndarray"}


def test_so_is_what_is_an_attribute_of_one_operation_or_of_none() -> None:
    def decodes(x: Any, n: Any, width: Any) -> Any:
        if width == 1:
            return tf.nn.ctc_greedy_decoder(x, n)
        return tf.nn.ctc_beam_search_decoder(tf.nn.depth_to_space(x, n), n, beam_width=width)

    assert python_uses(decodes.__code__, decodes)[:2] == [
        "tf.nn.ctc_beam_search_decoder(beam_width=width)", "tf.nn.depth_to_space(block_size=n)",
    ]  # fmt: skip


def test_so_is_the_shape_that_a_ragged_tensor_is_padded_to() -> None:
    def padded(x: Any, n: Any, k: Any, m: Any) -> Any:
        return x.to_tensor(0, [None, n]), x.to_tensor(shape=(None, k)), x.to_tensor(0, shape=[2, m])

    assert python_uses(padded.__code__, padded) == ["to_tensor([None, n])", "to_tensor([None, k])"]


def test_so_is_what_a_comprehension_leaves_out_and_what_int_makes_whole() -> None:
    def turned(x: Any, axis: Any, k: Any) -> Any:
        y = tf.transpose(x, [axis] + [i for i in range(4) if i != axis])
        return y[: int(k) + 1] * int(k)

    found = python_uses(turned.__code__, turned)
    assert {use for use in found if use.endswith("of whole numbers") or " if " in use} == {
        "[… for … if … axis …]", "int(k) of whole numbers",
    }  # fmt: skip


def test_so_is_what_python_reads_whenever_the_graph_is_executed() -> None:
    def rotated(x: Any, angle: Any, cfg: Any, k: Any) -> Any:
        def rotate(a: Any, k: Any) -> Any:
            return np.rot90(a, round(angle) // 90 + k)

        y = tf.numpy_function(rotate, [x, k], tf.float32)
        z = tf.py_function(func=lambda a: a * cfg["gain"], inp=[x], Tout=tf.float32)
        return y + z + tf.numpy_function(functools.partial(np.roll, shift=k), [x], tf.float32)

    assert [use for use in python_uses(rotated.__code__, rotated) if " with " not in use] == [
        "tf.numpy_function runs angle", "tf.py_function runs cfg['gain']", "tf.numpy_function runs k",
    ]  # fmt: skip


def test_so_is_what_is_made_of_a_part_of_one() -> None:
    assert set(python_uses(of_parts_of_shapes.__code__, of_parts_of_shapes)) == {
        "tf.reshape(…, x.shape[:-1] + …)", "tf.zeros([…, *x.shape[1:]])", "tf.ones(x.shape[:-1])",
        "tf.zeros(… + y.shape[1:])", "tf.unstack(y) of shape", "list(y.shape) through", "x.shape[-1]", "y.shape[0]",
        "tf.unstack(y[:2]) of shape",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (computes, ["math.exp(n)", "np.sqrt(n)", "np.sqrt(k)", "min(n)", "round(k)", "math.log(LIMIT)"]),
        (
            looks_up,
            [
                "RATES[n] of a list",
                "NAMED[n] of a dict",
                "RATES[state.step] of a list",
                "RATES[:n] of a list",
                "max(RATES[n:]) of a list",
                "x[n] of an argument",
            ],
        ),
        (asks, ["if k:", "… if on else …", "not n", "m.rate and …", "k or …"]),
        (chooses, ["LOSSES[k] of a list of objects"]),
        (
            chooses_whole_numbers,
            [
                "size = 16 if n == 12 else … of whole numbers",
                "size = 10 if n == 13 else 8 of whole numbers",
                "1 if n > 2 else 2 of whole numbers",
                "x.shape[0]",
            ],
        ),
        (chooses_by_name, ["KINDS[k] of a dict of objects", "NAMED[k] of a dict"]),
        (takes_parts, ["WEIGHTS[a:b] of a ndarray", "WEIGHTS[:, a] of a ndarray", "x[:, :a + …] in parts"]),
        (
            computes_of_what_it_looks_up,
            [
                "np.sqrt(n)",
                "math.sqrt(x[...])",
                "ALPHAS[n] of a float64 ndarray",
                "ALPHAS[:n] of a float64 ndarray",
                "x[n] of an argument",
            ],
        ),
        (
            adds_if,
            [
                "for … in angles through",
                "for …, … in shifts through",
                "if angles[...] != 0.0: out.append(…)",
                "if shifts[...] != 0 or shifts[...] > 0: out.append(…)",
                "if n > 1: out += […]",
            ],
        ),
        (chooses_texts, ["if rate < 0.5: kind = '…'", "if n > 2: act = lambda …"]),
        (
            looks_up_members,
            [
                "self.alphas[n] of a member",
                "self.config.betas[n] of a member",
                "ALPHAS[n] of a float64 ndarray",
                "self.alphas[:n] of a member",
            ],
        ),
        (
            goes_through,
            [
                "zip(rates) through",
                "zip(lengths) through",
                "[… for … in lengths] through",
                "[… for … in rates] through",
            ],
        ),
        (
            raises,
            [
                "if n < 0 or k is None: raise",
                "if k == 2: … else: raise",
                "if … n …: raise",
                "if … k …: raise",
                "x.shape[0]",
            ],
        ),
        (binds, ["tf.image.random_contrast(low)", "min(low)", "tf.nn.softmax(axis=axis)"]),
        (
            draws,
            [
                "tf.image.random_contrast(low)",
                "x.set_shape(low)",
                "tf.TensorShape(low)",
                "tf.image.stateless_random_hue(low)",
            ],
        ),
        (
            names,
            [
                "tf.nn.convolution(dilations=n)",
                "tf.keras.losses.categorical_crossentropy(label_smoothing=n)",
            ],
        ),
        (
            unpacks,
            [
                "top, left, height, width = crop through",
                "x[:, crop[0]:crop[0] … crop[2], crop[1]:crop[1] … crop[3]] in parts",
                "x.shape[1]",
                "x.shape[2]",
            ],
        ),
        (calls_on, ["[… for … in range(n)]", "round(m)"]),
        (calls_on_its_own, []),
        (calls_a_model, ["x.shape[1]"]),
        (writes, ['f"{n}"', '"%" % n', "str(n)", "str.format(n)", "if n < 0: raise"]),
        (prints, ["tf.print(n)", "tf.print(x.shape)"]),
        (summarizes, ["n as a step", "k as a step"]),
        (repeats, ["[… for … in range(n)]", "[…] * n", "n in (…)"]),
        (
            is_as_long,
            [
                "[1] * n",
                "(None,) * n",
                "(k, …) * k",
                "[[0, 0]] * n",
                "[…] * n",
                "[…] * x.shape[0]",
                "x.shape[0]",
                "x[n] of an argument",
            ],
        ),
        (works_on_tensors, ["x[:n] in parts"]),
        (asks_how_large_a_part_is, ["x[:n + …].shape in parts", "x[:n + …] in parts"]),
        (takes_columns, ["x[:n * k] in parts", "x[:, k, …:n] in parts", "x[half:half + n, :n] in parts"]),
        (
            asks_whether_known,
            [
                "x.shape[0] is None",
                "x.shape.is_fully_defined()",
                "y.shape[1] or …",
                "x.shape[0]",
                "x.shape[1]",
                "y.shape[0]",
                "y.shape[1]",
            ],
        ),
        (
            slices_by_sizes,
            [
                "RATES[x[0]:y[0]] of a list",
                "[y.shape[1]:]",
                "[:x.shape[-2]]",
                "[:x.shape[0]]",
                "x.shape[-2]",
                "x.shape[0]",
                "y.shape[1]",
            ],
        ),
        (
            asks_for_sizes,
            [
                "x.shape[0]",
                "batch['image'].shape[1]",
                "batch['image'].shape[-2]",
                "len(x.shape) of rank",
                "y.shape[0] follows .x",
            ],
        ),
        (makes(0.5), ["math.sqrt(scale)"]),
        (lambda n: math.exp(n), ["math.exp(n)"]),
        (tf.reduce_sum, []),
    ],
)
def test_what_is_found(function: Callable[..., Any], expected: list[str]) -> None:
    assert isinstance(function, FunctionType)
    found = [use for use in python_uses(function.__code__, function) if " with " not in use]
    assert sorted(found) == sorted(expected)


def test_without_source_nothing_is_known() -> None:
    scope: dict[str, Any] = {"math": math}
    exec("def made(k): return math.exp(k)", scope)
    assert python_uses(scope["made"].__code__, scope["made"]) == []


def test_what_is_nested_too_deep_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    def deep(n: Any) -> Any:
        return min(n, 1)

    def too_deep(self: Any, node: Any) -> Any:
        raise RecursionError

    monkeypatch.setattr(module.UsesOfNumbers, "of", too_deep)
    assert python_uses(deep.__code__, deep) == []


def test_it_is_recorded_and_functions_of_one_code_are_read_once(
    monkeypatch: pytest.MonkeyPatch, recording: RecordFixture
) -> None:
    read = []
    source_tree = module.source_tree
    monkeypatch.setattr(module, "source_tree", lambda code: read.append(code.co_name) or source_tree(code))

    def made() -> Any:
        @tf.function
        def scaled(x: Any, k: Any) -> Any:
            return x * math.exp(k)

        return scaled

    recorded = numbers_of_one_code(made, recording)
    assert read == ["scaled"]
    assert [list(t.function.python_uses) for t in recorded.of("scaled")] == [["math.exp(k)"]] * 3


FACTOR, UNITS = 0.5, 4
OF_NAMES = {"relu": tf.nn.relu, "tanh": tf.nn.tanh}


@tf.function
def is_late(x: Any, epoch: Any) -> Any:
    return x if epoch > 2.5 else x + 1


def meets_fractions(x: Any, n: Any, k: Any, gamma: Any) -> Any:
    half, width = n // 2, x.shape[-1] // k
    for i in range(n):
        x = x * gamma**i
    return (
        x * (n * 8.0) + half**0.5 + width * FACTOR + n / 7 + float(k) * 0.1 + tf.cast(k, tf.float32) * 2.0 + k * UNITS
    )


def slices_by_lengths(x: Any, k: Any) -> Any:
    return UNITS_OF[: len(x), : len(k)] + HELD.rates[1 : len(x) + 1] + x[: len(k)] + UNITS_OF[len(x)]


def test_what_is_sliced_by_the_length_of_a_tensor() -> None:
    found = python_uses(slices_by_lengths.__code__, slices_by_lengths)
    assert {use for use in found if " sliced by " in use} == {
        *("UNITS_OF[:len(x), :len(k)] sliced by x", "UNITS_OF[:len(x), :len(k)] sliced by k"),
        "HELD.rates[1:len(x) + 1] sliced by x",
    }


def computes_with_lengths(x: Any, y: Any, z: Any, w: Any, gamma: Any) -> Any:
    count = len(y)
    again = len(w)
    again = again + 1
    total = x / (len(x) * gamma) + [0.0] * count + np.sqrt(len(z) + 1)
    return total + x[: len(w)] + tf.zeros([len(w) // 2]) + tf.cast(len(w), tf.float32) + again * gamma


def test_lengths_that_are_computed_with() -> None:
    found = python_uses(computes_with_lengths.__code__, computes_with_lengths)
    assert {use for use in found if use.endswith(" computed")} == {
        *("len(x) computed", "len(y) computed", "len(z) computed"),
    }


UNITS_OF = np.ones([4, 4])


class Held:
    gamma, rates, power = 0.99, {"a": 0.5}, 2


HELD = Held()


def meets_what_is_not_known(x: Any, n: Any, k: Any) -> Any:
    decay, mean = HELD.gamma**n, tf.reduce_mean(x) / n
    return HELD.rates["a"] * k + k * tf.exp(x) + mean * decay + [0.5] * k + k**HELD.power


def meets_tensors_of_fractions(x: Any, n: Any, k: Any, m: Any) -> Any:
    noise = tf.random.normal([2]) * (UNITS * 2) / n
    ids = tf.random.uniform([2], 0, 9, tf.int32) * m + tf.cast(x, tf.int32) * m + tf.cast(x, dtype=HELD.dtype) * m
    return noise + k * tf.cast(x, tf.float32), ids


def meets_what_comes_of_it(x: Any, n: Any, k: Any) -> Any:
    size, last = 1.0 / n, n - 1
    for i in range(1, n + 1):
        x = x - i * size
    for j in reversed(range(k)):
        x = x * (j / k)
    return x * last / n


def compares(x: Any, n: Any, k: Any, gamma: Any) -> Any:
    if n < 10.0 or k < UNITS or 0 <= n < gamma:
        x = is_late(x, n)
    return x + tf.range(k - 1)


def collects(x: Any, n: Any, steps: Any, rewards: Any, layers: Any) -> Any:
    out: list[Any] = []
    for _ in range(1, n + 1):
        out.append(x)
    for _ in reversed(range(steps)):
        out.append(out[-1])
    for reward in rewards[::-1]:
        out.insert(0, reward)
    for width in layers:
        x = x * width
    for layer in LOSSES[:n]:
        x = layer(x)
    return [rewards[i] for i in range(len(rewards))], [loss(x) for loss in LOSSES[: steps + 1]]


def fills(x: Any, n: Any, steps: Any) -> Any:
    levels = [None for _ in range(5)]
    states, table = [x] * 5, np.zeros([5])
    for i in range(n, 5)[::-1]:
        levels[i] = x
        levels[0] = table[0]
    for i in range(steps):
        states[i + 1] = states[i] + x
        table[i] = 1.0
    return levels, states, table


def looks_up_objects(x: Any, name: Any, k: Any) -> Any:
    hidden = [x, x * 2]
    return OF_NAMES[name](x) + hidden[k] + tf.constant(k) + k.bit_length() + sum(range(k))


def has_defaults(batch: Any, cfg: Any, k: Any) -> Any:
    scale = batch.get("scale", 2.0) * batch.get("k", k) + batch.get("none", None)
    return scale * (cfg["rate"] if "rate" in cfg else tf.ones([2])) + (0 if "m" not in cfg else cfg["n"])


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (
            meets_fractions,
            {
                "n * 8.0 with fractions", "(n // 2) ** 0.5 with fractions", "n / 7 with fractions",
                "x.shape[-1] // k * FACTOR with fractions", "gamma ** n[...] with gamma",
            },
        ),
        (
            meets_what_is_not_known,
            {
                "HELD.gamma ** n with another", "tf.reduce_mean(x) / n with another",
                "HELD.rates['a'] * k with another", "k * tf.exp(…) with fractions",
            },
        ),
        (
            meets_tensors_of_fractions,
            {"tf.random.normal([2]) * (UNITS * 2) / n with fractions", "k * tf.cast(…) with fractions"},
        ),
        (
            meets_what_comes_of_it,
            {
                "1.0 / n with fractions", "n[...] * size with fractions", "k[...] / k with fractions",
                "x * last / n with fractions",
            },
        ),
        (
            compares,
            {
                "n < 10.0 compared with fractions", "n < gamma compared with gamma", "n < gamma compared with n",
                "n > 2.5 compared with fractions", "k - 1 with whole numbers",
            },
        ),
        (
            collects,
            {
                "out.append(…) in range(n)", "out.append(…) in range(steps)", "for … in rewards[::-1] through",
                "for … in layers by turns", "for … in LOSSES[…n…] by a number", "range(len(rewards)) of length",
                "[… for … in LOSSES[…steps…]]",
            },
        ),
        (fills, {"levels[…] = … in range(n)", "states[…] = … in range(steps)"}),
        (
            looks_up_objects,
            {
                "OF_NAMES[name] of a dict of objects", "[…][k]", "tf.constant(k) anew", "int.bit_length(k)",
                "sum(range(k))",
            },
        ),
        (
            makes_constants,
            {
                "tf.constant(…n…) anew", "tf.constant(…k…) anew", "tf.constant([…size[0]…]) anew",
                "tf.constant([…size[1]…]) anew", "tf.constant([…rates…]) anew", "tf.constant(rates[0]) anew",
                "n * 0.5 with fractions",
            },
        ),
        (
            asks_of_what_is_computed,
            {
                "if n % 10:", "not k % 3", "n in (…)", "k in (…)", "[…n…] + ….shape", "if i >= n: break", "[…][:n]",
                "tf.keras.ops.pad(pad_width=n)", "keras.ops.softmax(axis=k)", "tf.sort(axis=k)",
                "x * 2.0 with fractions", "for … in rows by turns",
            },
        ),
        (means, {"len(rates) of length"}),
        (has_defaults, {"batch['scale']: 2.0 by default", "cfg['rate']: tf.ones([2]) by default"}),
    ],
)  # fmt: skip
def test_what_decides_how_a_tensor_is_taken(function: Callable[..., Any], expected: set[str]) -> None:
    assert isinstance(function, FunctionType)
    found = python_uses(function.__code__, function)
    assert set(found) >= expected
    of_kinds = (
        ": break",
        " with fractions",
        " with another",
        " with gamma",
        " by default",
        " of length",
        " by turns",
        " anew",
    )
    assert {text for text in found if text.endswith(of_kinds)} <= expected


def test_parameters_that_nothing_reads() -> None:
    def step(self: Any, x: Any, epoch: Any, rate: Any = 0.1, *, name: Any = "", scale: Any = 2, kept: Any = 1) -> Any:
        kept = x + rate
        return [lambda: scale * kept, kept]

    def anything(x: Any, epoch: Any) -> Any:
        return locals()

    unread = [use for use in python_uses(step.__code__, step) if use.endswith(" unread")]
    assert unread == ["epoch unread", "name unread"]
    assert python_uses(anything.__code__, anything) == []


def test_a_long_name_is_cut_and_the_number_told() -> None:
    def given(settings: Any) -> Any:
        long = tf.keras.activations.relu(
            1, max_value=settings.of_a_recording.that_was_made_long_ago.with_another_device.sample_rate_in_hertz
        )
        return long + tf.signal.linear_to_mel_weight_matrix(20, 129, settings.rate, 20.0, settings.rate / 2 - 1)

    path = "settings.of_a_recording.that_was_made_long_ago.with_another_device.sample_rate_in_hertz"
    assert python_uses(given.__code__, given) == [
        f"….relu(max_value={path})", "tf.signal.linear_to_mel_weight_matrix(upper_edge_hertz=settings.rate)",
        "settings.rate / 2 with fractions",
    ]  # fmt: skip


class Penalty:
    def of_an_attribute(self, x: Any) -> Any:
        return self.weight * tf.norm(x, ord=self.p)

    def of_a_local_name(self, x: Any) -> Any:
        p = self.p
        return tf.norm(x, ord=p)

    def under_another_name(self, x: Any) -> Any:
        measure = tf.norm
        return measure(x, self.p)

    def of_a_parameter_that_it_sets(self, x: Any, p: Any = 1) -> Any:
        p = self.p
        return tf.norm(x, p)

    def of_its_arguments_alone(self, x: Any, p: Any = 1) -> Any:
        return self.weight * tf.norm(x, p) + tf.reduce_sum(tf.nn.softmax(x, axis=-1))

    def of_nothing(self, x: Any) -> Any:
        return self.weight * x


def test_whether_a_method_may_have_its_own_numbers_asked_in_python() -> None:
    asking = {name for name, method in vars(Penalty).items() if callable(method) and may_ask_of_itself(method.__code__)}
    assert asking == {"of_an_attribute", "of_a_local_name", "under_another_name", "of_a_parameter_that_it_sets"}


def test_what_parameters_have_by_default_is_told_once_and_not_where_values_are_hidden(recording: RecordFixture) -> None:
    @tf.function
    def scaled(x: Any, rate: Any = 0.5, table: Any = None, *, mode: Any = "a", bias: Any = tf.zeros([])) -> Any:  # noqa: B008
        return x * rate + bias

    with recording() as r:
        for k in range(2):
            scaled(tf.ones([2]), 0.1 * k)
    with recording(values="none") as hidden:
        scaled(tf.ones([2]), 0.7)
    told, again = (trace.function.python_uses for trace in r.traces)
    assert [use for use in told if use.endswith(" by default")] == ["rate: 0.5 by default", "mode: 'a' by default"]
    assert not any(use.endswith(" by default") for use in (*again, *hidden.traces[-1].function.python_uses))


def goes_by_places(x: Any, times: Any, kinds: Any) -> Any:
    for i in range(len(times)):
        x = x * 2.0 if times[i] > 0 else x
    for i, _ in enumerate(kinds):
        for _ in range(kinds[i]):
            x = x + 1.0
    for kind, one in zip(kinds, times, strict=True):
        x = x * 3.0 if not one else x
        if kind and x is not None:
            x = x - 1.0
    return [x for i in range(4) if kinds[i] > 2]


def test_items_of_a_list_by_their_places() -> None:
    assert {*unconverted(goes_by_places.__code__)} == {
        "… if times[...] > 0 else … unconverted",
        "for … in range(kinds[...]) unconverted",
        "… if not times[...] else … unconverted",
        "if kinds[...] and x is not None: … unconverted",
    }


def test_what_autograph_does_not_convert_takes_no_tensor(recording: RecordFixture) -> None:
    @tf.function(autograph=False)
    def grown(x: Any, n: Any, k: Any = 2, *, on: Any = None) -> Any:
        for _ in range(n):
            x = x * 2.0
        if n > k and on is None:
            x = x + 1.0
        for _ in range(x.shape[0]):
            x = x * 1.0
        return x

    @tf.function
    @tf.autograph.experimental.do_not_convert
    def kept(x: Any, n: Any) -> Any:
        while n > 2:
            x, n = x * 2.0, n - 1
        return x

    @tf.function
    def converted(x: Any, n: Any) -> Any:
        for _ in range(n):
            x = x * 2.0
        return x

    functions, x = (grown, kept, converted), tf.ones([2])
    with recording() as r:
        for n in (2, 3):
            for function in functions:
                function(x, n)
    for function in functions[:2]:
        with pytest.raises((TypeError, tf.errors.OperatorNotAllowedInGraphError)):
            function(x, tf.constant(2))
    assert converted(x, tf.constant(2)).shape == [2]
    found = {t.function.name: [u for u in t.function.python_uses if u.endswith(" unconverted")] for t in r.traces}
    assert found == {
        "grown": ["for … in range(n) unconverted", "if n > k and on is None: … unconverted"],
        "kept": ["while n > 2: … unconverted"],
        "converted": [],
    }
    verdicts = [(t.verdict, "Python decides by `n` what is built" in t.evidence) for t in r.traces[3:]]
    assert verdicts == [("unknown", True), ("unknown", True), ("avoidable", False)]


class Faded(keras.layers.Layer):
    def call(self, x: Any, alpha: Any = 1.0) -> Any:
        return self.mixed(x, alpha / 2.0) if alpha < 1.0 else x

    def mixed(self, x: Any, share: Any) -> Any:
        for _ in range(int(share)):
            x = x * 2.0
        return x


class Late(keras.layers.Layer):
    def call(self, x: Any, alpha: Any) -> Any:
        is_late = x.shape[0] == 2 and alpha > 1.0
        half = alpha / 2.0
        return x * half if is_late else x


class Around(keras.layers.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.faded = Faded()

    def call(self, x: Any, alpha: Any) -> Any:
        return self.faded(x, alpha=alpha)


class Chosen(keras.layers.Layer):
    def call(self, x: Any, alpha: Any) -> Any:
        return tf.where(alpha < 1.0, x * alpha, x)


class Converted(keras.layers.Layer):
    @tf.function
    def call(self, x: Any, alpha: Any) -> Any:
        return x * alpha if alpha < 1.0 else x


class Plainly:
    def __call__(self, x: Any, alpha: Any) -> Any:
        return x * alpha if alpha < 1.0 else x


class Trains:
    def __init__(self) -> None:
        self.faded, self.around, self.chosen, self.late = Faded(), Around(), Chosen(), Late()
        self.converted, self.plainly = Converted(), Plainly()

    @tf.function
    def of_a_layer(self, x: Any, alpha: Any) -> Any:
        return self.faded(x, alpha=alpha)

    @tf.function
    def of_one_within(self, x: Any, alpha: Any) -> Any:
        return helps(self.around(x, alpha=alpha), alpha)

    @tf.function
    def by_a_helper(self, x: Any, alpha: Any) -> Any:
        return helps(x, alpha)

    @tf.function
    def of_what_is_given_a_name(self, x: Any, alpha: Any) -> Any:
        return self.late(x, alpha=alpha)

    @tf.function
    def of_others(self, x: Any, alpha: Any) -> Any:
        return (
            self.chosen(x, alpha=alpha)
            + self.converted(x, alpha=alpha)
            + self.plainly(x, alpha)
            + self.faded.call(x, 1.0)
        )


class Given:
    def __init__(self, model: Any) -> None:
        self.model = model

    @tf.function
    def of_what_it_is_given(self, x: Any, alpha: Any) -> Any:
        return self.model(x, alpha=alpha)


@tf.function
def of_an_argument(x: Any, alpha: Any, model: Any = None) -> Any:
    return model(x, alpha=alpha)


FADED = Faded()


def helps(x: Any, beta: Any) -> Any:
    return FADED(x, alpha=beta)


def test_what_a_layer_decides_takes_no_tensor(recording: RecordFixture) -> None:
    """Keras calls it without AutoGraph."""
    trains, x = Trains(), tf.ones([2])
    given, passed = Given(Faded()), Faded()
    functions = (
        trains.of_a_layer, trains.of_one_within, trains.by_a_helper, given.of_what_it_is_given, of_an_argument,
        trains.of_what_is_given_a_name, trains.of_others,
    )  # fmt: skip
    with recording() as r:
        for alpha in (1.5, 2.5):
            for function in functions:
                function(x, alpha, **({"model": passed} if function is of_an_argument else {}))
    for function in functions[:-1]:
        with pytest.raises((TypeError, tf.errors.OperatorNotAllowedInGraphError)):
            function(x, tf.constant(1.5), **({"model": passed} if function is of_an_argument else {}))
    trains.of_others(x, tf.constant(1.5))
    traces = [trace for trace in r.traces if trace.function.name != "call"]
    found = {t.function.name: [u for u in t.function.python_uses if u.endswith(" unconverted")] for t in traces}
    test = "… if alpha < 1.0 else … of a layer unconverted"
    loop = "for … in range(int(alpha / 2.0)) of a layer unconverted"
    assert found.pop("of_what_is_given_a_name") == ["… if alpha > 1.0 else … of a layer unconverted"]
    assert found == {**{f.__name__: [test, loop] for f in functions[:-2]}, "of_others": []}
    verdicts = [(t.verdict, "Python decides by `alpha` what is built" in t.evidence) for t in traces[len(functions) :]]
    assert verdicts == [*[("unknown", True)] * 6, ("avoidable", False)]


def test_what_goes_through_a_list_of_numbers_that_it_closes_over(recording: RecordFixture) -> None:
    rates, names, one = (0.5, 1.0), ["a", "b"], [2.0]

    @tf.function
    def weighted(x: Any) -> Any:
        for factor in one:
            x = x * factor
        return sum(rate * x for rate in rates) * len([name for name in names if name])

    with recording() as r:
        weighted(tf.ones([2]))
    (trace,) = r.traces
    uses = {use for use in trace.function.python_uses if use.endswith(" through")}
    assert uses >= {"[… for … in rates] through"}
    assert not any("names" in use for use in uses)


@tf.autograph.experimental.do_not_convert  # type: ignore[untyped-decorator]
def left_to_python(x: Any, k: Any) -> Any:
    return (x * 2.0 if k > 2 else x) * k


class LeavesOut:
    @tf.autograph.experimental.do_not_convert  # type: ignore[untyped-decorator]
    def repeated(self, x: Any, n: Any) -> Any:
        for _ in range(n):
            x = x * 1.5
        return x

    @tf.function
    def by_a_method(self, x: Any, times: Any) -> Any:
        return self.repeated(x, times)


def test_what_a_helper_decides_that_is_not_converted(recording: RecordFixture) -> None:
    @tf.function
    def by_a_helper(x: Any, level: Any) -> Any:
        return left_to_python(x, level)

    leaves_out, x = LeavesOut(), tf.ones([2])
    functions = by_a_helper, leaves_out.by_a_method
    with recording() as r:
        for function in functions:
            function(x, 1)
    for function in functions:
        with pytest.raises((TypeError, tf.errors.OperatorNotAllowedInGraphError)):
            function(x, tf.constant(1))
    found = {t.function.name: [u for u in t.function.python_uses if u.endswith(" unconverted")] for t in r.traces}
    assert found == {
        "by_a_helper": ["… if level > 2 else … unconverted"],
        "by_a_method": ["for … in range(times) unconverted"],
    }


def test_layers_that_cannot_be_read_leave_the_trace_as_it_is(
    recording: RecordFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("broken")

    trains = Trains()
    monkeypatch.setattr(uses_in_layers, "called_in_turn", fail)
    monkeypatch.setattr(uses_in_layers, "_known", ByCalled(1))
    with recording() as r:
        trains.of_a_layer(tf.ones([2]), 1.5)
    assert [t.function.name for t in r.traces] == ["of_a_layer"]
    assert not any(use.endswith(" unconverted") for use in r.traces[0].function.python_uses)


@functools.cache
def taps(count: int) -> list[float]:
    return [1.0 / (i + 1) for i in range(count)]


def filtered(x: Any, count: Any) -> Any:
    return x * sum(taps(count))


def filtered_by_a_helper(x: Any, count: Any) -> Any:
    return x * summed(count)


def summed(length: Any) -> Any:
    return sum(taps(length))


def test_what_is_cached_by_its_arguments_takes_no_tensor() -> None:
    """It has no hash: TensorFlow raises."""
    for function in (filtered, filtered_by_a_helper):
        assert "taps(count)" in python_uses(function.__code__, function)
        with pytest.raises(TypeError, match="unhashable"):
            tf.function(function)(tf.ones([]), tf.constant(2))


def makes_sizes(x: Any, n: Any, k: Any, m: Any, rate: Any) -> Any:
    h = tf.reshape(x, [n, -1]) / n + tf.linspace(0.0, 1.0, num=k) + tf.zeros([x.shape[0], 2])
    return h * tf.one_hot(x, 2 * m, rate) + tiled(x, n * 2) + np.zeros([rate])


def tiled(x: Any, times: Any) -> Any:
    return tf.tile(x, (times, 1)) / 2.0


def test_numbers_that_sizes_are_made_of() -> None:
    found = python_uses(makes_sizes.__code__, makes_sizes)
    assert {use for use in found if use.endswith(" with a size")} == {f"{name} with a size" for name in "nkm"}
