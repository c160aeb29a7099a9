"""Whether a function calls one that calls itself, as what goes through a tree does. None of them is called here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import CodeType, FunctionType
from typing import Any

from tb_retrace_plugin.capture.code.code_names import names_with_inner_functions
from tb_retrace_plugin.capture.code.instructions import instructions
from tb_retrace_plugin.capture.python_state.callees import Called, callee_of, is_users
from tb_retrace_plugin.capture.python_state.name_values import value_of

_MAX_DEPTH = 6
_MAX_FUNCTIONS = 60


def calls_what_calls_itself(function: Any, instance: Any, arguments: Mapping[str, Any]) -> bool:
    """Or is such a one, by its plain function. `arguments`: objects that it is passed, by its parameters."""
    if type(function) is not FunctionType or not is_users(function):
        return False
    return _Search(arguments).finds(Called(function, instance), ())


class _Search:
    def __init__(self, arguments: Mapping[str, Any]) -> None:
        self._arguments = arguments
        self._seen: set[tuple[int, int]] = set()

    def finds(self, reader: Called, around: tuple[CodeType, ...]) -> bool:
        """`around`: code of the functions that call it, outermost first."""
        code = reader.function.__code__
        if code in around:
            return True
        key = id(code), id(reader.instance)
        if key in self._seen or len(self._seen) >= _MAX_FUNCTIONS or len(around) > _MAX_DEPTH:
            return False
        self._seen.add(key)
        if any(map(_makes_what_calls_itself, (code, *_inner(code)))):
            return True
        return any(self.finds(called, (*around, code)) for called in self._called(reader, is_outermost=not around))

    def _called(self, reader: Called, *, is_outermost: bool) -> Iterator[Called]:
        code = reader.function.__code__
        for name in names_with_inner_functions(code):
            by = reader
            if name.base in ("self", "argument") and (name.base == "argument" or reader.instance is None):
                if name.name not in self._arguments or not is_outermost:
                    continue
                by = reader._replace(instance=self._arguments[name.name])
            try:
                value = value_of(name, by.function, by.instance)
            except LookupError:
                continue
            # `map` is passed one
            if name.is_called or type(value) is FunctionType:
                called = callee_of(value, name, by)
                if called is not None:
                    yield called


def _makes_what_calls_itself(code: CodeType) -> bool:
    """Whether a function that it makes, by `def` or as a lambda, reads the variable that it is given to."""
    made: CodeType | None = None
    for instruction in instructions(code):
        if instruction.opname == "LOAD_CONST" and isinstance(instruction.argval, CodeType):
            made = instruction.argval
        elif instruction.opname == "STORE_DEREF" and made is not None:
            if instruction.argval in made.co_freevars:
                return True
            made = None
        elif instruction.opname.startswith(("STORE_", "CALL", "RETURN")):
            made = None
    return False


def _inner(code: CodeType) -> Iterator[CodeType]:
    """Of functions that are made in it."""
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _inner(constant)
