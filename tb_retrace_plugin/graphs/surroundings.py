"""What lies around each node: its consumers, and numbers equal where the surroundings are (Weisfeiler-Leman)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from tb_retrace_plugin.graphs.nodes import Column, Nodes

_ROUNDS = 3


class Consumers:
    """Who takes a node's outputs."""

    def __init__(self, nodes: Nodes) -> None:
        rows = row_of_input(nodes)
        places = np.arange(len(nodes.source)) - nodes.start[rows]
        known = np.flatnonzero(nodes.source >= 0)
        order = known[np.argsort(nodes.source[known], kind="stable")]
        self.rows = rows[order]
        counts = (
            np.bincount(nodes.source[known], minlength=len(nodes)) if len(known) else np.zeros(len(nodes), np.int64)
        )
        self.start = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        self._start, self._rows = self.start.tolist(), self.rows.tolist()
        self._places, self._ports = places[order].tolist(), nodes.port[order].tolist()

    def count(self, row: int) -> int:
        return int(self._start[row + 1] - self._start[row])

    def of(self, row: int, most: int = 1 << 40) -> Sequence[tuple[int, int, int]]:
        """(row, place among its inputs, port) of each consumer."""
        start = self._start[row]
        stop = min(self._start[row + 1], start + most)
        parts = self._rows[start:stop], self._places[start:stop], self._ports[start:stop]
        return list(zip(*parts, strict=True))


def row_of_input(nodes: Nodes) -> Column:
    """For each input the row that it belongs to."""
    return np.repeat(np.arange(len(nodes)), np.diff(nodes.start))


def tokens(*sides: tuple[Nodes, Consumers]) -> Iterator[tuple[Column, ...]]:
    """Numbers of rows on each side, equal where alike, the most telling first: three steps around with shapes and
    attributes, three steps around with widths, three steps around with ops alone."""
    exact = [mixed(nodes.op) ^ mixed(nodes.rest * 2 + 1) ^ mixed(nodes.shape * 4 + 2) for nodes, _ in sides]
    wide = [mixed(nodes.op) ^ mixed(nodes.width * 2 + 1) for nodes, _ in sides]
    plain = [mixed(nodes.op) for nodes, _ in sides]
    for labels in (exact, wide, plain):
        yield tuple(_around(side, of_side) for side, of_side in zip(sides, labels, strict=True))


def _around(side: tuple[Nodes, Consumers], labels: Column) -> Column:
    nodes, consumers = side
    row = row_of_input(nodes)
    place = np.arange(len(nodes.source)) - nodes.start[row]
    # control inputs have no place
    salt = mixed(np.where(nodes.port == 0, -1, place * 64 + np.minimum(nodes.port, 63)))
    known = nodes.source >= 0
    for _ in range(_ROUNDS):
        of_source = np.where(known, labels[np.maximum(nodes.source, 0)], np.uint64(0))
        inputs = _sums(mixed(of_source ^ salt), nodes.start)
        outputs = _sums(mixed(labels[consumers.rows] + np.uint64(77)), consumers.start)
        labels = mixed(labels * np.uint64(3) + mixed(inputs) + np.uint64(5) * mixed(outputs ^ np.uint64(9)))
    return labels


def _sums(values: Column, start: Column) -> Column:
    """Of each segment; 0 for an empty one."""
    total = np.zeros(len(values) + 1, np.uint64)
    np.cumsum(values, out=total[1:])
    return total[start[1:]] - total[start[:-1]]


def mixed(values: Column) -> Column:
    """splitmix64: numbers that differ a little differ in every bit."""
    z = values.astype(np.int64).view(np.uint64) if values.dtype != np.uint64 else values.copy()
    z = z + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))
