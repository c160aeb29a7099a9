"""The buckets are the best ones: against all choices, one by one."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tb_retrace_plugin.explain.advice.shapes.bucket_sizes import best_buckets
from tb_retrace_plugin.explain.what_if.candidate import bucket_of


def wastes(sizes: set[int], buckets: tuple[int, ...]) -> list[float]:
    padded = [(size, bucket_of(size, buckets)) for size in sizes]
    return [(bucket - size) / bucket if bucket else 0.0 for size, bucket in padded]


@settings(max_examples=300, deadline=None)
@given(st.sets(st.one_of(st.integers(0, 40), st.integers(0, 10**6)), min_size=1, max_size=10), st.integers(1, 8))
def test_no_other_buckets_waste_less(sizes: set[int], most: int) -> None:
    table = best_buckets(sizes, most)
    assert [len(buckets.sizes) for buckets in table] == list(range(1, min(most, len(sizes)) + 1))
    for buckets in table:
        k = len(buckets.sizes)
        others = itertools.combinations(sorted(sizes), k)
        least = min(sum(wastes(sizes, other)) for other in others if other[-1] == max(sizes))
        assert buckets.mean_waste * len(sizes) == pytest.approx(least)
        # what is said of the buckets is so, and each of them is hit
        assert sum(wastes(sizes, buckets.sizes)) == pytest.approx(least)
        assert max(wastes(sizes, buckets.sizes)) == buckets.most_waste
        assert {bucket_of(size, buckets.sizes) for size in sizes} == set(buckets.sizes)


@settings(max_examples=30, deadline=None)
@given(st.sets(st.integers(1, 5000), min_size=20, max_size=120))
def test_of_many_sizes_too(sizes: set[int]) -> None:
    """Against the dynamic programme without divide and conquer."""
    ordered = sorted(sizes)
    least = [0.0] + [float("inf")] * len(ordered)
    for buckets in best_buckets(sizes, 6):
        before = least
        least = [float("inf")] * (len(ordered) + 1)
        for end in range(1, len(ordered) + 1):
            waste = 0.0
            for start in range(end - 1, -1, -1):
                waste += (ordered[end - 1] - ordered[start]) / ordered[end - 1]
                least[end] = min(least[end], before[start] + waste)
        assert buckets.mean_waste * len(ordered) == pytest.approx(least[-1])


def test_nothing_seen_and_more_buckets_than_sizes() -> None:
    assert best_buckets([], 8) == []
    assert [buckets.sizes for buckets in best_buckets([7, 7, 3], 8)] == [(7,), (3, 7)]
    assert best_buckets([7, 3], 8)[-1].most_waste == 0
