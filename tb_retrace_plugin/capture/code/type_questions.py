"""Where a function's code asks of what type an argument is: for a tensor it may go another way."""

from __future__ import annotations

import ast
from types import CodeType

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
    """`isinstance(k, …)`, `tf.is_tensor(cfg['k'])`: of its parameters and of what it closes over, in it and in
    functions made in it."""
    parameters = {*parameters_of(code), *code.co_freevars}
    source = source_tree(code) if parameters and _names_one_of(code, _FUNCTIONS | _METHODS) else None
    if source is None:
        return []
    try:
        found = dict.fromkeys(
            text
            for node in ast.walk(by_parameters(source.tree, code, parameters))
            if isinstance(node, ast.Call) and (text := _question(node, parameters)) and len(text) <= _MAX_TEXT
        )
    except RecursionError:
        return []
    return list(found)[:_MOST]


def _names_one_of(code: CodeType, names: frozenset[str]) -> bool:
    within = (constant for constant in code.co_consts if isinstance(constant, CodeType))
    return not names.isdisjoint(code.co_names) or any(_names_one_of(inner, names) for inner in within)


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
