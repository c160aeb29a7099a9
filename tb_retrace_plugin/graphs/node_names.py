"""Names that TensorFlow numbers, and what their numbers are worth."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable


def reliable_names(names_a: Iterable[str], names_b: Iterable[str]) -> Callable[[str], bool]:
    """Whether a name means the same in both: nowhere in it is a number of a series that is longer on one side.

    TensorFlow numbers equal names by their order. A series with gaps, `block_0`, `block_1`, `block_3`, somebody chose.
    """
    series_a, series_b = _series(names_a), _series(names_b)
    numbers: dict[tuple[str, str], set[int]] = {}  # of each series those that mean the same
    for key, a in series_a.items():
        b = series_b.get(key, set())
        chosen = a == b or _has_gaps(a) or _has_gaps(b)
        common = a & b if chosen else set()
        numbers[key] = common if 2 * len(common) >= min(len(a), len(b)) else set()
    known: dict[str, bool] = {"": True}

    def is_reliable(path: str) -> bool:
        if (answer := known.get(path)) is None:
            parent, _, last = path.rpartition("/")
            stem, number = split_number(last)
            answer = known[path] = number in numbers.get((parent, stem), ()) and is_reliable(parent)
        return answer

    return is_reliable


def _series(names: Iterable[str]) -> dict[tuple[str, str], set[int]]:
    seen: set[str] = set()
    series: dict[tuple[str, str], set[int]] = {}
    for path in names:
        while path and path not in seen:
            seen.add(path)
            parent, _, last = path.rpartition("/")
            stem, number = split_number(last)
            series.setdefault((parent, stem), set()).add(number)
            path = parent
    return series


@functools.lru_cache(maxsize=1 << 15)  # a graph has few last parts of names, and many names
def split_number(last: str) -> tuple[str, int]:
    """`dense_3` into `dense` and 3; the first of a series has no number."""
    stem, _, number = last.rpartition("_")
    return (stem, int(number)) if stem and number.isdecimal() and number.isascii() and len(number) < 10 else (last, 0)


def _has_gaps(numbers: set[int]) -> bool:
    return bool(numbers) and max(numbers) - min(numbers) + 1 > len(numbers)
