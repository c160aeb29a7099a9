"""Where a function stands that is defined in one that AutoGraph has converted: its own code is generated, too."""

from __future__ import annotations

import ast
import functools
import linecache
import re
from collections.abc import Iterator
from types import CodeType, FunctionType

from tb_retrace_plugin.capture import tf_seam
from tb_retrace_plugin.capture.code.by_code import ByCode
from tb_retrace_plugin.capture.code.folded_lines import unfolded

#: Around the name of a function that AutoGraph has converted.
_CONVERTED = re.compile(r"^outer_factory\.<locals>\.inner_factory\.<locals>\.tf__(\w+)")
#: What AutoGraph makes of a block, around what is defined in that.
_BLOCK = re.compile(r"(?<=\.)(?:if|else|loop)_body(?:_\d+)?\.<locals>\.")
_MAX_DECORATOR_LINES = 5
_GENERATED = "__autograph_generated_file"
_written: ByCode[CodeType] = ByCode()
_DEFINED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def before_autograph(file: str, line: int, qualname: str) -> tuple[str, int, str]:
    """File, line and qualified name, as where the function around it is run as it is written."""
    qualname = _BLOCK.sub("", qualname)
    around = tf_seam.converted_code(file) if _CONVERTED.match(qualname) else None
    known = _qualname(around) if around is not None else ""
    return *_place(file, line), _CONVERTED.sub(lambda found: known or found[1], qualname)


def as_written(function: FunctionType) -> FunctionType:
    """One of the code that its user wrote, where AutoGraph has generated that: what this reads by names it does not."""
    code = function.__code__
    if _GENERATED not in code.co_filename:
        return function
    written = _written.get(code) or _written.put(code, _code_as_written(code))
    cells = dict(zip(code.co_freevars, function.__closure__ or (), strict=True))
    if written is code or not cells.keys() >= {*written.co_freevars}:
        return function
    closure = tuple(cells[name] for name in written.co_freevars)
    return FunctionType(written, function.__globals__, function.__name__, function.__defaults__, closure)


def _code_as_written(code: CodeType) -> CodeType:
    """Itself, where it is not found in that of the function around it."""
    around, line = tf_seam.converted_code(code.co_filename), _place(code.co_filename, code.co_firstlineno)[1]
    found = [one for one in _codes_in(around) if one.co_name == code.co_name] if around is not None else []
    near = [one for one in found if abs(one.co_firstlineno - line) <= _MAX_DECORATOR_LINES]
    return near[0] if len(near) == 1 else code


def _codes_in(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _codes_in(constant)


def _place(file: str, line: int) -> tuple[str, int]:
    for later in range(_MAX_DECORATOR_LINES):  # the first line may be a decorator's
        try:
            found = tf_seam.original_place(file, line + later)
        except (tf_seam.SeamMissingError, AttributeError):  # not known in this TensorFlow
            break
        if found is not None:
            return found[0], unfolded(file, found[1])
    return file, line


def _qualname(code: CodeType) -> str:
    known: str | None = getattr(code, "co_qualname", None)  # since Python 3.11
    return known if known is not None else _defined_in(code.co_filename).get((code.co_firstlineno, code.co_name), "")


@functools.lru_cache(maxsize=64)
def _defined_in(file: str) -> dict[tuple[int, str], str]:
    """Qualified names of a file's functions, by first lines and names."""
    try:
        return dict(_defined(ast.parse("".join(linecache.getlines(file))), ""))
    except (ValueError, SyntaxError, RecursionError):
        return {}


def _defined(node: ast.AST, within: str) -> Iterator[tuple[tuple[int, str], str]]:
    for child in ast.iter_child_nodes(node):
        below = within
        if isinstance(child, _DEFINED):
            first = min([child.lineno, *(one.lineno for one in child.decorator_list)])
            yield (first, child.name), within + child.name
            below = f"{within}{child.name}." + ("" if isinstance(child, ast.ClassDef) else "<locals>.")
        yield from _defined(child, below)
