"""A function's source, parsed. Nothing of it is run."""

from __future__ import annotations

import ast
import inspect
import textwrap
from types import CodeType
from typing import NamedTuple


class SourceTree(NamedTuple):
    """`line`, `column`: what is added to a node's, as `ast` counts them, gives those of its file."""

    tree: ast.AST
    line: int
    column: int


def source_tree(code: CodeType) -> SourceTree | None:
    """None where the source is not to be had, or not the whole of what parses."""
    try:
        lines, first = inspect.getsourcelines(code)
        text = textwrap.dedent("".join(lines))
        indent = len(lines[0].encode()) - len(text.partition("\n")[0].encode()) - lines[0].endswith("\n")
        return SourceTree(ast.parse(text), first - 1, max(0, indent))
    except (OSError, TypeError, ValueError, SyntaxError, RecursionError):
        return None
