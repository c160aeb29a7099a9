"""Two traces' graphs as one: the union of their nodes, and what is the same, changed, added, removed in it."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from tb_retrace_plugin.graphs.attributes import called_functions, changed_keys
from tb_retrace_plugin.graphs.match import agreeing_inputs, invert, match
from tb_retrace_plugin.graphs.node_names import split_number
from tb_retrace_plugin.graphs.nodes import Column, Nodes, Shared, check_size, read_nodes
from tb_retrace_plugin.graphs.read_graph import GraphFunction

IN_A, IN_B, CHANGED, REWIRED, RENAMED = 1, 2, 4, 8, 16
CONTROL = 4


@dataclass(eq=False, slots=True)
class GraphDifference:
    """One function, or a pair of them. Columns have a row per node of the union, in creation order.

    `row_a`, `row_b`: the row in `a` and in `b`, -1 where there is none. `calls`: which graph of the difference the node
    calls first; -1: none. Inputs of row i: `input_node[input_start[i]:input_start[i + 1]]`, each source once; flags 1:
    in a, 2: in b, 4: control.
    """

    a: Nodes | None
    b: Nodes | None
    row_a: Column
    row_b: Column
    flags: Column
    calls: Column
    input_start: Column
    input_node: Column
    input_flags: Column

    @property
    def name(self) -> str:
        nodes = self.b or self.a
        return nodes.name if nodes is not None else ""

    def counts(self) -> dict[str, int]:
        """A node may be changed, rewired and renamed; it is the same if it is neither changed nor rewired."""
        in_both = (self.flags & (IN_A | IN_B)) == IN_A | IN_B

        def count(rows: Column) -> int:
            return int(np.count_nonzero(rows))

        return {
            "same": count(in_both & ((self.flags & (CHANGED | REWIRED)) == 0)),
            "changed": count(self.flags & CHANGED),
            "rewired": count(self.flags & REWIRED),
            "added": count((self.flags & IN_A) == 0),
            "removed": count((self.flags & IN_B) == 0),
            "renamed": count(self.flags & RENAMED),
        }


@dataclass(eq=False, slots=True)
class Difference:
    """`graphs[0]` is the traced function; then those that are called, matched in pairs."""

    graphs: list[GraphDifference]
    shared: Shared

    def counts(self) -> dict[str, int]:
        """Over all graphs."""
        total: dict[str, int] = {}
        for graph in self.graphs:
            for key, count in graph.counts().items():
                total[key] = total.get(key, 0) + count
        return total


def compare_graphs(a: Sequence[GraphFunction], b: Sequence[GraphFunction]) -> Difference:
    """Of B and A it is the mirror of that of A and B. Raises GraphError if a graph is damaged or too large."""
    check_size(a)
    check_size(b)
    # ties are broken alike either way round, for it is one computation
    turned = [function.data for function in b] < [function.data for function in a]
    pairing = _Pairing(*((b, a) if turned else (a, b)))
    pairs = [
        (right, left, invert(of, len(right or ()))) if turned else (left, right, of)
        for left, right, of in pairing.run()
    ]
    shared = pairing.shared
    number_a = {id(left.function): number for number, (left, _, _) in enumerate(pairs) if left is not None}
    number_b = {id(right.function): number for number, (_, right, _) in enumerate(pairs) if right is not None}
    calls_a, calls_b = _Calls(a, shared), _Calls(b, shared)
    return Difference(
        [_union(*pair, shared, _Callees(calls_a, number_a), _Callees(calls_b, number_b)) for pair in pairs], shared
    )


class _Calls:
    """Whom nodes call: by the number of the rest of a node, which says it, or by its op."""

    def __init__(self, functions: Sequence[GraphFunction], shared: Shared) -> None:
        self._shared = shared
        self._by_name: dict[str, GraphFunction] = {}
        for function in functions:
            self._by_name.setdefault(function.name, function)
        self._known: dict[int, list[tuple[str, GraphFunction]]] = {}

    def of_rest(self, number: int) -> list[tuple[str, GraphFunction]]:
        """(attribute, function) of what is part of the graph."""
        found = self._known.get(number)
        if found is None:
            names = called_functions(self._shared.rests[number].attr) if self._by_name else ()
            found = [(key, self._by_name[name]) for key, name in names if name in self._by_name]
            self._known[number] = found
        return found

    def rows(self, nodes: Nodes) -> Iterator[tuple[int, list[tuple[str, GraphFunction]]]]:
        """Rows that call something."""
        numbers = [number for number in np.unique(nodes.rest).tolist() if self.of_rest(number)]
        calling = np.isin(nodes.rest, np.asarray(numbers, np.int64))
        ops = [number for op, number in self._shared.ops.items() if op in self._by_name]
        calling |= np.isin(nodes.op, np.asarray(ops, np.int64))
        for row in np.flatnonzero(calling).tolist():
            found = self.of_rest(int(nodes.rest[row]))
            op = self._by_name.get(nodes.ops[row])
            yield row, [("op", op), *found] if op is not None else found


class _Callees:
    def __init__(self, calls: _Calls, number_of: dict[int, int]) -> None:
        self._calls, self._number_of = calls, number_of

    def column(self, nodes: Nodes) -> Column:
        """Which graph of the difference each row calls first."""
        column = np.full(len(nodes), -1, np.int64)
        for row, called in self._calls.rows(nodes):
            column[row] = self._number_of.get(id(called[0][1]), -1)
        return column


class _Pairing:
    """Functions of two graphs in pairs, and the rows of each pair."""

    def __init__(self, a: Sequence[GraphFunction], b: Sequence[GraphFunction]) -> None:
        self._a, self._b = a, b
        self.shared = Shared()
        self._calls_a, self._calls_b = _Calls(a, self.shared), _Calls(b, self.shared)
        self._taken: set[int] = set()

    def run(self) -> Iterator[tuple[Nodes | None, Nodes | None, Column]]:
        """The traced functions; what matched nodes call, in the order of calls; the rest by name; the single ones."""
        todo: deque[tuple[GraphFunction, GraphFunction]] = deque()
        self._take(self._a[0], self._b[0], todo)
        yield from self._follow(todo)
        for key in (lambda function: function.name, lambda function: split_number(function.name)[0]):
            of_b: dict[str, deque[GraphFunction]] = {}
            for function in self._b:
                if id(function) not in self._taken:
                    of_b.setdefault(key(function), deque()).append(function)
            for function in self._a:
                if id(function) not in self._taken:
                    waiting = of_b.get(key(function), deque())
                    while waiting and id(waiting[0]) in self._taken:
                        waiting.popleft()
                    if waiting:
                        self._take(function, waiting[0], todo)
                        yield from self._follow(todo)
        for function in self._a:
            if id(function) not in self._taken:
                nodes = read_nodes(function, self.shared)
                yield nodes, None, np.full(len(nodes), -1, np.int64)
        for function in self._b:
            if id(function) not in self._taken:
                yield None, read_nodes(function, self.shared), np.zeros(0, np.int64)

    def _take(self, a: GraphFunction, b: GraphFunction, todo: deque[tuple[GraphFunction, GraphFunction]]) -> None:
        self._taken |= {id(a), id(b)}
        todo.append((a, b))

    def _follow(
        self, todo: deque[tuple[GraphFunction, GraphFunction]]
    ) -> Iterator[tuple[Nodes | None, Nodes | None, Column]]:
        while todo:
            left, right = todo.popleft()
            a, b = read_nodes(left, self.shared), read_nodes(right, self.shared)
            of_a = match(a, b)
            yield a, b, of_a
            called_b = dict(self._calls_b.rows(b))
            for row, called in self._calls_a.rows(a):
                theirs = dict(called_b.get(int(of_a[row]), ()))
                for key, function in called:
                    other = theirs.get(key)
                    if other is not None and id(function) not in self._taken and id(other) not in self._taken:
                        self._take(function, other, todo)


def _union(
    a: Nodes | None, b: Nodes | None, of_a: Column, shared: Shared, callees_a: _Callees, callees_b: _Callees
) -> GraphDifference:
    size_a, size_b = len(a or ()), len(b or ())
    row_a, row_b = _rows(of_a, size_a, size_b)
    in_both = (row_a >= 0) & (row_b >= 0)
    flags = (row_a >= 0) * IN_A + (row_b >= 0) * IN_B
    calls = np.full(len(row_a), -1, np.int64)
    for nodes, rows, callees in ((a, row_a, callees_a), (b, row_b, callees_b)):
        if nodes is not None:
            own = callees.column(nodes)
            calls = np.where((rows >= 0) & (own[rows] >= 0), own[rows], calls) if len(own) else calls
    if a is not None and b is not None:
        both = np.flatnonzero(in_both)
        left, right = row_a[both], row_b[both]
        flags[both[changed_rows(a, b, left, right, shared)]] |= CHANGED
        flags[both[_rewired(a, b, of_a, left, right)]] |= REWIRED
        renamed = [a.names[i] != b.names[j] for i, j in zip(left.tolist(), right.tolist(), strict=True)]
        flags[both[np.asarray(renamed, bool)]] |= RENAMED
    return GraphDifference(a, b, row_a, row_b, flags, calls, *_inputs(a, b, row_a, row_b))


def _rows(of_a: Column, size_a: int, size_b: int) -> tuple[Column, Column]:
    """Of the union, in the order of b; what only a has stands behind what stands before it in a."""
    only_a = np.flatnonzero(of_a < 0)
    # the partner of the nearest matched row before
    places = np.where(of_a >= 0, np.arange(size_a), -1)
    nearest = np.maximum.accumulate(places) if size_a else places
    anchor = np.where(nearest >= 0, of_a[nearest], -1)[only_a] if size_a else only_a
    order = np.lexsort(
        (
            np.concatenate([np.full(size_b, -1), only_a]),
            np.concatenate([np.arange(size_b), anchor]),
        )
    )
    row_b = np.concatenate([np.arange(size_b), np.full(len(only_a), -1)])[order]
    of_b = invert(of_a, size_b)
    row_a = np.concatenate([of_b, only_a])[order]
    return row_a.astype(np.int64), row_b.astype(np.int64)


def changed_rows(a: Nodes, b: Nodes, left: Column, right: Column, shared: Shared) -> Column:
    """Of pairs of rows those whose attributes, device or output shapes differ: a mask."""
    shape_a, shape_b = a.shape[left], b.shape[right]
    changed = (shape_a != shape_b) & (shape_a >= 0) & (shape_b >= 0)
    rest_a, rest_b = a.rest[left], b.rest[right]
    known: dict[tuple[int, int], bool] = {}
    for at in np.flatnonzero(rest_a != rest_b).tolist():
        pair = int(rest_a[at]), int(rest_b[at])
        if (differs := known.get(pair)) is None:
            differs = known[pair] = bool(changed_parts(pair, shared))
        changed[at] |= differs
    return changed


def changed_parts(rests: tuple[int, int], shared: Shared) -> list[str]:
    """Keys of the attributes that differ between two nodes; `device` if that does."""
    a, b = shared.rests[rests[0]], shared.rests[rests[1]]
    return [*changed_keys(a.attr, b.attr), *(["device"] if a.device != b.device else [])]


def _rewired(a: Nodes, b: Nodes, of_a: Column, left: Column, right: Column) -> Column:
    """Of pairs of rows those whose inputs are not the same, in the same order; control inputs have none: a mask."""
    count_a, count_b = np.diff(a.start), np.diff(b.start)
    agreeing = np.concatenate([[0], np.cumsum(agreeing_inputs(a, b, of_a))])
    agree = agreeing[a.start[1:]] - agreeing[a.start[:-1]]
    rewired = (count_a[left] != count_b[right]) | (agree[left] != count_a[left])
    for at in np.flatnonzero(rewired).tolist():
        i, j = int(left[at]), int(right[at])
        mine, theirs = slice(a.start[i], a.start[i + 1]), slice(b.start[j], b.start[j + 1])
        sources = [(int(of_a[s]) if s >= 0 else int(s), s >= 0) for s in a.source[mine].tolist()]
        own = list(zip(sources, a.port[mine].tolist(), strict=True))
        other = [((s, s >= 0), p) for s, p in zip(b.source[theirs].tolist(), b.port[theirs].tolist(), strict=True)]
        rewired[at] = _ordered(own) != _ordered(other)
    return rewired


def _ordered(inputs: list[tuple[tuple[int, bool], int]]) -> tuple[list[object], set[object]]:
    return [i for i in inputs if i[1]], {i for i in inputs if not i[1]}


def _inputs(a: Nodes | None, b: Nodes | None, row_a: Column, row_b: Column) -> tuple[Column, Column, Column]:
    """Edges of the union: start, source and flags."""
    size = len(row_a)
    keys = []
    for nodes, rows in ((a, row_a), (b, row_b)):
        if nodes is None:
            keys.append(np.zeros(0, np.int64))
            continue
        of_row = np.zeros(len(nodes), np.int64)
        there = np.flatnonzero(rows >= 0)
        of_row[rows[there]] = there
        known = nodes.source >= 0
        target = np.repeat(of_row, np.diff(nodes.start))[known]
        keys.append(np.unique((target * size + of_row[nodes.source[known]]) * 2 + (nodes.port[known] == 0)))
    union = keys[0] if np.array_equal(keys[0], keys[1]) else np.union1d(keys[0], keys[1])
    flags = np.isin(union, keys[0], assume_unique=True) * IN_A + np.isin(union, keys[1], assume_unique=True) * IN_B
    flags = flags + (union % 2) * CONTROL
    target = union // 2 // max(size, 1)
    start = np.concatenate([[0], np.cumsum(np.bincount(target, minlength=size))]).astype(np.int64)
    return start, union // 2 % max(size, 1), flags
