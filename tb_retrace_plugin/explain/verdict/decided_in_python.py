"""What Python decides by a number, as the source says: a list is as long, a function is chosen. No tensor can."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Collection, Iterable, Iterator, Sequence

from tb_retrace_plugin.explain.differences.change import Change
from tb_retrace_plugin.explain.differences.closure import ClosureChange
from tb_retrace_plugin.explain.differences.value_texts import is_number
from tb_retrace_plugin.explain.verdict.asked_in_python import is_about, is_named_in
from tb_retrace_plugin.schema.signature import CONTAINERS, Node, iter_leaves

#: How uses end, or begin, by which Python chooses between objects, and how one by which it builds as many.
_OBJECTS = (" of a list of objects", " of a dict of objects")
LISTS, _GROWN = "[… for … in range(", "in range("
#: `[… for … in layers[…n…]]` and `for … in enumerate(layers[…n…])`: of a part.
_OF_A_PART = re.compile(r"\[… for … in .+\[….+…\]\]|for … in \w+\(.+\[….+…\]\)+")
RECURS = " calls itself"
#: Ends what AutoGraph, which is not to convert the function, would make a part of the graph.
UNCONVERTED = " unconverted"
#: The same, in the `call` of a Keras layer that the function calls.
IN_A_LAYER = f" of a layer{UNCONVERTED}"
_BY_A_BOUND = " by a number"
#: Ends `parts[n]` of an argument, which may be a tensor.
OF_AN_ARGUMENT = " of an argument"
#: By which it may look up a number as well: where the graphs have other operations, it does not.
_OF_A_MEMBER = " of a member"
_LOOKED_UP = (_OF_A_MEMBER, " of a dict", " of a list", " of a tuple")
_WRITTEN = ("[…][", "(…)[", "{…}[", "{…}.get(")
#: `TABLE[:n]`.
_IS_SLICED = re.compile(r"[\w.]+\[[^\]]*:")
#: `[1] * n`, `(None,) * n`: a shape, or as long as one; not `[…] * n`, which may hold tensors, and then can be one.
_LONG = re.compile(r"[\[(](?!…\]).+[\])] \* .+")
#: `out.append(…)`, `out += […]` and `out[…] = …`.
_FILLS = re.compile(r"\S+(\.(append|extend|insert)\(…\)| \+= \[…\]|\[…\] = …) in range\(")
#: `if n > 3: out.append(…)`.
_GROWS_IF = re.compile(r"if .+: \w+(\.\w+\(…\)| \+= \[…\])")


def deciding_uses(uses: Sequence[str], name: str) -> list[str]:
    """Of what the code does with the number, that by which Python decides."""
    return [use for use in uses if _is_certain(use) and is_about(use, name)]


@functools.lru_cache(maxsize=1024)  # asked at each trace
def _is_certain(use: str) -> bool:
    is_certain = use.endswith((*_OBJECTS, RECURS, UNCONVERTED)) or use.startswith(LISTS) or is_of_a_part(use)
    return is_certain or is_grown(use) or grows_if(use) or is_as_long(use)


def parts_of_tables(uses: Sequence[str], name: str) -> list[str]:
    """Of what the code does with the number, that by which Python takes a part of what has only so many items; if the
    graphs have other operations for that alone, each part needs one."""
    of_a_table = (*_OBJECTS, " of a list", " of a tuple")
    parts = [use for use in uses if is_of_a_part(use) or use.endswith(_BY_A_BOUND)]
    parts += [use for use in uses if use.endswith(of_a_table) and _IS_SLICED.match(use)]
    return [as_code(use) for use in parts if is_named_in(use, name)]


def may_decide(use: str) -> bool:
    """Whether it looks something up, of which the graphs tell whether it is a number; not a slice of what an object
    holds, which may be a part of a tensor."""
    is_slice = use.endswith(_OF_A_MEMBER) and ":" in use
    return (use.endswith((*_LOOKED_UP, _BY_A_BOUND)) or use.startswith(_WRITTEN)) and not is_slice


def chooses_between(use: str, arguments: Iterable[tuple[str, Node]]) -> bool:
    """Whether it is an item of a list or a dictionary that is passed, whose items no one tensor can hold."""
    nodes = items_of(use, arguments)
    alike = {(node.kind, node.dtype, node.shape) for node in nodes}
    return bool(nodes) and not (all(node.kind in ("tensor", "literal") for node in nodes) and len(alike) == 1)


def items_of(use: str, arguments: Iterable[tuple[str, Node]]) -> list[Node]:
    """What lies in the container that is passed; none if it is none."""
    if not use.endswith(OF_AN_ARGUMENT):
        return []
    name = use.partition("[")[0]
    return [child for path, node in arguments if path == name and node.kind in CONTAINERS for _, child in node.children]


def is_written(use: str) -> bool:
    """Whether it looks up in a list or a dictionary that is written there, of which a graph may show nothing."""
    return use.startswith(_WRITTEN)


def is_grown(use: str) -> bool:
    return f" {_GROWN}" in use and not use.startswith("[")


def is_of_a_part(use: str) -> bool:
    """Whether a list is made of as much of another one, or Python goes through that much."""
    return _OF_A_PART.fullmatch(use) is not None


def fills_a_list(use: str) -> bool:
    """Not what changes another object."""
    return is_grown(use) and _FILLS.match(use) is not None


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
    use = use.removesuffix(OF_AN_ARGUMENT)
    return use.partition(" of a ")[0].removesuffix(_BY_A_BOUND).removesuffix(RECURS).removesuffix(UNCONVERTED)


def all_decided_in_python(
    uses: Sequence[str],
    changes: Iterable[Change],
    arguments: Sequence[tuple[str, Node]] = (),
    closure: Iterable[ClosureChange] = (),
) -> dict[str, str]:
    """Of the numbers that differ, and of lists that hold more or fewer, by their paths, or the names by which they are
    closed over: how, as code."""
    if not any(_is_certain(use) or use.endswith(OF_AN_ARGUMENT) for use in uses):
        return {}
    changes = list(changes)
    numbers = [change.path for change in changes if change.cause == "python_value" and is_number(change.new)]
    items = [use for use in uses if chooses_between(use, arguments)]
    found = {path: deciding_uses(uses, path) + [use for use in items if is_about(use, path)] for path in numbers}
    found |= {one.name: deciding_uses(uses, one.name) for one in closure if one.is_number}
    holders = [change.path for change in changes if change.cause == "structure"]
    found |= {path: deciding_uses(uses, of_it) for path, of_it in _first_of_numbers(holders, arguments)}
    return {path: as_code(of_it[0]) for path, of_it in found.items() if of_it}


def _first_of_numbers(paths: Collection[str], arguments: Iterable[tuple[str, Node]]) -> Iterator[tuple[str, str]]:
    """Of what holds Python's numbers alone, which may lie in pairs, the path of the first."""
    for path, node in arguments:
        leaves = [*iter_leaves(path, node)] if path in paths else []
        if leaves and all(leaf.kind == "literal" and is_number(leaf.value) for _, leaf in leaves):
            yield path, leaves[0][0]
