"""What calls in a function's source pass to what they call, as far as it can be known."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from tb_retrace_plugin.capture.code.compiled_tests import UNKNOWN, Compiler, Test, plain_or_unknown
from tb_retrace_plugin.capture.code.source_places import Place, Places
from tb_retrace_plugin.capture.code.source_tree import assigned_once

#: Of Python's own, that change nothing.
_ASK = frozenset({
    "abs", "all", "any", "callable", "float", "hasattr", "int", "isinstance", "issubclass", "len", "max", "min", "repr",
    "round", "str", "type",
})  # fmt: skip
_NAMES = (ast.Name, ast.Attribute, ast.Subscript)
_LIBRARIES = ("tf.", "np.", "keras.")
#: That stand for one another.
_MOST_NAMES = 4


class Call(NamedTuple):
    """What a call passes, as far as it can be known; `is_open`: and something by `*` or `**`.

    `read`: what is read for an argument, by its place or name, where nothing of the user's is called for it; `names`:
    of those that are a name or what lies in one, as they are loaded. `spread`: the names of what alone it passes by
    `*` and by `**`, if it does, and as its last; None: something else, or elsewhere.
    """

    positional: tuple[Test | None, ...]
    by_name: Mapping[str, Test | None]
    is_open: bool
    read: Mapping[int | str, frozenset[Place]]
    names: Mapping[int | str, str] = {}
    spread: tuple[str, str] | None = None


def calls_in(tree: ast.AST, compiler: Compiler, places: Places) -> dict[str, tuple[Call, ...]]:
    """By what is called, as it is written: what may be a function of the user's, and is passed something."""
    found: dict[str, list[Call]] = {}
    given = {one.arg for one in ast.walk(tree) if isinstance(one, ast.arg)}
    once = {name: value for name, value in assigned_once(tree).items() if name not in given}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name | ast.Attribute):
            continue
        text = ast.unparse(node.func)
        if text.startswith(_LIBRARIES):
            continue
        positional = tuple(compiler.compiled(one) for one in node.args)
        by_name = {one.arg: compiler.compiled(one.value) for one in node.keywords if one.arg is not None}
        is_open = any(isinstance(one, ast.Starred) for one in node.args) or any(
            one.arg is None for one in node.keywords
        )
        passed: dict[int | str, ast.expr] = dict(enumerate(node.args))
        passed.update({one.arg: one.value for one in node.keywords if one.arg is not None})
        read = {place: places.within(one) for place, one in passed.items() if calls_nothing_else(one)}
        names = {place: _as_loaded(one, once) for place, one in passed.items() if isinstance(one, _NAMES)}
        spread = _spread(node) if is_open else None
        found.setdefault(text, []).append(Call(positional, by_name, is_open, read, names, spread))
    return {text: tuple(calls) for text, calls in found.items()}


def _as_loaded(node: ast.expr, once: Mapping[str, ast.expr]) -> str:
    """`self.cfg.loss` of `cfg.loss` where `cfg` is given `self.cfg`, and nothing else."""
    text = ast.unparse(node)
    for _ in range(_MOST_NAMES):
        while isinstance(node, ast.Attribute | ast.Subscript):
            node = node.value
        name = node.id if isinstance(node, ast.Name) else ""
        value = once.get(name)
        if not isinstance(value, _NAMES):
            break
        node, text = value, ast.unparse(value) + text[len(name) :]
    return text


def _spread(call: ast.Call) -> tuple[str, str] | None:
    """`f(x, *args, **kwargs)`: "args" and "kwargs"."""
    by_place = [one for one in call.args if isinstance(one, ast.Starred)]
    by_name = [one.value for one in call.keywords if one.arg is None]
    if len(by_place) > 1 or len(by_name) > 1 or (by_place and call.args[-1] is not by_place[0]):
        return None
    several = [one.value for one in by_place], by_name
    if not all(isinstance(one, ast.Name) for some in several for one in some):
        return None
    first, second = ("".join(one.id for one in some if isinstance(one, ast.Name)) for some in several)
    return first, second


def calls_nothing_else(node: ast.AST) -> bool:
    """Than what is Python's own, and changes nothing."""
    called = [one.func for one in ast.walk(node) if isinstance(one, ast.Call)]
    return all(isinstance(one, ast.Name) and one.id in _ASK for one in called)


def read_for(
    calls: Iterable[Call], parameter_of: Callable[[int | str], str], some: Collection[str]
) -> frozenset[Place]:
    """What is read for some of the parameters alone. `parameter_of`: of a place or a name in a call."""
    return frozenset().union(
        *[
            read
            for call in calls
            if not call.is_open
            for place, read in call.read.items()
            if parameter_of(place) in some
        ]
    )


def named_for(calls: Iterable[Call], parameters: Sequence[str]) -> dict[str, str]:
    """By parameter, the name that is passed for it, where it is one and the same in all calls."""
    found: dict[str, str] = {}
    others: set[str] = set()
    for number, call in enumerate(calls):
        if call.is_open:
            return {}
        of_places = {p if isinstance(p, str) else parameters[p]: text for p, text in call.names.items()
                     if isinstance(p, str) or p < len(parameters)}  # fmt: skip
        others.update(p for p in found.keys() | of_places.keys() if number and found.get(p) != of_places.get(p))
        found |= of_places
    return {parameter: text for parameter, text in found.items() if parameter not in others}


def passes(calls: Iterable[Call], parameter: str, place: int) -> bool:
    """Whether one of them may pass something by that parameter, which is at that place."""
    return any(call.is_open or parameter in call.by_name or 0 <= place < len(call.positional) for call in calls)


def passed_to(
    calls: Iterable[Call], values: Mapping[str, Any], parameters: Sequence[str], defaults: Mapping[str, Any]
) -> dict[str, Any]:
    """Plain values that these calls of one function pass it by its parameters: those that are one in all of them."""
    found: dict[str, Any] = {}
    for place, call in enumerate(calls):
        if call.is_open:
            return {}
        tried = [*zip(parameters, call.positional, strict=False), *call.by_name.items()]
        passed = {name: UNKNOWN if test is None else test(values) for name, test in tried}
        known = {name: plain_or_unknown(value) for name, value in {**defaults, **passed}.items()}
        known = {name: value for name, value in known.items() if value is not UNKNOWN}
        found = known if not place else {name: one for name, one in found.items() if _is_the_same(known, name, one)}
    return found


def _is_the_same(known: Mapping[str, Any], name: str, value: Any) -> bool:
    other = known.get(name, UNKNOWN)
    return type(other) is type(value) and bool(other == value)
