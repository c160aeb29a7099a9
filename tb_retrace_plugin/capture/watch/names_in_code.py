"""What a function's own code calls what it is passed: `args[0]`, `kwargs['cfg']`."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from types import CodeType
from typing import Any

_BY_PLACE = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
_VARIADIC = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS


def names_in_code(function_type: Any, code: CodeType, *, is_bound: bool) -> dict[str, str]:
    """By TensorFlow's name for a parameter; without those that are the same. `is_bound`: as a method to its object."""
    if not code.co_flags & _VARIADIC:
        return {}
    own = code.co_varnames[is_bound : code.co_argcount]
    named = code.co_argcount + code.co_kwonlyargcount
    by_name = code.co_varnames[code.co_argcount : named]
    variadic = iter(code.co_varnames[named:])
    rest = next(variadic) if code.co_flags & inspect.CO_VARARGS else ""
    keywords = next(variadic) if code.co_flags & inspect.CO_VARKEYWORDS else ""
    found: dict[str, str] = {}
    place = 0
    for name, parameter in function_type.parameters.items():
        if parameter.kind in _BY_PLACE:
            if place < len(own):
                found[name] = own[place]
            elif rest:
                found[name] = f"{rest}[{place - len(own)}]"
            place += 1
        elif keywords and name not in by_name:
            found[name] = f"{keywords}[{name!r}]"
    return {name: text for name, text in found.items() if text != name}


def as_in_code(arguments: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """`arguments`: by TensorFlow's names, or by what lies in them, `args_0['rate']`."""
    return {
        names.get(name, name) + bracket + rest: value
        for name, bracket, rest, value in ((*text.partition("["), value) for text, value in arguments.items())
    }
