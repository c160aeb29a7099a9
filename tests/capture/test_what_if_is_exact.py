"""What-if holds: what it says of a change is what TensorFlow does when the function is declared or called that way."""

from __future__ import annotations

import collections
from typing import Any

import pytest
import tensorflow as tf
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from tensorflow.core.function.polymorphism.function_type import FunctionType
from tensorflow.python.eager.polymorphic_function import function_type_utils

from tb_retrace_plugin.analysis.pages.what_if import Change, what_if
from tb_retrace_plugin.capture import tf_seam
from tb_retrace_plugin.capture.record.signatures import SignatureReader
from tb_retrace_plugin.explain.what_if.candidate import Candidate
from tb_retrace_plugin.explain.what_if.declared import refusals
from tb_retrace_plugin.explain.what_if.input_signature import parse_input_signature
from tb_retrace_plugin.explain.what_if.replay import Lookup, replay
from tb_retrace_plugin.schema.signature import Signature
from tests.support.recorded_calls import function_of
from tests.support.tensorflow_version import examples

#: 500 functions that are declared and called, and 250 whose arguments are changed.
DECLARED, CHANGED = (
    settings(max_examples=examples(cases), deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
    for cases in (500, 250)
)
Point = collections.namedtuple("Point", ["x", "y"])
Other = collections.namedtuple("Other", ["x", "y"])


def body(x: Any, y: Any) -> tf.Tensor:
    return tf.constant(0)


POLYMORPHIC = FunctionType.from_callable(body)


def signature_of(reader: SignatureReader, args: tuple[Any, ...]) -> Signature:
    """As the recorder reads it."""
    bound = function_type_utils.canonicalize_function_inputs(args, {}, POLYMORPHIC, {})
    kind, context = function_type_utils.make_canonicalized_monomorphic_type(bound.args, bound.kwargs, {}, POLYMORPHIC)
    return reader.read(kind, None, POLYMORPHIC, tf_seam.variables_passed(context)[0])


# --- an input signature: which calls it takes ---

shape_codes = st.sampled_from(["None", "[]", "[None]", "[2]", "[None, 2]", "[2, 2]", "(1, None)"])
spec_codes = st.one_of(
    st.builds("tf.TensorSpec({}, tf.{})".format, shape_codes, st.sampled_from(["float32", "int32", "string", "uint8"])),
    st.builds("tf.TensorSpec({})".format, shape_codes),
    st.sampled_from(
        [
            "tf.TensorSpec(shape=[None], dtype=tf.bool, name='m')",
            "tf.TensorSpec([], tf.complex64)",
            "tf.TensorSpec([None], 'float16')",
            "tf.RaggedTensorSpec([None, None])",
            "tf.RaggedTensorSpec([2, None], tf.float32, 1)",
            "tf.RaggedTensorSpec([None, None], tf.int32, ragged_rank=1, row_splits_dtype=tf.int64)",
            "tf.RaggedTensorSpec([None, None], row_splits_dtype=tf.int32)",
            "tf.SparseTensorSpec([None, 2])",
            "tf.SparseTensorSpec([2, 2], tf.float32)",
            "tf.IndexedSlicesSpec([None, 2], tf.float32, tf.int32)",
            "tf.IndexedSlicesSpec([9, 2], tf.float32, tf.int32, tf.int32, [None])",
            "tf.IndexedSlicesSpec()",
            "tf.OptionalSpec(tf.TensorSpec([None], tf.float32))",
        ]
    ),
)
codes = st.recursive(
    spec_codes,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=2).map(lambda items: f"[{', '.join(items)}]"),
        st.lists(inner, min_size=1, max_size=2).map(lambda items: f"({', '.join(items)},)"),
        st.builds("{{'a': {}, 'b': {}}}".format, inner, inner),
        st.builds("{{'a': {}}}".format, inner),
        st.builds("Point({}, y={})".format, inner, inner),
    ),
    max_leaves=2,
)
tensors = st.builds(
    lambda shape, dtype: tf.zeros(shape, dtype),
    st.sampled_from([[], [1], [2], [1, 2], [2, 2], [3, 2]]),
    st.sampled_from([tf.float32, tf.float32, tf.int32, tf.string]),
)


