"""Lists that a function hands on as they are: a shape, a size, a permutation, which may be one tensor."""

from __future__ import annotations

import ast
from collections.abc import Iterator

GIVEN_WHOLE = " given whole"
_MODULES = ("tf.", "tensorflow.")
#: Of TensorFlow, that take one tensor for a list of whole numbers.
TAKE_A_LIST = frozenset(
    {
        *("zeros", "ones", "fill", "reshape", "broadcast_to", "tile", "transpose", "pad", "slice", "random_crop"),
        *("normal", "uniform", "truncated_normal", "gamma", "stateless_normal", "stateless_uniform"),
        *("stateless_truncated_normal", "resize", "roll", "reverse", "reduce_sum", "reduce_mean", "reduce_max"),
        *("gather", "gather_nd", "one_hot", "embedding_lookup", "cast", "convert_to_tensor", "sequence_mask", "repeat"),
        *("expand_dims", "reduce_min", "reduce_prod", "cumsum"),
    }
)


def given_whole(tree: ast.AST, parameters: set[str]) -> Iterator[str]:
    """`shape given whole`, if nothing else is done with it than `tf.zeros(shape)` and its like, or to ask for None."""
    given: dict[str, int] = {}
    read: dict[str, int] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in parameters:
            read[node.id] = read.get(node.id, 0) + 1
        elif isinstance(node, ast.Call) and _takes_a_tensor(node.func):
            for each in (*node.args, *(keyword.value for keyword in node.keywords)):
                if isinstance(each, ast.Name) and each.id in parameters:
                    given[each.id] = given.get(each.id, 0) + 1
        elif isinstance(node, ast.Compare) and isinstance(node.left, ast.Name) and _asks_for_none(node):
            read[node.left.id] = read.get(node.left.id, 0) - 1
    yield from (f"{name}{GIVEN_WHOLE}" for name, times in given.items() if read[name] == times)


def _asks_for_none(compared: ast.Compare) -> bool:
    (against, *more), operator = compared.comparators, compared.ops[0]
    is_none = isinstance(against, ast.Constant) and against.value is None
    return is_none and not more and isinstance(operator, ast.Is | ast.IsNot)


def _takes_a_tensor(called: ast.expr) -> bool:
    return isinstance(called, ast.Attribute) and called.attr in TAKE_A_LIST and ast.unparse(called).startswith(_MODULES)
