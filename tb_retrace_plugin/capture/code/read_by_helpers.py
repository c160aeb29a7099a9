"""Which attributes of what a function is passed its helpers read: `cfg.rate` of `decayed(cfg)`, in its own names."""

from __future__ import annotations

import ast
from types import CodeType
from typing import Any

from tb_retrace_plugin.capture.code.code_names import names_of
from tb_retrace_plugin.capture.code.helpers import called_with, helpers_among, methods_called
from tb_retrace_plugin.capture.code.other_names import by_parameters, parameters_of
from tb_retrace_plugin.capture.code.source_tree import once_per_code, source_tree

#: That are looked at, of one function.
_MOST = 64


@once_per_code
def read_by_helpers(code: CodeType, function: Any) -> list[str]:
    """Of its parameters, where neither assigns anew to one; what helpers hand on in turn is not followed."""
    known = getattr(function, "__globals__", None)
    around = {name: known[name] for name in code.co_names if name in known} if type(known) is dict else {}
    helpers = {**helpers_among(around), **methods_called(function, code)}
    source = source_tree(code) if helpers else None
    if source is None:
        return []
    parameters = parameters_of(code)
    tree = by_parameters(source.tree, code, parameters)
    found: dict[str, None] = {}
    parameters -= names_of(code).reassigned
    for helper, within in called_with(tree, parameters, helpers):
        own = names_of(helper.__code__)
        if own.reassigned & parameters_of(helper.__code__):
            continue
        for node in ast.walk(within):
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and node.attr not in own.stored:
                text = ast.unparse(node)
                if all(map(str.isidentifier, names := text.split("."))) and names[0] in parameters:
                    found[text] = None
    return [*found][:_MOST]
