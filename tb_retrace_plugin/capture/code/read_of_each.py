"""What loops read of each item of a list or a dictionary: `source.data` of `for source in self.sources.values()`, and
`self.weights[name]` of `for name, loss in losses.items()`."""

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
    """`written`: as the code has it, by the loop's variable; `path`: what follows the item.

    `keys`: of the items, as they are written out; `keys_of`: the text of what has them, a dictionary's keys or a list's
    items; of neither the items are all that it holds.
    """

    written: str
    path: tuple[str | Item, ...]
    is_called: bool
    keys: tuple[str | int, ...] = ()
    keys_of: str = ""


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
    loops = [one for loop in ast.walk(tree) for one in _loops(loop)]
    if not loops:
        return {}
    stands_for = assigned_once(tree)
    is_said = {id(node) for part in said(tree) for node in ast.walk(part)}
    found: dict[str, list[OfEach]] = {}
    for target, through, within in loops:
        nodes = [node for part in within for node in ast.walk(part)]
        if any(isinstance(node, _LEAVES_OUT) for node in nodes):
            continue
        nodes = [node for node in nodes if id(node) not in is_said]
        each, holder = items_of_loop(target, through)
        if isinstance(each, ast.Name) and not _is_stored(each.id, nodes):
            reads = dict.fromkeys(_of(each.id, nodes))
            for text in _texts(holder, stands_for) if reads else ():
                found.setdefault(text, []).extend(list(reads)[:_MAX_READS])
        key, keyed = _keys(target, through)
        if key and not _is_stored(key, nodes):
            keyed = _filled_by(keyed, stands_for, tree) or keyed
            written = _written_keys(keyed, stands_for, tree)
            for text in [""] if written else _texts(keyed, stands_for):
                for holder, read in _by_key(key, nodes):
                    for name in _texts(holder, stands_for):
                        found.setdefault(name, []).append(read._replace(keys=written, keys_of=text))
    return found


def _texts(holder: ast.expr, stands_for: Mapping[str, ast.expr]) -> list[str]:
    """As it is written, and as what a local variable is that it is."""
    what_it_is = stands_for.get(holder.id) if isinstance(holder, ast.Name) else None
    return [ast.unparse(holder), *([ast.unparse(what_it_is)] if what_it_is is not None else [])]


def _loops(loop: ast.AST) -> Iterator[tuple[ast.expr, ast.expr, Sequence[ast.AST]]]:
    """The variable that is given each item, what these come from, and where the variable stands for them."""
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
    yield from several


def items_of_loop(target: ast.expr, through: ast.expr) -> tuple[ast.expr | None, ast.expr]:
    """The variable that is given each item, and what it is one of."""
    if not isinstance(through, ast.Call) or through.keywords:
        return target, through
    called = through.func
    second = target.elts[1] if isinstance(target, ast.Tuple) and len(target.elts) == 2 else None
    if isinstance(called, ast.Attribute) and not through.args and called.attr in ("items", "values"):
        return (second if called.attr == "items" else target), called.value
    if isinstance(called, ast.Name) and called.id in _TAKE_ALL and len(through.args) == 1:
        each = second if called.id == "enumerate" else target
        return (None, through) if each is None else items_of_loop(each, through.args[0])
    return None, through


def _keys(target: ast.expr, through: ast.expr) -> tuple[str, ast.expr]:
    """The variable that is given each key of a dictionary, or item of a list, and that; "" of what is neither."""
    called = through.func if isinstance(through, ast.Call) and not through.keywords else None
    if isinstance(called, ast.Attribute) and called.attr in ("items", "keys"):
        pair = target.elts if isinstance(target, ast.Tuple) and len(target.elts) == 2 else None
        first = target if called.attr == "keys" else pair[0] if pair is not None else None
        return (first.id if isinstance(first, ast.Name) else ""), called.value
    return (target.id if isinstance(target, ast.Name) and called is None else ""), through


