"""A function's source with the arguments of calls where they end up: `tf.norm(x, **{"ord": q})`, also by a name for the
dictionary, and `functools.partial(tf.norm, ord=q)` are `tf.norm(…, ord=q)`, and `strategy.run(step, args=(x, k))` is
`step(x, k)`."""

from __future__ import annotations

import ast
import copy
from collections.abc import Mapping

from tb_retrace_plugin.capture.code.source_tree import assigned_once

#: What a dictionary that is written there has: keys that are written out, as often as they are given a value.
_Items = list[tuple[str, ast.expr]]
_PARTIAL = "partial"
#: A strategy's; its second and third arguments.
_RUN = "run"
_ARGS, _KWARGS = "args", "kwargs"


def with_arguments_in_place(tree: ast.AST) -> ast.AST:
    """The tree, or a copy: what `**` spreads of a dictionary that is not written there stays as it is."""
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    if not any(_is_partial(call) or _is_spread(call) or _run(call) for call in calls):
        return tree
    return _InPlace(_dictionaries(tree)).visit(copy.deepcopy(tree))  # type: ignore[no-any-return]


def _is_partial(call: ast.Call) -> bool:
    called = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    return called == _PARTIAL and bool(call.args) and not isinstance(call.args[0], ast.Starred)


def _is_spread(call: ast.Call) -> bool:
    return any(each.arg is None for each in call.keywords)


def _run(call: ast.Call) -> ast.Call | None:
    """What a strategy calls, where that and what it is passed is written there."""
    if not (isinstance(call.func, ast.Attribute) and call.func.attr == _RUN and call.args):
        return None
    called, *given = call.args
    by_name: dict[str | None, ast.expr] = dict(zip((_ARGS, _KWARGS), given, strict=False))
    by_name |= {each.arg: each.value for each in call.keywords}
    args, kwargs = by_name.get(_ARGS, ast.Tuple([], ast.Load())), by_name.get(_KWARGS)
    named = [] if kwargs is None else _items(kwargs)
    if not isinstance(called, ast.Name | ast.Attribute) or not isinstance(args, ast.Tuple | ast.List) or named is None:
        return None
    return ast.Call(called, args.elts, [ast.keyword(name, value) for name, value in named])


def _items(node: ast.AST) -> _Items | None:
    """Of `{"ord": q}` and `dict(ord=q)`; None of anything else."""
    if isinstance(node, ast.Dict):
        found: _Items = []
        for key, value in zip(node.keys, node.values, strict=True):  # no key: `**more`
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                found.append((key.value, value))
            found += (_items(value) or []) if key is None else []
        return found
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "dict" and not node.args:
        return [(each.arg, each.value) for each in node.keywords if each.arg is not None]
    return None


def _dictionaries(tree: ast.AST) -> dict[str, _Items]:
    """By local name, with what is put into them later: `options["ord"] = q`."""
    written = {name: _items(value) for name, value in assigned_once(tree).items()}
    found = {name: items for name, items in written.items() if items is not None}
    for node in ast.walk(tree):
        for target in node.targets if isinstance(node, ast.Assign) else ():
            if isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
                key = target.slice.value if isinstance(target.slice, ast.Constant) else None
                if isinstance(key, str) and target.value.id in found:
                    found[target.value.id].append((key, node.value))  # type: ignore[attr-defined]
    return found


class _InPlace(ast.NodeTransformer):
    def __init__(self, dictionaries: Mapping[str, _Items]) -> None:
        self._dictionaries = dictionaries

    def visit_Call(self, node: ast.Call) -> ast.Call:
        self.generic_visit(node)
        node = _run(node) or node
        if _is_partial(node):
            node = ast.Call(node.args[0], node.args[1:], node.keywords)
        if _is_spread(node):
            node.keywords = [keyword for each in node.keywords for keyword in self._spread(each)]
        return node

    def _spread(self, keyword: ast.keyword) -> list[ast.keyword]:
        value = keyword.value
        items = self._dictionaries.get(value.id) if isinstance(value, ast.Name) else _items(value)
        if keyword.arg is not None or items is None:
            return [keyword]
        return [ast.keyword(name, each) for name, each in items]
