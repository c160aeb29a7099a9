"""The heart: an explanation names the leaves that are sufficient and minimal for TensorFlow's own dispatch.

For random pairs of calls: TensorFlow says whether the graph of the first serves the second; our diff must be empty in
just that case; with every named leaf put back TensorFlow must find the cached graph, with any one left out it must not.
"""

from __future__ import annotations

import collections
import copy
import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import tensorflow as tf
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tensorflow.core.function.polymorphism.function_type import FunctionType
from tensorflow.python.eager.polymorphic_function import function_type_utils

from tb_retrace_plugin.capture import tf_seam
from tb_retrace_plugin.capture.record.signatures import SignatureReader
from tb_retrace_plugin.explain.differences.aliases import KEY_ORDER
from tb_retrace_plugin.explain.differences.diff import diff_signatures
from tb_retrace_plugin.schema.signature import METADATA, Signature
from tests.support.tensorflow_version import examples

Point = collections.namedtuple("Point", ["x", "y"])


class Plain:
    """Compared by identity."""


class Equal:
    """Compared by value."""

    def __init__(self, value: int) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Equal) and other.value == self.value

    def __hash__(self) -> int:
        return hash(self.value)


class Masked(tf.experimental.ExtensionType):
    values: tf.Tensor
    label: str


class Fields(tf.experimental.ExtensionType):
    parts: Mapping[str, tf.Tensor]
    pair: tuple[tf.Tensor, ...]


class Flat:
    """TensorFlow compares its metadata by value, its components by their types."""

    def __init__(self, left: Any, right: Any, metadata: Any) -> None:
        self.left, self.right, self.metadata = left, right, metadata

    def __tf_flatten__(self) -> tuple[Any, tuple[Any, ...]]:
        return self.metadata, (self.left, self.right)

    @classmethod
    def __tf_unflatten__(cls, metadata: Any, components: tuple[Any, ...]) -> Flat:
        return cls(*components, metadata)


OBJECTS = [Plain(), Plain(), Equal(1), Equal(1), Equal(2), Plain, len, abs]
VARIABLES = [tf.Variable(1.0), tf.Variable(2.0), tf.Variable([1.0, 2.0]), tf.Variable(1, trainable=False)]

dims = st.sampled_from([1, 2, 3, None])
shapes = st.one_of(st.none(), st.lists(dims, max_size=3))
dtypes = st.sampled_from([tf.float32, tf.int32, tf.string])
leaves = st.one_of(
    st.builds(tf.TensorSpec, shapes, dtypes),
    st.builds(lambda n: np.zeros(n, np.float32), st.integers(0, 3)),
    st.sampled_from([0, 1, 2, -1, -2, 1.0, True, False, 0.5, float("nan"), None, "a", "b", b"a", 1j, 2**61 - 1, 2**61]),
    st.sampled_from([np.float32(1), np.int64(1)]),
    st.sampled_from(OBJECTS),
    st.sampled_from(VARIABLES),
    st.sampled_from([tf.RaggedTensorSpec([2, None]), tf.RaggedTensorSpec([3, None]), tf.SparseTensorSpec([2, 2])]),
    st.builds(lambda n, label: Masked(tf.zeros([n]), label), st.integers(1, 2), st.sampled_from(["a", "b"])),
    st.builds(
        lambda parts, pair: Fields({key: tf.zeros([n]) for key, n in parts.items()}, tuple(map(tf.zeros, pair))),
        st.dictionaries(st.sampled_from(["a", "b"]), st.integers(1, 2), max_size=2),
        st.lists(st.integers(1, 2).map(lambda n: [n]), max_size=2),
    ),
)
values = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.lists(inner, max_size=3).map(tuple),
        st.dictionaries(st.sampled_from(["a", "b", "mask"]), inner, max_size=3),
        st.dictionaries(st.sampled_from([0, False, np.int64(0), 1.0, True, 0.5]), inner, max_size=3),
        st.builds(Point, inner, inner),
        st.builds(Flat, inner, inner, st.sampled_from([(), ("a",), ("b",), (-1,), (-2,), (1,), (True,), "a", None])),
    ),
    max_leaves=6,
)


