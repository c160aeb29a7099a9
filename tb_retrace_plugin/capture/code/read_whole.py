"""Lists and dictionaries of which a function's source reads all that they hold, and which it changes."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from types import CodeType
from typing import Any, NamedTuple

from tb_retrace_plugin.capture.code.asked_of_names import asked_whole
from tb_retrace_plugin.capture.code.by_code import ByCode
from tb_retrace_plugin.capture.code.code_names import Part
from tb_retrace_plugin.capture.code.local_variables import assigned_once
from tb_retrace_plugin.capture.code.only_said import names_said
from tb_retrace_plugin.capture.code.source_tree import source_tree

#: That go through what they are given.
_GO_THROUGH = frozenset({
    "all", "any", "dict", "enumerate", "filter", "list", "map", "max", "min", "reversed", "set", "sorted", "sum",
    "tuple", "zip",
})  # fmt: skip
_MODULES = frozenset({"K", "keras", "math", "np", "numpy", "ops", "tf", "tfb", "tfd", "tfp", "tnp"})
#: That ask of what they are given no more than what it is.
_ASK = frozenset({"callable", "getattr", "hasattr", "id", "isinstance", "issubclass", "len", "print", "type"})
_READ_ALL = frozenset({"items", "keys", "values"})
#: What an object has, as a dictionary.
_GIVE_ALL = frozenset({"asdict", "vars"})
_FILL = frozenset({
    "add", "append", "appendleft", "clear", "discard", "extend", "extendleft", "fill", "insert", "pop", "popitem",
    "popleft", "put", "remove", "rotate", "setdefault", "sort", "update",
})  # fmt: skip
#: That take no more than the shape of what they are given.
_OF_SHAPES = frozenset({"empty_like", "ndim", "ones_like", "rank", "shape", "size", "zeros_like"})
#: Methods that are called for what they do.
_DO = frozenset({"assign", "assign_add", "assign_sub", "update_state"})
#: By which a loop may not come to an item.
_LEAVES_OUT = (ast.If, ast.IfExp, ast.Break, ast.Continue, ast.Return, ast.Try, ast.While, ast.BoolOp)
_MOST_PLACES = 16
_OPEN = "…"
_SEVERAL_PLACES = re.compile(r"\[-?\d+(?:, -?\d+)+\]")


class Whole(NamedTuple):
    """`read`: as they are written, such as `self.rates`; `by_an_index`: of these, which an index takes all of
    (`self.mean[None]`), if they are arrays or lists. `counted`: of these no more than how many they hold. `asked`: no
    more than whether one that is written there is in them (`"rate" in cfg`). `by_turns`: of which a loop takes the
    items at these places. `parts`: which are taken (`self.b[:, 1:2]`). `by_keys`: of which items are looked up by a
    name (`targets[n]`). `called`: whose items are called. `filled`: last names. `handed`: what is passed to others, and
    what is called with it (`mse` of `mse(self.y, model(x))`), where what comes of that is used."""

    read: frozenset[str]
    by_an_index: frozenset[str]
    counted: frozenset[str]
    asked: frozenset[str]
    by_turns: Mapping[str, Collection[int]]
    parts: Mapping[str, Collection[Part]]
    by_keys: frozenset[str]
    called: frozenset[str]
    filled: frozenset[str]
    handed: Mapping[str, Collection[str]]


_NOTHING = Whole(frozenset(), frozenset(), frozenset(), frozenset(), {}, {}, frozenset(), frozenset(), frozenset(), {})
_known: ByCode[Whole] = ByCode()


def read_whole(code: CodeType) -> Whole:
    """Nothing where the source is not to be had."""
    found = _known.get(code)
    if found is None:
        source = source_tree(code)
        found = _NOTHING
        if source is not None:
            try:
                stands_for = assigned_once(source.tree)
                by_turns_unread = [*_only_gone_through(source.tree, names_said(code)[1])]
                counted = {*map(id, by_turns_unread)}

                def texts(nodes: Iterable[ast.expr]) -> frozenset[str]:
                    return frozenset(_written(node) for node in _with_what_they_are(nodes, stands_for))

                given = [one for one in _read(source.tree) if id(one) not in counted]
                given += _at_each_place(source.tree)
                as_written = texts(given)
                read = texts(map(_all_of, given))
                filled = _with_what_they_are(_changed(source.tree), stands_for)
                found = Whole(
                    read,
                    read - as_written,
                    texts([*_counted(source.tree), *by_turns_unread]) - read,
                    texts(_asked(source.tree)) - read,
                    {text: places for text, places in _by_turns(source.tree).items() if text not in read},
                    _parts(source.tree, stands_for),
                    texts(_by_keys(source.tree)),
                    texts(_called(source.tree)),
                    frozenset(name for node in filled for name in _last_name(node)),
                    _handed(source.tree, stands_for),
                )
            except RecursionError:
                pass
        _known.put(code, found)
    return found


def _written(node: ast.expr) -> str:
    """As `Name.text` is: `self.table[0,1]`, and `args.__dict__` of `vars(args)`."""
    if isinstance(node, ast.Call) and len(node.args) == 1 and ast.unparse(node.func).rpartition(".")[2] in _GIVE_ALL:
        return f"{ast.unparse(node.args[0])}.__dict__"
    return _SEVERAL_PLACES.sub(lambda found: found[0].replace(" ", ""), ast.unparse(node))


def _read(tree: ast.AST) -> Iterator[ast.expr]:
    """What is gone through, handed to TensorFlow, or computed with; not what one item is taken of."""
    for node in ast.walk(tree):
        if isinstance(node, ast.For | ast.comprehension):
            yield node.iter
        elif isinstance(node, ast.Starred | ast.YieldFrom):
            yield node.value
        elif isinstance(node, ast.BinOp):
            yield from (node.left, node.right)
        elif isinstance(node, ast.AugAssign):
            yield node.value
        elif isinstance(node, ast.UnaryOp) and not isinstance(node.op, ast.Not):
            yield node.operand
        elif isinstance(node, ast.Compare) and not any(isinstance(one, ast.Is | ast.IsNot) for one in node.ops):
            if not _asks_for_one(node):
                yield from (node.left, *node.comparators)
        elif isinstance(node, ast.Dict):
            yield from (value for key, value in zip(node.keys, node.values, strict=True) if key is None)
        elif isinstance(node, ast.Assign) and any(isinstance(one, ast.Tuple | ast.List) for one in node.targets):
            yield node.value
        elif isinstance(node, ast.Call):
            called = node.func
            if isinstance(called, ast.Attribute) and called.attr in _READ_ALL:
                yield called.value
            yield from (keyword.value for keyword in node.keywords if keyword.arg is None)
            if _goes_through(called) and not asked_whole(node):  # which has an answer of its own
                for given in (*node.args, *(keyword.value for keyword in node.keywords)):
                    yield given
                    yield from given.elts if isinstance(given, ast.List | ast.Tuple) else ()  # `tf.stack([a, b])`


def _all_of(node: ast.expr) -> ast.expr:
    """`self.mean` of `self.mean[None, :]` and `self.mean[::-1]`, which take all of it."""
    while isinstance(node, ast.Subscript) and all(map(_takes_all, _places(node.slice))):
        node = node.value
    return node


def _places(node: ast.expr) -> Sequence[ast.expr]:
    return node.elts if isinstance(node, ast.Tuple) else [node]


def _takes_all(place: ast.expr) -> bool:
    if isinstance(place, ast.Slice):
        is_whole_step = place.step is None or ast.unparse(place.step) in ("1", "-1")
        return place.lower is None and place.upper is None and is_whole_step
    return isinstance(place, ast.Constant) and place.value in (None, ...)


def _parts(tree: ast.AST, stands_for: Mapping[str, ast.expr]) -> dict[str, set[Part]]:
    """Those that are written out: numbers alone are items."""
    found: dict[str, set[Part]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
            written = _places(node.slice)
            places = [*map(_place, written)]
            if _OPEN not in places and not all(type(place) is int for place in places):
                part = Part(f"[{', '.join(map(ast.unparse, written))}]", tuple(places))
                for one in _with_what_they_are([node.value], stands_for):
                    found.setdefault(ast.unparse(one), set()).add(part)
    return found


def _place(node: ast.expr) -> Any:
    """As in a `Part`; `_OPEN` where it is not written out."""
    if isinstance(node, ast.Slice):
        bounds = [None if bound is None else _place(bound) for bound in (node.lower, node.upper, node.step)]
        return _OPEN if any(bound is not None and type(bound) is not int for bound in bounds) else tuple(bounds)
    sign = -1 if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) else 1
    node = node.operand if isinstance(node, ast.UnaryOp) and sign < 0 else node
    value = node.value if isinstance(node, ast.Constant) else _OPEN
    if type(value) is int:
        return sign * value
    return value if value in (None, ...) and sign > 0 else _OPEN


def _handed(tree: ast.AST, stands_for: Mapping[str, ast.expr]) -> dict[str, set[str]]:
    """Of names alone: the rest is computed."""
    found: dict[str, set[str]] = {}
    unused = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or _goes_through(node.func):
            continue
        called = ast.unparse(node.func)
        last = called.rpartition(".")[2]
        if called not in _ASK and last not in _OF_SHAPES and (last in _DO or id(node) not in unused):
            passed = [*node.args, *(keyword.value for keyword in node.keywords)]
            given = map(_all_of, (one for each in passed for one in (each, *_written_in(each))))
            for one in _with_what_they_are(given, stands_for):
                if isinstance(one, ast.Name | ast.Attribute):
                    found.setdefault(ast.unparse(one), set()).add(called)
    return found


def _written_in(display: ast.expr) -> Sequence[ast.expr]:
    """`x` of `{"x": x}` and of `(x, 1)`."""
    if isinstance(display, ast.Dict):
        return display.values
    return display.elts if isinstance(display, ast.List | ast.Tuple) else ()


def _counted(tree: ast.AST) -> Iterator[ast.expr]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "len":
            yield from node.args


def _only_gone_through(tree: ast.AST, said: Collection[ast.Name]) -> Iterator[ast.expr]:
    """`self.layers` of `for _ in self.layers`, of which nothing reads what the loop gives. `said`: names that are."""
    names = (node for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load))
    read = {node.id for node in names if node not in said}
    for node in ast.walk(tree):
        if isinstance(node, ast.For | ast.comprehension):
            for target, through in _gone_through(node.target, node.iter):
                if isinstance(target, ast.Name) and target.id not in read:
                    yield through


def _at_each_place(tree: ast.AST) -> Iterator[ast.expr]:
    """`self.rates` of `self.rates[i]` in `for i in range(len(self.rates))` or `for i, _ in enumerate(self.rates)`."""
    items = {ast.unparse(n) for n in ast.walk(tree) if isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Load)}
    for loop in ast.walk(tree):
        if not (isinstance(loop, ast.For | ast.comprehension) and isinstance(loop.iter, ast.Call) and loop.iter.args):
            continue
        called, of = ast.unparse(loop.iter.func), loop.iter.args[0]
        place = loop.target.elts[0] if isinstance(loop.target, ast.Tuple) and called == "enumerate" else None
        if called == "range" and isinstance(of, ast.Call) and ast.unparse(of.func) == "len" and of.args:
            place, of = loop.target, of.args[0]
        if isinstance(place, ast.Name) and f"{ast.unparse(of)}[{place.id}]" in items:
            yield of


def _by_keys(tree: ast.AST) -> Iterator[ast.expr]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load) and isinstance(node.slice, ast.Name):
            yield node.value


def _asks_for_one(node: ast.Compare) -> bool:
    return isinstance(node.left, ast.Constant) and len(node.ops) == 1 and isinstance(node.ops[0], ast.In | ast.NotIn)


def _asked(tree: ast.AST) -> Iterator[ast.expr]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare) and _asks_for_one(node):
            yield from node.comparators


def _by_turns(tree: ast.AST) -> dict[str, set[int]]:
    """`self.weights` of `self.weights[i + 1]` in a loop over a `range` that is written there, and the places; and of
    `sum(self.weights[1:])`."""
    found: dict[str, set[int]] = {}
    for part in _read(tree):
        if isinstance(part, ast.Subscript) and isinstance(part.slice, ast.Slice) and (of_slice := _within(part.slice)):
            found.setdefault(ast.unparse(part.value), set()).update(of_slice)
    for loop in ast.walk(tree):
        each: Sequence[ast.For | ast.comprehension]
        if isinstance(loop, ast.For):
            within: Sequence[ast.AST] = loop.body
            each = [loop]
        elif isinstance(loop, ast.ListComp | ast.GeneratorExp | ast.SetComp):
            within, each = [loop.elt], loop.generators
        else:
            continue
        nodes = [node for part in within for node in ast.walk(part)]
        if any(isinstance(node, _LEAVES_OUT) for node in nodes) or any(getattr(one, "ifs", ()) for one in each):
            continue
        for one in each:
            numbers = _written_range(one.iter)
            if not isinstance(one.target, ast.Name) or not numbers:
                continue
            for node in nodes:
                if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
                    places = [_computed(node.slice, one.target.id, number) for number in numbers]
                    if None not in places:
                        found.setdefault(ast.unparse(node.value), set()).update(
                            place for place in places if place is not None
                        )
    return found


def _within(part: ast.Slice) -> Sequence[int]:
    """Nothing of bounds that are not written there, or are counted from the end."""
    given = [one for one in (part.lower, part.upper, part.step) if one is not None]
    bounds = [one.value for one in given if isinstance(one, ast.Constant) and type(one.value) is int]
    if part.step is not None or len(bounds) < len(given):
        return ()
    first = bounds[0] if part.lower is not None else 0
    return range(first, min(bounds[-1], _MOST_PLACES) if part.upper is not None else _MOST_PLACES)


def _written_range(through: ast.expr) -> Sequence[int]:
    if not isinstance(through, ast.Call) or not isinstance(through.func, ast.Name) or through.func.id != "range":
        return ()
    bounds = [one.value for one in through.args if isinstance(one, ast.Constant) and type(one.value) is int]
    if through.keywords or not 0 < len(through.args) == len(bounds) < 3:
        return ()
    numbers = range(*bounds)
    return numbers if len(numbers) <= _MOST_PLACES else ()


def _computed(place: ast.expr, name: str, number: int) -> int | None:
    """`i`, `i + 1` or `i - 1`; None of anything else, or if it is below 0."""
    found = None
    if isinstance(place, ast.Name) and place.id == name:
        found = number
    elif isinstance(place, ast.BinOp) and isinstance(place.right, ast.Constant) and type(place.right.value) is int:
        before = _computed(place.left, name, number)
        if before is not None and isinstance(place.op, ast.Add | ast.Sub):
            found = before + place.right.value if isinstance(place.op, ast.Add) else before - place.right.value
    return found if found is not None and found >= 0 else None


def _called(tree: ast.AST) -> Iterator[ast.expr]:
    """`self.layers` of `for layer in self.layers: x = layer(x)`."""
    called = {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    for node in ast.walk(tree):
        if isinstance(node, ast.For | ast.comprehension):
            for target, through in _gone_through(node.target, node.iter):
                if isinstance(target, ast.Name) and target.id in called:
                    yield through


def _gone_through(target: ast.expr, through: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    """What is given the items of what: of each that `enumerate` and `zip` are passed."""
    by = through.func.id if isinstance(through, ast.Call) and isinstance(through.func, ast.Name) else ""
    if not isinstance(through, ast.Call) or by not in ("enumerate", "zip", "reversed") or not through.args:
        yield target, through
    elif by == "reversed":
        yield from _gone_through(target, through.args[0])
    elif isinstance(target, ast.Tuple | ast.List):
        several = through.args if by == "zip" else [through.args[0]]
        for one, of in zip(target.elts if by == "zip" else target.elts[1:], several, strict=False):
            yield from _gone_through(one, of)


def _goes_through(called: ast.expr) -> bool:
    if isinstance(called, ast.Name):
        return called.id in _GO_THROUGH
    if isinstance(called, ast.Attribute) and called.attr in _OF_SHAPES:
        return False
    while isinstance(called, ast.Attribute):
        called = called.value
    return isinstance(called, ast.Name) and called.id in _MODULES


def _with_what_they_are(nodes: Iterable[ast.expr], stands_for: Mapping[str, ast.expr]) -> Iterator[ast.expr]:
    """`stands_for`: of local variables that are given one thing."""
    for node in nodes:
        yield node
        if isinstance(node, ast.Name) and node.id in stands_for:
            yield stands_for[node.id]


def _changed(tree: ast.AST) -> Iterator[ast.expr]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
            yield node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _FILL:
            yield node.func.value


def _last_name(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.Attribute):
        yield node.attr
    elif isinstance(node, ast.Name):
        yield node.id
