"""Advice holds: what it promises is what TensorFlow does when the function is declared, or called, as it says.

Random calls: those that trace are what a recording has; `what_if` replays them under a change, and TensorFlow runs all
of the calls, the cached ones too, with the change made. Then whole programs, with the advice's own code put in.
"""

from __future__ import annotations

import collections
import contextlib
import io
import itertools
import runpy
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tensorflow.core.function import trace_type
from tensorflow.core.function.polymorphism.function_type import FunctionType
from tensorflow.python.eager.polymorphic_function import function_type_utils

from tb_retrace_plugin.analysis.for_advice.advice import advice_of
from tb_retrace_plugin.analysis.sessions.store import Store
from tb_retrace_plugin.capture import tf_seam
from tb_retrace_plugin.capture.record.signatures import SignatureReader
from tb_retrace_plugin.events.files import read_logdir
from tb_retrace_plugin.explain.advice.evidence.facts import Advice
from tb_retrace_plugin.explain.advice.source.code import signature_code
from tb_retrace_plugin.explain.differences.diff import diff_signatures
from tb_retrace_plugin.explain.what_if.candidate import Candidate
from tb_retrace_plugin.explain.what_if.replay import Lookup, common_arguments, replay, reproduces
from tb_retrace_plugin.schema.signature import Signature, iter_leaves
from tests.capture.conftest import RecordFixture
from tests.support.advised_source import DECORATOR, METHODS, Edit, advised
from tests.support.tensorflow_version import examples

SETTINGS = settings(
    max_examples=examples(200), deadline=None, suppress_health_check=list(HealthCheck), derandomize=True
)

Point = collections.namedtuple("Point", ["x", "y"])


class Plain:
    """Compared by identity."""


class Masked(tf.experimental.ExtensionType):
    values: tf.Tensor
    label: str


OBJECTS = [Plain(), Plain(), len]
VARIABLES = [tf.Variable([1.0]), tf.Variable([2.0]), tf.Variable([3.0]), tf.Variable([3.0, 4.0], shape=[None])]


def body(x: Any, y: Any) -> tf.Tensor:
    return tf.constant(0)


POLYMORPHIC = FunctionType.from_callable(body)


def signature_of(reader: SignatureReader, args: tuple[Any, ...]) -> Signature:
    """As the recorder reads it."""
    bound = function_type_utils.canonicalize_function_inputs(args, {}, POLYMORPHIC, {})
    kind, context = function_type_utils.make_canonicalized_monomorphic_type(bound.args, bound.kwargs, {}, POLYMORPHIC)
    return reader.read(kind, None, POLYMORPHIC, tf_seam.variables_passed(context)[0])


def traced_calls(function: Any, calls: list[tuple[Any, ...]], how: Callable[..., Any] | None = None) -> list[bool]:
    """Whether TensorFlow traced each of the calls, in this order."""
    flags = []
    for args in calls:
        before = function.experimental_get_tracing_count()
        (how or function.get_concrete_function)(*args)
        flags.append(function.experimental_get_tracing_count() > before)
    return flags


def recorded(calls: list[tuple[Any, ...]], *, reduce_retracing: bool = False) -> list[Lookup]:
    """The lookups of the calls that trace."""
    function = tf.function(body, autograph=False, reduce_retracing=reduce_retracing)
    flags = traced_calls(function, calls)
    reader = SignatureReader()
    signatures = [signature_of(reader, args) for args in calls]
    lookups = [
        Lookup(signature, reduce_retracing=reduce_retracing)
        for signature, traced in zip(signatures, flags, strict=True)
        if traced
    ]
    assert reproduces(lookups)
    return lookups


