"""Two sequences of tokens, aligned as patience diff does: unique ones first, then the shortest edit, within bounds."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Sequence

Gap = tuple[int, int, int, int]  # from and to in a, from and to in b
#: Elements looked at, as a multiple of both lengths, before what is left is given up.
_MAX_PASSES = 30
#: Of the shortest edit's search; its time grows with their square.
_MAX_EDITS = 1200
_MAX_EDIT_STEPS = 4_000_000
#: How far what is on one side only is moved.
_MAX_SLIDE = 5000


def align(
    telling: Sequence[tuple[Sequence[int], Sequence[int]]], plain: Sequence[tuple[Sequence[int], Sequence[int]]]
) -> list[tuple[int, int]]:
    """Pairs of positions, rising in both. Each level, tokens of a and of b, fills the gaps that earlier ones leave.

    `telling`: tokens of much of what is around. Where one is unique, it is an anchor; but whatever is changed changes
    many of them, so that the shortest edit in them is none of the fewest changes. That is sought in `plain` tokens.
    """
    size_a, size_b = len(plain[0][0]), len(plain[0][1])
    budget = _Budget(_MAX_PASSES * (size_a + size_b) + 1000)
    pairs: list[tuple[int, int]] = []
    gaps: list[Gap] = [(0, size_a, 0, size_b)]
    for number, (tokens_a, tokens_b) in enumerate((*telling, *plain)):
        left: list[Gap] = []
        while gaps:
            _close(gaps.pop(), tokens_a, tokens_b, pairs, gaps, left, budget, edit=number >= len(telling))
        gaps = left
    return sorted(pairs)


class _Budget:
    def __init__(self, elements: int) -> None:
        self.elements = elements
        self.edit_steps = _MAX_EDIT_STEPS


def _close(
    gap: Gap,
    a: Sequence[int],
    b: Sequence[int],
    pairs: list[tuple[int, int]],
    gaps: list[Gap],
    left: list[Gap],
    budget: _Budget,
    *,
    edit: bool,
) -> None:
    """Pairs what it can in `gap`; what may be closed at the same level goes to `gaps`, the rest to `left`."""
    a_from, a_to, b_from, b_to = gap
    while a_from < a_to and b_from < b_to and a[a_from] == b[b_from]:
        pairs.append((a_from, b_from))
        a_from, b_from = a_from + 1, b_from + 1
    while a_from < a_to and b_from < b_to and a[a_to - 1] == b[b_to - 1]:
        a_to, b_to = a_to - 1, b_to - 1
        pairs.append((a_to, b_to))
    if a_from == a_to or b_from == b_to:
        return
    gap = (a_from, a_to, b_from, b_to)
    budget.elements -= a_to - a_from + b_to - b_from
    if budget.elements < 0:
        return
    anchors = _rising(_unique(gap, a, b))
    further = gaps
    if not anchors:
        further = left
        if edit:
            anchors = _shortest_edit(gap, a, b, budget) or _rising(_as_often(gap, a, b))
    pairs += anchors
    for row_a, row_b in [*anchors, (a_to, b_to)]:
        if a_from < row_a and b_from < row_b:
            further.append((a_from, row_a, b_from, row_b))
        a_from, b_from = row_a + 1, row_b + 1


def _unique(gap: Gap, a: Sequence[int], b: Sequence[int]) -> list[tuple[int, int]]:
    """What occurs once on either side."""
    once_a, once_b = _once(a, gap[0], gap[1]), _once(b, gap[2], gap[3])
    return [(row, once_b[token]) for token, row in once_a.items() if token in once_b]


def _once(tokens: Sequence[int], start: int, stop: int) -> dict[int, int]:
    rows: dict[int, int] = {}
    for row in range(start, stop):
        token = tokens[row]
        rows[token] = -1 if token in rows else row
    return {token: row for token, row in rows.items() if row >= 0}


def _as_often(gap: Gap, a: Sequence[int], b: Sequence[int]) -> list[tuple[int, int]]:
    """What occurs equally often on both sides, in its order."""
    count_a, count_b = Counter(a[gap[0] : gap[1]]), Counter(b[gap[2] : gap[3]])
    rows_b: dict[int, list[int]] = {}
    for row in range(gap[2], gap[3]):
        if count_a.get(b[row]) == count_b[b[row]]:
            rows_b.setdefault(b[row], []).append(row)
    found = []
    for row in range(gap[0], gap[1]):
        if (of_b := rows_b.get(a[row])) is not None:
            found.append((row, of_b[len(of_b) - count_a[a[row]]]))
            count_a[a[row]] -= 1
    return found


def _rising(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest series of pairs that rises on both sides."""
    pairs.sort()
    tails: list[int] = []
    ends: list[int] = []
    before: list[int] = []
    for index, (_, row_b) in enumerate(pairs):
        at = bisect_left(tails, row_b)
        before.append(ends[at - 1] if at else -1)
        tails[at : at + 1] = [row_b]
        ends[at : at + 1] = [index]
    series = []
    at = ends[-1] if ends else -1
    while at >= 0:
        series.append(pairs[at])
        at = before[at]
    return series[::-1]


