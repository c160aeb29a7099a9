"""GraphDefs made small enough to keep: large constants out, deterministic bytes, compressed."""

from __future__ import annotations

import hashlib
import zlib
from typing import Any, NamedTuple

#: Attribute values above this are dropped: captured constants and embedded files, which say nothing of structure.
MAX_ATTRIBUTE_BYTES = 1024
_LARGE = ("tensor", "s", "list")


class SlimGraph(NamedTuple):
    """`data`: zlib-compressed, deterministic GraphDef bytes; `sha256` of the bytes before compression, hex."""

    sha256: str
    data: bytes
    nodes: int
    raw_bytes: int
    attributes_dropped: int


def slim_graph(graph_def: Any) -> SlimGraph:
    """Strips large attributes from a GraphDef IN PLACE (library functions too), then hashes and compresses it."""
    raw_bytes = graph_def.ByteSize()
    dropped = sum(_strip(node) for node in graph_def.node)
    for function in graph_def.library.function:
        dropped += sum(_strip(node) for node in function.node_def)
    data = graph_def.SerializeToString(deterministic=True)
    return SlimGraph(
        hashlib.sha256(data).hexdigest(), zlib.compress(data, 1), len(graph_def.node), raw_bytes, dropped
    )


def _strip(node: Any) -> int:
    if node.ByteSize() <= MAX_ATTRIBUTE_BYTES:
        return 0
    large = [k for k, v in node.attr.items() if v.WhichOneof("value") in _LARGE and v.ByteSize() > MAX_ATTRIBUTE_BYTES]
    for key in large:
        del node.attr[key]
    return len(large)
