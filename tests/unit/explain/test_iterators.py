"""Texts of iterators."""

from __future__ import annotations

import pytest

from tb_retrace_plugin.explain.differences.change import Change
from tb_retrace_plugin.explain.differences.iterators import has_a_part_more
from tb_retrace_plugin.explain.verdict.facts import Facts
from tb_retrace_plugin.explain.verdict.judge import judge

PAIR = "IteratorSpec((float32 (None, 3), float32 (None, 1)),)"
WEIGHTED = "IteratorSpec((float32 (None, 3), float32 (None, 1), float32 (None,)),)"


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (PAIR, WEIGHTED, True),
        (WEIGHTED, PAIR, True),
        (PAIR, PAIR, False),
        (PAIR, WEIGHTED.replace("None, 3", "8, 4"), True),  # no trace serves both, whatever the sizes
        (PAIR, WEIGHTED.replace("float32 (None, 3)", "float64 (None, 3)"), False),  # something else differs, too
        (PAIR, WEIGHTED.replace("(None, 3)", "(None, 3, 1)"), False),
        ("IteratorSpec((float32 (None, 3),),)", PAIR, False),
        (PAIR, "IteratorSpec(({'a': float32 (2,), 'b': float32 (2,)}, float32 (2,)),)", False),
        (PAIR, "IteratorSpec ‹3fa94c01›", False),
        (PAIR, WEIGHTED[:40] + "…", False),
    ],
)
def test_an_iterator_over_weights_besides(old: str, new: str, expected: bool) -> None:
    assert has_a_part_more(old, new) == expected
    change = Change("composite_spec", "iterator", old, new)
    for by_keras in (True, False):
        verdict = judge(Facts("retrace", (change,), step_of_keras=by_keras))
        assert (verdict.word == "bounded") == (expected and by_keras)