def slices(count: int, is_dense: bool) -> tf.IndexedSlices:
    return tf.IndexedSlices(tf.ones([count, 2]), tf.range(count), tf.constant([9, 2]) if is_dense else None)


optional = tf.experimental.Optional.from_value
arguments = st.recursive(
    st.one_of(
        tensors,
        tensors,
        st.sampled_from([0, 1, 0.5, 2.0, True, "a", b"a", None, 1j]),
        st.sampled_from([tf.Variable([1.0]), tf.Variable(1, trainable=False), tf.Variable([3.0, 4.0], shape=[None])]),
        st.sampled_from([tf.ragged.constant([[1.0], [2.0]]), tf.ragged.constant([[1, 2], []])]),
        st.just(tf.ragged.constant([[1.0], [2.0]], row_splits_dtype=tf.int32)),
        st.sampled_from([tf.sparse.from_dense([[1.0, 0.0]]), tf.sparse.from_dense([[1.0, 0.0], [0.0, 1.0]])]),
        st.builds(slices, st.sampled_from([1, 2]), st.booleans()),
        st.builds(optional, tensors),
        st.sampled_from(
            [[1, 2], [1.0, 2], [[1.0, 2.0], [3.0, 4.0]], [[1.0], [2.0, 3.0]], (1, 2), [True, 2], ["a"], []]
        ),
    ),
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=2),
        st.lists(inner, min_size=1, max_size=2).map(tuple),
        st.fixed_dictionaries({"a": inner}, optional={"b": inner}),
        st.builds(Point, inner, inner),
        st.builds(Other, inner, inner),
    ),
    max_leaves=2,
)
NUMBERS = {
    "float32": [1, 0.5, True],
    "int32": [1, True, 0.5],
    "complex64": [1j, 1],
    "string": ["a", b"a"],
}


@st.composite
def fitting(draw: Any, code: str) -> Any:
    """Mostly something of the structure that the code declares: random calls would nearly all be refused."""
    return build(draw, eval(code, {"tf": tf, "Point": Point}))


def build(draw: Any, spec: Any) -> Any:
    if draw(st.integers(0, 9)) == 0:
        return draw(arguments)
    if isinstance(spec, Point):
        return Point(build(draw, spec.x), build(draw, spec.y))
    if isinstance(spec, list | tuple):
        return type(spec)([build(draw, item) for item in spec])
    if isinstance(spec, dict):
        return {key: build(draw, item) for key, item in reversed(spec.items())}
    if isinstance(spec, tf.RaggedTensorSpec):
        rows = [[1, 2]] * draw(st.sampled_from([1, 2]))
        return tf.ragged.constant(rows, spec.dtype, row_splits_dtype=draw(st.sampled_from([tf.int64, tf.int32])))
    if isinstance(spec, tf.SparseTensorSpec):
        return tf.sparse.from_dense(tf.ones([draw(st.sampled_from([1, 2])), 2]))
    if isinstance(spec, tf.IndexedSlicesSpec):
        return slices(draw(st.sampled_from([1, 2])), draw(st.booleans()))
    if isinstance(spec, tf.OptionalSpec):
        return optional(tf.zeros([draw(st.sampled_from([1, 2]))]))
    dims = [2] * draw(st.integers(0, 2)) if spec.shape.rank is None else spec.shape.as_list()
    shape = [draw(st.sampled_from([1, 2])) if d is None else d for d in dims]
    how = draw(st.integers(0, 5))
    if how == 0 and spec.dtype.name in NUMBERS:
        value = draw(st.sampled_from(NUMBERS[spec.dtype.name]))
        for size in reversed(shape):
            value = [value] * size
        return value
    if how == 1 and spec.dtype == tf.float32:
        return tf.Variable(tf.zeros(shape))
    return tf.zeros(shape, spec.dtype)


@st.composite
def declared_calls(draw: Any) -> tuple[list[str], list[tuple[Any, Any]]]:
    entries = [draw(codes), draw(st.sampled_from(["tf.TensorSpec([])", draw(codes)]))]
    calls = [(draw(fitting(entries[0])), draw(fitting(entries[1]))) for _ in range(draw(st.integers(1, 3)))]
    return entries, calls


