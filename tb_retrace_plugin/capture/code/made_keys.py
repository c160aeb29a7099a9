"""Keys that code makes of what it is passed: `name` of `cfg[f"{name}_rate"]`, and `n` of `scales[i]` in a loop over
`range(n)`."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping, Sequence
from types import CodeType
from typing import Any, NamedTuple

from tb_retrace_plugin.capture.code.by_code import ByCode
from tb_retrace_plugin.capture.code.local_variables import assigned_once
from tb_retrace_plugin.capture.code.other_names import parameters_of
from tb_retrace_plugin.capture.code.source_tree import source_tree

#: By which a loop may not come to an item.
_LEAVES_OUT = (ast.If, ast.IfExp, ast.Break, ast.Continue, ast.Return, ast.Try, ast.While, ast.BoolOp)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_MOST_PLACES = 16


class MadeKey(NamedTuple):
    """`parameter`: what it is made of, also a name from around the code (`self.mode`); `before`, `after`: the rest of
    a text. `counts`: as many places as it says."""

    parameter: str
    before: str = ""
    after: str = ""
    counts: bool = False

    def of(self, passed: Any) -> Sequence[str | int]:
        if self.counts:
            return range(passed) if type(passed) is int and passed <= _MOST_PLACES else ()
        return [f"{self.before}{passed}{self.after}"] if type(passed) in (str, int) else ()


_known: ByCode[Mapping[str, Collection[MadeKey]]] = ByCode()


def made_keys(code: CodeType) -> Mapping[str, Collection[MadeKey]]:
    """By what is asked for them, as it is written; nothing where the source is not to be had."""
    found = _known.get(code)
    if found is None:
        source = source_tree(code)
        try:
            found = {} if source is None else _made(source.tree, parameters_of(code), {*code.co_varnames})
        except RecursionError:
            found = {}
        _known.put(code, found)
    return found


def text_made_of(parent: ast.AST | None, above: Mapping[int, ast.AST]) -> ast.expr | None:
    """The text that a name's parent makes of it: `name + "_rate"`, `"%s_rate" % name`, `"{}_rate".format(name)`."""
    text: ast.AST | None = None
    if isinstance(parent, ast.FormattedValue):
        text = above.get(id(parent))
    elif isinstance(parent, ast.BinOp | ast.Call) and _parts(parent):
        text = parent
    while text is not None and isinstance(outer := above.get(id(text)), ast.BinOp) and _parts(outer):
        text = outer
    return text if isinstance(text, ast.expr) else None


def _made(tree: ast.AST, parameters: set[str], local: set[str]) -> dict[str, dict[MadeKey, None]]:
    left_out = _left_out(tree)
    stands_for = assigned_once(tree) if left_out is not None else {}
    found: dict[str, dict[MadeKey, None]] = {}
    for node in ast.walk(tree) if left_out is not None else ():
        if id(node) in (left_out or ()):
            continue
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
            slice_ = node.slice
            made = stands_for.get(slice_.id) if isinstance(slice_, ast.Name) else slice_
            key = _key(made, local - parameters) if made is not None else None
            if key is not None:
                found.setdefault(ast.unparse(node.value), {})[key] = None
        for holder, parameter in _counted(node):
            if parameter in parameters:
                found.setdefault(ast.unparse(holder), {})[MadeKey(parameter, counts=True)] = None
    return found


def _left_out(tree: ast.AST) -> set[int] | None:
    """What may not be come to, and functions that are made in it, whose parameters are others; None: any of it."""
    outermost = next((node for node in ast.walk(tree) if isinstance(node, _FUNCTIONS)), None)
    inner = [one for one in ast.walk(tree) if isinstance(one, _FUNCTIONS) and one is not outermost]
    within_inner = {id(node) for one in inner for node in ast.walk(one)}
    may_not = [one for one in ast.walk(tree) if isinstance(one, _LEAVES_OUT) and not isinstance(one, ast.Return)]
    nodes = {id(node): node for one in may_not for node in ast.walk(one)}
    if any(isinstance(node, ast.Return) and key not in within_inner for key, node in nodes.items()):
        return None
    return within_inner | nodes.keys()


def _key(made: ast.expr, local: set[str]) -> MadeKey | None:
    parts = _parts(made)
    of = [place for place, part in enumerate(parts) if not isinstance(part, str)]
    name = parts[of[0]] if len(of) == 1 else None
    first = name
    while isinstance(first, ast.Attribute):
        first = first.value
    if not isinstance(name, ast.expr) or not isinstance(first, ast.Name) or first.id in local:
        return None
    before, after = parts[: of[0]], parts[of[0] + 1 :]
    return MadeKey(ast.unparse(name), "".join(map(str, before)), "".join(map(str, after)))


def _parts(made: ast.AST) -> Sequence[str | ast.expr]:
    """Of a text that is made of others: those that are written there, and what stands between; () of anything else."""
    if isinstance(made, ast.JoinedStr):
        return [part for value in made.values for part in _formatted(value)]
    if isinstance(made, ast.BinOp) and isinstance(made.op, ast.Add):
        parts = [part for side in (made.left, made.right) for part in _parts(side) or _alone(side)]
        return parts if any(isinstance(part, str) for part in parts) else ()
    if isinstance(made, ast.BinOp) and isinstance(made.op, ast.Mod):
        return _filled_in(made.left, "%s", [made.right])
    if isinstance(made, ast.Call) and isinstance(made.func, ast.Attribute) and made.func.attr == "format":
        return _filled_in(made.func.value, "{}", made.args) if not made.keywords else ()
    return ()


def _formatted(value: ast.expr) -> Iterator[str | ast.expr]:
    if isinstance(value, ast.FormattedValue):
        yield value.value if value.conversion == -1 and value.format_spec is None else value
    else:
        yield from _alone(value)


def _alone(value: ast.expr) -> Iterator[str | ast.expr]:
    yield value.value if isinstance(value, ast.Constant) and isinstance(value.value, str) else value


def _filled_in(text: ast.expr, gap: str, values: Sequence[ast.expr]) -> Sequence[str | ast.expr]:
    if not isinstance(text, ast.Constant) or not isinstance(text.value, str) or len(values) != 1:
        return ()
    before, found, after = text.value.partition(gap)
    is_plain = found and not any(sign in before + after for sign in "%{}")
    return [before, values[0], after] if is_plain and not isinstance(values[0], ast.Tuple | ast.Dict) else ()


def _counted(loop: ast.AST) -> Iterator[tuple[ast.expr, str]]:
    """`scales` and `n` of `for i in range(n): … scales[i]`, if the loop comes to all of them."""
    if isinstance(loop, ast.For):
        within: list[ast.AST] = [*loop.body]
        each: Sequence[ast.For | ast.comprehension] = [loop]
    elif isinstance(loop, ast.ListComp | ast.GeneratorExp | ast.SetComp):
        within, each = [loop.elt], loop.generators
    else:
        return
    nodes = [node for part in within for node in ast.walk(part)]
    if any(isinstance(node, _LEAVES_OUT) for node in nodes) or any(getattr(one, "ifs", ()) for one in each):
        return
    for one in each:
        through = one.iter
        if not isinstance(one.target, ast.Name) or not isinstance(through, ast.Call) or len(through.args) != 1:
            continue
        if ast.unparse(through.func) != "range" or not isinstance(through.args[0], ast.Name):
            continue
        for node in nodes:
            if not isinstance(node, ast.Subscript) or not isinstance(node.ctx, ast.Load):
                continue
            if isinstance(node.slice, ast.Name) and node.slice.id == one.target.id:
                yield node.value, through.args[0].id
