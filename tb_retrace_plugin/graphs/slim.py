"""A traced graph made small enough to keep and equal where graphs are: constants out, process-wide numbers out."""

from __future__ import annotations

import functools
import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from tb_retrace_plugin.graphs.wire import field, some_node_spans, with_nodes
from tb_retrace_plugin.schema import retrace_pb2 as pb

#: Attribute values above this are left out: constants and embedded files, which say nothing of structure. What stands
#: for them tells their hash: graphs with other constants are other graphs.
MAX_ATTRIBUTE_BYTES = 1024
_LARGE = ("tensor", "s", "list")
#: A key of this process's gradient registry, new at every trace; it means nothing to a reader.
_GRADIENT_KEY = "_gradient_op_type"
#: `__inference_f_123` and `__inference___backward_f_123_456`; and `while_body_22_rewritten`, `cond_true_71_grad_0`.
_TRACED = re.compile(r"(__.+?___.+?)(?:_\d+)+")
_NUMBER = re.compile(r"_\d+(?=_|$)")
_NO_LETTER = re.compile(r"[^a-z0-9]")
#: An argument that a loop's condition or body does not use is named after the function.
_REDUNDANT = re.compile(r"_\d+(___redundant_placeholder)")
#: A function that is named but not part of the graph, such as the backward pass that was made for a nested one.
_ELSEWHERE = re.compile(rb"(__(?:inference|forward|backward)_.+?)(?:_\d+)+")
#: They name Python functions (`tf.py_function`, generators) by a `token`, `pyfunc_12`, that is new at every trace.
_PYTHON_OPS = ("EagerPyFunc", "PyFunc", "PyFuncStateless")
#: Of an operation that `tf.nn.embedding_lookup` places beside a captured variable, whose name is such a number.
_BESIDE, _PLACE = "_class", b"loc:@"
#: Names by which Keras 2 lets Grappler choose between an LSTM's or a GRU's functions: with a UUID, new at every trace.
_IMPLEMENTS, _WITH_UUID = "api_implements", re.compile(rb"(.+_)([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})")
#: `op` of a node that waits for other processes or devices to run it too: the serialized field.
_COLLECTIVE_OP = re.compile(rb"\x12[\x0d-\x40]Collective(?:Reduce|Gather|Bcast|AllToAll)")
_TELLTALES = (_GRADIENT_KEY.encode(), b"PyFunc", _PLACE)
_DTYPES = {"float": "float32", "double": "float64", "half": "float16"}
_FUNCTIONS = pb.GraphContent.DESCRIPTOR.fields_by_name["functions"].number
_USER_NAME = "_user_specified_name"

#: Static shape of one tensor: None if the rank is unknown, None in it for an unknown dimension.
Shape = tuple[int | None, ...] | None


class FunctionGraph(NamedTuple):
    """A tensorflow.FunctionDef; distinct lists of output shapes, the first empty; which list each input and node has.

    `inputs` and `nodes` are empty where shapes are not known. `captured`: names of captured tensors, `while/5715`, that
    have none but a number of the whole process.
    """

    definition: Any
    shapes: Sequence[tuple[Shape, ...]] = ((),)
    inputs: Sequence[int] = ()
    nodes: Sequence[int] = ()
    captured: Sequence[str] = ()


class SlimGraph(NamedTuple):
    """`content`: serialized GraphContent, deterministic; `sha256`: its hash, hex; `raw_bytes`: before stripping.

    `calls_python`: tokens of the Python functions that it calls, in their order; equal graphs may call others.
    """

    sha256: str
    content: bytes
    raw_bytes: int
    attributes_dropped: int
    calls_python: tuple[bytes, ...] = ()

    @property
    def is_collective(self) -> bool:
        """Whether it holds operations that end when other devices or processes run them too."""
        return b"Collective" in self.content and _COLLECTIVE_OP.search(self.content) is not None


