"""Names that TensorFlow numbers, and what their numbers are worth."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Iterable, Set


def reliable_names(names_a: Collection[str], names_b: Collection[str]) -> Callable[[str], bool]:
    """Whether a name that both have means the same: nowhere in it is a number of a series that is longer on one side.

    TensorFlow numbers equal names by their order. A series with gaps, `block_0`, `block_1`, `block_3`, somebody chose.
    """
    paths_a = set(names_a)
    # a series that no name of one side alone belongs to has the same numbers on both
    series = _series_of(paths_a.symmetric_difference(names_b))
    scopes = {parent for parent, _ in series}
    series_a, series_b = _numbers(names_a, series, scopes), _numbers(names_b, series, scopes)
    numbers: dict[tuple[str, str], set[int]] = {}  # of each series those that mean the same
    for key in series:
        a, b = series_a.get(key, set()), series_b.get(key, set())
        chosen = a == b or _has_gaps(a) or _has_gaps(b)
        common = a & b if chosen else set()
        numbers[key] = common if 2 * len(common) >= min(len(a), len(b)) else set()
    known: dict[str, bool] = {"": True}

    def is_reliable(path: str) -> bool:
        if (answer := known.get(path)) is None:
            parent, _, last = path.rpartition("/")
            if parent in scopes and (key := (parent, (split := split_number(last))[0])) in numbers:
                answer = split[1] in numbers[key] and is_reliable(parent)
            else:
                answer = is_reliable(parent)
            known[path] = answer
        return answer

    return is_reliable


def _series_of(names: Iterable[str]) -> set[tuple[str, str]]:
    """Scope and stem of names, and of the scopes that they are in."""
    seen: set[str] = set()
    series = set()
    for path in names:
        while path and path not in seen:
            seen.add(path)
            parent, _, last = path.rpartition("/")
            series.add((parent, split_number(last)[0]))
            path = parent
    return series


def _numbers(names: Iterable[str], series: Set[tuple[str, str]], scopes: Set[str]) -> dict[tuple[str, str], set[int]]:
    """The numbers of these series among names and the scopes that they are in. `scopes`: those of the series."""
    numbers: dict[tuple[str, str], set[int]] = {}
    seen: set[str] = set()

    def look_at(paths: Iterable[str]) -> set[str]:
        above = set()
        for path in paths:
            parent, _, last = path.rpartition("/")
            above.add(parent)
            if parent in scopes:
                stem, number = split_number(last)
                if (key := (parent, stem)) in series:
                    numbers.setdefault(key, set()).add(number)
        return above

    paths: Iterable[str] = names
    while above := look_at(paths) - seen - {""}:
        seen |= above
        paths = above
    return numbers


@functools.lru_cache(maxsize=1 << 15)  # a graph has few last parts of names, and many names
def split_number(last: str) -> tuple[str, int]:
    """`dense_3` into `dense` and 3; the first of a series has no number."""
    stem, _, number = last.rpartition("_")
    return (stem, int(number)) if stem and number.isdecimal() and number.isascii() and len(number) < 10 else (last, 0)


def _has_gaps(numbers: set[int]) -> bool:
    return bool(numbers) and max(numbers) - min(numbers) + 1 > len(numbers)
