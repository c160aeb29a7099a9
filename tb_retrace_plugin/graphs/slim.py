"""A traced graph made small enough to keep and equal where graphs are: constants out, process-wide numbers out."""

from __future__ import annotations

import hashlib
import itertools
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from tb_retrace_plugin.graphs.wire import node_spans
from tb_retrace_plugin.schema import retrace_pb2 as pb

#: Attribute values above this are dropped: captured constants and embedded files, which say nothing of structure.
MAX_ATTRIBUTE_BYTES = 1024
_LARGE = ("tensor", "s", "list")
#: A key of this process's gradient registry, new at every trace; it means nothing to a reader.
_GRADIENT_KEY = "_gradient_op_type"
#: `__inference_f_123` and `__inference___backward_f_123_456`; and `while_body_22_rewritten`, `cond_true_71_grad_0`.
_TRACED = re.compile(r"(__.+?___.+?)(?:_\d+)+|(__.+)_\d+")
_NUMBER = re.compile(r"_\d+(?=_|$)")
#: An argument that a loop's condition or body does not use is named after the function.
_REDUNDANT = re.compile(r"_\d+(___redundant_placeholder)")
#: A function that is named but not part of the graph, such as the backward pass that was made for a nested one.
_ELSEWHERE = re.compile(rb"(__(?:inference|forward|backward)_.+)_\d+")

#: Static shape of one tensor: None if the rank is unknown, None in it for an unknown dimension.
Shape = tuple[int | None, ...] | None


class FunctionGraph(NamedTuple):
    """A tensorflow.FunctionDef; distinct lists of output shapes, the first empty; which list each input and node has.

    `inputs` and `nodes` are empty where shapes are not known.
    """

    definition: Any
    shapes: Sequence[tuple[Shape, ...]] = ((),)
    inputs: Sequence[int] = ()
    nodes: Sequence[int] = ()


class SlimGraph(NamedTuple):
    """`content`: serialized GraphContent, deterministic; `sha256`: its hash, hex; `raw_bytes`: before stripping."""

    sha256: str
    content: bytes
    raw_bytes: int
    attributes_dropped: int


def slim_graph(functions: Sequence[FunctionGraph]) -> SlimGraph:
    """Strips and renumbers the definitions IN PLACE: the traced function's first, then those of its library.

    Functions are named after a counter of the whole process (`__inference_f_123`); here after their order in this
    graph, so that tracing the same code twice gives the same bytes.
    """
    raw_bytes = dropped = 0
    names = _names_by_order(function.definition.signature.name for function in functions)
    content = pb.GraphContent()
    for function in functions:
        definition = function.definition
        definition.signature.name = names[definition.signature.name]
        definition.resource_arg_unique_id.clear()
        _rename_attributes(definition.attr, names)
        if len(functions) > 1:
            _rename_calls(definition.node_def, names)
            for argument in definition.signature.input_arg:
                if "___redundant" in argument.name:
                    argument.name = _REDUNDANT.sub(r"\1", argument.name)
        for node in [node for node in definition.node_def if _GRADIENT_KEY in node.attr]:
            del node.attr[_GRADIENT_KEY]
        data = definition.SerializeToString(deterministic=True)
        raw_bytes += len(data)
        spans = node_spans(data)
        if large := [i for i, (start, end) in enumerate(spans) if end - start > MAX_ATTRIBUTE_BYTES]:
            dropped += sum(_drop_large(definition.node_def[index].attr) for index in large)
            data = definition.SerializeToString(deterministic=True)
        content.functions.append(data)
        _add_shapes(content.shapes.add(), function)
    data = content.SerializeToString(deterministic=True)
    return SlimGraph(hashlib.sha256(data).hexdigest(), data, raw_bytes, dropped)


def _names_by_order(names: Iterable[str]) -> dict[str, str]:
    counters: dict[str, itertools.count[int]] = {}
    renamed = {}
    for name in names:
        match = _TRACED.fullmatch(name)
        stem = (match[1] or match[2]) if match else name if name.startswith("__") else _NUMBER.sub("", name)
        renamed[name] = name if stem == name else f"{stem}_{next(counters.setdefault(stem, itertools.count()))}"
    return renamed


def _rename_calls(nodes: Any, names: Mapping[str, str]) -> None:
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


def _drop_large(attributes: Any) -> int:
    large = [
        key
        for key, value in attributes.items()
        if value.WhichOneof("value") in _LARGE and value.ByteSize() > MAX_ATTRIBUTE_BYTES
    ]
    for key in large:
        del attributes[key]
    return len(large)


def _rename_attributes(attributes: Any, names: Mapping[str, str]) -> None:
    for value in attributes.values():
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
    match = _ELSEWHERE.fullmatch(text)
    return match[1] if match else text


def _add_shapes(message: pb.FunctionShapes, function: FunctionGraph) -> None:
    message.inputs.extend(function.inputs)
    message.nodes.extend(function.nodes)
    table: list[int] = []
    for shapes in function.shapes:
        table.append(len(shapes))
        for shape in shapes:
            if shape is None:
                table.append(-1)
            else:
                table.append(len(shape))
                table += [-1 if dim is None else dim for dim in shape]
    message.table.extend(table)
