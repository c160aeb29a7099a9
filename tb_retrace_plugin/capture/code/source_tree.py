"""A function's source, parsed. Nothing of it is run."""

from __future__ import annotations

import ast
import functools
import inspect
import linecache
import sys
import textwrap
import weakref
from collections import Counter
from collections.abc import Callable, Iterator
from types import CodeType
from typing import Any, Concatenate, NamedTuple, ParamSpec

from tb_retrace_plugin.capture.code.by_code import ByCode
from tb_retrace_plugin.capture.code.call_site import is_user_file
from tb_retrace_plugin.capture.failure import let_signals_through, problem_text
from tb_retrace_plugin.capture.notice import warn_once

_More = ParamSpec("_More")


_LAMBDA = "<lambda>"


class SourceTree(NamedTuple):
    """`line`, `column`: what is added to a node's, as `ast` counts them, gives those of its file."""

    tree: ast.AST
    line: int
    column: int


#: Of the code that was asked for last: who reads one thing in a function's source reads the others next.
_last: tuple[weakref.ref[CodeType], SourceTree | None] | None = None


def source_tree(code: CodeType) -> SourceTree | None:
    """None where the source is not to be had, or not the whole of what parses."""
    global _last
    last = _last
    if last is None or last[0]() is not code:
        last = _last = (weakref.ref(code), _parsed(code))
    return last[1]


def _parsed(code: CodeType) -> SourceTree | None:
    try:
        lines, first = _lines_of(code), code.co_firstlineno
        text = textwrap.dedent("".join(lines))
        indent = len(lines[0].encode()) - len(text.partition("\n")[0].encode()) - lines[0].endswith("\n")
        parsed = SourceTree(ast.parse(text), first - 1, max(0, indent))
        return _of_the_lambda(parsed, code) if code.co_name == _LAMBDA else parsed
    except (OSError, TypeError, ValueError, SyntaxError, RecursionError):
        return None


def _of_the_lambda(source: SourceTree, code: CodeType) -> SourceTree:
    """Without what else its lines do: `layers.append(lambda x: x + 1)`. All of it where it is not known which it is."""
    found = [node for node in ast.walk(source.tree) if isinstance(node, ast.Lambda)]
    if len(found) > 1 and sys.version_info >= (3, 11):
        places = {(line, column) for line, _, column, _ in code.co_positions()}
        found = [n for n in found if (source.line + n.body.lineno, source.column + n.body.col_offset) in places]
    if len(found) != 1:
        return source
    return source._replace(tree=ast.Module([ast.copy_location(ast.Expr(found[0]), found[0])], []))


def _lines_of(code: CodeType) -> list[str]:
    """As `inspect.getsourcelines`, which looks through all modules for the code's own first: 0.1 s of a process.

    Raises OSError, and what `inspect` raises of what it cannot read.
    """
    linecache.checkcache(code.co_filename)
    lines = linecache.getlines(code.co_filename)
    if not 0 < code.co_firstlineno <= len(lines):
        raise OSError("the source is not to be had")
    return inspect.getblock(lines[code.co_firstlineno - 1 :])


def once_per_code(
    read: Callable[Concatenate[CodeType, _More], list[str]],
) -> Callable[Concatenate[Any, _More], list[str]]:
    """What it finds in a user's code, remembered: functions that are made again and again have one. Else nothing.

    Nothing either where it fails, which is told once: a trace is recorded whatever its source is.
    """
    known: ByCode[list[str]] = ByCode()

    @functools.wraps(read)
    def remembered(code: Any, /, *more: _More.args, **named: _More.kwargs) -> list[str]:
        if not isinstance(code, CodeType) or not is_user_file(code.co_filename):
            return []
        found = known.get(code)
        if found is None:
            try:
                found = read(code, *more, **named)
            except Exception as error:
                leave_out(read.__name__, code, error)
                found = []
            known.put(code, found)
        return found

    return remembered


def leave_out(reads: str, code: CodeType, error: Exception) -> None:
    """What failed to be read of the source is told once. Raises what is no problem of that, as KeyboardInterrupt."""
    let_signals_through(error)
    what = f"{reads} of {code.co_name} in {code.co_filename}: {problem_text(error)}"
    warn_once(f"source:{reads}", f"Retrace: {what}. What the source tells is left out.")


def assigned(node: ast.Assign) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Each target and its value, also of `grads, loss = None, 0.0`."""
    for target in node.targets:
        if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
            yield from zip(target.elts, node.value.elts, strict=False)
        else:
            yield target, node.value


def assigned_once(tree: ast.AST) -> dict[str, ast.expr]:
    """Local names with the one expression that they stand for."""
    values: dict[str, list[ast.expr]] = {}
    stored: Counter[str] = Counter()
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            for one, value in assigned(node):
                if isinstance(one, ast.Name):
                    values.setdefault(one.id, []).append(value)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            stored[node.id] += 1
    return {name: found[0] for name, found in values.items() if stored[name] == 1}


def lies_in(node: ast.expr, names: set[str]) -> bool:
    """Whether it is one of the names, or what lies in one: `state.step`, `batch['step']`."""
    while isinstance(node, ast.Attribute) or (isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant)):
        node = node.value
    return isinstance(node, ast.Name) and node.id in names
