"""What a function passes to one that calls itself, as what goes through a tree does. None of them is called here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import CodeType, FunctionType
from typing import Any

from tb_retrace_plugin.capture.code.before_autograph import as_written
from tb_retrace_plugin.capture.code.code_names import names_with_inner_functions
from tb_retrace_plugin.capture.code.instructions import instructions
from tb_retrace_plugin.capture.code.passed_from import Roots, passed_from, roots_of
from tb_retrace_plugin.capture.python_state.callees import Called, callee_of, is_users
from tb_retrace_plugin.capture.python_state.name_values import value_of

_MAX_DEPTH = 6
_MAX_FUNCTIONS = 60


def passed_to_what_calls_itself(function: Any, instance: Any, arguments: Mapping[str, Any]) -> frozenset[str]:
    """The parameters of which a part may be; of such a one all. `arguments`: objects that it is passed, by its
    parameters."""
    if type(function) is not FunctionType:
        return frozenset()
    function = as_written(function)
    if not is_users(function):
        return frozenset()
    search = _Search(arguments)
    search.look(Called(function, instance), (), roots_of(function.__code__))
    return frozenset(search.found)


class _Search:
    def __init__(self, arguments: Mapping[str, Any]) -> None:
        self._arguments = arguments
        self._seen: set[tuple[int, int, frozenset[str]]] = set()
        self.found: set[str] = set()

    def look(self, reader: Called, around: tuple[CodeType, ...], roots: Roots) -> None:
        """`around`: code of the functions that call it, outermost first."""
        code, parts = reader.function.__code__, frozenset[str]().union(*roots.values())
        if code in around:
            self.found |= parts
            return
        key = id(code), id(reader.instance), parts
        if key in self._seen or len(self._seen) >= _MAX_FUNCTIONS or len(around) > _MAX_DEPTH:
            return
        self._seen.add(key)
        if any(map(_makes_what_calls_itself, (code, *_inner(code)))):
            self.found |= parts
        for name, called in self._called(reader, is_outermost=not around):
            is_bound = called.instance is not None
            passed = passed_from(code, roots, name, called.function.__code__, is_bound=is_bound)
            self.look(called, (*around, code), passed)

    def _called(self, reader: Called, *, is_outermost: bool) -> Iterator[tuple[str, Called]]:
        """With what the code calls them."""
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
                    yield name.text, called


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
