"""Operations that compute in another dtype in another graph: what comes of them is not what a cast gives."""

from __future__ import annotations

import collections
from collections.abc import Iterator, Sequence
from typing import Any

from tensorboard.compat.proto import types_pb2

from tb_retrace_plugin.graphs.read_graph import GraphFunction

#: That give of numbers of any dtype the same ones.
_MOVE = frozenset({
    *("Const", "Placeholder", "_Arg", "_Retval", "Identity", "IdentityN", "NoOp", "Cast", "Reshape", "Transpose"),
    *("ExpandDims", "Squeeze", "StridedSlice", "Slice", "Gather", "GatherV2", "GatherNd", "ResourceGather", "Concat"),
    *("ConcatV2", "Pack", "Unpack", "Split", "SplitV", "Pad", "PadV2", "MirrorPad", "Tile", "BroadcastTo", "Fill"),
    *("Shape", "ShapeN", "Size", "Rank", "ZerosLike", "OnesLike", "ReverseV2", "Reverse", "Select", "SelectV2"),
    *("Where", "ReadVariableOp", "StopGradient", "PreventGradient", "EnsureShape", "Max", "Min", "ArgMax", "ArgMin"),
    *("Maximum", "Minimum", "Relu", "TopKV2", "BroadcastArgs", "BroadcastGradientArgs"),
})  # fmt: skip
#: That give of whole numbers what they give of these as fractions; of fractions the last digits tell.
_COMPARE = frozenset({"Equal", "NotEqual", "Less", "LessEqual", "Greater", "GreaterEqual"})
_DTYPE = "T"


def computes_in(a: Sequence[GraphFunction], b: Sequence[GraphFunction]) -> tuple[str, str, str] | None:
    """The first one of `a`, with its dtype in both graphs; None if none is known, or there are other operations."""
    ours, others = list(_typed(a)), list(_typed(b))
    if collections.Counter(op for op, _ in ours) != collections.Counter(op for op, _ in others):
        return None
    theirs = collections.Counter(others)
    for op, dtype in ours:
        if theirs[op, dtype]:
            theirs[op, dtype] -= 1
            continue
        now = next(other for (name, other), count in theirs.items() if name == op and count)
        if not (op in _COMPARE and (_is_whole(dtype) or _is_whole(now))):
            return op, _name(dtype), _name(now)
        theirs[op, now] -= 1
    return None


def gives(a: Sequence[GraphFunction], b: Sequence[GraphFunction]) -> tuple[str, str] | None:
    """Dtypes of the first result that is of another one in the other graph; None where they have not as many."""
    results = [[one.type for one in graph[0].definition.signature.output_arg] for graph in (a, b)]
    pairs = zip(*results, strict=True) if len(results[0]) == len(results[1]) else ()
    return next(((_name(was), _name(now)) for was, now in pairs if was != now), None)


def held_fractions(graph: Sequence[GraphFunction]) -> frozenset[str]:
    """Dtypes of the fractions that are constants: a Python number is one of what it was computed with."""
    constants = (node for function in graph for node in function.definition.node_def if node.op == "Const")
    return frozenset(name for node in constants if "float" in (name := _name(node.attr["dtype"].type)))


def _typed(graph: Sequence[GraphFunction]) -> Iterator[tuple[str, Any]]:
    for function in graph:
        for node in function.definition.node_def:
            if node.op not in _MOVE and _DTYPE in node.attr and node.attr[_DTYPE].type:
                yield node.op, node.attr[_DTYPE].type


def _is_whole(dtype: Any) -> bool:
    return _name(dtype).startswith(("int", "uint", "bool"))


def _name(dtype: Any) -> str:
    names = {types_pb2.DT_FLOAT: "float32", types_pb2.DT_DOUBLE: "float64", types_pb2.DT_HALF: "float16"}
    return names.get(dtype) or types_pb2.DataType.Name(dtype).removeprefix("DT_").lower()