dims = st.sampled_from([1, 2, 3])
shapes = st.lists(dims, max_size=2)
specs = st.builds(
    tf.TensorSpec,
    st.one_of(st.none(), st.lists(st.sampled_from([1, 2, None]), max_size=2)),
    st.sampled_from([tf.float32, tf.int32]),
)
leaves = st.one_of(
    specs,
    specs,
    st.builds(lambda shape: np.zeros(shape, np.float32), shapes),
    st.builds(tf.TensorSpec, shapes, st.just(tf.float32), st.sampled_from(["a", "b", None])),
    st.sampled_from([0, 1, 1.0, True, None, "a"]),
    st.sampled_from(OBJECTS),
    st.sampled_from(VARIABLES),
    st.sampled_from(VARIABLES),
    st.builds(lambda rows: tf.RaggedTensorSpec([rows, None]), st.sampled_from([1, 2, None])),
    st.builds(lambda n, label: Masked(tf.zeros([n]), label), dims, st.sampled_from(["a", "b"])),
)
values = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, max_size=2),
        st.lists(inner, max_size=2).map(tuple),
        st.dictionaries(st.sampled_from(["b", "a"]), inner, max_size=2),
        st.builds(Point, inner, inner),
    ),
    max_leaves=4,
)


def varied(draw: Any, value: Any, change: Callable[[Any, Any], Any]) -> Any:
    """The same structure with `change` made to its leaves."""
    if isinstance(value, Point):
        return Point(varied(draw, value.x, change), varied(draw, value.y, change))
    if isinstance(value, list | tuple):
        return type(value)([varied(draw, v, change) for v in value])
    if isinstance(value, dict):
        items = list(value.items())
        return {k: varied(draw, v, change) for k, v in (draw(st.permutations(items)) if draw else items)}
    return change(draw, value)


def other_leaf(draw: Any, value: Any) -> Any:
    """Mostly another shape, sometimes anything."""
    if draw(st.integers(0, 5)) == 0:
        return draw(leaves)
    if isinstance(value, tf.TensorSpec) and draw(st.booleans()):
        return tf.TensorSpec(draw(shapes), value.dtype, value.name)
    if isinstance(value, np.ndarray) and draw(st.booleans()):
        return np.zeros(draw(shapes), value.dtype)
    if isinstance(value, tf.Variable):
        return draw(st.sampled_from(VARIABLES))
    return value


@st.composite
def call_sequences(draw: Any) -> list[tuple[Any, Any]]:
    base = draw(values), draw(values)
    calls = [base]
    for _ in range(draw(st.integers(1, 7))):
        origin = draw(st.sampled_from(calls))
        calls.append((varied(draw, origin[0], other_leaf), varied(draw, origin[1], other_leaf)))
    return calls


@SETTINGS
@given(call_sequences(), st.booleans())
def test_reduce_retracing_is_predicted(calls: list[tuple[Any, Any]], before: bool) -> None:
    lookups = recorded(calls, reduce_retracing=before)
    predicted = replay(lookups, Candidate(reduce_retracing=True))
    assert predicted is not None
    relaxed = tf.function(body, autograph=False, reduce_retracing=True)
    assert sum(traced_calls(relaxed, calls)) == sum(predicted), calls


@SETTINGS
@given(call_sequences())
def test_what_serves_is_what_the_diff_says(calls: list[tuple[Any, Any]]) -> None:
    reader = SignatureReader()
    for cached, wanted in itertools.pairwise(calls):
        pair = [Lookup(signature_of(reader, cached)), Lookup(signature_of(reader, wanted))]
        predicted = replay(pair)
        assert predicted == [True, bool(diff_signatures(pair[0].signature, pair[1].signature))]


rows = st.lists(st.integers(0, 2), min_size=1, max_size=3)
sequences = st.one_of(
    rows,
    rows.map(tuple),
    st.lists(rows, min_size=1, max_size=2),  # of several lengths, they make no tensor
    st.lists(st.one_of(rows, st.just("a")), min_size=1, max_size=2),
    st.lists(st.integers(1, 3), min_size=1, max_size=2).map(lambda shape: tf.zeros(shape, tf.int32)),
)


def stacked(value: Any) -> Any:
    if tf.is_tensor(value):
        return value
    try:
        return tf.constant(value, tf.int32)
    except (TypeError, ValueError):
        return value


@SETTINGS
@given(st.lists(st.tuples(sequences, st.sampled_from([0, 1])), min_size=1, max_size=7))
def test_lists_of_numbers_as_tensors_are_predicted(calls: list[tuple[Any, Any]]) -> None:
    predicted = replay(recorded(calls), Candidate(stacked={"x": "int32"}))
    assert predicted is not None
    as_tensors = [(stacked(x), y) for x, y in calls]
    assert sum(traced_calls(tf.function(body, autograph=False), as_tensors)) == sum(predicted), calls


