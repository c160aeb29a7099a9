"""How long workers of a synchronous job waited for one another's tracing, at most. Pure: durations in, durations out.

What is known of a worker is how long it traced at a step, by its own clock; clocks of hosts are never compared. Where a
step ends for nobody until every worker has run it, a worker that traced less than another waited for it, for the
difference at most: it may have been late for other reasons (input, a garbage collection), and its device may have had
work left to do. First executions are not counted, for they hold the waiting itself.

What two workers traced at a step is set off against each other only where it is the same (`key`: why it was traced);
everything else is taken to have been traced one after the other.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

#: 80 MB.
_MAX_CELLS = 10_000_000


class Traced(NamedTuple):
    """One trace. `key`: equal for traces of one function that two workers made for the same reason."""

    key: Hashable
    ns: int


class Wait(NamedTuple):
    """`worker` made the others wait; `waited_ns`: per worker, at most; 0 for itself."""

    worker: int
    waited_ns: list[int]


def waits(traced: Mapping[int, Sequence[Traced]], in_step: Iterable[int], workers: int) -> list[Wait]:
    """Who waited for whom at one step because of one function: one of each worker that was waited for.

    `traced`: by worker, its traces in their order; `in_step`: those that wait for one another, of so many `workers`.
    Each waits for the one that took longest beyond what it traced itself; of several alike for the first.
    """
    found: dict[int, Wait] = {}
    total = {worker: sum(trace.ns for trace in traces) for worker, traces in traced.items()}
    slowest = max(total, key=lambda worker: (total[worker], -worker), default=None)
    if slowest is None:
        return []
    alike = len({traces[0].key for traces in traced.values()}) == 1 and all(len(t) == 1 for t in traced.values())
    others = None if alike else _Excess(traced)
    for waiting in in_step:
        on, ns = slowest, total[slowest]
        if waiting in traced and others is None:
            ns -= total[waiting]
        elif waiting in traced and others is not None:
            on, ns = others.longest(waiting)
        if ns > 0:
            found.setdefault(on, Wait(on, [0] * workers)).waited_ns[waiting] = ns
    return list(found.values())


class _Excess:
    """What each worker traced beyond another: pairs of one key by what they took longer, others whole.

    In an array of workers by traces, the i-th of each key in one column: there may be hundreds of workers. Where even
    that would be too large, nothing is set off: they waited for all of it at most.
    """

    def __init__(self, traced: Mapping[int, Sequence[Traced]]) -> None:
        self._workers = sorted(traced)
        columns: dict[tuple[Hashable, int], int] = {}
        cells: list[list[tuple[int, int]]] = []
        for worker in self._workers:
            times: dict[Hashable, int] = {}
            row = []
            for trace in traced[worker]:
                number = times[trace.key] = times.get(trace.key, 0) + 1
                row.append((columns.setdefault((trace.key, number), len(columns)), trace.ns))
            cells.append(row)
        self._totals = [sum(ns for _, ns in row) for row in cells]
        self._ns: Any = None
        if len(cells) * len(columns) > _MAX_CELLS:
            return
        # exact for sums below 2**53 ns, a hundred days
        self._ns = np.zeros((len(cells), len(columns)))
        for place, row in enumerate(cells):
            for column, ns in row:
                self._ns[place, column] = ns

    def longest(self, waiting: int) -> tuple[int, int]:
        """The worker that traced longest beyond `waiting`, of several the first; and for how long."""
        own = self._workers.index(waiting)
        if self._ns is None:
            beyond = np.array(self._totals, dtype=float)
            beyond[own] = 0
        else:
            beyond = np.maximum(self._ns - self._ns[own], 0).sum(axis=1)
        first = int(beyond.argmax())
        return self._workers[first], int(beyond[first])
