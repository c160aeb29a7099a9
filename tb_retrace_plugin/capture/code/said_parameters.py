"""Parameters with which a function does nothing but print or log them: what they are passed is in no graph."""

from __future__ import annotations

import ast
from types import CodeType

from tb_retrace_plugin.capture.code.by_code import ByCode
from tb_retrace_plugin.capture.code.only_said import names_said
from tb_retrace_plugin.capture.code.unreached import parameters_of

_known: ByCode[frozenset[str]] = ByCode()


def said_parameters(code: CodeType) -> frozenset[str]:
    found = _known.get(code)
    return _known.put(code, _said(code)) if found is None else found


def _said(code: CodeType) -> frozenset[str]:
    source, said = names_said(code)
    if source is None or not said:
        return frozenset()
    used = {node.id for node in ast.walk(source.tree) if isinstance(node, ast.Name) and node not in said}
    return frozenset(parameters_of(code)) - used
