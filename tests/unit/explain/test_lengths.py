"""Lists of another length: when a graph for each may be needed."""

from __future__ import annotations

import pytest

from tb_retrace_plugin.explain.differences.change import Change
from tb_retrace_plugin.explain.differences.lengths import ALIKE, OF_A_CLASS, UNLIKE, parts_of_length
from tb_retrace_plugin.explain.verdict.facts import Facts
from tb_retrace_plugin.explain.verdict.judge import judge
from tb_retrace_plugin.schema.signature import Node


def tensors(*shapes: tuple[int, ...]) -> list[Node]:
    return [Node("tensor", dtype="float32", shape=shape) for shape in shapes]


LAYER = Node("custom", "Layer", value="Layer", identity=3)
LEVEL = Node("composite", "Level", identity=5, children=((".features", tensors((8, 8))[0]),))


@pytest.mark.parametrize(
    ("old", "new", "parts"),
    [
        ([LAYER], [LAYER, LAYER], (OF_A_CLASS,)),
        ([LEVEL], [LEVEL, LEVEL], (OF_A_CLASS,)),
        ([Node("tuple", "tuple", children=(("[0]", LEVEL),))], [], (OF_A_CLASS,)),
        (tensors((2,)), tensors((2,), (2,)), (ALIKE,)),
        (tensors((3, 4), (4, 1)), tensors((3, 4), (4, 4), (4, 1)), (UNLIKE,)),
        # feature maps of several sizes, and (x, y) with sample weights
        (tensors((1, 4, 4, 3), (1, 8, 8, 3)), tensors((1, 4, 4, 3), (1, 8, 8, 3), (1, 16, 16, 3)), (UNLIKE,)),
        (tensors((8, 4), (8,)), tensors((8, 4), (8,), (8,)), ()),
        ([], tensors((2,)), ()),
        ([Node("literal", "int", value="1")], tensors((2,), (2,)), ()),
    ],
)
def test_what_another_length_is_of(old: list[Node], new: list[Node], parts: tuple[str, ...]) -> None:
    assert parts_of_length(old, new) == parts


@pytest.mark.parametrize(
    ("parts", "more_nodes", "captures_others", "word"),
    [
        ((OF_A_CLASS,), 0, False, "unknown"),
        ((UNLIKE,), 2, False, "avoidable"),  # one operation takes them all
        ((UNLIKE,), 8, False, "unknown"),
        ((ALIKE,), 8, False, "avoidable"),
        ((ALIKE,), 8, True, "unknown"),  # a variable for each
        ((), 8, True, "avoidable"),
    ],
)
def test_verdicts_of_lengths(parts: tuple[str, ...], more_nodes: int, captures_others: bool, word: str) -> None:
    change = Change("structure", "x", "list of 2", "list of 4", parts)
    verdict = judge(Facts("retrace", (change,), more_nodes=more_nodes, captures_others=captures_others))
    assert verdict.word == word


@pytest.mark.parametrize(("more_nodes", "word"), [(2, "avoidable"), (6, "unknown"), (1, "unknown")])
def test_numbers_beside_tensors_that_are_as_many(more_nodes: int, word: str) -> None:
    """Steps of an episode: where the graph has no more than the tensors that are passed, the numbers decide nothing."""
    tensors = Change("structure", "states", "list of 2", "list of 4", (ALIKE,))
    numbers = Change("structure", "rewards", "list of 2", "list of 4", ("numbers",))
    facts = Facts("retrace", (tensors, numbers), more_nodes=more_nodes, other_size=True)
    assert judge(facts).word == word