def slim_graph(functions: Sequence[FunctionGraph]) -> SlimGraph:
    """Strips and renumbers the definitions IN PLACE: the traced function's first, then those of its library.

    Functions are named after a counter of the whole process (`__inference_f_123`); here after their order in this
    graph, so that tracing the same code twice gives the same bytes.
    """
    raw_bytes = dropped = 0
    names = _names_by_order([function.definition.signature.name for function in functions])
    captured = _Captured([name for function in functions for name in function.captured])
    tokens: dict[bytes, bytes] = {}
    uuids: dict[bytes, int] = {}
    pieces: list[bytes] = []
    of_shapes: list[bytes] = []  # serialized GraphContents of one function each: one after the other they are all
    for function in functions:
        definition = function.definition
        signature = definition.signature
        signature.name = names[signature.name]
        definition.resource_arg_unique_id.clear()
        if definition.attr:
            _rename_attributes(definition.attr, names)
            if _IMPLEMENTS in definition.attr and (match := _WITH_UUID.fullmatch(definition.attr[_IMPLEMENTS].s)):
                definition.attr[_IMPLEMENTS].s = match[1] + b"%d" % uuids.setdefault(match[2], len(uuids))
        if len(functions) > 1:
            rename_calls(definition.node_def, names)
            for argument in signature.input_arg:
                if "___redundant" in argument.name:
                    argument.name = _REDUNDANT.sub(r"\1", argument.name)
        captured.rename(definition)
        data = definition.SerializeToString(deterministic=True)
        raw_bytes += len(data)
        changed = []
        for index, span in _nodes_to_look_at(data):  # looking at all of them takes longer than all else
            node = definition.node_def[index]
            if _GRADIENT_KEY in node.attr:
                del node.attr[_GRADIENT_KEY]
            if node.op in _PYTHON_OPS:
                _rename_token(node.attr, tokens)
            if _BESIDE in node.attr:
                captured.rename_places(node.attr[_BESIDE].list.s)
            dropped += _drop_large(node.attr)
            changed.append((span, node.SerializeToString(deterministic=True)))
        pieces += field(_FUNCTIONS, with_nodes(data, changed) if changed else (data,))
        shapes = tuple(function.shapes), tuple(function.inputs), tuple(function.nodes)
        of_shapes.append(_shapes_of_few(*shapes) if len(function.nodes) <= _FEW_NODES else _shapes(*shapes))
    data = b"".join(pieces + of_shapes)
    return SlimGraph(hashlib.sha256(data).hexdigest(), data, raw_bytes, dropped, tuple(tokens))


def _names_by_order(names: Iterable[str]) -> dict[str, str]:
    counters: dict[str, int] = {}
    renamed = {}
    for name in names:
        stem = _stem(name)
        if stem != name:
            counters[stem] = number = counters.get(stem, -1) + 1
        renamed[name] = name if stem == name else f"{stem}_{number}"
    return renamed


def _stem(name: str) -> str:
    if not name.startswith("__"):
        return _NUMBER.sub("", name)
    if "___" in name and (match := _TRACED.fullmatch(name)):
        return match[1]
    stem, _, number = name.rpartition("_")
    return stem if number.isdecimal() and len(stem) > 2 else name


def rename_calls(nodes: Any, names: Mapping[str, str]) -> None:
    names_functions: dict[str, bool] = {}  # by op: whether its nodes have attributes that name functions
    for node in nodes:
        if node.op in names:
            node.op = names[node.op]
        known = names_functions.get(node.op)
        if known is None:
            known = names_functions[node.op] = any(_may_name_a_function(value) for value in node.attr.values())
        if known:
            _rename_attributes(node.attr, names)


def _may_name_a_function(value: Any) -> bool:
    which = value.WhichOneof("value")
    return which == "func" or (which == "list" and (len(value.list.func) > 0 or value.ByteSize() <= 2))


def _nodes_to_look_at(data: bytes) -> list[tuple[int, tuple[int, int]]]:
    """Of a serialized FunctionDef those that may have what is left out of it or renamed in it: index and span."""
    positions = []
    for telltale in _TELLTALES:
        position = data.find(telltale)
        while position >= 0:
            positions.append(position)
            position = data.find(telltale, position + 1)
    if not positions and len(data) <= MAX_ATTRIBUTE_BYTES:
        return []
    return some_node_spans(data, MAX_ATTRIBUTE_BYTES, sorted(positions))


def _drop_large(attributes: Any) -> int:
    large = [value for value in attributes.values() if _is_large(value)]
    for value in large:
        data = value.SerializeToString(deterministic=True)
        kind = f"{_tensor_type(value.tensor)}, " if value.WhichOneof("value") == "tensor" else ""
        # no value of a node of a traced function is a `placeholder`: it tells these from real ones
        value.placeholder = f"{kind}not stored: {len(data):,} bytes, SHA-256 {hashlib.sha256(data).hexdigest()[:16]}"
    return len(large)


def _tensor_type(tensor: Any) -> str:
    known = tensor.DESCRIPTOR.fields_by_name["dtype"].enum_type.values_by_number.get(tensor.dtype)
    dtype = known.name.removeprefix("DT_").lower() if known is not None else str(tensor.dtype)
    dims = tuple(dim.size for dim in tensor.tensor_shape.dim)
    return f"{_DTYPES.get(dtype, dtype)} {dims}"


def _is_large(value: Any) -> bool:
    which = value.WhichOneof("value")
    if which == "list" and value.list.func:  # which functions are called is structure
        return False
    return which in _LARGE and value.ByteSize() > MAX_ATTRIBUTE_BYTES


