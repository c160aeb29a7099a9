"""What loops read of each item of a list or a dictionary: `source.data` of `for source in self.sources.values()`."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from types import CodeType
from typing import NamedTuple

from tb_retrace_plugin.capture.code.by_code import ByCode
from tb_retrace_plugin.capture.code.code_names import Item
from tb_retrace_plugin.capture.code.local_variables import assigned_once
from tb_retrace_plugin.capture.code.only_said import said
from tb_retrace_plugin.capture.code.source_tree import source_tree

_COMPREHENSIONS = (ast.ListComp, ast.GeneratorExp, ast.SetComp, ast.DictComp)
#: By which a loop may not come to an item, or not to all that it reads of it.
_LEAVES_OUT = (
    ast.If, ast.IfExp, ast.Break, ast.Continue, ast.Return, ast.Try, ast.While, ast.BoolOp, ast.Lambda,
    ast.FunctionDef, ast.AsyncFunctionDef, ast.Yield,
)  # fmt: skip
#: Whose loops take all that they are given; `zip` ends with the shortest.
_TAKE_ALL = frozenset({"enumerate", "list", "reversed", "tuple"})
_MAX_PARTS = 3
_MAX_READS = 12


class OfEach(NamedTuple):
    """`written`: as the code has it, by the loop's variable; `path`: what follows that."""

    written: str
    path: tuple[str | Item, ...]
    is_called: bool


_known: ByCode[Mapping[str, Sequence[OfEach]]] = ByCode()


def read_of_each(code: CodeType) -> Mapping[str, Sequence[OfEach]]:
    """By what holds the items, as it is written; nothing where the source is not to be had."""
    found = _known.get(code)
    if found is None:
        source = source_tree(code)
        try:
            found = {} if source is None else _read(source.tree)
        except RecursionError:
            found = {}
        _known.put(code, found)
    return found


def _read(tree: ast.AST) -> dict[str, list[OfEach]]:
    loops = [(target, through, within) for loop in ast.walk(tree) for target, through, within in _loops(loop)]
    if not loops:
        return {}
    stands_for = assigned_once(tree)
    is_said = {id(node) for part in said(tree) for node in ast.walk(part)}
    found: dict[str, list[OfEach]] = {}
    for target, through, within in loops:
        nodes = [node for part in within for node in ast.walk(part)]
        if any(isinstance(node, _LEAVES_OUT) for node in nodes) or _is_stored(target, nodes):
            continue
        reads = dict.fromkeys(_of(target, [node for node in nodes if id(node) not in is_said]))
        for holder in (through, stands_for.get(through.id) if isinstance(through, ast.Name) else None):
            if holder is not None and reads:
                found.setdefault(ast.unparse(holder), []).extend(list(reads)[:_MAX_READS])
    return found


def _loops(loop: ast.AST) -> Iterator[tuple[str, ast.expr, Sequence[ast.AST]]]:
    """The variable that is given each item, what holds these, and where the variable stands for them."""
    several: list[tuple[ast.expr, ast.expr, Sequence[ast.AST]]]
    if isinstance(loop, ast.For):
        several = [(loop.target, loop.iter, list(loop.body))] if not loop.orelse else []
    elif isinstance(loop, _COMPREHENSIONS) and not any(one.ifs for one in loop.generators):
        made = [loop.key, loop.value] if isinstance(loop, ast.DictComp) else [loop.elt]
        several = [
            (one.target, one.iter, [*made, *(later.iter for later in loop.generators[place + 1 :])])
            for place, one in enumerate(loop.generators)
        ]
    else:
        return
    for target, through, within in several:
        each, holder = _items(target, through)
        if isinstance(each, ast.Name):
            yield each.id, holder, within


def _items(target: ast.expr, through: ast.expr) -> tuple[ast.expr | None, ast.expr]:
    if not isinstance(through, ast.Call) or through.keywords:
        return target, through
    called = through.func
    second = target.elts[1] if isinstance(target, ast.Tuple) and len(target.elts) == 2 else None
    if isinstance(called, ast.Attribute) and not through.args and called.attr in ("items", "values"):
        return (second if called.attr == "items" else target), called.value
    if isinstance(called, ast.Name) and called.id in _TAKE_ALL and len(through.args) == 1:
        each = second if called.id == "enumerate" else target
        return (None, through) if each is None else _items(each, through.args[0])
    return None, through


def _is_stored(name: str, nodes: Sequence[ast.AST]) -> bool:
    return any(isinstance(n, ast.Name) and n.id == name and not isinstance(n.ctx, ast.Load) for n in nodes)


def _of(name: str, nodes: Sequence[ast.AST]) -> Iterator[OfEach]:
    """The longest that is read of it each time, of what is written out."""
    called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    parts = [node for node in nodes if isinstance(node, ast.Attribute | ast.Subscript)]
    inner = {id(node.value) for node in parts if _part(node) is not None}
    for node in parts:
        if id(node) in inner or not isinstance(node.ctx, ast.Load):
            continue
        path: list[str | Item] = []
        holder: ast.expr = node
        while isinstance(holder, ast.Attribute | ast.Subscript) and (part := _part(holder)) is not None:
            path.append(part)
            holder = holder.value
        if path and isinstance(holder, ast.Name) and holder.id == name and len(path) <= _MAX_PARTS:
            yield OfEach(ast.unparse(node), tuple(reversed(path)), id(node) in called)


def _part(node: ast.Attribute | ast.Subscript) -> str | Item | None:
    if isinstance(node, ast.Attribute):
        return node.attr
    key = node.slice.value if isinstance(node.slice, ast.Constant) else None
    return Item(key) if isinstance(key, str | int) and not isinstance(key, bool) else None
