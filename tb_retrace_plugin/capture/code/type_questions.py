"""Where a function's code asks of what type an argument is, for a tensor it may go another way, or which object: so it
may for one that is equal."""

from __future__ import annotations

import ast
from types import CodeType

from tb_retrace_plugin.capture.code.instructions import instructions
from tb_retrace_plugin.capture.code.other_names import by_parameters, parameters_of
from tb_retrace_plugin.capture.code.source_tree import lies_in, once_per_code, source_tree

#: Python's own, then those of modules: `tf.is_tensor`, `np.isscalar`.
_FUNCTIONS = frozenset({"isinstance", "type"})
_METHODS = frozenset({"is_tensor", "is_tf_type", "isscalar"})
#: That are told of a function.
_MOST = 8
_MAX_TEXT = 60


@once_per_code
def type_questions(code: CodeType) -> list[str]:
    """`isinstance(k, …)`, `tf.is_tensor(cfg['k'])`, `old is new`: of its parameters and of what it closes over, in it
    and in functions made in it."""
    parameters = {*parameters_of(code), *code.co_freevars}
    asks = parameters and (_names_one_of(code, _FUNCTIONS | _METHODS) or _asks_which(code))
    source = source_tree(code) if asks else None
    if source is None:
        return []
    try:
        found = dict.fromkeys(
            text
            for node in ast.walk(by_parameters(source.tree, code, parameters))
            if (text := _asked_by(node, parameters)) and len(text) <= _MAX_TEXT
        )
    except RecursionError:
        return []
    return list(found)[:_MOST]


def _names_one_of(code: CodeType, names: frozenset[str]) -> bool:
    within = (constant for constant in code.co_consts if isinstance(constant, CodeType))
    return not names.isdisjoint(code.co_names) or any(_names_one_of(inner, names) for inner in within)


def _asks_which(code: CodeType) -> bool:
    """Whether it asks by `is` of anything but a constant, such as None."""
    asks, was_constant = False, True
    for one in instructions(code):
        asks = asks or (one.opname == "IS_OP" and not was_constant)
        was_constant = one.opname == "LOAD_CONST"
    return asks or any(_asks_which(inner) for inner in code.co_consts if isinstance(inner, CodeType))


def _asked_by(node: ast.AST, parameters: set[str]) -> str:
    if isinstance(node, ast.Compare):
        return _which(node, parameters)
    return _question(node, parameters) if isinstance(node, ast.Call) else ""


def _which(compared: ast.Compare, parameters: set[str]) -> str:
    """`old is new`, for `old is not new` as well."""
    if len(compared.ops) != 1 or not isinstance(compared.ops[0], ast.Is | ast.IsNot):
        return ""
    both = [compared.left, compared.comparators[0]]
    named = all(isinstance(one, ast.Name | ast.Attribute | ast.Subscript) for one in both)
    return " is ".join(map(ast.unparse, both)) if named and any(lies_in(one, parameters) for one in both) else ""


def _question(call: ast.Call, parameters: set[str]) -> str:
    if not call.args or not lies_in(call.args[0], parameters) or _is_of_a_tensor(call.args[0]):
        return ""
    asked = ast.unparse(call.args[0])
    asks = call.func
    if isinstance(asks, ast.Name) and asks.id in _FUNCTIONS:
        return f"{asks.id}({asked}{', …' if len(call.args) > 1 else ''})"
    if isinstance(asks, ast.Attribute) and asks.attr in _METHODS:
        return f"{ast.unparse(asks)}({asked})"
    return ""


def _is_of_a_tensor(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and node.attr in ("shape", "dtype")