def mutate(draw: Any, value: Any) -> Any:
    """A value like the given one with some parts drawn anew."""
    if draw(st.integers(0, 3)) == 0:
        return draw(values)
    if isinstance(value, Point):
        return Point(mutate(draw, value.x), mutate(draw, value.y))
    if isinstance(value, Flat):
        metadata = draw(st.sampled_from([("a",), (-1,), (True,)]))
        return Flat(mutate(draw, value.left), mutate(draw, value.right), metadata)
    if isinstance(value, list):
        return [mutate(draw, v) for v in value]
    if isinstance(value, tuple):
        return tuple(mutate(draw, v) for v in value)
    if isinstance(value, dict):
        items = draw(st.permutations(list(value.items())))
        return {k: mutate(draw, v) for k, v in items}
    return value


@st.composite
def calls(draw: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    first = {"x": draw(values), "y": draw(values), "args": draw(st.lists(leaves, max_size=2)),
             "kw": draw(st.dictionaries(st.sampled_from(["k", "training"]), leaves, max_size=2))}  # fmt: skip
    second = {name: mutate(draw, value) for name, value in first.items() if name in ("x", "y")}
    second["args"] = (
        [mutate_leaf(draw, v) for v in first["args"]] if draw(st.booleans()) else draw(st.lists(leaves, max_size=2))
    )
    second["kw"] = (
        {k: mutate_leaf(draw, v) for k, v in first["kw"].items()}
        if draw(st.booleans())
        else draw(st.dictionaries(st.sampled_from(["k", "training"]), leaves, max_size=2))
    )
    return first, second


def mutate_leaf(draw: Any, value: Any) -> Any:
    return draw(leaves) if draw(st.booleans()) else value


def traced(x: Any, y: Any, *args: Any, **kw: Any) -> None:
    raise AssertionError("never called")


POLYMORPHIC = FunctionType.from_callable(traced)


def typed(call: dict[str, Any]) -> tuple[Any, Any]:
    """TensorFlow's own FunctionType and tracing context of a call."""
    bound = function_type_utils.canonicalize_function_inputs(
        (call["x"], call["y"], *call["args"]), call["kw"], POLYMORPHIC, {}
    )
    return function_type_utils.make_canonicalized_monomorphic_type(bound.args, bound.kwargs, {}, POLYMORPHIC)


def function_type(call: dict[str, Any]) -> Any:
    return typed(call)[0]


def read(reader: SignatureReader, call: dict[str, Any]) -> Signature:
    kind, context = typed(call)
    return reader.read(kind, None, POLYMORPHIC, tf_seam.variables_passed(context)[0])


def serves(cached: dict[str, Any], wanted: dict[str, Any]) -> bool:
    """TensorFlow's own rule: exact match first, then subtyping."""
    old, new = function_type(cached), function_type(wanted)
    return bool(old == new or new.is_supertype_of(old))


ABSENT = object()


def steps(path: str) -> list[Any]:
    """`x['a'][0].label` -> ["x", "a", 0, ".label"]."""
    path = path.replace(METADATA, ".metadata")
    name, rest = re.match(r"(\w+)(.*)", path).groups()  # type: ignore[union-attr]
    result: list[Any] = [name]
    for key, attribute in re.findall(r"\[([^\]]+)\]|\.(\w+)", rest):
        result.append("." + attribute if attribute else eval(key))
    return result


def get(value: Any, path: list[Any]) -> Any:
    for step in path:
        if isinstance(step, str) and step.startswith("."):
            value = getattr(value, step[1:])
        else:
            try:
                value = value[step]
            except (KeyError, IndexError):
                return ABSENT
    return value


def put(value: Any, path: list[Any], new: Any) -> Any:
    if not path:
        return new
    step, rest = path[0], path[1:]
    if isinstance(step, str) and step.startswith("."):
        if isinstance(value, Point):
            return value._replace(**{step[1:]: put(getattr(value, step[1:]), rest, new)})
        names = ("left", "right", "metadata") if isinstance(value, Flat) else value.__annotations__
        parts = {name: getattr(value, name) for name in names}
        parts[step[1:]] = put(parts[step[1:]], rest, new)
        return type(value)(**parts)
    if isinstance(value, tuple):
        items = list(value)
        items[step] = put(items[step], rest, new)
        return tuple(items)
    value = copy.copy(value) if isinstance(value, list) else dict(value)
    if not rest and new is ABSENT:
        del value[step]
    else:
        value[step] = put(value[step] if rest else None, rest, new)
    return value


def in_place(cached: dict[Any, Any], result: dict[Any, Any]) -> dict[Any, Any]:
    """Keys that were put back stand where they stood."""
    common = [key for key in cached if key in result]
    return {key: result[key] for key in [*common, *(key for key in result if key not in cached)]}


def put_back(cached: dict[str, Any], wanted: dict[str, Any], named: list[tuple[str, bool]]) -> dict[str, Any]:
    """`wanted` with the named leaves as in `cached`; `(path, True)` names the order of a dictionary's keys alone."""
    result = dict(wanted)
    # the length of *args first: it makes room for, or removes, single arguments; orders last
    for path, order in sorted(named, key=lambda item: (item[1], item[0] != "args")):
        where = steps(path)
        if order:
            result = put(result, where, in_place(get(cached, where), get(result, where)))
        elif where == ["args"]:
            old, new = cached["args"], list(result["args"])
            result["args"] = [new[i] if i < len(new) else old[i] for i in range(len(old))]
        elif where[0] == "args" and where[1] >= min(len(cached["args"]), len(result["args"])):
            continue
        else:
            came = get(result, where) is ABSENT
            result = put(result, where, get(cached, where))
            if came and len(where) > 1 and isinstance(get(result, where[:-1]), dict):
                result = put(result, where[:-1], in_place(get(cached, where[:-1]), get(result, where[:-1])))
    return result


def with_other_variables(value: Any, others: dict[int, Any]) -> Any:
    """They share as they did."""
    if isinstance(value, tf.Variable):
        return others.setdefault(id(value), tf.Variable(value, trainable=value.trainable))
    if isinstance(value, Point):
        return Point(with_other_variables(value.x, others), with_other_variables(value.y, others))
    if isinstance(value, Flat):
        left, right = (with_other_variables(part, others) for part in (value.left, value.right))
        return Flat(left, right, value.metadata)
    if isinstance(value, (list, tuple)):
        return type(value)(with_other_variables(item, others) for item in value)
    if isinstance(value, dict):
        return {key: with_other_variables(item, others) for key, item in value.items()}
    return value


@settings(max_examples=examples(1500), deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(calls())
def test_named_leaves_are_sufficient_and_minimal(pair: tuple[dict[str, Any], dict[str, Any]]) -> None:
    cached, wanted = pair
    reader = SignatureReader()
    changes = diff_signatures(read(reader, cached), read(reader, wanted))
    named = sorted({(change.path, change.old.startswith(KEY_ORDER)) for change in changes})
    assert (not named) == serves(cached, wanted), (named, cached, wanted)
    if not serves(cached, put_back(cached, wanted, named)):  # which of its like it is does not matter to TensorFlow
        cached = with_other_variables(cached, {})
    assert serves(cached, put_back(cached, wanted, named)), ("not sufficient", named, cached, wanted)
    for left_out in named:
        rest = [item for item in named if item != left_out]
        assert not serves(cached, put_back(cached, wanted, rest)), ("not minimal", left_out, named, cached, wanted)
