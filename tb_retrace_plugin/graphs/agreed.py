"""Pairs of nodes that need no weighing: all that is known around says the same of them, and of them alone."""

from __future__ import annotations

import numpy as np

from tb_retrace_plugin.graphs.nodes import Column, Nodes
from tb_retrace_plugin.graphs.surroundings import mixed, row_of_input


class Agreement:
    """Of two functions. `most_consumers`: a source with more of them says nothing of any one."""

    def __init__(self, a: Nodes, b: Nodes, most_consumers: int) -> None:
        self._a, self._b = a, b
        self._edges_a, self._edges_b = _Edges(a, most_consumers), _Edges(b, most_consumers)

    def pairs(self, of_a: Column, of_b: Column) -> tuple[Column, Column]:
        """Rows of `a` without a partner, and their partners in `b`. `of_a`, `of_b`: each row's partner, -1 if none.

        A pair has the same op; a matched input has no other such consumer in that place, or a matched consumer has
        both as the same input; and nothing of the kind says otherwise of either.
        """
        size = max(len(self._b), 1)
        found = [self._by_inputs(of_a, of_b), self._by_consumers(of_a, of_b)]
        rows, others = (np.concatenate(parts) for parts in zip(*found, strict=True))
        rows, others = np.divmod(np.unique(rows * size + others), size)
        alone = (np.bincount(rows, minlength=1)[rows] == 1) & (np.bincount(others, minlength=1)[others] == 1)
        alone &= self._a.op[rows] == self._b.op[others]
        return rows[alone], others[alone]

    def _by_inputs(self, of_a: Column, of_b: Column) -> tuple[Column, Column]:
        source_a = np.where(self._edges_a.tells, of_a[self._edges_a.source], -1)
        source_b = np.where(self._edges_b.tells & (of_b[self._edges_b.source] >= 0), self._edges_b.source, -1)
        keys_a, rows_a = self._edges_a.unmatched(source_a, of_a)
        keys_b, rows_b = self._edges_b.unmatched(source_b, of_b)
        _, at_a, at_b = np.intersect1d(keys_a, keys_b, assume_unique=True, return_indices=True)
        return rows_a[at_a], rows_b[at_b]

    def _by_consumers(self, of_a: Column, of_b: Column) -> tuple[Column, Column]:
        a, b, edges = self._a, self._b, self._edges_a
        consumer = of_a[edges.row]
        at = np.flatnonzero((a.source >= 0) & (consumer >= 0) & (of_a[edges.source] < 0))
        there = b.start[consumer[at]] + edges.place[at]
        at, there = (part[there < b.start[consumer[at] + 1]] for part in (at, there))
        other = b.source[there]
        same = (other >= 0) & (b.port[there] == a.port[at])
        same &= of_b[np.maximum(other, 0)] < 0
        return a.source[at[same]], other[same]


class _Edges:
    """One side's inputs: the row that has each, its place there, the row that it comes from (0: none), and whether
    that tells which row it is."""

    def __init__(self, nodes: Nodes, most_consumers: int) -> None:
        self.row = row_of_input(nodes)
        self.place = np.arange(len(nodes.source)) - nodes.start[self.row]
        known = nodes.source >= 0
        self.source = np.maximum(nodes.source, 0)
        consumers = np.bincount(nodes.source[known], minlength=len(nodes))
        self.tells = known & (consumers[self.source] <= most_consumers)
        self._what = mixed(self.place) ^ mixed(nodes.port * 2 + 1) ^ mixed(mixed(nodes.op[self.row] * 4 + 2))

    def unmatched(self, source: Column, of_row: Column) -> tuple[Column, Column]:
        """Rows without a partner, by what no other of them has: a source, at that place, for that op."""
        at = np.flatnonzero((source >= 0) & (of_row[self.row] < 0))
        keys, first, counts = np.unique(
            mixed(source[at] * 8 + 4) + self._what[at], return_index=True, return_counts=True
        )
        return keys[counts == 1], self.row[at[first[counts == 1]]]