def _rename_token(attributes: Any, tokens: dict[bytes, bytes]) -> None:
    if "token" in attributes:
        token = attributes["token"].s
        attributes["token"].s = tokens.setdefault(token, b"pyfunc_%d" % len(tokens))


class _Captured:
    """Captured tensors without a name are called by a number of the whole process; here by their order.

    By all of its name: a loop numbers its own variables, too, and the first graphs of a process have small numbers.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self._names: dict[str, str] = {}
        for name in names:
            number = name.rpartition("/")[2]
            self._names.setdefault(number, f"captured{len(self._names)}")
        # `while/5715` as an argument of a loop's body is `while_5715`, or `while_5715_0` beside a result of that name
        scopes = {_NO_LETTER.sub("_", name.rpartition("/")[0].lower()) for name in names}
        in_scopes = "|".join(f"{re.escape(scope)}_" if scope else "" for scope in sorted(scopes))
        self._in_name = re.compile(rf"({in_scopes})({'|'.join(self._names)})(_\d+)?") if names else None

    def rename(self, definition: Any) -> None:
        for index in definition.arg_attr:
            attributes = definition.arg_attr[index].attr
            if _USER_NAME in attributes and attributes[_USER_NAME].s.rpartition(b"/")[2].isdigit():
                del attributes[_USER_NAME]
        if self._in_name is None:
            return
        signature = definition.signature
        arguments = [*signature.input_arg, *signature.output_arg]
        renamed = {argument.name: self._renamed(argument.name) for argument in arguments}
        changed = {old: new for old, new in renamed.items() if old != new}
        if not changed or len(set(renamed.values())) < len(renamed):
            return
        for argument in arguments:
            argument.name = renamed[argument.name]
        results = {renamed.get(name, name): with_source(text, changed) for name, text in definition.ret.items()}
        definition.ret.clear()
        definition.ret.update(results)
        for node in definition.node_def:
            for index, text in enumerate(node.input):
                if (new := with_source(text, changed)) != text:
                    node.input[index] = new

    def rename_places(self, places: Any) -> None:
        """`loc:@embedding_lookup/33` of a captured variable's."""
        for index, place in enumerate(places):
            scope, slash, number = place.removeprefix(_PLACE).rpartition(b"/")
            if place.startswith(_PLACE) and number.isdigit():
                name = self._names.setdefault(number.decode(), f"captured{len(self._names)}")
                places[index] = b"".join((_PLACE, scope, slash, name.encode()))

    def _renamed(self, name: str) -> str:
        match = self._in_name.fullmatch(name) if self._in_name else None
        return f"{match[1]}{self._names[match[2]]}{match[3] or ''}" if match else name


def with_source(text: str, renamed: Mapping[str, str]) -> str:
    """An input (`a`, `a:0`, `^a`) of a node of another name."""
    name, colon, output = text.removeprefix("^").partition(":")
    return text if name not in renamed else f"{'^' if text[0] == '^' else ''}{renamed[name]}{colon}{output}"


def _rename_attributes(attributes: Any, names: Mapping[str, str]) -> None:
    for key in attributes:  # protobuf's `values()` is Python's own, and takes longer
        value = attributes[key]
        which = value.WhichOneof("value")
        if which == "func":
            value.func.name = names.get(value.func.name, value.func.name)
        elif which == "list":
            for function in value.list.func:
                function.name = names.get(function.name, function.name)
        elif which == "s":
            new = _renamed(value.s, names)
            if new != value.s:
                value.s = new


def _renamed(text: bytes, names: Mapping[str, str]) -> bytes:
    known = names.get(text.decode("utf-8", "replace"))
    if known is not None:
        return known.encode()
    match = _ELSEWHERE.fullmatch(text) if text.startswith(b"__") else None
    return match[1] if match else text


def _shapes(lists: tuple[tuple[Shape, ...], ...], inputs: tuple[int, ...], nodes: tuple[int, ...]) -> bytes:
    """As FunctionGraph has them: a serialized GraphContent that holds nothing else."""
    table: list[int] = []
    for shapes in lists:
        table.append(len(shapes))
        for shape in shapes:
            if shape is None:
                table.append(-1)
            else:
                table.append(len(shape))
                table += [-1 if dim is None else dim for dim in shape]
    of_function = pb.FunctionShapes(inputs=inputs, nodes=nodes, table=table)
    return pb.GraphContent(shapes=[of_function]).SerializeToString(deterministic=True)


#: Of a small function that is traced again and again for another number they are the same.
_shapes_of_few = functools.lru_cache(maxsize=64)(_shapes)
_FEW_NODES = 64