_BY_PARTS = "SparseTensor", "RaggedTensor", "IndexedSlices", "Optional"


@DECLARED
@given(declared_calls())
def test_the_calls_that_an_input_signature_takes(drawn: tuple[list[str], list[tuple[Any, Any]]]) -> None:
    entries, calls = drawn
    assume(not any(mixes_dtypes(value) for args in calls for value in args))
    code = f"[{', '.join(entries)}]"
    declared = tf.function(body, autograph=False, input_signature=eval(code, {"tf": tf, "Point": Point}))
    reader = SignatureReader()
    specs = parse_input_signature(code)
    signatures = [signature_of(reader, args) for args in calls]
    refused = []
    for args, signature in zip(calls, signatures, strict=True):
        try:
            declared(*args)
            refused.append(False)
        except (TypeError, ValueError):
            refused.append(True)
        predicted = bool(refusals(specs, signature))
        if predicted and any(f"{word}Spec" in code for word in _BY_PARTS):
            refused[-1] = predicted  # TensorFlow looks at their parts alone and lets other shapes pass
        # a variable of unknown dimensions is read: what they are at a call is not recorded
        assume(predicted or not refused[-1] or not any(holds_unknown_dimensions(value) for value in args))
        assert predicted == refused[-1], (code, args, refusals(specs, signature))
    answer = what_if(function_of(distinct(signatures)), Change(input_signature=code))
    assert answer["traces_after"] == int(not all(refused)) <= declared.experimental_get_tracing_count()
    if not all(refused):
        assert declared.experimental_get_tracing_count() == 1


def holds_unknown_dimensions(value: Any) -> bool:
    if isinstance(value, list | tuple | dict):
        return any(map(holds_unknown_dimensions, value.values() if isinstance(value, dict) else value))
    return isinstance(value, tf.Variable) and not value.shape.is_fully_defined()


def mixes_dtypes(value: Any) -> bool:
    """A list of tensors of several dtypes: whether it makes one tensor depends on more than types."""
    if isinstance(value, dict):
        return any(map(mixes_dtypes, value.values()))
    if not isinstance(value, list | tuple):
        return False
    return any(map(mixes_dtypes, value)) or len({x.dtype for x in value if isinstance(x, tf.Tensor | tf.Variable)}) > 1


def distinct(signatures: list[Signature]) -> list[Lookup]:
    """Those that an undeclared function would trace."""
    lookups = [Lookup(signature) for signature in signatures]
    stays = replay(lookups)
    assert stays is not None
    return [lookup for lookup, traced in zip(lookups, stays, strict=True) if traced]


# --- unknown dimensions, numbers as tensors, reduce_retracing: how many traces remain ---

small = st.lists(st.sampled_from([1, 2, 3]), max_size=2)
OPENED = [(), ("x",), ("x[0]",), ("x[-1]",), ("y['a'][1]",), ("x[0]", "y['a']")]


@st.composite
def plain_calls(draw: Any) -> list[tuple[Any, Any]]:
    """Each with one thing other than in the one before."""

    def shape(old: list[int]) -> list[int]:
        return [draw(st.sampled_from([1, 2, 3])), *old[1:]] if draw(st.integers(0, 3)) else draw(small)

    x, a, dtype, step, how = draw(small), draw(small), tf.float32, 0, "s"
    calls = []
    for _ in range(draw(st.integers(2, 8))):
        calls.append((tf.zeros(x, dtype), {"a": tf.zeros(a), "step": step, "how": how}))
        which = draw(st.integers(0, 10))
        if which < 4:
            x = shape(x)
        elif which < 7:
            a = shape(a)
        elif which < 9:
            step = draw(st.integers(0, 3))
        elif which == 9:
            dtype = draw(st.sampled_from([tf.float32, tf.int32]))
        else:
            how = draw(st.sampled_from("st"))
    return calls


def changed(value: Any, path: str, opened: tuple[str, ...], numbers: bool) -> Any:
    """What the changed program would pass: a TensorSpec where dimensions are unknown."""
    if isinstance(value, dict):
        return {key: changed(item, f"{path}[{key!r}]", opened, numbers) for key, item in value.items()}
    if isinstance(value, int) and numbers:
        return tf.TensorSpec([], tf.int32)
    if not isinstance(value, tf.Tensor):
        return value
    dims: list[int | None] = value.shape.as_list()
    for text in opened:
        if text == path:
            dims = [None] * len(dims)
        elif text.startswith(f"{path}[") and -len(dims) <= (d := int(text[len(path) + 1 : -1])) < len(dims):
            dims[d] = None
    return tf.TensorSpec(dims, value.dtype)


