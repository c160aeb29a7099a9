"""What fails, or is decided otherwise, of a tensor whose rank is unknown; where graphs do not tell that nothing is."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from tb_retrace_plugin.explain.advice.evidence.alone import alike_but_for
from tb_retrace_plugin.explain.advice.evidence.decided_by_rank import of_several_ranks
from tb_retrace_plugin.explain.advice.evidence.facts import FunctionFacts
from tb_retrace_plugin.explain.verdict.asked_ranks import asked_rank
from tb_retrace_plugin.schema.signature import Node


def told_of_rank(function: FunctionFacts, paths: Sequence[str]) -> str:
    """A note, or ""."""
    several = [path for path in of_several_ranks(function) if path in paths]
    if not several or asked_rank(function.python_uses, several) or _are_compared(function, several):
        return ""
    path = several[0]
    return (
        f"`{path}` is of unknown rank then: `len({path}.shape)` fails, and an `if` that compares `{path}.shape.rank`"
        " with a number is not met, without an error. Where the code asks for the rank, pass one rank at every call,"
        f" such as `{path}[None]` where a dimension is missing."
    )


def _are_compared(function: FunctionFacts, paths: Sequence[str]) -> bool:
    """Whether there are traces that ranks alone tell apart: of these it is known what is built."""
    for group in alike_but_for(function, paths, _without_shape):
        if len({tuple(len(node.shape or ()) for node in nodes) for _, nodes in group}) > 1:
            return True
    return False


def _without_shape(node: Node) -> Hashable:
    return node.dtype if node.kind == "tensor" else node
