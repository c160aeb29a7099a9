"""Numbers that a function counts, and does not read: they count its traces."""

from __future__ import annotations

from typing import Any

import pytest

from tb_retrace_plugin.capture.code import counters as counters_
from tb_retrace_plugin.capture.code.counters import counters

traces = [0]
calls = read = 0


def counting(self: Any, state: Any, x: float) -> float:
    global calls, read
    calls += 1
    read += 1
    traces[0] += 1
    self.calls += 1
    self.seen["n"] -= 1
    state.steps += 1
    self.used += 1
    self.total += x
    self.scale *= 2
    local, held = 0, self.held
    local += 1
    held.count += 1

    def inner() -> None:
        traces[1] += 1

    return x * self.used + read


def test_those_that_come_from_around_it() -> None:
    found = counters(counting.__code__)
    assert found == ["calls", "traces[0]", "self.calls", "self.seen['n']", "state.steps"]
    assert counters(test_those_that_come_from_around_it.__code__) == []


seen: list[Any] = []


def adding(self: Any, x: Any, given: list[Any]) -> Any:
    seen.append(x)
    self.history.extend([x, x])
    self.parts = []
    self.parts.append(x)
    kept = []
    kept.append(x)
    given.append(x)
    if not self.layers:
        self.layers.append(x)
    self.queue.append(x)
    self.within.append(x)
    x = self.within[-1] * 2
    self.within.pop(-1)
    return x, len(self.queue)


def test_lists_that_are_added_to_in_every_trace() -> None:
    """Not what an `if` adds, nor what is read besides, which makes each trace another one; nor what is taken again."""
    assert counters(adding.__code__) == ["seen.append(…)", "self.history.extend(…)"]


def test_no_source_is_parsed_for_what_counts_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counters_, "source_tree", lambda code: pytest.fail("it was parsed"))

    def adds(self: Any, x: float) -> float:
        total = 0.0
        for part in self.parts:
            total += part
        self.total = total + x
        self.scale *= 2
        return total

    assert counters(adds.__code__) == []
