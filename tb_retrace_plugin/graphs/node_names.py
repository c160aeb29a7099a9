"""Names that TensorFlow numbers, and what their numbers are worth."""

from __future__ import annotations

from collections.abc import Callable, Iterable


def reliable_names(names_a: Iterable[str], names_b: Iterable[str]) -> Callable[[str], bool]:
    """Whether a name means the same in both: nowhere in it is a number of a series that is longer on one side.

    TensorFlow numbers equal names by their order. A series with gaps, `block_0`, `block_1`, `block_3`, somebody chose.
    """
    series_a, series_b = _series(names_a), _series(names_b)
    known: dict[str, bool] = {"": True}

    def is_reliable(path: str) -> bool:
        if (answer := known.get(path)) is None:
            parent, _, last = path.rpartition("/")
            stem, number = split_number(last)
            a, b = series_a.get((parent, stem), set()), series_b.get((parent, stem), set())
            chosen = 2 * len(a & b) >= min(len(a), len(b)) and (_has_gaps(a) or _has_gaps(b))
            answer = known[path] = (a == b or (chosen and number in a and number in b)) and is_reliable(parent)
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


def split_number(last: str) -> tuple[str, int]:
    """`dense_3` into `dense` and 3; the first of a series has no number."""
    stem, _, number = last.rpartition("_")
    return (stem, int(number)) if stem and number.isdecimal() and number.isascii() and len(number) < 10 else (last, 0)


def _has_gaps(numbers: set[int]) -> bool:
    return bool(numbers) and max(numbers) - min(numbers) + 1 > len(numbers)