# --- input signatures ---

tensors = st.builds(lambda shape, dtype: tf.zeros(shape, dtype), shapes, st.sampled_from([tf.float32, tf.int32]))
ragged = st.builds(lambda rows: tf.RaggedTensor.from_row_lengths(tf.zeros([rows]), [1] * rows), dims)
sparse = st.builds(lambda n: tf.sparse.from_dense(tf.ones([n, 2])), dims)
numbers = st.one_of(st.integers(0, 3), st.sampled_from([0.0, 0.5, 2.0]))
declared = st.recursive(
    st.one_of(tensors, tensors, tensors, ragged, sparse, numbers),
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=2),
        st.lists(inner, min_size=1, max_size=2).map(tuple),
        st.dictionaries(st.sampled_from(["b", "a"]), inner, min_size=1, max_size=2),
        st.builds(Point, inner, inner),
    ),
    max_leaves=3,
)


def other_value(draw: Any, value: Any) -> Any:
    """Of the same dtype, in another shape; another number."""
    if isinstance(value, tf.RaggedTensor):
        return draw(ragged)
    if isinstance(value, tf.SparseTensor):
        return draw(sparse)
    if isinstance(value, tf.Tensor):
        return tf.zeros(draw(shapes), value.dtype)
    return draw(st.integers(0, 3)) if isinstance(value, int) else draw(st.sampled_from([0.5, 2.0]))


@st.composite
def declared_calls(draw: Any) -> list[tuple[Any, Any]]:
    base = draw(declared), draw(declared)
    more = [tuple(varied(draw, value, other_value) for value in base) for _ in range(draw(st.integers(1, 5)))]
    return [base, *more]


def number_paths(signature: Signature) -> dict[str, str]:
    found = {}
    for path, node in signature.arguments:
        for leaf_path, leaf in iter_leaves(path, node):
            if leaf.kind == "literal":
                found[leaf_path] = "int32" if leaf.type_name == "int" else "float32"
    return found


@SETTINGS
@given(declared_calls())
def test_an_input_signature_is_predicted_and_minimal(calls: list[tuple[Any, Any]]) -> None:
    lookups = recorded(calls)
    wanted = Candidate(numbers=number_paths(lookups[0].signature))
    arguments = common_arguments([lookup.signature for lookup in lookups], wanted)
    assert arguments is not None
    code = signature_code(arguments)
    assert code is not None, arguments
    predicted = replay(lookups, Candidate(numbers=wanted.numbers, input_signature=arguments))
    assert predicted is not None
    decorator = eval(code.removeprefix("@"), {"tf": tf, "Point": Point})
    relaxed = decorator(body)
    assert sum(traced_calls(relaxed, calls, relaxed)) == sum(predicted) == 1, (code, calls)
    # no narrower one: TensorFlow's own common supertype of all that was passed, numbers as tensors
    passed = [tuple(varied(None, value, as_tensor) for value in args) for args in calls]
    types = [constraints(args) for args in passed]
    common = [first.most_specific_common_supertype(list(rest)) for first, *rest in zip(*types, strict=True)]
    assert constraints(tuple(relaxed.input_signature)) == common, code


def as_tensor(_: Any, value: Any) -> Any:
    return tf.constant(value) if isinstance(value, int | float) else value


def constraints(args: tuple[Any, ...]) -> list[Any]:
    context = trace_type.InternalTracingContext(is_legacy_signature=True)
    return [trace_type.from_value(value, context) for value in args]


# --- whole programs ---


@dataclass(frozen=True)
class Program:
    """`rule`: of the advice taken. `edits`, `own`: as in `advised_source.advised`. `traces`: before and after."""

    source: str
    rule: str
    edits: tuple[Edit, ...]
    traces: tuple[int, int]
    own: tuple[Edit, ...] = ()
    function: str = "f"


ONCE_MORE = "for number in range(3):\n    f(tf.ones([number + 1"