def _shortest_edit(gap: Gap, all_a: Sequence[int], all_b: Sequence[int], budget: _Budget) -> list[tuple[int, int]]:
    """Myers' algorithm on what occurs on both sides; nothing if the edit is too long to be sought."""
    in_a, in_b = set(all_a[gap[0] : gap[1]]), set(all_b[gap[2] : gap[3]])
    rows_a = [row for row in range(gap[0], gap[1]) if all_a[row] in in_b]
    rows_b = [row for row in range(gap[2], gap[3]) if all_b[row] in in_a]
    a, b = [all_a[row] for row in rows_a], [all_b[row] for row in rows_b]
    size_a, size_b = len(a), len(b)
    if not a or not b or abs(size_a - size_b) > _MAX_EDITS:
        return []
    most = min(size_a + size_b, _MAX_EDITS)
    reached = [-1] * (2 * most + 3)  # by diagonal x - y, shifted by `most + 1`: how far in a
    reached[most + 2] = 0
    trail: list[array[int]] = []
    for edits in range(most + 1):
        trail.append(array("q", reached[most - edits : most + edits + 3]))
        budget.edit_steps -= edits + 1
        if budget.edit_steps < 0:
            return []
        # beyond either end there is nothing to be found
        for k in range(-edits + 2 * max(0, edits - size_b), edits - 2 * max(0, edits - size_a) + 1, 2):
            at = most + 1 + k
            down = k == -edits or (k != edits and reached[at - 1] < reached[at + 1])
            x = reached[at + 1] if down else reached[at - 1] + 1
            y = x - k
            while 0 <= y < size_b and x < size_a and a[x] == b[y]:
                x, y = x + 1, y + 1
            reached[at] = x
            if x >= size_a and y >= size_b:
                return [(rows_a[x], rows_b[y]) for x, y in _walk_back(trail, size_a, size_b)]
    return []


def _walk_back(trail: list[array[int]], x: int, y: int) -> list[tuple[int, int]]:
    pairs = []
    for edits in range(len(trail) - 1, -1, -1):
        reached, k = trail[edits], x - y
        at = edits + 1 + k
        down = k == -edits or (k != edits and reached[at - 1] < reached[at + 1])
        before_x = reached[at + 1] if down else reached[at - 1]
        before_y = before_x - (k + 1 if down else k - 1)
        while x > before_x and y > before_y and x > 0 and y > 0:
            x, y = x - 1, y - 1
            pairs.append((x, y))
        x, y = before_x, before_y
    return pairs[::-1]


def slide(
    pairs: Sequence[tuple[int, int]], a: Sequence[int], b: Sequence[int], alike: Callable[[int, int], bool]
) -> list[tuple[int, int]]:
    """The same alignment, with what is only on one side moved along equal tokens to where more pairs are `alike`.

    In `x y x y x y` against `x y x y` any `x y`, or `y x`, may be the one that was added.
    """
    moved = _slid([(-1, -1), *pairs, (len(a), len(b))], b, alike)
    turned = _slid([(row_b, row_a) for row_a, row_b in moved], a, lambda row_b, row_a: alike(row_a, row_b))
    return [(row_a, row_b) for row_b, row_a in turned[1:-1]]


def _slid(pairs: list[tuple[int, int]], b: Sequence[int], alike: Callable[[int, int], bool]) -> list[tuple[int, int]]:
    """Moves runs of `b` that nothing in a stands against. The first and the last pair are the ends, and stay."""
    for at in range(1, len(pairs)):
        (before_a, before_b), (after_a, after_b) = pairs[at - 1], pairs[at]
        run = after_b - before_b - 1
        if run <= 0 or after_a != before_a + 1:
            continue
        # pairs[start:stop] could each go `run` further along b, or have come from there
        down, gain, best, best_gain = at, 0, at, 0
        while (
            down < len(pairs) - 1
            and down - at < _MAX_SLIDE
            and pairs[down] == (after_a + down - at, after_b + down - at)
        ):
            row_a, row_b = pairs[down]
            if b[row_b] != b[row_b - run]:
                break
            gain += alike(row_a, row_b - run) - alike(row_a, row_b)
            down += 1
            if gain > best_gain:
                best, best_gain = down, gain
        up, gain, best_up = at, 0, at
        while up > 1 and at - up < _MAX_SLIDE and pairs[up - 1] == (before_a - (at - up), before_b - (at - up)):
            row_a, row_b = pairs[up - 1]
            if b[row_b] != b[row_b + run]:
                break
            gain += alike(row_a, row_b + run) - alike(row_a, row_b)
            up -= 1
            if gain > best_gain:
                best_up, best, best_gain = up, at, gain
        for index in range(at, best):
            pairs[index] = (pairs[index][0], pairs[index][1] - run)
        for index in range(best_up, at):
            pairs[index] = (pairs[index][0], pairs[index][1] + run)
    return pairs
