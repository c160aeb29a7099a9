"""Which attributes of what a function is passed its helpers read: `cfg.rate` of `decayed(cfg)`, in its own names."""

from __future__ import annotations

import ast
from types import CodeType, FunctionType
from typing import Any

from tb_retrace_plugin.capture.code.code_names import names_of
from tb_retrace_plugin.capture.code.helpers import called_in_turn, helpers_among, methods_called
from tb_retrace_plugin.capture.code.other_names import by_parameters, parameters_of
from tb_retrace_plugin.capture.code.source_tree import once_per_code, source_tree

#: That are looked at, of one function.
_MOST = 64


@once_per_code
def read_by_helpers(code: CodeType, function: Any) -> list[str]:
    """Of its parameters, where neither assigns anew to one; also of what helpers hand on in turn."""
    source = source_tree(code) if _helpers_of(function, code) else None
    if source is None:
        return []
    parameters = parameters_of(code)
    tree = by_parameters(source.tree, code, parameters)
    found: dict[str, None] = {}
    parameters -= names_of(code).reassigned
    for helper, within in called_in_turn(tree, parameters, function, code, _helpers_of, as_passed=True):
        own = names_of(helper.__code__)
        for node in ast.walk(within):
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and node.attr not in own.stored:
                text = ast.unparse(node)
                if all(map(str.isidentifier, names := text.split("."))) and names[0] in parameters:
                    found[text] = None
    return [*found][:_MOST]


def _helpers_of(function: Any, code: CodeType) -> dict[str, FunctionType]:
    known = getattr(function, "__globals__", None)
    around = {name: known[name] for name in code.co_names if name in known} if type(known) is dict else {}
    return {**helpers_among(around), **methods_called(function, code)}
