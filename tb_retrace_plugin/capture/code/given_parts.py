"""What a function that gives a written tuple, list or dictionary reads for one of its parts, and what for others."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from types import CodeType

from tb_retrace_plugin.capture.code.by_code import ByCode
from tb_retrace_plugin.capture.code.source_tree import source_tree

_parts: ByCode[Mapping[str | int, frozenset[str]]] = ByCode()
_NOTHING: frozenset[str] = frozenset()


def read_for_others(code: CodeType, key: str | int) -> frozenset[str]:
    """Of `return self.rate, self.decay`, `self.decay` for the key 0: as it is written. Nothing of what does more than
    to return such."""
    parts = _parts.get(code)
    if parts is None:
        parts = _parts.put(code, _read_for_each(code))
    if type(key) is int and key < 0:
        key += len(parts)
    if key not in parts:
        return _NOTHING
    return _NOTHING.union(*(read for other, read in parts.items() if other != key)) - parts[key]


def _read_for_each(code: CodeType) -> dict[str | int, frozenset[str]]:
    source = source_tree(code)
    function = next((n for n in ast.walk(source.tree) if isinstance(n, ast.FunctionDef)), None) if source else None
    lines = function.body if function is not None else []
    if lines and isinstance(lines[0], ast.Expr) and isinstance(lines[0].value, ast.Constant):
        lines = lines[1:]
    given = lines[0].value if len(lines) == 1 and isinstance(lines[0], ast.Return) else None
    pairs: list[tuple[str | int, ast.expr]] = []
    if isinstance(given, ast.Tuple | ast.List) and not any(isinstance(one, ast.Starred) for one in given.elts):
        pairs = [*enumerate(given.elts)]
    elif isinstance(given, ast.Dict):
        keys = [one.value if isinstance(one, ast.Constant) else None for one in given.keys]
        if all(type(key) is str for key in keys) and len({*keys}) == len(keys):
            pairs = [(str(key), value) for key, value in zip(keys, given.values, strict=True)]
    return {key: frozenset(map(ast.unparse, filter(_may_read, ast.walk(value)))) for key, value in pairs}


def _may_read(node: ast.AST) -> bool:
    return isinstance(node, ast.Name | ast.Attribute | ast.Subscript)
