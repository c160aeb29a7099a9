"""Alignment of token sequences, against the longest common subsequence computed the long way."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from tb_retrace_plugin.graphs import align as module
from tb_retrace_plugin.graphs.align import align, slide

TOKENS = st.lists(st.integers(0, 4), max_size=14)


def longest(a: Sequence[int], b: Sequence[int]) -> int:
    lengths = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in range(len(a) - 1, -1, -1):
        for j in range(len(b) - 1, -1, -1):
            same = a[i] == b[j]
            lengths[i][j] = lengths[i + 1][j + 1] + 1 if same else max(lengths[i + 1][j], lengths[i][j + 1])
    return lengths[0][0]


def assert_rising(pairs: Sequence[tuple[int, int]], a: Sequence[int], b: Sequence[int]) -> None:
    assert all(a[i] == b[j] for i, j in pairs)
    for (i, j), (k, m) in itertools.pairwise(pairs):
        assert i < k
        assert j < m


@settings(max_examples=500, deadline=None)
@given(TOKENS, TOKENS)
def test_the_shortest_edit_is_the_shortest(a: list[int], b: list[int]) -> None:
    pairs = module._shortest_edit((0, len(a), 0, len(b)), a, b, module._Budget(10_000))
    assert_rising(pairs, a, b)
    assert len(pairs) == longest(a, b)


@settings(max_examples=300, deadline=None)
@given(TOKENS, TOKENS)
def test_pairs_rise_and_are_of_equal_tokens(a: list[int], b: list[int]) -> None:
    pairs = align([([t * 7 for t in a], [t * 7 for t in b])], [(a, b)])
    assert_rising(pairs, a, b)
    assert_rising(slide(pairs, a, b, lambda i, j: i == j), a, b)
    assert len(slide(pairs, a, b, lambda i, j: i == j)) == len(pairs)


def test_telling_tokens_only_anchor() -> None:
    """One removed `n` changes what is around it; the fewest changes are still one."""
    a, b = list("abcdefgh"), list("abcdfgh")
    around_a, around_b = [1, 2, 30, 31, 32, 33, 7, 8], [1, 2, 40, 41, 42, 7, 8]
    codes_a, codes_b = [ord(c) for c in a], [ord(c) for c in b]
    pairs = align([(around_a, around_b)], [(codes_a, codes_b)])
    assert [a[i] for i, _ in pairs] == list("abcdfgh")


def test_what_was_added_slides_to_where_names_agree() -> None:
    a, b = [1, 2, 1, 2], [1, 2, 1, 2, 1, 2]
    for first in (0, 2, 4):  # which `1 2` of b is the new one
        names = [i for i in range(6) if i not in (first, first + 1)]
        pairs = slide(align([], [(a, b)]), a, b, lambda i, j, names=names: names[i] == j)  # type: ignore[misc]
        assert [j for _, j in pairs] == names


def test_too_long_an_edit_is_given_up_within_bounds() -> None:
    size = 30_000
    a = [(i * 7919) % 101 for i in range(size)]
    b = [(i * 104_729 + 13) % 103 for i in range(size)]
    assert_rising(align([], [(a, b)]), a, b)
