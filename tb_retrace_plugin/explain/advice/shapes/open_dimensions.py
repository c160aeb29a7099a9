"""Which dimensions of arguments are unknown."""

from __future__ import annotations

from collections.abc import Sequence, Set

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


def told_of_own_sizes(own: Set[tuple[str, int]]) -> list[str]:
    """A note: a model may be made for such a size (`Flatten`, `Dense`), and what is unknown there would fail."""
    paths = dict.fromkeys(path for path, _ in sorted(own))
    if not paths:
        return []
    told = [f"{dimensions_of(sorted(at for one, at in own if one == path))} of `{path}`" for path in [*paths][:3]]
    return [
        f"Each of the objects was passed with one size of {', and of '.join(told)}, which it may be made for: that"
        " stays known here, as the call has it."
    ]


def dimensions_of(axes: Sequence[int]) -> str:
    return f"dimension{'s' if len(axes) > 1 else ''} {' and '.join(map(str, axes))}"
