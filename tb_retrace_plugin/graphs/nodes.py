"""A function's nodes as columns, made to be compared: what is equal on both sides is read once, as one number."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from google.protobuf.message import DecodeError
from tensorboard.compat.proto import node_def_pb2

from tb_retrace_plugin.graphs.read_graph import GraphFunction
from tb_retrace_plugin.graphs.slim import Shape
from tb_retrace_plugin.graphs.stored import GraphError
from tb_retrace_plugin.graphs.wire import node_spans, varint

#: Of one graph, its library included. A node takes about ten microseconds to compare and a hundred bytes to show.
MAX_COMPARED_NODES = 1_000_000
MAX_COMPARED_INPUTS = 6_000_000

ARGUMENT = "Placeholder"
RESULT = "_Retval"
_NAME, _OP, _INPUT = 1 << 3 | 2, 2 << 3 | 2, 3 << 3 | 2
#: What may follow a node's inputs in its serialized form: device, attributes, debug information.
_REST = frozenset((4 << 3 | 2, 5 << 3 | 2, 6 << 3 | 2))

Column = Any  # a numpy array; numpy's own types differ too much between versions


class _Node(NamedTuple):
    name: str
    op: str
    inputs: tuple[str, ...]
    rest: int


class Shared:
    """What the two sides have in common: one number per distinct op, list of shapes, and rest of a node.

    The rest of a node is its device and attributes, of which one NodeDef is kept as an example.
    """

    def __init__(self) -> None:
        self.ops: dict[str, int] = {}
        self.shapes: dict[tuple[Shape, ...], int] = {}
        self.rests: list[Any] = []
        self.ports: dict[str, int] = {}
        self.missing: dict[str, int] = {}
        self._nodes: dict[bytes, _Node] = {}
        self._rests: dict[bytes, int] = {}

    def node(self, data: bytes) -> _Node:
        """A serialized NodeDef, read once. Raises GraphError."""
        node = self._nodes.get(data)
        if node is None:
            node = self._nodes[data] = self._read(data)
        return node

    def _read(self, data: bytes) -> _Node:
        """By hand: the fields are nearly always in the order of their numbers, and attributes need not be built."""
        position, size = 0, len(data)
        name = op = ""
        inputs: list[str] = []
        last = 0
        try:
            while position < size:
                tag = data[position]
                if tag in _REST:
                    break
                length = data[position + 1]
                start = position + 2
                if length >= 0x80:
                    length, start = varint(data, position + 1)
                position = start + length
                if tag < last or tag not in (_NAME, _OP, _INPUT) or (tag == last != _INPUT) or position > size:
                    return self._parse(data)
                last = tag
                text = data[start:position].decode()
                if tag == _INPUT:
                    inputs.append(text)
                elif tag == _OP:
                    op = text
                else:
                    name = text
        except (IndexError, UnicodeDecodeError):
            return self._parse(data)
        rest = self._rest(data[position:])
        return _Node(name, op, tuple(inputs), rest) if rest >= 0 else self._parse(data)

    def _parse(self, data: bytes) -> _Node:
        message = self._message(data)
        rest = node_def_pb2.NodeDef()
        rest.CopyFrom(message)
        for field_name in ("name", "op", "input"):
            rest.ClearField(field_name)
        key = rest.SerializeToString(deterministic=True)
        return _Node(message.name, message.op, tuple(message.input), self._rest(key))

    def _rest(self, data: bytes) -> int:
        """-1 if it is more than the rest of a node."""
        number = self._rests.get(data)
        if number is None:
            message = self._message(data)
            if message.name or message.op or message.input:
                number = self._rests[data] = -1
            else:
                number = self._rests[data] = len(self.rests)
                self.rests.append(message)
        return number

    @staticmethod
    def _message(data: bytes) -> Any:
        try:
            return node_def_pb2.NodeDef.FromString(data)
        except (DecodeError, ValueError, RecursionError) as error:
            raise GraphError("it is damaged") from error

    def shape(self, shapes: tuple[Shape, ...]) -> int:
        return self.shapes.setdefault(shapes, len(self.shapes))


@dataclass(eq=False, slots=True)
class Nodes:
    """Rows: arguments, nodes in the order of their creation, results. Inputs of row i: `start[i]` to `start[i + 1]`.

    `source`: the row that an input comes from; below 0: it is missing, and -1 - source is its number in
    `Shared.missing`. `port`: number in `Shared.ports` of what follows the source's name; 0 for a control input.
    `shape`: number in `Shared.shapes`; -1: not known. `width`: last dimension of the first output: what stays when the
    batch or the picture is another; -1: not known.
    """

    function: GraphFunction
    names: list[str]
    ops: list[str]
    op: Column
    rest: Column
    shape: Column
    width: Column
    start: Column
    source: Column
    port: Column
    arguments: int
    results: int
    index: dict[str, int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.names)

    @property
    def name(self) -> str:
        return self.function.name


def read_nodes(function: GraphFunction, shared: Shared) -> Nodes:
    """Raises GraphError."""
    definition = function.definition
    found = [*_arguments(definition, shared), *map(shared.node, _slices(function)), *_results(definition, shared)]
    names = [node.name for node in found]
    ops = [node.op for node in found]
    for op in dict.fromkeys(ops):
        shared.ops.setdefault(op, len(shared.ops))
    index = dict(zip(reversed(names), range(len(names) - 1, -1, -1), strict=True))  # of equal names the first
    start = np.zeros(len(found) + 1, np.int64)
    np.cumsum([len(node.inputs) for node in found], out=start[1:])
    texts = list(itertools.chain.from_iterable([node.inputs for node in found]))
    if len(texts) > MAX_COMPARED_INPUTS:
        raise GraphError(f"a function of it has {len(texts):,} inputs; at most {MAX_COMPARED_INPUTS:,} are compared")
    known = {text: _resolve(text, index, shared) for text in set(texts)}
    arguments, results = len(definition.signature.input_arg), len(definition.signature.output_arg)
    return Nodes(
        function,
        names,
        ops,
        np.fromiter(map(shared.ops.__getitem__, ops), np.int32, len(ops)),
        np.fromiter([node.rest for node in found], np.int64, len(found)),
        *_shapes(function, len(found), results, shared),
        start,
        np.fromiter([known[text][0] for text in texts], np.int64, len(texts)),
        np.fromiter([known[text][1] for text in texts], np.int64, len(texts)),
        arguments,
        results,
        index,
    )


def check_size(functions: Sequence[GraphFunction]) -> None:
    """Raises GraphError if comparing would take too long or too much memory."""
    nodes = sum(len(f.definition.node_def) + len(f.definition.signature.input_arg) for f in functions)
    if nodes > MAX_COMPARED_NODES:
        raise GraphError(f"it has {nodes:,} nodes; graphs of at most {MAX_COMPARED_NODES:,} nodes are compared")


def _slices(function: GraphFunction) -> Iterable[bytes]:
    """Each node_def as it lies in the serialized function: parsing and writing them again takes ten times as long."""
    nodes = function.definition.node_def
    data = function.data
    try:
        spans = node_spans(data)
    except IndexError:  # protobuf reads what we do not
        spans = []
    if len(spans) == len(nodes):
        return [data[start:end] for start, end in spans]
    return [node.SerializeToString(deterministic=True) for node in nodes]


def _arguments(definition: Any, shared: Shared) -> Iterator[_Node]:
    for index, argument in enumerate(definition.signature.input_arg):
        node = node_def_pb2.NodeDef(name=argument.name, op=ARGUMENT)
        if index in definition.arg_attr:  # asking for it would add it
            for key, value in definition.arg_attr[index].attr.items():
                if not key.startswith("_"):
                    node.attr[key].CopyFrom(value)
        node.attr["dtype"].type = argument.type
        yield shared.node(node.SerializeToString(deterministic=True))


def _results(definition: Any, shared: Shared) -> Iterator[_Node]:
    for argument in definition.signature.output_arg:
        node = node_def_pb2.NodeDef(name=f"{argument.name}_retval", op=RESULT)
        node.attr["T"].type = argument.type
        if argument.name in definition.ret:
            node.input.append(definition.ret[argument.name])
        yield shared.node(node.SerializeToString(deterministic=True))


def _resolve(text: str, index: dict[str, int], shared: Shared) -> tuple[int, int]:
    if text.startswith("^"):
        name, port = text[1:], 0
    else:
        name, _, rest = text.partition(":")
        port = shared.ports.setdefault(rest, len(shared.ports) + 1)
    row = index.get(name)
    if row is None:
        row = -1 - shared.missing.setdefault(name, len(shared.missing))
    return row, port


def _shapes(function: GraphFunction, rows: int, results: int, shared: Shared) -> tuple[Column, Column]:
    shape, width = np.full(rows, -1, np.int64), np.full(rows, -1, np.int64)
    known = np.asarray([*function.inputs, *function.nodes], np.int64)
    if len(known) == rows - results and len(known):
        lists = function.shapes
        shape[: len(known)] = np.asarray([shared.shape(shapes) for shapes in lists], np.int64)[known]
        width[: len(known)] = np.asarray([_width(shapes) for shapes in lists], np.int64)[known]
    return shape, width


def _width(shapes: tuple[Shape, ...]) -> int:
    first = shapes[0] if shapes else None
    return first[-1] or -1 if first and first[-1] is not None and first[-1] < 2**62 else -1