def _written_keys(
    holder: ast.expr, stands_for: Mapping[str, ast.expr], tree: ast.AST
) -> tuple[str | int, ...]:  # fmt: skip
    """Of a list or a dictionary that the code makes itself, if it puts no more into that than can be told."""
    made = stands_for.get(holder.id) if isinstance(holder, ast.Name) else holder
    if isinstance(made, ast.List | ast.Tuple):
        keys: list[ast.expr | None] = [
            *made.elts,
            *(_put_into(holder.id, tree) if isinstance(holder, ast.Name) else ()),
        ]
    elif isinstance(made, ast.Dict) and isinstance(holder, ast.Name):
        keys = [*made.keys, *_put_into(holder.id, tree)]
    else:
        return ()
    found = [key.value for key in keys if isinstance(key, ast.Constant) and isinstance(key.value, str | int)]
    return tuple(dict.fromkeys(found)) if len(found) == len(keys) else ()


def _filled_by(holder: ast.expr, stands_for: Mapping[str, ast.expr], tree: ast.AST) -> ast.expr | None:
    """What a loop goes through that alone fills an empty dictionary, by what it is given: `losses[name] = …`."""
    made = stands_for.get(holder.id) if isinstance(holder, ast.Name) else None
    if not isinstance(holder, ast.Name) or not isinstance(made, ast.Dict) or made.keys:
        return None
    keys = list(_put_into(holder.id, tree))
    for loop in ast.walk(tree):
        if len(keys) != 1 or not isinstance(loop, ast.For) or loop.orelse:
            continue
        within = [node for part in loop.body for node in ast.walk(part)]
        key, through = _keys(loop.target, loop.iter)
        fills = isinstance(keys[0], ast.Name) and keys[0].id == key and any(node is keys[0] for node in within)
        if fills and not any(isinstance(node, _LEAVES_OUT) for node in within) and not _is_stored(key, within):
            return through
    return None


def _put_into(name: str, tree: ast.AST) -> Iterator[ast.expr | None]:
    """The keys that items are put there by; None of one that may not be, or is not known, and of what else may be."""
    may_not = {id(n) for one in ast.walk(tree) if isinstance(one, _LEAVES_OUT[:-3]) for n in ast.walk(one)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id == name:
            if not isinstance(node.ctx, ast.Load):
                yield node.slice if isinstance(node.ctx, ast.Store) and id(node) not in may_not else None
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == name:
            if node.attr not in ("items", "keys", "values", "get"):
                yield None
        elif isinstance(node, ast.Call):
            yield from (None for one in node.args if isinstance(one, ast.Name) and one.id == name)


def _by_key(key: str, nodes: Sequence[ast.AST]) -> Iterator[tuple[ast.expr, OfEach]]:
    """What has items that the variable is the key of, and what is read of those."""
    for root, read in _longest(nodes):
        if isinstance(root, ast.Subscript) and isinstance(root.slice, ast.Name) and root.slice.id == key:
            yield root.value, read


def _is_stored(name: str, nodes: Sequence[ast.AST]) -> bool:
    return any(isinstance(n, ast.Name) and n.id == name and not isinstance(n.ctx, ast.Load) for n in nodes)


def _of(name: str, nodes: Sequence[ast.AST]) -> Iterator[OfEach]:
    return (read for root, read in _longest(nodes) if isinstance(root, ast.Name) and root.id == name and read.path)


def _longest(nodes: Sequence[ast.AST]) -> Iterator[tuple[ast.expr, OfEach]]:
    """What is read, and of what, as far as attributes and keys are written out."""
    called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    parts = [node for node in nodes if isinstance(node, ast.Attribute | ast.Subscript)]
    inner = {id(node.value) for node in parts if _part(node) is not None}
    for node in parts:
        if id(node) in inner or not isinstance(node.ctx, ast.Load):
            continue
        path: list[str | Item] = []
        root: ast.expr = node
        while isinstance(root, ast.Attribute | ast.Subscript) and (part := _part(root)) is not None:
            path.append(part)
            root = root.value
        if len(path) <= _MAX_PARTS:
            yield root, OfEach(ast.unparse(node), tuple(reversed(path)), id(node) in called)


def _part(node: ast.Attribute | ast.Subscript) -> str | Item | None:
    if isinstance(node, ast.Attribute):
        return node.attr
    key = node.slice.value if isinstance(node.slice, ast.Constant) else None
    return Item(key) if isinstance(key, str | int) and not isinstance(key, bool) else None
