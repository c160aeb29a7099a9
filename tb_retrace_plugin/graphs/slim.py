"""GraphDefs made small enough to keep and equal where the graphs are: constants out, process-wide numbers out."""

from __future__ import annotations

import hashlib
import itertools
import re
import zlib
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

#: Attribute values above this are dropped: captured constants and embedded files, which say nothing of structure.
MAX_ATTRIBUTE_BYTES = 1024
_LARGE = ("tensor", "s", "list")
#: A key of this process's gradient registry, new at every trace; it means nothing to a reader.
_GRADIENT_KEY = "_gradient_op_type"
_NUMBERED = re.compile(r"(.*)_\d+")


class SlimGraph(NamedTuple):
    """`data`: zlib-compressed, deterministic GraphDef bytes; `sha256` of the bytes before compression, hex."""

    sha256: str
    data: bytes
    nodes: int
    raw_bytes: int
    attributes_dropped: int


def slim_graph(graph_def: Any) -> SlimGraph:
    """Strips and renumbers a GraphDef IN PLACE (library functions too), then hashes and compresses it.

    Library functions are named after a counter of the whole process (`__inference_f_123`); here after their order in
    this graph, so that tracing the same code twice gives the same bytes.
    """
    raw_bytes = graph_def.ByteSize()
    if raw_bytes <= MAX_ATTRIBUTE_BYTES and not graph_def.HasField("library"):
        data = graph_def.SerializeToString(deterministic=True)
        if _GRADIENT_KEY.encode() not in data:  # nothing in it to change
            return SlimGraph(hashlib.sha256(data).hexdigest(), _compressed(data), len(graph_def.node), raw_bytes, 0)
    names = _names_by_order(function.signature.name for function in graph_def.library.function)
    dropped = _slim_nodes(graph_def.node, names)
    for function in graph_def.library.function:
        function.signature.name = names[function.signature.name]
        dropped += _slim_nodes(function.node_def, names)
        _rename_attributes(function.attr, names)
    for gradient in graph_def.library.gradient:
        gradient.function_name = names.get(gradient.function_name, gradient.function_name)
        gradient.gradient_func = names.get(gradient.gradient_func, gradient.gradient_func)
    data = graph_def.SerializeToString(deterministic=True)
    return SlimGraph(hashlib.sha256(data).hexdigest(), _compressed(data), len(graph_def.node), raw_bytes, dropped)


def _compressed(data: bytes) -> bytes:
    """A small graph gets a small window: clearing zlib's usual 256 kB would take longer than compressing."""
    window, memory = (10, 1) if len(data) <= 1024 else (15, 8)
    compressor = zlib.compressobj(1, zlib.DEFLATED, window, memory)
    return compressor.compress(data) + compressor.flush()


def _names_by_order(names: Iterable[str]) -> dict[str, str]:
    counters: dict[str, itertools.count[int]] = {}
    renamed = {}
    for name in names:
        match = _NUMBERED.fullmatch(name)
        stem = match[1] if match else name
        renamed[name] = f"{stem}_{next(counters.setdefault(stem, itertools.count()))}" if match else name
    return renamed


def _slim_nodes(nodes: Any, names: Mapping[str, str]) -> int:
    dropped = 0
    for node in nodes:
        if _GRADIENT_KEY in node.attr:
            del node.attr[_GRADIENT_KEY]
        if node.ByteSize() > MAX_ATTRIBUTE_BYTES:
            dropped += _drop_large(node.attr)
        if names:
            node.op = names.get(node.op, node.op)
            _rename_attributes(node.attr, names)
    return dropped


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
            try:
                new = names.get(value.s.decode("ascii"))
            except UnicodeDecodeError:
                continue
            if new is not None:
                value.s = new.encode("ascii", "replace")