PROGRAMS = {
    "nested structures": Program(
        """
@tf.function
def f(batch, pair):
    return tf.reduce_sum(batch["image"]) + tf.reduce_sum(pair[0]) + tf.reduce_sum(pair[1])

for n in (2, 3, 4):
    f({"image": tf.ones([n, 4]), "mask": tf.ones([n])}, (tf.ones([n]), [tf.ones([2])][0]))
""",
        "input_signature",
        (("@tf.function", DECORATOR),),
        (3, 1),
    ),
    "a flag that is a tensor in some calls": Program(
        """
@tf.function
def f(x, done):
    if done:
        return x
    return x + 1.0

for done in (False, tf.constant(True), True, tf.constant(False)):
    f(tf.constant(1.0), done)
""",
        "tensor_for_python_bool",
        (("f(tf.constant(1.0), done)", "f(tf.constant(1.0), tf.constant(done))"),),
        (3, 1),
    ),
    "a flag that no tensor can be": Program(
        """
@tf.function
def f(x, training=False):
    if training:
        y = x * 2.0
    else:
        z = x * 3.0
    return y if training is True else z

for training in (True, False, tf.constant(True), tf.constant(False)):
    with contextlib.suppress(ValueError):
        f(tf.constant(1.0), training)
""",
        "python_bool",
        (("f(tf.constant(1.0), training)", "f(tf.constant(1.0), bool(training))"),),
        (4, 2),
    ),
    "sizes in a list of some calls beside another shape": Program(
        """
@tf.function
def f(x, size):
    return tf.reduce_sum(x) + tf.cast(size[0] + size[1], tf.float32)

for length, size in ((3, (8, 8)), (4, (8, 12)), (3, [8, 8])):
    f(tf.ones([length]), size)
""",
        "same_structure+input_signature",
        (("@tf.function", DECORATOR), ("f(tf.ones([length]), size)", "f(tf.ones([length]), tuple(size))")),
        (3, 1),
    ),
    "a flag that is None in some calls": Program(
        """
@tf.function
def f(x, training=None):
    return tf.nn.dropout(x, 0.5) if training else x + 1.0

for flags in ({}, {"training": False}, {"training": True}):
    f(tf.constant(1.0), **flags)
""",
        "bool_for_none",
        (("training=None)", "training=False)"),),
        (3, 2),
    ),
    "a list of variables that is a tuple in some calls": Program(
        """
online = [tf.Variable([1.0]), tf.Variable([2.0])]
target = [tf.Variable([3.0]), tf.Variable([4.0])]

@tf.function
def f(weights):
    return weights[0] + weights[1]

for weights in (online, tuple(target), target):
    f(weights)
""",
        "same_structure",
        (("f(weights)\n", "f(list(weights))"),),
        (2, 1),
    ),
    "a literal beside a changing shape": Program(
        """
@tf.function
def f(x, how):
    return tf.reduce_sum(x) if how == "sum" else tf.reduce_mean(x)

for n in range(1, 7):
    f(tf.ones([n]), "sum")
""",
        "input_signature",
        (("@tf.function", DECORATOR), ("how='sum'", "how='sum'")),
        (6, 1),
        own=(("def f(x, how):", "def f(x, how='sum'):"),),
    ),
    "defaults beside a last batch": Program(
        """
@tf.function
def f(x, scale=2.0, *, training):
    return tf.reduce_sum(x) * scale if training else x

for x in tf.data.Dataset.from_tensor_slices(tf.ones([19, 3])).batch(8):
    f(x, training=True)
f(x, 2.0, training=True)
""",
        "input_signature",
        (("@tf.function", DECORATOR), ("scale=2.0, *, training=True):", "scale=2.0, *, training=True):")),
        (2, 1),
        own=(("scale=2.0, *, training):", "scale=2.0, *, training=True):"),),
    ),
    "lists in some calls and tensors in others": Program(
        """
@tf.function
def f(x):
    return tf.reduce_sum(tf.cast(x, tf.float32))

for row in ([1, 2], [3, 4, 5], [[1, 2], [3, 4]][1]):
    f(row)
for row in ([1, 2, 3], [4, 5, 6, 7]):
    f(tf.constant(row, tf.int64))
""",
        "tensor_for_python_sequence+input_signature",
        (("@tf.function", DECORATOR), ("f(row)", "f(tf.constant(row, tf.int64))")),
        (5, 1),
    ),
    "two dtypes and many shapes": Program(
        """
@tf.function
def f(x):
    return tf.reduce_sum(x)

for n in (2, 3, 4):
    f(tf.ones([n, 3], tf.float64))
f(tf.ones([5, 3]))
""",
        "one_dtype+input_signature",
        (("@tf.function", DECORATOR), ("f(tf.ones([5, 3]))", "f(tf.cast(tf.ones([5, 3]), tf.float64))")),
        (4, 1),
    ),
    "an object beside a last batch": Program(
        """
@tf.function
def f(x, how):
    return how(x)

for x in tf.data.Dataset.from_tensor_slices(tf.ones([19, 3])).batch(8):
    f(x, tf.reduce_sum)
""",
        "pad_to_one_shape",
        ((".batch(8)", ".batch(8, drop_remainder=True)"),),
        (2, 1),
    ),
    "an object beside a changing shape": Program(
        """
@tf.function
def f(x, how):
    return how(x)

# before
for n in range(1, 7):
    f(tf.ones([n]), tf.reduce_sum)
""",
        "trace_beforehand",
        (("# before", "f.get_concrete_function(tf.TensorSpec([None], tf.float32), tf.reduce_sum)"),),
        (6, 1),
    ),
    "a number and a shape that change together": Program(
        """
@tf.function
def f(x, step, how):
    return how(x) * tf.cast(step, tf.float32)

# before
for step in range(5):
    f(tf.ones([step + 1]), step, tf.reduce_sum)
""",
        "tensor_for_python_number+trace_beforehand",
        (
            (
                "# before",
                "f.get_concrete_function(tf.TensorSpec([None], tf.float32), tf.TensorSpec([], tf.int32),"
                " tf.reduce_sum)",
            ),
            ("f(tf.ones([step + 1]), step, tf", "f(tf.ones([step + 1]), tf.constant(step), tf"),
        ),
        (5, 1),
    ),
    "a number and a shape, all of it declared": Program(
        """
@tf.function
def f(x, step):
    return tf.reduce_sum(x) * tf.cast(step, tf.float32)

for step in range(5):
    f(tf.ones([step + 1]), step)
""",
        "input_signature",
        (("@tf.function", DECORATOR),),
        (5, 1),
    ),
    "a step counter": Program(
        """
@tf.function
def f(x, step):
    return x * tf.cast(step, tf.float32)

for step in range(6):
    y = f(tf.ones([2]), step=step)
""",
        "tensor_for_python_number",
        (("y = f(tf.ones([2]), step=step)", "y = f(tf.ones([2]), step=tf.constant(step))"),),
        (6, 1),
    ),
    "numbers of two types": Program(
        """
@tf.function
def f(rate):
    return tf.constant(2.0) * rate

for rate in (1, 0.5, 2, 0.25):
    f(rate)
""",
        "tensor_for_python_number",
        (("f(rate)\n", "f(tf.constant(rate, tf.float32))"),),
        (4, 1),
    ),
    "dtypes": Program(
        """
@tf.function
def f(x):
    return x + tf.constant(0.5)

for dtype in (tf.int32, tf.float32, tf.int64):
    x = tf.constant([1, 2], dtype)
    with contextlib.suppress(TypeError):
        f(x)
""",
        "one_dtype",
        (("f(x)\n", "f(tf.cast(x, tf.float32))\n"),),
        (3, 1),
    ),
    "a function in a loop": Program(
        """
for number in range(3):
    @tf.function
    def f(x):
        return x * x
    f(tf.constant(2.0))
""",
        "create_function_once",
        (),
        (3, 1),
        (("for number in range(3):", "if True:"), ("    f(tf.constant", "for number in range(3):\n    f(tf.constant")),
    ),
    "two causes at once": Program(
        """
for number in range(3):
    @tf.function
    def f(x):
        return tf.reduce_sum(x)
    f(tf.ones([number + 1]))
    f(tf.ones([number + 2]))
""",
        "create_function_once+input_signature",
        (("@tf.function", DECORATOR),),
        (6, 1),
        (("for number in range(3):", "if True:"), ("    f(tf.ones([number + 1", ONCE_MORE)),
    ),
    "a closed-over number": Program(
        """
def make(exponent):
    @tf.function
    def f(x):
        return x**exponent
    return f

for exponent in (1.0, 2.0, 3.0):
    make(exponent)(tf.constant(3.0))
""",
        "pass_closed_over_number",
        (("def f(x):", "def f(x, exponent):"), ("make(exponent)(tf.constant(3.0))", "f(x, tf.constant(exponent))")),
        (3, 1),
        (("for exponent in", "f = make(0.0)\nx = tf.constant(3.0)\nfor exponent in"),),
    ),
    "plain objects": Program(
        """
class Settings:
    def __init__(self, scale):
        self.scale = scale

@tf.function
def f(x, settings):
    return x * settings.scale

kept = [Settings(2.0) for _ in range(3)]
for settings in kept:
    f(tf.constant(1.0), settings)
""",
        "equal_objects",
        (("    # METHODS\n", METHODS),),
        (3, 1),
        (("        self.scale = scale\n", "        self.scale = scale\n\n    # METHODS\n"),),
    ),
    "objects that do not last": Program(
        """
class Settings:
    def __init__(self, scale):
        self.scale = scale

@tf.function
def f(x, settings):
    return x * settings.scale

for _ in range(3):
    settings = Settings(2.0)
    f(tf.constant(1.0), settings)
    del settings
    gc.collect()
""",
        "same_object",
        (),
        (3, 1),
        (
            ("for _ in range(3):\n    settings = Settings(2.0)", "settings = Settings(2.0)\nfor _ in range(3):"),
            ("    del settings\n", ""),
        ),
    ),
    "instances": Program(
        """
class Model:
    @tf.function
    def f(self, x):
        return x * 2.0

for _ in range(3):
    Model().f(tf.constant(1.0))
""",
        "one_instance",
        (),
        (3, 1),
        (("for _ in", "model = Model()\nfor _ in"), ("Model().f", "model.f")),
    ),
    "variables in every call": Program(
        """
@tf.function
def f(x):
    v = tf.Variable(2.0)
    return x * v

for n in (1, 2):
    with contextlib.suppress(ValueError):
        f(tf.ones([n]))
""",
        "create_variables_outside+input_signature",
        (("@tf.function", DECORATOR),),
        (3, 1),
        (("    v = tf.Variable(2.0)\n", ""), ("@tf.function", "v = tf.Variable(2.0)\n@tf.function")),
    ),
    "keys that come and go": Program(
        """
@tf.function
def f(batch):
    return tf.reduce_sum(batch["x"] * batch.get("mask", 1.0))

for batch in ({"x": tf.ones([2])}, {"x": tf.ones([2]), "mask": tf.ones([2])}):
    f(batch)
""",
        "same_keys",
        (("SET", "batch.setdefault('mask', tf.ones([2], tf.float32))"),),
        (2, 1),
        (("    f(batch)", "    SET\n    f(batch)"),),
    ),
    "a step made anew for each trial's variable and numbers": Program(
        """
def make(w, rate, decay):
    @tf.function
    def f(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum((x * w) ** 2) + decay * tf.reduce_sum(w**2)
        w.assign_sub(rate * tape.gradient(loss, w))
        return loss
    return f

for rate, decay in [(0.1, 0.0), (0.05, 0.01), (0.01, 0.1)]:
    w = tf.Variable(tf.ones([3]))
    f = make(w, rate, decay)
    for _ in range(2):
        loss = f(tf.ones([3]))
    assert w.numpy()[0] < 1
""",
        "pass_closed_over_tensor",
        (
            ("def f(x):", "def f(x, w, decay, rate):"),
            ("CALL", "w, tf.constant(decay), tf.constant(rate)"),
        ),
        (3, 1),
        (
            ("def make(w, rate, decay):\n", "if True:\n"),
            ("    return f\n", ""),
            ("    f = make(w, rate, decay)\n", ""),
            ("f(tf.ones([3]))", "f(tf.ones([3]), CALL)"),
        ),
    ),
    "a string that changes together with a number": Program(
        """
@tf.function
def f(x, options):
    if options["clip"] is not None:
        x = tf.clip_by_value(x, 0.0, options["clip"])
    return tf.reduce_sum(x)

for run, clip in (("a", None), ("b", 1.0), ("c", 2.0), ("d", None)):
    options = {"clip": clip, "run": run}
    f(tf.ones([3]), options)
""",
        "unused_argument+tensor_for_python_number",
        (("SET", "options['clip'] = None if options['clip'] is None else tf.constant(options['clip'], tf.float32)"),),
        (4, 2),
        (
            ('("d", None)', '("a", None)'),
            ('("c", 2.0)', '("b", 2.0)'),
            ("    f(tf.ones([3]), options)", "    SET\n    f(tf.ones([3]), options)"),
        ),
    ),
}  # fmt: skip

