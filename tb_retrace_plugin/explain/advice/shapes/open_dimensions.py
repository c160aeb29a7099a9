"""Which dimensions of arguments are unknown."""

from __future__ import annotations

from collections.abc import Sequence

from tb_retrace_plugin.schema.signature import Node, iter_leaves


def open_dimensions(arguments: Sequence[tuple[str, Node]]) -> set[tuple[str, int]]:
    """-1: of an unknown rank."""
    leaves = [(path, node.shape) for name, top in arguments for path, node in iter_leaves(name, top)]
    of_ranks = {(path, at) for path, shape in leaves if shape for at, size in enumerate(shape) if size == -1}
    return of_ranks | {(path, -1) for path, shape in leaves if shape is None}


def what_is_open(arguments: Sequence[tuple[str, Node]]) -> tuple[set[tuple[str, int]], set[tuple[str, str]]]:
    """These, and what says it of a part that is no tensor by itself, such as a ragged one."""
    leaves = (pair for name, top in arguments for pair in iter_leaves(name, top))
    return open_dimensions(arguments), {(path, node.value) for path, node in leaves if node.kind == "composite"}
