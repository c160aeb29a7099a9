"""What Python decides by a number, as the source says: a list is as long, a function is chosen. No tensor can."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterable, Sequence

from tb_retrace_plugin.explain.differences.change import Change
from tb_retrace_plugin.explain.differences.value_texts import is_number
from tb_retrace_plugin.explain.verdict.asked_in_python import is_about

#: How uses end, or begin, by which Python chooses between objects, and how one by which it builds as many.
_OBJECTS = (" of a list of objects", " of a dict of objects")
LISTS, _GROWN = "[… for … in range(", "in range("
RECURS = " calls itself"
_BY_A_BOUND = " by a number"
#: Ends a test in Python, which takes a tensor where AutoGraph converts it alone.
WITHOUT_AUTOGRAPH = " without AutoGraph"
#: By which it may look up a number as well: where the graphs have other operations, it does not.
_OF_A_MEMBER = " of a member"
_LOOKED_UP = (_OF_A_MEMBER, " of a dict", " of a list")
_WRITTEN = ("[…][", "(…)[", "{…}[", "{…}.get(")
#: `[1] * n`, `(None,) * n`: a shape, or as long as one; not `[…] * n`, which may hold tensors, and then can be one.
_LONG = re.compile(r"[\[(](?!…\]).+[\])] \* .+")
#: `if n > 3: out.append(…)`.
_GROWS_IF = re.compile(r"if .+: \w+(\.\w+\(…\)| \+= \[…\])")


def deciding_uses(uses: Sequence[str], name: str) -> list[str]:
    """Of what the code does with the number, that by which Python decides."""
    return [use for use in uses if _is_certain(use) and is_about(use, name)]


@functools.lru_cache(maxsize=1024)  # asked at each trace
def _is_certain(use: str) -> bool:
    certain = (
        use.endswith((*_OBJECTS, RECURS, WITHOUT_AUTOGRAPH)) or use.startswith(LISTS) or is_grown(use) or grows_if(use)
    )
    return certain or is_as_long(use)


def may_decide(use: str) -> bool:
    """Whether it looks something up, of which the graphs tell whether it is a number; not a slice of what an object
    holds, which may be a part of a tensor."""
    is_slice = use.endswith(_OF_A_MEMBER) and ":" in use
    return (use.endswith((*_LOOKED_UP, _BY_A_BOUND)) or use.startswith(_WRITTEN)) and not is_slice


def is_written(use: str) -> bool:
    """Whether it looks up in a list or a dictionary that is written there, of which a graph may show nothing."""
    return use.startswith(_WRITTEN)


def is_grown(use: str) -> bool:
    return f" {_GROWN}" in use and not use.startswith("[")


def grows_if(use: str) -> bool:
    """Whether it is of a list that is added to where a number is so, which it cannot be of a tensor."""
    return _GROWS_IF.fullmatch(use) is not None


def is_as_long(use: str) -> bool:
    """Whether a list or a tuple of constants is repeated by the number: not `(1 + n) * x with x`, a product."""
    if _LONG.fullmatch(use) is None:
        return False
    try:
        code = ast.parse(use.replace("…", "..."), mode="eval").body
    except (SyntaxError, ValueError):
        return False
    return isinstance(code, ast.BinOp) and isinstance(code.left, ast.List | ast.Tuple)


def as_code(use: str) -> str:
    return use.partition(" of a ")[0].removesuffix(_BY_A_BOUND).removesuffix(RECURS).removesuffix(WITHOUT_AUTOGRAPH)


def all_decided_in_python(uses: Sequence[str], changes: Iterable[Change]) -> dict[str, str]:
    """Of the numbers that differ, by their paths: how, as code."""
    if not any(map(_is_certain, uses)):
        return {}
    numbers = (change.path for change in changes if change.cause == "python_value" and is_number(change.new))
    found = ((path, deciding_uses(uses, path)) for path in numbers)
    return {path: as_code(of_it[0]) for path, of_it in found if of_it}
