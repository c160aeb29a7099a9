"""Which node of one function is which of another: two traces of the same code, or of code alike.

Nodes lie in the order in which the code created them, so that two traces of one function are two sequences to be
aligned. The same ops in the same order are the same nodes, whatever they are called. Else the sequences are aligned as
patience diff aligns lines: what occurs once in both, with the most of its surroundings (hashes of the inputs' inputs, as
Weisfeiler and Leman refine colours) first, then with less; names are the last resort, because an inserted layer shifts
the numbers in all that follow it. What is left is matched by the nodes around it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Hashable, Sequence

from tb_retrace_plugin.graphs.rows import Rows, sources

_NUMBERS = re.compile(r"_\d+(?=/|$)")
_GRADIENT = "gradient_tape/"
#: Gaps in which nothing is unique are compared cell by cell up to this many cells, beyond it by names alone.
_MAX_CELLS = 250_000
_ROUNDS = 3


def match(a: Rows, b: Rows) -> list[int]:
    """For each row of `a` its row in `b`, -1 if it has none. No row of `b` is given twice."""
    if a.ops == b.ops:
        return list(range(len(a)))
    return _Matching(a, b).pairs()


class _Matching:
    def __init__(self, a: Rows, b: Rows) -> None:
        self._a, self._b = a, b
        self._of_a, self._of_b = [-1] * len(a), [-1] * len(b)
        self._sources_a, self._sources_b = sources(a), sources(b)

    def pairs(self) -> list[int]:
        levels = [*zip(*(_tokens(rows, s) for rows, s in self._both()), strict=True)]
        self._align([(t[0], t[1]) for t in levels])
        self._by_neighbours()
        self._gradients()
        self._by_name()
        self._by_neighbours()
        return self._of_a

    def _both(self) -> tuple[tuple[Rows, list[list[tuple[int, bool]]]], tuple[Rows, list[list[tuple[int, bool]]]]]:
        return (self._a, self._sources_a), (self._b, self._sources_b)

    def _pair(self, row_a: int, row_b: int) -> None:
        self._of_a[row_a], self._of_b[row_b] = row_b, row_a

    # --- sequences ---

    def _align(self, levels: Sequence[tuple[list[int], list[int]]]) -> None:
        # (range of a, range of b, level); a stack, for gaps may nest as deep as there are nodes
        todo = [(0, len(self._a), 0, len(self._b), 0)]
        while todo:
            a_from, a_to, b_from, b_to, level = todo.pop()
            tokens_a, tokens_b = levels[min(level, len(levels) - 1)]
            while a_from < a_to and b_from < b_to and tokens_a[a_from] == tokens_b[b_from]:
                self._pair(a_from, b_from)
                a_from, b_from = a_from + 1, b_from + 1
            while a_from < a_to and b_from < b_to and tokens_a[a_to - 1] == tokens_b[b_to - 1]:
                a_to, b_to = a_to - 1, b_to - 1
                self._pair(a_to, b_to)
            if a_from == a_to or b_from == b_to:
                continue
            if level == len(levels):
                self._cell_by_cell(tokens_a, tokens_b, (a_from, a_to), (b_from, b_to))
                continue
            anchors = _unique_in_order(tokens_a, tokens_b, (a_from, a_to), (b_from, b_to))
            if not anchors:
                todo.append((a_from, a_to, b_from, b_to, level + 1))
                continue
            for row_a, row_b in [*anchors, (a_to, b_to)]:
                todo.append((a_from, row_a, b_from, row_b, level))
                if row_a < a_to:
                    self._pair(row_a, row_b)
                a_from, b_from = row_a + 1, row_b + 1

    def _cell_by_cell(self, a: list[int], b: list[int], in_a: tuple[int, int], in_b: tuple[int, int]) -> None:
        """The longest common subsequence of two gaps."""
        rows_a, rows_b = range(*in_a), range(*in_b)
        if len(rows_a) * len(rows_b) > _MAX_CELLS:
            return
        lengths = [[0] * (len(rows_b) + 1)]
        for row_a in reversed(rows_a):
            below, line = lengths[-1], [0] * (len(rows_b) + 1)
            for i in range(len(rows_b) - 1, -1, -1):
                same = a[row_a] == b[rows_b[i]]
                line[i] = below[i + 1] + 1 if same else max(below[i], line[i + 1])
            lengths.append(line)
        lengths.reverse()
        i = j = 0
        while i < len(rows_a) and j < len(rows_b):
            if a[rows_a[i]] == b[rows_b[j]] and lengths[i][j] == lengths[i + 1][j + 1] + 1:
                self._pair(rows_a[i], rows_b[j])
                i, j = i + 1, j + 1
            elif lengths[i + 1][j] >= lengths[i][j + 1]:
                i += 1
            else:
                j += 1

    # --- what is left ---

    def _by_neighbours(self) -> None:
        """Same op, and all inputs matched to the other's inputs, or the other's consumers; one candidate alone."""
        consumers_a, consumers_b = _consumers(self._sources_a), _consumers(self._sources_b)
        todo = [row for row, other in enumerate(self._of_a) if other < 0]
        while todo:
            found = []
            for row in todo:
                if self._of_a[row] >= 0:
                    continue
                candidates: dict[int, int] = {}
                for source, _ in self._sources_a[row]:
                    for other in consumers_b[self._of_a[source]] if self._of_a[source] >= 0 else ():
                        self._vote(row, other, candidates)
                for consumer in consumers_a[row]:
                    matched = self._of_a[consumer]
                    for other, _ in self._sources_b[matched] if matched >= 0 else ():
                        self._vote(row, other, candidates)
                best = max(candidates.values(), default=0)
                winners = [other for other, votes in candidates.items() if votes == best]
                if best >= 2 or (best == 1 and len(winners) == 1):
                    if len(winners) > 1:
                        winners = [other for other in winners if self._b.names[other] == self._a.names[row]]
                    if len(winners) == 1 and self._of_b[winners[0]] < 0:
                        self._pair(row, winners[0])
                        found.append(row)
            around = {n for row in found for n in (*(s for s, _ in self._sources_a[row]), *consumers_a[row])}
            todo = sorted(row for row in around if self._of_a[row] < 0)

    def _vote(self, row: int, other: int, candidates: dict[int, int]) -> None:
        if self._of_b[other] < 0 and self._b.ops[other] == self._a.ops[row]:
            candidates[other] = candidates.get(other, 0) + 1

    def _gradients(self) -> None:
        """`gradient_tape/x/…` belongs to `x`, and goes where it went."""
        by_name_a = {name: row for row, name in enumerate(self._a.names)}
        by_name_b = {name: row for row, name in enumerate(self._b.names)}
        for row, name in enumerate(self._a.names):
            at = name.find(_GRADIENT)
            if at < 0 or self._of_a[row] >= 0:
                continue
            head, forward = name[: at + len(_GRADIENT)], name[at + len(_GRADIENT) :]
            rest = ""
            while forward:
                source = by_name_a.get(forward)
                if source is not None and self._of_a[source] >= 0:
                    other = by_name_b.get(head + self._b.names[self._of_a[source]] + rest)
                    if other is not None and self._of_b[other] < 0 and self._b.ops[other] == self._a.ops[row]:
                        self._pair(row, other)
                    break
                forward, slash, last = forward.rpartition("/")
                rest = slash + last + rest

    def _by_name(self) -> None:
        left = {name: row for row, name in enumerate(self._b.names) if self._of_b[row] < 0}
        for row, name in enumerate(self._a.names):
            other = left.get(name) if self._of_a[row] < 0 else None
            if other is not None and self._b.ops[other] == self._a.ops[row]:
                self._pair(row, other)


def _tokens(rows: Rows, row_sources: list[list[tuple[int, bool]]]) -> list[list[int]]:
    """Per level, from the most of a row's surroundings to the least, a number for each row."""
    stems = [_NUMBERS.sub("", name.rpartition("/")[2]) for name in rows.names]
    plain: list[Hashable] = list(zip(rows.ops, stems, strict=True))
    rounds = [[hash(token) for token in plain]]
    for _ in range(_ROUNDS):
        last = rounds[-1]
        rounds.append(
            [hash((own, *[last[source] for source, _ in found])) for own, found in zip(last, row_sources, strict=True)]
        )
    return [rounds[3], rounds[1], rounds[0], [hash(op) for op in rows.ops]]


def _unique_in_order(a: list[int], b: list[int], in_a: tuple[int, int], in_b: tuple[int, int]) -> list[tuple[int, int]]:
    """Rows whose token occurs once in either range: the longest series of them that is in order in both."""
    once_a, once_b = _once(a, *in_a), _once(b, *in_b)
    pairs = [(row, once_b[token]) for token, row in once_a.items() if token in once_b]
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


def _once(tokens: list[int], start: int, stop: int) -> dict[int, int]:
    rows: dict[int, int] = {}
    again = set()
    for row in range(start, stop):
        token = tokens[row]
        if token in rows:
            again.add(token)
        rows[token] = row
    return {token: row for token, row in rows.items() if token not in again}


def _consumers(row_sources: list[list[tuple[int, bool]]]) -> list[list[int]]:
    found: list[list[int]] = [[] for _ in row_sources]
    for row, own in enumerate(row_sources):
        for source, _ in own:
            found[source].append(row)
    return found
