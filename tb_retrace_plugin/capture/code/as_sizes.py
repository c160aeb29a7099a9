"""Numbers that a function makes sizes of, in what takes whole ones alone: `tf.reshape(x, [n, -1])`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tb_retrace_plugin.capture.code.source_tree import lies_in
from tb_retrace_plugin.capture.code.written_shapes import is_shape

AS_A_SIZE = " with a size"
_MODULES = frozenset({"tf", "tensorflow"})
#: By the place of the shape.
_SHAPES = {
    **dict.fromkeys(
        ("zeros", "ones", "fill", "normal", "uniform", "truncated_normal", "random_uniform_initializer"), 0
    ),
    **dict.fromkeys(("stateless_normal", "stateless_uniform", "stateless_truncated_normal"), 0),
    **dict.fromkeys(("reshape", "broadcast_to", "tile", "random_crop"), 1),
}
#: Of which a size is one number, by its place, or its name.
_ONE_NUMBER = {"linspace": (2, "num"), "one_hot": (1, "depth"), "eye": (0, "num_rows"), "sequence_mask": (1, "maxlen")}
_BY_NAME = frozenset({"shape", "multiples", "dims", "size"})


def as_sizes(tree: ast.AST, parameters: set[str]) -> Iterator[str]:
    """`n with a size`, also of `[n * 2, 3]`; nothing that is divided, or of a shape."""
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        name = node.func.attr
        if (name in _SHAPES or name in _ONE_NUMBER) and ast.unparse(node.func).partition(".")[
            0
        ] in _MODULES - parameters:
            for each in _given(node, name):
                yield from (f"{number}{AS_A_SIZE}" for number in dict.fromkeys(_whole_in(each, parameters)))


def _given(call: ast.Call, name: str) -> list[ast.expr]:
    if name in _ONE_NUMBER:
        place, keyword = _ONE_NUMBER[name]
        return [*call.args[place : place + 1], *(one.value for one in call.keywords if one.arg == keyword)]
    place = _SHAPES[name]
    shapes = [*call.args[place : place + 1], *(one.value for one in call.keywords if one.arg in _BY_NAME)]
    return [part for shape in shapes if isinstance(shape, ast.List | ast.Tuple) for part in shape.elts]


def _whole_in(node: ast.expr, parameters: set[str]) -> Iterator[str]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub | ast.Mult | ast.FloorDiv):
        yield from _whole_in(node.left, parameters)
        yield from _whole_in(node.right, parameters)
    elif lies_in(node, parameters) and not any(map(is_shape, ast.walk(node))):
        yield ast.unparse(node)
