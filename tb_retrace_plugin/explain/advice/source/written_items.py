"""What a call writes out within an argument, where it can be changed: `{'rate': rate}`, `(x, n)`, `Batch(x, n=n)`."""

from __future__ import annotations

import ast


def written_items(path: str, argument: ast.expr) -> dict[str, ast.expr]:
    """By their paths, also of what lies within these; without what may have been given otherwise, before or after."""
    found: dict[str, ast.expr] = {}
    for key, item in _items(argument).items():
        found[path + key] = item
        found |= written_items(path + key, item)
    return found


def _items(node: ast.expr) -> dict[str, ast.expr]:
    if isinstance(node, ast.Dict):  # `**options` after it may have the same key
        last = max((place for place, key in enumerate(node.keys) if key is None), default=-1)
        keys = zip(node.keys[last + 1 :], node.values[last + 1 :], strict=True)
        return {f"[{key.value!r}]": value for key, value in keys if isinstance(key, ast.Constant)}
    if isinstance(node, ast.Tuple | ast.List):
        items = node.elts if not any(isinstance(item, ast.Starred) for item in node.elts) else []
        return {f"[{place}]": item for place, item in enumerate(items)}
    if isinstance(node, ast.Call):
        named = {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg is not None}
        is_dict = isinstance(node.func, ast.Name) and node.func.id == "dict"
        return {f"[{name!r}]" if is_dict else f".{name}": value for name, value in named.items()}
    return {}
