"""`values=`: what a recording holds of arguments' values. A secret is planted wherever an argument can carry one."""

from __future__ import annotations

import collections
import enum
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf
from tensorboard.compat.proto import event_pb2

from tb_retrace_plugin import record
from tb_retrace_plugin.events.files import find_event_files
from tb_retrace_plugin.events.framing import Frame, read_frames
from tb_retrace_plugin.events.graph_blobs import FileGraphs
from tb_retrace_plugin.events.packed import Unpacker
from tb_retrace_plugin.graphs.stored import decode
from tb_retrace_plugin.schema import retrace_pb2 as pb
from tb_retrace_plugin.schema import tags
from tests.capture.conftest import Recorded, changes

TEXT, NUMBER = "s3cr3t_t0ken", 918273645546
SECRETS = [TEXT.encode(), str(NUMBER).encode(), str(float(NUMBER)).encode(), hex(NUMBER).encode()]

Pair = collections.namedtuple("Pair", ["first", "second"])
external: Any = 0


class Plain:
    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"Plain({self.name})"


class Tracing:
    """Its trace type's text holds the value."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __tf_tracing_type__(self, context: Any) -> Any:
        return OwnType(self.name)


class OwnType(tf.types.experimental.TraceType):  # type: ignore[misc]
    def __init__(self, name: str) -> None:
        self.name = name

    def is_subtype_of(self, other: Any) -> bool:
        return self == other

    def most_specific_common_supertype(self, others: Any) -> Any:
        return self if all(self == other for other in others) else None

    def placeholder_value(self, placeholder_context: Any = None) -> Any:
        return Tracing(self.name)

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, OwnType) and other.name == self.name

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return f"OwnType({self.name})"


def closing_over(captured: Any) -> Any:
    @tf.function
    def closes(x: Any, default: Any = captured) -> Any:
        return x, str(captured), default

    return closes


def plant(directory: Path, values: str, secret: Any) -> None:
    """Traces functions to which `secret`, a number or a string, comes in every way; a harmless one before each."""
    global external
    text = str(secret)
    choice = enum.Enum("Choice", {"HARMLESS": 1, text if text.isidentifier() else f"N{text}": 2})  # type: ignore[misc]
    x = tf.ones([2])

    def first(x: Any, *args: Any, **kwargs: Any) -> Any:
        for constant in (*args, *kwargs.values()):
            if isinstance(constant, str | int | float):
                tf.print(constant)  # a constant of the graph
        return x

    f = tf.function(first)
    carried = [
        secret, float(secret) if isinstance(secret, int) else secret.encode(), [secret], (secret, 1), {"key": secret},
        {secret: x}, Pair(secret, 2), {"deep": [({"deeper": secret},)]}, Plain(text), Tracing(text), list(choice)[1],
        text, text * 3,
    ]  # fmt: skip
    with record(directory, values=values):
        for value in carried:
            f(x, 7)
            f(x, value)
            f(x, named=value)
        f(x, **{text if text.isidentifier() else f"n{text}": x})
        f.get_concrete_function(tf.TensorSpec([3], name=f"n{text}"))

        external = 5

        @tf.function
        def reads() -> Any:
            return x + tf.cast(len(str(external)), tf.float32)

        reads()
        external = secret  # stale

        for captured in (1, secret):  # closed over, by a function that is made anew
            closes = closing_over(captured)
            closes(x, 1)
            closes(x)

        @tf.function
        def fails(x: Any, k: Any) -> Any:
            raise ValueError(f"cannot do with {k}")

        with pytest.raises(ValueError, match="cannot do"):
            fails(x, secret)

        tf.data.Dataset.from_tensors({text: 1.0}).map(lambda element: element[text])
        f(x, "s3cr3t_t0ken", 918273645546)  # in the line of source itself

        @tf.function(jit_compile=True, input_signature=[{text: tf.TensorSpec([None])}])
        def compiled(element: Any) -> Any:
            return element[text] * 2.0

        compiled({text: x})


def everything(directory: Path) -> bytes:
    """All bytes of the event files, and all graphs and packed traces in them decoded."""
    found = b""
    for _, path in find_event_files(str(directory)):  # type: ignore[misc]
        unpacker = Unpacker()
        with open(path, "rb") as file:
            for frame in read_frames(file):
                assert isinstance(frame, Frame)
                found += frame.data
                for value in event_pb2.Event.FromString(frame.data).summary.value:
                    tag = tags.parse_tag(value.tag)
                    if tag is not None and tag.kind == "trace":
                        packed = pb.Trace.FromString(value.tensor.string_val[0])
                        found += unpacker.unpack(tag.session, tag.key, packed)
    graphs = FileGraphs(str(directory))
    recorded = Recorded(directory).read()
    for sha256 in {trace.graph_sha256 for trace in recorded.traces if trace.graph_sha256}:
        blob = graphs.blob(sha256)
        if blob is not None:  # a small one is in its trace
            found += decode(sha256, blob, graphs.blob)
    return found


@pytest.mark.parametrize("secret", [TEXT, NUMBER])
def test_no_value_is_recorded_with_none(tmp_path: Path, secret: Any) -> None:
    plant(tmp_path / "none", "none", secret)
    found = everything(tmp_path / "none")
    assert [s for s in SECRETS if s in found] == []
    recorded = Recorded(tmp_path / "none").read()
    assert recorded.losses == {}
    assert recorded.sessions[0].values == "none"
    # the same is found with short values, so that the search is one
    plant(tmp_path / "short", "short", secret)
    shown = everything(tmp_path / "short")
    assert str(secret).encode() in shown
    again = Recorded(tmp_path / "short").read()
    # and what is said of them is the same but for the values
    assert [t.kind for t in recorded.traces] == [t.kind for t in again.traces]
    assert [[c.cause for c in t.changes] for t in recorded.traces] == [
        [c.cause for c in t.changes] for t in again.traces
    ]
    assert [t.verdict for t in recorded.traces] == [t.verdict for t in again.traces]


def test_hidden_values_are_told_apart_within_a_session_alone(tmp_path: Path) -> None:
    f = tf.function(lambda k, flag: tf.constant(0))
    seen = []
    for name in ("a", "b"):
        with record(tmp_path / name, values="none"):
            f = tf.function(lambda k, flag: tf.constant(0))
            for k, flag in ((1, True), (2, True), (2, False), (3, None)):
                f(k, flag)
        traces = Recorded(tmp_path / name).read().traces
        (number,) = changes(traces[1])
        assert number[:2] == ("python_value", "k")
        assert number[2].startswith("int ‹")
        assert number[2] != number[3]
        assert traces[1].verdict == "avoidable"
        assert changes(traces[2])[0][2].startswith("bool ‹")
        assert traces[2].verdict == "bounded"
        assert "None" in [text for change in changes(traces[3]) for text in change]  # a type, not a value
        seen.append({argument.type.identity for t in traces for argument in t.signature.arguments})
        seen[-1].add(number[2])
        assert not any(
            frame.source for stack in Recorded(tmp_path / name).read().stacks.values() for frame in stack.frames
        )
    assert not seen[0] & seen[1]


def test_full_values(tmp_path: Path) -> None:
    long, longer = "a" * 5000, "b" * 50_000
    f = tf.function(lambda text: tf.constant(0))
    with record(tmp_path, values="full"):
        f(long)
        f(longer)
    first, second = Recorded(tmp_path).read().traces
    assert first.signature.arguments[0].type.value == repr(long)
    (change,) = changes(second)
    assert change[2] == repr(long)
    assert 9_900 < len(change[3]) <= 10_000


@pytest.mark.parametrize("options", [{"values": "some"}, {"values": None}, {"values": "none", "graphs_tab": "all"}])
def test_what_values_cannot_be(tmp_path: Path, options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="values"), record(tmp_path, **options):
        raise AssertionError("not reached")
