"""By which names calls in a function's source lead to what they run: `self.model.anchors` of `m = self.model` and
`m.anchors(n)`, `self.layers[0]`, and `self.layers[...]` of `for layer in self.layers: x = layer(x, n)`."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from tb_retrace_plugin.capture.code.local_variables import assigned_once
from tb_retrace_plugin.capture.code.read_of_each import items_of_loop

_COMPREHENSIONS = (ast.ListComp, ast.GeneratorExp, ast.SetComp, ast.DictComp)
#: Any of its items, in a name.
EACH = "[...]"
#: Before the number of another function that such a name leads to.
ALSO = "#"
_MOST_STEPS = 4


def calls_by_name(tree: ast.AST) -> Iterator[tuple[ast.Call, str]]:
    """Each call, and what it calls; "" of what has no such name."""
    once = assigned_once(tree)
    yield from _calls(tree, {name: text for name, value in once.items() if (text := name_called(value))})


def name_called(node: ast.expr, stands_for: Mapping[str, str] | None = None) -> str:
    """`mask`, `self.mask`, `layers.mask`, `self.schedule.at`, `agent.net.value`, `self.heads['a']`; "" of
    anything else. `stands_for`: local names with what they are."""
    name = _name(node)
    for _ in range(_MOST_STEPS if stands_for else 0):
        root = root_of(name)
        if root not in (stands_for or {}):
            break
        name = (stands_for or {})[root] + name[len(root) :]
    return name


def root_of(name: str) -> str:
    return name.partition(".")[0].partition("[")[0]


def _name(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return f"{holder}.{node.attr}" if (holder := _name(node.value)) else ""
    if isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Slice | ast.Tuple):
        key = node.slice.value if isinstance(node.slice, ast.Constant) else ...
        holder = _name(node.value)
        return f"{holder}[{key!r}]" if holder and key is not ... else f"{holder}{EACH}" if holder else ""
    return node.id if isinstance(node, ast.Name) else ""


def _calls(node: ast.AST, stands_for: Mapping[str, str]) -> Iterator[tuple[ast.Call, str]]:
    if isinstance(node, ast.Call):
        yield node, name_called(node.func, stands_for)
    own = stands_for
    if isinstance(node, ast.For):
        own = _with_items(stands_for, node.target, node.iter, node.body)
    elif isinstance(node, _COMPREHENSIONS):
        for each in node.generators:
            own = _with_items(own, each.target, each.iter, ())
    for within in ast.iter_child_nodes(node):
        yield from _calls(within, own)


def _with_items(
    stands_for: Mapping[str, str], target: ast.expr, through: ast.expr, body: list[ast.stmt] | tuple[()]
) -> Mapping[str, str]:
    """With what a loop's own names are in it, if it gives them nothing else."""
    given = {id(each): each.id for each in ast.walk(target) if isinstance(each, ast.Name)}
    others = {name for part in body for node in ast.walk(part) if (name := _given(node))}
    found = {name: text for name, text in stands_for.items() if name not in given.values()}
    pairs = [(target, through)]
    if isinstance(through, ast.Call) and isinstance(target, ast.Tuple) and _name(through.func) == "zip":
        pairs = list(zip(target.elts, through.args, strict=False))
    for each, holder in (items_of_loop(*pair) for pair in pairs):
        part = holder.value if isinstance(holder, ast.Subscript) and isinstance(holder.slice, ast.Slice) else holder
        if isinstance(each, ast.Name) and each.id not in others and (text := name_called(part, stands_for)):
            found[each.id] = text + EACH
    return found


def _given(node: ast.AST) -> str:
    if isinstance(node, ast.arg):
        return node.arg
    return node.id if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load) else ""
