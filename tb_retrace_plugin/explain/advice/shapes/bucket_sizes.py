"""The best k sizes to pad to: the least padding that k of them allow, for every small k."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Buckets:
    """`sizes`: ascending; a size is padded to the first that holds it. Wastes are shares of the padded size that are
    padding, 0 to 1: the mean over the distinct sizes that were seen, and the largest."""

    sizes: tuple[int, ...]
    mean_waste: float
    most_waste: float


def best_buckets(seen: Iterable[int], most: int) -> list[Buckets]:
    """For k = 1, 2, … up to `most` (and to the number of distinct sizes) the k buckets of the smallest mean waste.

    A bucket that is none of the sizes seen can be lowered to one, so only those are tried. The cost of a bucket for a
    stretch of sizes satisfies the quadrangle inequality, so the best first size of the last bucket never moves back as
    the stretch grows: divide and conquer finds it, in k·m·log m steps for m distinct sizes.
    """
    sizes = _distinct(seen)
    sums = [0]
    for size in sizes:
        sums.append(sums[-1] + size)

    def waste(start: int, end: int) -> float:
        """Of sizes[start:end] padded to the last of them, summed."""
        last = sizes[end - 1]
        return end - start - (sums[end] - sums[start]) / last if last else 0.0

    count = len(sizes)
    least = [0.0, *(waste(0, end) for end in range(1, count + 1))]  # of the first `end` sizes
    starts = [[0] * (count + 1)]  # of the last bucket, by the number of buckets
    found: list[Buckets] = []
    for k in range(1, min(most, count) + 1):
        if k > 1:
            least, start = _one_more(least, k, count, waste)
            starts.append(start)
        ends = [count]
        for start in reversed(starts[1:]):
            ends.append(start[ends[-1]])
        ends.reverse()
        begins = [0, *ends[:-1]]
        found.append(
            Buckets(
                sizes=tuple(sizes[end - 1] for end in ends),
                mean_waste=least[count] / count,
                most_waste=max(_share(sizes[b], sizes[e - 1]) for b, e in zip(begins, ends, strict=True)),
            )
        )
    return found


def wasted_by(chosen: tuple[int, ...], seen: Iterable[int]) -> Buckets:
    """Of sizes none of which is larger than the last of `chosen`."""
    wastes = [_share(size, chosen[bisect_left(chosen, size)]) for size in _distinct(seen)]
    return Buckets(chosen, sum(wastes) / len(wastes), max(wastes))


def _distinct(seen: Iterable[int]) -> list[int]:
    return sorted({size for size in seen if size >= 0})


def _share(size: int, bucket: int) -> float:
    return (bucket - size) / bucket if bucket else 0.0


def _one_more(
    before: list[float], k: int, count: int, waste: Callable[[int, int], float]
) -> tuple[list[float], list[int]]:
    """With k buckets, from what was least with one fewer: the waste, and where the last bucket starts."""
    least = [float("inf")] * (count + 1)
    start = [0] * (count + 1)
    open_ranges = [(k, count, k - 1, count - 1)]  # ends, and the starts that can be best for them
    while open_ranges:
        low, high, first, last = open_ranges.pop()
        if low > high:
            continue
        end = (low + high) // 2
        least[end], start[end] = min((before[s] + waste(s, end), s) for s in range(first, min(last, end - 1) + 1))
        open_ranges += [(low, end - 1, first, start[end]), (end + 1, high, start[end], last)]
    return least, start
