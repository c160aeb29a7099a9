"""Which node of one function is which of another: two traces of the same code, or of code alike.

Nodes lie in the order in which the code created them. The same ops in the same order are the same nodes, whatever they
are called. Else there are several opinions: that of the structure, which is right unless what was inserted looks like
its neighbours; and those of the names, which are right unless something inserted has shifted the numbers in them. Each
is completed by what the nodes around say, and the one under which more of the graph is the same is taken.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from tb_retrace_plugin.graphs.agreed import Agreement
from tb_retrace_plugin.graphs.align import align, slide
from tb_retrace_plugin.graphs.node_names import reliable_names, split_number
from tb_retrace_plugin.graphs.nodes import Column, Nodes
from tb_retrace_plugin.graphs.surroundings import Consumers, row_of_input, tokens

_GRADIENT = re.compile(r"^(.*?\bgradient_tape/|.*?\bgradients/)(.+)$")
#: A source with more consumers than this says nothing of any one of them.
_MANY = 48
#: Rows that are settled together; asking one by one is as quick for fewer.
_MANY_ROWS = 200
#: Rounds of asking the neighbours; each asks only around what the last one found.
_MAX_VOTES = 6_000_000
_CONVINCING = 0.95
#: Where the structure alone leaves so little that differs, no other opinion is asked for.
_NEARLY_ALL = 0.999


def match(a: Nodes, b: Nodes) -> Column:
    """For each row of `a` its row in `b`, -1 if it has none. No row of `b` is given twice, and a pair has one op."""
    if np.array_equal(a.op, b.op):
        return np.arange(len(a), dtype=np.int64)
    consumers = Consumers(a), Consumers(b)
    by_names = _Matching(a, b, consumers)
    by_names.same_names(reliable_names(a.names, b.names))
    if _is_convincing(a, b, by_names.pairs()):
        return by_names.complete()
    structure = by_structure(_Matching(a, b, consumers))
    if _is_nearly_all(a, b, structure):
        return structure
    opinions = [by_names.complete(), structure, by_all_names(_Matching(a, b, consumers))]
    return max(opinions, key=lambda of_a: agreement(a, b, of_a))


def _is_convincing(a: Nodes, b: Nodes, of_a: Column) -> bool:
    """Whether reliable names settle nearly all of the smaller side, and what has one name is nearly always the same."""
    rows = np.flatnonzero(of_a >= 0)
    others = of_a[rows]
    alike = min(np.count_nonzero(a.rest[rows] == b.rest[others]), np.count_nonzero(a.width[rows] == b.width[others]))
    return len(rows) >= _CONVINCING * min(len(a), len(b)) and bool(alike >= _CONVINCING * len(rows))


def by_structure(matching: _Matching) -> Column:
    matching.align(_before_gradients)
    return matching.complete()


def by_all_names(matching: _Matching) -> Column:
    matching.same_names(lambda _: True)
    matching.doubt()
    return matching.complete()


def invert(of_a: Column, rows: int) -> Column:
    of_b = np.full(rows, -1, np.int64)
    matched = np.flatnonzero(of_a >= 0)
    of_b[of_a[matched]] = matched
    return of_b


def agreement(a: Nodes, b: Nodes, of_a: Column) -> float:
    """How much of the graph is the same under a matching: nodes, their contents, and whence their inputs come."""
    rows = np.flatnonzero(of_a >= 0)
    others = of_a[rows]
    same_names = sum(a.names[row] == b.names[other] for row, other in zip(rows.tolist(), others.tolist(), strict=True))
    contents = sum(
        np.count_nonzero(x[rows] == y[others]) for x, y in ((a.rest, b.rest), (a.shape, b.shape), (a.width, b.width))
    )
    return float(contents + 2 * np.count_nonzero(agreeing_inputs(a, b, of_a)) + 0.2 * same_names)


def _is_nearly_all(a: Nodes, b: Nodes, of_a: Column) -> bool:
    """Whether hardly more of the smaller side could have a partner of its width, with its inputs."""
    rows = np.flatnonzero(of_a >= 0)
    wide = np.count_nonzero(a.width[rows] == b.width[of_a[rows]])
    inputs = np.count_nonzero(agreeing_inputs(a, b, of_a))
    return bool(wide >= _NEARLY_ALL * min(len(a), len(b)) and inputs >= _NEARLY_ALL * min(len(a.source), len(b.source)))


def agreeing_inputs(a: Nodes, b: Nodes, of_a: Column) -> Column:
    """For each input of `a`: whether the matched node has that input in the same place."""
    row = row_of_input(a)
    other = of_a[row]
    place = np.arange(len(a.source)) - a.start[row] + b.start[other]
    there = (other >= 0) & (place < b.start[other + 1])
    place = np.where(there, place, 0)
    same = np.zeros(len(a.source), bool)
    if len(b.source):
        own = np.where(a.source >= 0, of_a[np.maximum(a.source, 0)], a.source)
        own = np.where((a.source >= 0) & (own < 0), np.iinfo(np.int64).min, own)
        same = there & (own == b.source[place]) & (a.port == b.port[place])
    return same


class _Matching:
    def __init__(self, a: Nodes, b: Nodes, consumers: tuple[Consumers, Consumers]) -> None:
        self.a, self.b = a, b
        self._consumers_a, self._consumers_b = consumers
        self._of_a, self._of_b = [-1] * len(a), [-1] * len(b)
        self._op_a, self._op_b = a.op.tolist(), b.op.tolist()
        self._votes = _MAX_VOTES
        self._agreement: Agreement | None = None

    def complete(self) -> Column:
        self._gradients()
        self._ask_neighbours()
        if -1 in self._of_a and -1 in self._of_b:
            self.align(_all)
            self._gradients()
            self._ask_neighbours()
            self.same_names(lambda _: True)
            self._ask_neighbours()
        return self.pairs()

    def pairs(self) -> Column:
        return np.asarray(self._of_a, np.int64)

    def align(self, which: Callable[[Nodes], Column]) -> None:
        """Rows that `which` names, between those that are matched. Arguments go where the nodes that use them go."""
        rows_a, rows_b = which(self.a), which(self.b)
        levels = []
        around = tokens((self.a, self._consumers_a), (self.b, self._consumers_b))
        for of_a, of_b in (*around, (_op_and_width(self.a), _op_and_width(self.b)), _stems(self.a, self.b)):
            token_a, token_b = of_a[rows_a].tolist(), of_b[rows_b].tolist()
            for at, row in enumerate(rows_a.tolist()):
                if self._of_a[row] >= 0:
                    token_a[at] = -1 - row
            for at, row in enumerate(rows_b.tolist()):
                if self._of_b[row] >= 0:
                    token_b[at] = -1 - self._of_b[row]
            levels.append((token_a, token_b))
        rows_a, rows_b = rows_a.tolist(), rows_b.tolist()
        names_a, names_b = self.a.names, self.b.names
        pairs = slide(
            align(levels[:-2], levels[-2:]), *levels[-2], lambda i, j: names_a[rows_a[i]] == names_b[rows_b[j]]
        )
        for at_a, at_b in pairs:
            self._pair_if_free(rows_a[at_a], rows_b[at_b])

    def _pair(self, row_a: int, row_b: int) -> None:
        self._of_a[row_a], self._of_b[row_b] = row_b, row_a

    def same_names(self, reliable: Callable[[str], bool]) -> None:
        index = self.b.index
        for row, name in enumerate(self.a.names):
            if self._of_a[row] < 0 and (other := index.get(name)) is not None and reliable(name):
                self._pair_if_free(row, other)

    def _pair_if_free(self, row: int, other: int) -> None:
        if self._of_a[row] < 0 and self._of_b[other] < 0 and self._op_a[row] == self._op_b[other]:
            self._pair(row, other)

    def _gradients(self) -> None:
        """`gradient_tape/x/…` and `gradients/x_grad/…` belong to `x`, and go where it went."""
        for row, name in enumerate(self.a.names):
            if self._of_a[row] >= 0 or (found := _GRADIENT.match(name)) is None:
                continue
            head, forward = found.groups()
            rest = ""
            for _ in range(forward.count("/") + 1):
                stem = forward.removesuffix("_grad")
                source = self.a.index.get(stem)
                if source is not None:
                    if (of_source := self._of_a[source]) >= 0:
                        other = self.b.index.get(head + self.b.names[of_source] + forward[len(stem) :] + rest)
                        if other is not None:
                            self._pair_if_free(row, other)
                    break
                forward, slash, last = forward.rpartition("/")
                rest = slash + last + rest

    def doubt(self) -> None:
        """Undoes pairs that nothing around confirms, though there is something around."""
        of_a = np.asarray(self._of_a, np.int64)
        agreeing = agreeing_inputs(self.a, self.b, of_a)
        confirmed = np.zeros(len(self.a), bool)
        row = row_of_input(self.a)
        confirmed[row[agreeing]] = True
        confirmed[self.a.source[agreeing & (self.a.source >= 0)]] = True
        around = np.zeros(len(self.a), bool)
        around[row] = True
        around[self.a.source[self.a.source >= 0]] = True
        for doubtful in np.flatnonzero((of_a >= 0) & around & ~confirmed).tolist():
            if self.a.names[doubtful] != self.b.names[self._of_a[doubtful]]:
                self._of_b[self._of_a[doubtful]] = -1
                self._of_a[doubtful] = -1

    # --- neighbours ---

    def _ask_neighbours(self) -> None:
        """An unmatched node goes where the consumers of its inputs' partners, and the inputs of its consumers', are."""
        self._agree()
        inputs_a, inputs_b = _Inputs(self.a), _Inputs(self.b)
        todo = [row for row, other in enumerate(self._of_a) if other < 0]
        while todo and self._votes > 0 and -1 in self._of_b:
            wishes: dict[int, list[tuple[float, int]]] = {}
            for row in todo:
                for other, votes in self._candidates(row, inputs_a, inputs_b).items():
                    wishes.setdefault(other, []).append((votes, row))
            found = self._settle(wishes)
            around: set[int] = set()
            for row in found:
                around.update(source for source, _ in inputs_a.of(row))
                if self._consumers_a.count(row) <= _MANY:
                    around.update(consumer for consumer, _, _ in self._consumers_a.of(row))
            todo = sorted(row for row in around if row >= 0 and self._of_a[row] < 0)

    def _agree(self) -> None:
        """Where nothing needs to be weighed, all rows at once: nearly all of what follows from the forward pass."""
        if self._agreement is None:
            self._agreement = Agreement(self.a, self.b, _MANY)
        of_a, of_b = self.pairs(), np.asarray(self._of_b, np.int64)
        found = _MANY_ROWS
        while found >= _MANY_ROWS:  # of a chain each round finds one
            rows, others = self._agreement.pairs(of_a, of_b)
            of_a[rows], of_b[others] = others, rows
            found = len(rows)
        self._of_a, self._of_b = of_a.tolist(), of_b.tolist()

    def _candidates(self, row: int, inputs_a: _Inputs, inputs_b: _Inputs) -> dict[int, float]:
        votes: dict[int, float] = {}
        op = self._op_a[row]
        for place, (source, port) in enumerate(inputs_a.of(row)):
            if source < 0 or (of_source := self._of_a[source]) < 0:
                continue
            if self._consumers_b.count(of_source) > _MANY:
                continue
            consumers = self._consumers_b.of(of_source)
            self._votes -= 1 + len(consumers)
            for other, other_place, other_port in consumers:
                if self._of_b[other] < 0 and self._op_b[other] == op:
                    same_place = place == other_place and port == other_port
                    votes[other] = votes.get(other, 0.0) + (1.0 if same_place else 0.3)
        for consumer, place, port in self._consumers_a.of(row, _MANY):
            if (of_consumer := self._of_a[consumer]) < 0:
                continue
            many = inputs_b.count(of_consumer) > _MANY
            first = place if many else 0  # of very many inputs, only the one in the same place
            theirs = inputs_b.of(of_consumer, first, 1 if many else _MANY)
            self._votes -= 1 + len(theirs)
            for other_place, (other, other_port) in enumerate(theirs, first):
                if other >= 0 and self._of_b[other] < 0 and self._op_b[other] == op:
                    same_place = place == other_place and port == other_port
                    votes[other] = votes.get(other, 0.0) + (1.0 if same_place else 0.3)
        for other in votes:
            votes[other] += 0.4 * (self.a.rest[row] == self.b.rest[other])
            votes[other] += 0.2 * (self.a.shape[row] == self.b.shape[other])
            votes[other] += 0.3 * (self.a.names[row] == self.b.names[other])
        return votes

    def _settle(self, wishes: dict[int, list[tuple[float, int]]]) -> list[int]:
        """The best supported first; of equal ones those that come first."""
        found = []
        order = sorted((-votes, row, other) for other, rows in wishes.items() for votes, row in rows)
        best: dict[int, float] = {}
        for negative, row, other in order:
            best.setdefault(row, negative)
            # what is not a row's best wish waits for the next round, in which its neighbours may know more
            if negative <= best[row] + 1e-9 and self._of_a[row] < 0 and self._of_b[other] < 0:
                self._pair(row, other)
                found.append(row)
        return found


class _Inputs:
    """(source, port) of each input."""

    def __init__(self, nodes: Nodes) -> None:
        self._start, self._source, self._port = nodes.start.tolist(), nodes.source.tolist(), nodes.port.tolist()

    def count(self, row: int) -> int:
        return int(self._start[row + 1] - self._start[row])

    def of(self, row: int, first: int = 0, most: int = 1 << 40) -> list[tuple[int, int]]:
        start = self._start[row] + first
        stop = min(self._start[row + 1], start + most)
        return list(zip(self._source[start:stop], self._port[start:stop], strict=True))


def _all(nodes: Nodes) -> Column:
    return np.arange(nodes.arguments, len(nodes))


def _before_gradients(nodes: Nodes) -> Column:
    """What follows is the backward pass, named after the forward one, and what is done for each variable alike."""
    rows = range(nodes.arguments, len(nodes))
    first = next((row for row in rows if _GRADIENT.match(nodes.names[row])), len(nodes))
    return np.arange(nodes.arguments, first)


def _op_and_width(nodes: Nodes) -> Column:
    return nodes.op.astype(np.int64) * 0x9E3779B97F4A7 + nodes.width % (1 << 40)


def _stems(a: Nodes, b: Nodes) -> tuple[Column, Column]:
    """The last resort: op and name without its numbers."""
    numbers: dict[tuple[str, str], int] = {}

    def of(nodes: Nodes) -> Column:
        keys = [(op, split_number(name.rpartition("/")[2])[0]) for op, name in zip(nodes.ops, nodes.names, strict=True)]
        return np.asarray([numbers.setdefault(key, len(numbers)) for key in keys], np.int64)

    return of(a), of(b)
