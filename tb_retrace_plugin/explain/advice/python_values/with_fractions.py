"""Where the code computes with fractions of a whole number: a tensor of int32 fails there, and one divided is of
float64."""

from __future__ import annotations

import ast
import functools
import re

from tb_retrace_plugin.explain.advice.evidence.facts import FunctionFacts
from tb_retrace_plugin.explain.advice.evidence.reading import nodes_at
from tb_retrace_plugin.explain.verdict.asked_in_python import is_about
from tb_retrace_plugin.explain.what_if.candidate import is_number

_WITH = re.compile(r"(.+?)( divided| compared)? with (.+)")
_FRACTIONS, _ANOTHER, _A_SIZE = "fractions", "another", "a size"
_DIVIDED, _COMPARED = " divided", " compared"
_FLOATS = ("float", "bfloat")


def with_fractions(function: FunctionFacts, path: str) -> list[str]:
    """`n * 8.0`, as far as the source says; none where it is written `float(n)`."""
    found = []
    for use in function.python_uses:
        known = _WITH.fullmatch(use)
        if known is None or not is_about(known[1], path) or is_about(known[3], path):
            continue
        if known[3] == _FRACTIONS or _is_fraction(function, known[3], is_divided=known[2] == _DIVIDED):
            found.append(known[1])
    by_turns = re.compile(rf"(?<![\w.]){re.escape(path)}\[\.\.\.\]")  # of a number: what a loop over its `range` has
    return list(dict.fromkeys(by_turns.sub(f"range({path})[…]", text) for text in found))


def divides(function: FunctionFacts, path: str) -> list[str]:
    """`grads[0] / n`, of something of which the source does not say what it is."""
    found = (known for use in function.python_uses if (known := _WITH.fullmatch(use)) and known[3] == _ANOTHER)
    return list(dict.fromkeys(known[1] for known in found if _is_computed_of(known[1], path)))


def is_computed_with(function: FunctionFacts, path: str) -> bool:
    """Whether the source shows that it computes with it by `+`, `*` and their like, which take a tensor as well."""
    found = (known for use in function.python_uses if (known := _WITH.fullmatch(use)) and known[2] != _COMPARED)
    return any(_is_computed_of(known[1], path) for known in found if known[3] != _A_SIZE)


def is_made_a_size(function: FunctionFacts, path: str) -> bool:
    """Whether the source shows that a size is made of it, which has to be whole: `tf.reshape(x, [n, -1])`."""
    return any(use.endswith(f" with {_A_SIZE}") and is_about(use, path) for use in function.python_uses)


def _is_computed_of(text: str, path: str) -> bool:
    """Not of what is looked up with it: `x * rates[n]`."""
    return is_about(_without_places(text), path)


@functools.lru_cache(maxsize=1024)
def _without_places(text: str) -> str:
    try:
        tree = ast.parse(text.replace("…", "..."), mode="eval")
    except (SyntaxError, ValueError):
        return text
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Constant):
            node.slice = ast.Constant(...)
    return ast.unparse(tree)


def _is_fraction(function: FunctionFacts, path: str, *, is_divided: bool) -> bool:
    nodes = list(nodes_at(function, path))
    if any(node.kind == "tensor" and node.dtype.startswith(_FLOATS) for node in nodes):
        return True
    numbers = [node for node in nodes if is_number(node)]
    return bool(numbers) and (is_divided or any(node.type_name == "float" for node in numbers))
