"""What rounds, or takes the sign of, something that was divided by a size: of a known size the last digit may differ.

TensorFlow folds known sizes as constants, and multiplies by a constant's inverse in place of dividing by it (Grappler's
constant folding, measured), which rounds otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from tensorboard.compat.proto import types_pb2

from tb_retrace_plugin.graphs.read_graph import GraphFunction

_OF_SIZES = frozenset({"Shape", "ShapeN", "Size"})
#: What `tf.shape` and `tf.size` give of a known shape.
_KNOWN = re.compile(r"(^|/)(Shape|Size)(_\d+)?$")
_DIVIDE = frozenset({"RealDiv", "Div"})
_ROUND = frozenset({"Sign", "Round", "Rint", "Floor", "Ceil"})
#: The sign of a gradient is the same whatever it is divided by.
_GRADIENTS = re.compile(r"(^|/)(gradient_tape|gradients)/")
_FRACTIONS = frozenset({types_pb2.DT_HALF, types_pb2.DT_BFLOAT16, types_pb2.DT_FLOAT, types_pb2.DT_DOUBLE})
#: That look at shapes alone.
_NO_VALUES = frozenset({*_OF_SIZES, "Rank", "ZerosLike", "OnesLike", "Assert", "NoOp"})


def rounds_after_sizes(graph: Sequence[GraphFunction]) -> str:
    """The first such operation, a `Cast` to whole numbers among them; "" if there is none. Each function by itself."""
    return next(filter(None, (_rounds(function.definition) for function in graph)), "")


def _rounds(definition: Any) -> str:
    constants: set[str] = set()
    sizes: set[str] = set()
    divided: set[str] = set()
    for node in definition.node_def:  # in the order of what they take, as TensorFlow traces
        if node.op in _OF_SIZES or (node.op == "Const" and _KNOWN.search(node.name)):
            sizes.add(node.name)
        elif node.op == "Const":
            constants.add(node.name)
        elif node.op not in _NO_VALUES:
            taken = [name.partition(":")[0] for name in node.input if not name.startswith("^")]
            if any(name in divided for name in taken):
                divided.add(node.name)
                if node.op in _ROUND or (node.op == "Cast" and node.attr["DstT"].type not in _FRACTIONS):
                    return str(node.op)
            elif any(name in sizes for name in taken):
                if all(name in sizes or name in constants for name in taken):
                    sizes.add(node.name)
                elif node.op in _DIVIDE and taken[-1] in sizes and not _GRADIENTS.search(node.name):
                    divided.add(node.name)
    return ""
