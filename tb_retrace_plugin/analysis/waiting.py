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
from typing import NamedTuple


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
    for waiting in in_step:
        on, ns = slowest, total[slowest]
        if waiting in traced and alike:
            ns -= total[waiting]
        elif waiting in traced:
            on, ns = waiting, 0
            for other in sorted(traced):
                if other != waiting and (beyond := excess_ns(traced[other], traced[waiting])) > ns:
                    on, ns = other, beyond
        if ns > 0:
            found.setdefault(on, Wait(on, [0] * workers)).waited_ns[waiting] = ns
    return list(found.values())


def excess_ns(theirs: Sequence[Traced], mine: Sequence[Traced]) -> int:
    """What is in `theirs` beyond `mine`: pairs of one key by what they took longer, others whole."""
    if len(theirs) == len(mine) == 1 and theirs[0].key == mine[0].key:
        return max(0, theirs[0].ns - mine[0].ns)
    left: dict[Hashable, list[int]] = {}
    for trace in reversed(mine):
        left.setdefault(trace.key, []).append(trace.ns)
    total = 0
    for trace in theirs:
        same = left.get(trace.key)
        total += max(0, trace.ns - same.pop()) if same else trace.ns
    return total
