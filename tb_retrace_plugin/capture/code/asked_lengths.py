"""What a function's source does with `len` of its tensors, which is a tensor where their size is unknown."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tb_retrace_plugin.capture.code.source_tree import lies_in

#: In which words it is written.
COMPUTED, SLICED = " computed", " sliced by "
#: Of which no function takes a tensor that has no value yet.
_TAKE_NONE = frozenset({"np", "numpy", "math"})


def sliced_by_lengths(tree: ast.AST, parameters: set[str]) -> Iterator[str]:
    """`self.noise[:len(x)] sliced by x`, but of what lies in a parameter, which mostly is a tensor."""
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load)) or lies_in(node.value, parameters):
            continue
        if not isinstance(node.value, ast.Name | ast.Attribute):
            continue
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        bounds = (bound for part in parts if isinstance(part, ast.Slice) for bound in (part.lower, part.upper) if bound)
        asked = (each for bound in bounds for each in ast.walk(bound) if isinstance(each, ast.Call))
        for each in asked:
            if _length(each, parameters):
                yield f"{ast.unparse(node)}{SLICED}{ast.unparse(each.args[0])}"


def computed_of_lengths(tree: ast.AST, parameters: set[str]) -> Iterator[str]:
    """`len(x) computed`: in `loss / len(x)`, `[0.0] * len(x)`, `np.sqrt(len(x))`, also of `n` where that is `len(x)`;
    not in `len(x) // 2`, nor where it is a bound of a slice, or goes to another function."""
    named = _named(tree, parameters)
    todo: list[tuple[ast.AST, bool]] = [(tree, False)]
    while todo:
        node, is_computed = todo.pop()
        if isinstance(node, ast.Slice):
            continue
        if length := named.get(node.id, "") if isinstance(node, ast.Name) else _length(node, parameters):
            if is_computed:
                yield f"{length}{COMPUTED}"
            continue
        if isinstance(node, ast.Call):
            is_computed = ast.unparse(node.func).partition(".")[0] in _TAKE_NONE
        elif isinstance(node, ast.BinOp):
            is_whole = any(isinstance(one, ast.Constant) and type(one.value) is int for one in (node.left, node.right))
            is_computed = is_computed or isinstance(node.op, ast.Div) or not is_whole
        elif isinstance(node, ast.stmt | ast.Subscript):
            is_computed = False
        todo += [(child, is_computed) for child in ast.iter_child_nodes(node)]


def _named(tree: ast.AST, parameters: set[str]) -> dict[str, str]:
    """What names stand for: `n = len(x)`; not of one that is given values more than once."""
    nodes = list(ast.walk(tree))
    stored = [one.id for one in nodes if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)]
    given = {
        one.targets[0].id: _length(one.value, parameters)
        for one in nodes
        if isinstance(one, ast.Assign) and len(one.targets) == 1 and isinstance(one.targets[0], ast.Name)
    }
    return {name: length for name, length in given.items() if length and stored.count(name) == 1}


def _length(node: ast.AST, parameters: set[str]) -> str:
    """`len(x)`; "" of anything else."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.func.id != "len":
        return ""
    return ast.unparse(node) if len(node.args) == 1 and lies_in(node.args[0], parameters) else ""