@CHANGED
@given(plain_calls(), st.sampled_from(OPENED), st.booleans(), st.booleans(), st.booleans())
def test_the_traces_that_remain(
    calls: list[tuple[Any, Any]], opened: tuple[str, ...], numbers: bool, reduces: bool, before: bool
) -> None:
    reader = SignatureReader()
    traced = recorded(calls, before)
    lookups = [Lookup(signature_of(reader, args), reduce_retracing=before) for args in traced]
    ranks = {"x": max(len(x.shape) for x, _ in traced), "y['a']": max(len(y["a"].shape) for _, y in traced)}
    opened = tuple(text for text in opened if _exists(text, ranks))
    tensors = ("y['step']",) if numbers else ()
    assume(opened or tensors or reduces)  # what changes nothing is no case
    answer = what_if(function_of(lookups), Change(reduce_retracing=reduces, unknown=opened, tensors=tensors))
    relaxed = tf.function(body, autograph=False, reduce_retracing=reduces or before)
    for x, y in calls:
        relaxed.get_concrete_function(changed(x, "x", opened, numbers), changed(y, "y", opened, numbers))
    assert answer["traces_after"] == relaxed.experimental_get_tracing_count(), (calls, opened, numbers, reduces)
    assert answer["served"] == len(lookups) - answer["traces_after"]
    assert answer["seconds_saved"] == pytest.approx(answer["served"])


class Beta(tf.experimental.ExtensionType):
    a: tf.Tensor
    name: str = "beta"


OPERATORS = {
    "of two": lambda: tf.linalg.LinearOperatorDiag([1.0, 2.0]),
    "of three": lambda: tf.linalg.LinearOperatorDiag([1.0, 2.0, 3.0]),
    "of two, positive": lambda: tf.linalg.LinearOperatorDiag([1.0, 2.0], is_positive_definite=True),
    "scaled": lambda: tf.linalg.LinearOperatorScaledIdentity(2, 3.0),
    "beta": lambda: Beta(tf.ones([2])),
}


@CHANGED
@given(st.lists(st.tuples(small, st.sampled_from([*OPERATORS])), min_size=2, max_size=6), st.booleans())
def test_what_remains_beside_a_composite_of_a_librarys(calls: list[tuple[list[int], str]], is_one: bool) -> None:
    """Such as a distribution. What two of them have in common is not known, and no number is given for it."""
    kinds = {calls[0][1] if is_one else kind for _, kind in calls}
    passed = [(tf.zeros(shape), OPERATORS[calls[0][1] if is_one else kind]()) for shape, kind in calls]
    reader, plain = SignatureReader(), tf.function(body, autograph=False)
    lookups = []
    for args in passed:
        count = plain.experimental_get_tracing_count()
        plain.get_concrete_function(*args)
        if plain.experimental_get_tracing_count() > count:
            lookups.append(Lookup(signature_of(reader, args)))
    relaxed = tf.function(body, autograph=False, reduce_retracing=True)
    for args in passed:
        relaxed.get_concrete_function(*args)
    stays = replay(lookups, Candidate(reduce_retracing=True))
    assert stays is not None or len(kinds) > 1, calls
    assert stays is None or sum(stays) == relaxed.experimental_get_tracing_count(), calls


def recorded(calls: list[tuple[Any, Any]], before: bool) -> list[tuple[Any, Any]]:
    """The calls that trace."""
    function = tf.function(body, autograph=False, reduce_retracing=before)
    found = []
    for args in calls:
        count = function.experimental_get_tracing_count()
        function.get_concrete_function(*args)
        if function.experimental_get_tracing_count() > count:
            found.append(args)
    return found


def _exists(text: str, ranks: dict[str, int]) -> bool:
    if text in ranks:
        return True
    head, _, last = text.rpartition("[")
    return -ranks[head] <= int(last[:-1]) < ranks[head]
