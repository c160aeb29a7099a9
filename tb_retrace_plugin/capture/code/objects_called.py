"""Of which objects a function's code calls what, by names that lead to them: `self.solver.integrate`, `net`,
`self.layers[0]`, and each of `self.layers` that a loop goes through; and what lies there. Nothing is run."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator, Mapping
from types import CodeType
from typing import Any, NamedTuple

from tb_retrace_plugin.capture.code.by_code import ByCode
from tb_retrace_plugin.capture.code.called_names import EACH, calls_by_name
from tb_retrace_plugin.capture.code.code_names import Item, Name, Part, names_of
from tb_retrace_plugin.capture.code.instructions import instructions
from tb_retrace_plugin.capture.code.methods_of_arguments import OfAnArgument
from tb_retrace_plugin.capture.code.names_around import around
from tb_retrace_plugin.capture.code.other_names import parameters_of
from tb_retrace_plugin.capture.code.source_tree import source_tree
from tb_retrace_plugin.capture.values.containers import items_of, unwrapped
from tb_retrace_plugin.capture.values.of_type import is_a
from tb_retrace_plugin.capture.values.static_attribute import MISSING, static_attribute

_BASES = frozenset({"self", "argument", "global", "closure"})
#: By which code may call items of what it has.
_OF_ITEMS = frozenset({"FOR_ITER", "BINARY_SUBSCR", "BINARY_OP"})
#: Of those that are not told apart.
_MOST_ITEMS = 16
#: Of a list of which one is called by its place.
_MOST_PLACES = 256
_ANY = Item(Part(EACH, ()))


class Called(NamedTuple):
    """`base`, `name` and `path` as `Name` has them."""

    base: str
    name: str
    path: tuple[str | Item, ...]

    @property
    def text(self) -> str:
        """As the source leads to it."""
        text = Name(self.base, self.name, self.path).text
        return OfAnArgument(text) if self.base == "argument" else text

    def holder(self, function: Any, instance: Any, arguments: Mapping[str, Any]) -> Any:
        """The object that it is called on, or on something in."""
        if self.base == "self":
            return instance
        if self.base == "argument":
            return arguments.get(self.name)
        if self.base == "global":
            known = getattr(function, "__globals__", None)
            return known.get(self.name) if type(known) is dict else None
        return around(function, function.__code__).get(self.name)

    def found_in(self, holder: Any) -> Iterator[tuple[Any, Any, str]]:
        """What it may be, what has that, and the name of the attribute, if it is one."""
        ends = [(holder, holder, "")]
        for part in self.path:
            name = part if isinstance(part, str) else ""
            ends = [(one, found, name) for _, one, _ in ends for found in _parts(one, part)]
        return ((found, owner, name) for owner, found, name in ends)


_known: ByCode[tuple[Called, ...]] = ByCode()


def objects_called(code: CodeType) -> tuple[Called, ...]:
    found = _known.get(code)
    if found is None:
        called: dict[Called, None] = {}
        for _, name in names_of(code).by_text:
            is_known = all(isinstance(part, str) or type(part.key) in (str, int) for part in name.path)
            if name.is_called and name.base in _BASES and is_known and (name.path or name.base == "argument"):
                # what is named otherwise is a plain function's first parameter
                first = code.co_varnames[0] if name.base == "self" else name.name
                base = "argument" if name.base == "self" != first else name.base
                called[Called(base, first, name.path)] = None
        called |= dict.fromkeys(_items_called(code))
        found = _known.put(code, tuple(called))
    return found


def _items_called(code: CodeType) -> Iterator[Called]:
    """Those that a loop goes through, or of which the place is not written out."""
    inner = (each for each in code.co_consts if isinstance(each, CodeType))
    has_some = any(one.opname in _OF_ITEMS for part in (code, *inner) for one in instructions(part))
    source = source_tree(code) if has_some else None
    for _, name in calls_by_name(source.tree) if source is not None else ():
        path: list[str | Item] = []
        node: ast.expr = ast.parse(name, mode="eval").body if EACH in name else ast.Constant(None)
        while isinstance(node, ast.Attribute | ast.Subscript):
            path.insert(0, node.attr if isinstance(node, ast.Attribute) else _item(node.slice))
            node = node.value
        if isinstance(node, ast.Name):
            is_own = node.id == "self" == (*code.co_varnames[:1], "")[0]
            of_around = "closure" if node.id in code.co_freevars else "global"
            base = "self" if is_own else "argument" if node.id in parameters_of(code) else of_around
            yield Called(base, node.id, tuple(path))


def _item(key: ast.expr) -> Item:
    return _ANY if not isinstance(key, ast.Constant) or key.value is ... else Item(key.value)  # type: ignore[arg-type]


def _parts(value: Any, part: str | Item) -> list[Any]:
    """What lies there, or all that may."""
    if isinstance(part, str):
        found = static_attribute(value, part)
        return [] if found is MISSING else [found]
    value = unwrapped(value)
    if is_a(value, dict):  # a key may be any object: of two strings nothing of the user's is run
        keyed = list(itertools.islice(dict.items(value), _MOST_ITEMS))
        return [one for key, one in keyed if part == _ANY or (type(key) is type(part.key) and key == part.key)]
    if part == _ANY:
        return items_of(value, _MOST_ITEMS)
    items, place = items_of(value, _MOST_PLACES), part.key
    return [items[place]] if type(place) is int and -len(items) <= place < len(items) < _MOST_PLACES else []