#: Every trace is needed or bounded, or nothing is known that would help.
NOTHING_TO_FIX = {
    "one trace": """
@tf.function
def f(x):
    return x
for value in (1.0, 2.0):
    f(tf.constant(value))
""",
    "a declared signature": """
@tf.function(input_signature=[tf.TensorSpec([None])])
def f(x):
    return x
for n in range(1, 4):
    f(tf.ones([n]))
""",
    "reduce_retracing": """
@tf.function(reduce_retracing=True)
def f(x):
    return x
for n in range(1, 6):
    f(tf.ones([n]))
""",
    "a flag and an optional argument": """
@tf.function
def f(x, training, mask=None):
    return x
for training in (True, False):
    f(tf.ones([2]), training)
f(tf.ones([2]), True, tf.ones([2]))
""",
    "a name": """
@tf.function
def f(x, how):
    return tf.reduce_sum(x) if how == "sum" else tf.reduce_mean(x)
for how in ("sum", "mean"):
    f(tf.ones([2]), how)
""",
    "a variable created once": """
v = None
@tf.function
def f(x):
    global v
    if v is None:
        v = tf.Variable(1.0)
    return x * v
for _ in range(3):
    f(tf.constant(1.0))
""",
    "a shape that cannot work": """
@tf.function
def f(a, b):
    return tf.matmul(a, b)
f(tf.ones([2, 3]), tf.ones([3, 2]))
with contextlib.suppress(ValueError):
    f(tf.ones([2, 3]), tf.ones([4, 2]))
""",
}


