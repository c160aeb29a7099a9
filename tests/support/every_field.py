"""Provokes what sets the rarer fields of the records, for the corpus: python tests/support/every_field.py LOGDIR"""

from __future__ import annotations

import collections
import contextlib
import functools
import sys
import warnings
from typing import Any
from unittest import mock

import keras
import numpy as np
import tensorflow as tf

from tb_retrace_plugin import record, set_step
from tb_retrace_plugin.capture.code import call_site
from tb_retrace_plugin.capture.record import graph_writer
from tb_retrace_plugin.capture.session import repetition
from tb_retrace_plugin.capture.watch import lookup_time

RATE = 0.1
TENSOR = tf.constant(1.0)
Point = collections.namedtuple("Point", "x y")
warnings.simplefilter("ignore")


class Kind(tf.types.experimental.TraceType):  # type: ignore[misc]
    """A user's own."""

    def __init__(self, text: str) -> None:
        self.text = text

    def is_subtype_of(self, other: Any) -> bool:
        return self == other

    def most_specific_common_supertype(self, others: Any) -> Any:
        return self if all(self == other for other in others) else None

    def placeholder_value(self, placeholder_context: Any = None) -> Any:
        return Kinded(self.text)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Kind) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)


class Kinded(tf.types.experimental.SupportsTracingProtocol):  # type: ignore[misc]
    def __init__(self, text: str) -> None:
        self.text = text

    def __tf_tracing_type__(self, context: Any) -> Any:
        return Kind(self.text)


class Attrs:
    """As a class of the package attrs."""

    __attrs_attrs__ = (collections.namedtuple("Field", "name")("rate"),)

    def __init__(self, rate: Any) -> None:
        self.rate = rate


class Nested:
    """A user's own container."""

    def __init__(self, inside: Any) -> None:
        self.inside = inside

    def __tf_flatten__(self) -> Any:
        return (), (self.inside,)

    @classmethod
    def __tf_unflatten__(cls, metadata: Any, leaves: Any) -> Nested:
        return cls(*leaves)


@tf.function
def by_keyword(x: Any, *, scale: Any = 2, point: Any = None, kind: Any = None, weight: Any = None) -> Any:
    return x * max(scale, RATE) * RATE + (point.x if isinstance(point, Point) else 0)


@tf.function
def inner(x: Any, k: int) -> Any:
    return x + k


@tf.function
def outer(x: Any, k: int) -> Any:
    return inner(x, k)


@tf.function
def fails_while_traced(x: Any, k: int) -> Any:
    raise ValueError(f"not {k}")


@tf.function
def fails_when_run(x: Any) -> Any:
    tf.debugging.assert_less(x, 0.0)
    return x


@tf.function
def holds_a_table(x: Any) -> Any:
    return x + np.arange(1000, dtype=np.float32)


@tf.function(jit_compile=True)
def compiled(x: Any) -> Any:
    return tf.reduce_sum(x * x)


@tf.function(jit_compile=True, input_signature=[tf.TensorSpec([None], tf.float32)])
def compiled_for_all(x: Any) -> Any:
    return tf.reduce_sum(x * x)


@tf.function
def reads_a_tensor(x: Any) -> Any:
    return x + TENSOR


class OfItsClass:
    @classmethod
    @tf.function
    def method(cls, x: Any) -> Any:
        return x


class Counting:
    """Its first call creates a variable."""

    calls = 0
    scale: Any = None

    @tf.function
    def scaled(self, x: Any, rate: float) -> Any:
        self.calls += 1
        if self.scale is None:
            self.scale = tf.Variable(2.0)
        return x * self.scale * rate


def undecorated(x: Any, size: Any) -> Any:
    return tf.reduce_sum(x[:size]) + np.random.normal()


@tf.function(jit_compile=True)
def not_for_xla(x: Any) -> Any:
    return tf.strings.length(tf.strings.as_string(x))


def deep(levels: int, call: Any) -> Any:
    return deep(levels - 1, call) if levels else call()


def provoke(logdir: str) -> None:
    global RATE, TENSOR
    one = tf.constant(1.0)
    two_of_one_line = [tf.function(lambda x: x + 1.0), tf.function(lambda x: x + 2.0)]
    with record(logdir, values="full"):
        set_step(1)
        by_keyword(one)
        by_keyword(one, scale=3, point=Point(1.0, one), kind=Kinded("a"), weight=tf.Variable(1.0))
        counting = Counting()
        for rate in (0.5, 0.25):
            counting.scaled(one, rate)
        counting.scaled(one, 0.5)  # which the cache serves
        by_keyword(one, kind=Attrs(one))
        by_keyword(one, kind=Nested(one))
        RATE = 0.2  # stale, as is seen later
        for function in two_of_one_line:
            function(one)
        for number in range(60):  # with the small budget: counted, not recorded one by one
            set_step(number)
            outer(one, number)
            with contextlib.suppress(ValueError):
                fails_while_traced(one, number)
        with contextlib.suppress(tf.errors.InvalidArgumentError):
            fails_when_run(one)
        holds_a_table(one)
        reads_a_tensor(one)
        TENSOR = tf.constant(2.0)
        reads_a_tensor(tf.ones([1]))
        deep(call_site._MAX_FRAMES + 5, lambda: by_keyword(tf.ones([1])))
        with mock.patch.object(graph_writer.GraphWriter, "store", side_effect=OSError("no space")):
            by_keyword(tf.ones([2]))
        any_size = compiled.get_concrete_function(tf.TensorSpec([None], tf.float32))
        for size in (2, 3):
            any_size(tf.ones([size]))
            variable = tf.Variable(tf.ones([size]))
            with tf.GradientTape() as tape:
                loss = compiled_for_all(variable)
            tape.gradient(loss, variable)
        first_ones = tf.function(undecorated, jit_compile=True)
        tf.function(functools.partial(undecorated, size=tf.constant(1)))(tf.ones([3]))
        OfItsClass.method(one)
        for _ in range(2):  # as a module that is reloaded
            scope = {"tf": tf}
            exec(compile("@tf.function\ndef loaded(x): return x", "loaded_again.py", "exec"), scope)
            scope["loaded"](one)
        model = keras.Sequential([keras.layers.Dense(1)])
        for _ in range(2):
            model.predict(((np.ones([1, 2]),) for _ in range(1)), verbose=0)
        for size in (1, 2):  # XLA needs it
            first_ones(tf.ones([3]), tf.constant(size))
        with contextlib.suppress(tf.errors.OpError):
            not_for_xla.get_concrete_function(tf.TensorSpec([None], tf.float32))(tf.ones([2]))
        tf.profiler.experimental.start(logdir)
        by_keyword(tf.ones([3]))
        tf.profiler.experimental.stop(save=False)
        with tf.Graph().as_default():
            by_keyword(tf.ones([4]))
        mirrored = tf.distribute.MirroredStrategy(["/cpu:0"])
        mirrored.run(by_keyword, args=(tf.ones([5]),))
        by_keyword(tf.ones([6]))
        by_keyword(tf.ones([7]))  # its first execution is written with the end
        tf.config.run_functions_eagerly(True)
    tf.config.run_functions_eagerly(False)


if __name__ == "__main__":
    repetition.MAX_ALIKE = 5
    lookup_time.FEWEST = 1
    provoke(sys.argv[1])
