"""Whether a method gives the object back that it is called of, as most `__enter__` do, or an attribute of it; and
whether a function gives what a global of its module is (`get_config()`).

Nothing is run.
"""

from __future__ import annotations

from types import CodeType, FunctionType
from typing import Any

from tb_retrace_plugin.capture.code.by_code import ByCode
from tb_retrace_plugin.capture.code.instructions import instructions

#: Of what gives something else.
_OTHERWISE = ("RETURN_CONST", "RETURN_GENERATOR", "YIELD_VALUE")
_STORES = ("STORE_FAST", "DELETE_FAST")
#: What comes before the code of a method.
_BEFORE = ("RESUME", "NOP", "CACHE")
_known: ByCode[bool] = ByCode()
_attributes: ByCode[str] = ByCode()
_paths: ByCode[tuple[str, ...]] = ByCode()


def gives_itself(method: Any) -> bool:
    """Of what is written in Python, wherever it returns."""
    if type(method) is not FunctionType:
        return False
    code = method.__code__
    found = _known.get(code)
    return _known.put(code, _returns_its_first(code)) if found is None else found


def gives_attribute(method: Any) -> str:
    """Of what is written in Python and does nothing else: the attribute's name; "" of all others."""
    if type(method) is not FunctionType:
        return ""
    code = method.__code__
    found = _attributes.get(code)
    return _attributes.put(code, _attribute_of_its_first(code)) if found is None else found


def gives_path(function: FunctionType) -> tuple[str, ...]:
    """What every way through it returns, whatever it does before: `("_config",)` of a global, `("self", "_config")` of
    its first parameter; () where that is anything else."""
    code = function.__code__
    found = _paths.get(code)
    return _paths.put(code, _path_that_it_returns(code)) if found is None else found


def _path_that_it_returns(code: CodeType) -> tuple[str, ...]:
    first = code.co_varnames[0] if code.co_argcount else ""
    given: set[tuple[str, ...]] = set()
    path: tuple[str, ...] = ()
    for one in instructions(code):
        if one.opname in _BEFORE:
            continue
        if one.opname == "RETURN_VALUE":
            given.add(() if one.is_jump_target else path)
        elif one.opname in _OTHERWISE or (one.opname in _STORES and one.argval == first):
            return ()
        if one.opname == "LOAD_GLOBAL" or (one.opname.startswith("LOAD_FAST") and one.argval == first):
            path = (str(one.argval),)
        elif one.opname == "LOAD_ATTR" and path and not one.is_jump_target:
            path = (*path, str(one.argval))
        else:
            path = ()
    return given.pop() if len(given) == 1 else ()


def _attribute_of_its_first(code: CodeType) -> str:
    first = code.co_varnames[0] if code.co_argcount == 1 else ""
    found = [one for one in instructions(code) if one.opname not in _BEFORE]
    if len(found) != 3 or not found[0].opname.startswith("LOAD_FAST") or found[0].argval != first:
        return ""
    is_given = found[1].opname == "LOAD_ATTR" and found[2].opname == "RETURN_VALUE"
    return str(found[1].argval) if is_given else ""


def _returns_its_first(code: CodeType) -> bool:
    first = code.co_varnames[0] if code.co_argcount else ""
    before, name, returns = "", "", 0
    for one in instructions(code):
        if one.opname == "RETURN_VALUE":
            returns += 1
            if not before.startswith("LOAD_FAST") or name != first:
                return False
        elif one.opname in _OTHERWISE or (one.opname in _STORES and one.argval == first):
            return False
        before, name = one.opname, str(one.argval)
    return returns > 0
