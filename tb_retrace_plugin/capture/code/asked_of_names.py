"""What a function's source asks of a name by Python's own means, besides reading it: whether there is an item or an
attribute (`"rate" in cfg`, `hasattr(self, "rate")`), whether a list holds anything (`if callbacks:`), and which of its
numbers is the largest (`max(sizes)`, `any(flags)`)."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from types import CodeType
from typing import NamedTuple

from tb_retrace_plugin.capture.code.by_code import ByCode
from tb_retrace_plugin.capture.code.code_names import Asks
from tb_retrace_plugin.capture.code.local_variables import assigned_once
from tb_retrace_plugin.capture.code.source_tree import source_tree

_MISSING_KEYS = frozenset({"KeyError", "LookupError", "Exception"})
_OF_ALL: Mapping[str, Asks] = {"all": "all", "any": "any", "max": "max", "min": "min"}
_CHOOSE = (ast.If, ast.IfExp, ast.While)


class Ask(NamedTuple):
    """`of`: the key or the attribute."""

    asks: Asks
    of: str | int = ""


_NOTHING: Mapping[str, frozenset[Ask]] = {}
_known: ByCode[Mapping[str, frozenset[Ask]]] = ByCode()


def asked_of_names(code: CodeType) -> Mapping[str, frozenset[Ask]]:
    """By the name, as it is written. Nothing where the source is not to be had."""
    found = _known.get(code)
    if found is None:
        source = source_tree(code)
        by_name: dict[str, set[Ask]] = {}
        try:
            stands_for = assigned_once(source.tree) if source is not None else {}
            for node, ask in _asked(source.tree) if source is not None else ():
                by_name.setdefault(ast.unparse(node), set()).add(ask)
                if isinstance(node, ast.Name) and node.id in stands_for:
                    by_name.setdefault(ast.unparse(stands_for[node.id]), set()).add(ask)
        except RecursionError:
            by_name = {}
        found = _known.put(code, {name: frozenset(asks) for name, asks in by_name.items()} or _NOTHING)
    return found


def _asked(tree: ast.AST) -> Iterator[tuple[ast.expr, Ask]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], ast.In | ast.NotIn):
            if (key := _written(node.left)) is not None:
                yield node.comparators[0], Ask("in", key)
        elif isinstance(node, ast.Try | ast.With) and _goes_on_without_a_key(node):
            within = (each for line in node.body for each in ast.walk(line))
            for one in (each for each in within if isinstance(each, ast.Subscript) and isinstance(each.ctx, ast.Load)):
                if (key := _written(one.slice)) is not None:
                    yield one.value, Ask("in", key)
        elif isinstance(node, ast.Call) and (asks := asked_whole(node)):
            yield node.args[0], Ask(asks)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and len(node.args) > 1:
            key = _written(node.args[1])
            if node.func.id == "hasattr" and isinstance(key, str):
                yield node.args[0], Ask("hasattr", key)
        elif isinstance(node, _CHOOSE):
            yield from ((one, Ask("bool")) for one in _asked_for_truth(node.test))


def asked_whole(call: ast.Call) -> Asks:
    """Of `max(sizes)` or `any(flags)`, of one name alone; "" of any other."""
    if len(call.args) != 1 or call.keywords or not isinstance(call.args[0], ast.Name | ast.Attribute | ast.Subscript):
        return ""
    return _OF_ALL.get(call.func.id, "") if isinstance(call.func, ast.Name) else ""


def _asked_for_truth(test: ast.expr) -> Iterator[ast.expr]:
    if isinstance(test, ast.BoolOp):
        for one in test.values:
            yield from _asked_for_truth(one)
    elif isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        yield from _asked_for_truth(test.operand)
    elif isinstance(test, ast.Call) and isinstance(test.func, ast.Name) and test.func.id == "bool":
        yield from (one for each in test.args for one in _asked_for_truth(each))
    elif isinstance(test, ast.Name | ast.Attribute | ast.Subscript):
        yield test


def _written(node: ast.expr) -> str | int | None:
    value = node.value if isinstance(node, ast.Constant) else None
    return value if isinstance(value, str | int) and not isinstance(value, bool) else None


def _goes_on_without_a_key(node: ast.Try | ast.With) -> bool:
    """`except KeyError`, and `with contextlib.suppress(KeyError)`."""
    if isinstance(node, ast.Try):
        kinds: list[ast.AST | None] = [one.type for one in node.handlers]
    else:
        entered = [one.context_expr for one in node.items]
        kinds = [
            a for one in entered if isinstance(one, ast.Call) and "suppress" in ast.unparse(one.func) for a in one.args
        ]
    names = {one.id for kind in kinds if kind is not None for one in ast.walk(kind) if isinstance(one, ast.Name)}
    return None in kinds or not names.isdisjoint(_MISSING_KEYS)
