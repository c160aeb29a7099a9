"""Classes of named tuples that a declaration names, and that the user's file may have no name for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tb_retrace_plugin.explain.advice.evidence.facts import FunctionFacts
from tb_retrace_plugin.schema.signature import Node

_IMPORT = "`{0}` is a class of `{1}`: `from {1} import {0}`, where the code has no such name."


def told_of_classes(function: FunctionFacts, nodes: Iterable[Node]) -> list[str]:
    """A note for each that is of another module than the function."""
    own = "." + re.sub(r"[\\/]", ".", function.file.removesuffix(".py"))
    found = dict.fromkeys((one.type_name, one.class_name) for node in nodes for one in _named_tuples(node))
    return [_IMPORT.format(name, module) for name, module in found if module and not own.endswith(f".{module}")]


def _named_tuples(node: Node) -> Iterator[Node]:
    if node.kind == "named_tuple":
        yield node
    for _, child in node.children:
        yield from _named_tuples(child)