def run(
    source: str, name: str, tmp_path: Path, recording: RecordFixture, function: str = "f"
) -> tuple[int, list[Advice]]:
    """Traces of the function, failed ones too, and its advice."""
    program = tmp_path / f"{name}.py"  # AutoGraph reads the source
    program.write_text(f"import contextlib, gc\nimport tensorflow as tf\n{source}")
    with recording() as r, contextlib.redirect_stdout(io.StringIO()):
        runpy.run_path(str(program))
    store = Store()
    store.add(read_logdir(str(r.log_dir)))
    session = store.sessions[-1]
    groups = [group for group in session.functions.values() if group.function.name == function]
    return sum(len(group.events) for group in groups), [a for group in groups for a in advice_of(group)]


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_code_of_the_advice_gives_the_promised_traces(name: str, tmp_path: Path, recording: RecordFixture) -> None:
    program = PROGRAMS[name]
    before, found = run(program.source, "before", tmp_path, recording)
    advice = {a.rule: a for a in found}[program.rule]
    assert (before, advice.traces_before, advice.traces_after) == (*program.traces[:1], *program.traces)
    assert found[0] is advice or found[0].traces_after == advice.traces_after
    source = advised(program.source, advice.code or "", program.edits, program.own)
    assert source != program.source
    after, remaining = run(source, "after", tmp_path, recording)
    assert after == advice.traces_after, source
    if after == 1:
        assert remaining == []


@pytest.mark.parametrize("name", NOTHING_TO_FIX)
def test_no_rule_fires_where_there_is_nothing_to_fix(name: str, tmp_path: Path, recording: RecordFixture) -> None:
    _, found = run(NOTHING_TO_FIX[name], "program", tmp_path, recording)
    assert found == []
