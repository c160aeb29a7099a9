"""Who waited for whom, from durations alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tb_retrace_plugin.analysis.jobs import waiting
from tb_retrace_plugin.analysis.jobs.waiting import Traced, Wait, waits

TRACES = st.lists(st.builds(Traced, st.sampled_from("ab"), st.integers(0, 9)), max_size=4)
STEPS = st.dictionaries(st.integers(0, 4), TRACES.filter(bool), max_size=5)


def excess_ns(theirs: list[Traced], mine: list[Traced]) -> int:
    """What is in `theirs` beyond `mine`: the i-th of a key against the i-th, others whole."""
    left = {key: [trace.ns for trace in mine if trace.key == key] for key in "ab"}
    return sum(max(0, trace.ns - (left[trace.key].pop(0) if left[trace.key] else 0)) for trace in theirs)


def test_one_traced_and_the_others_did_not() -> None:
    assert waits({1: [Traced("a", 7)]}, range(3), 3) == [Wait(1, [7, 0, 7])]


def test_what_each_traced_for_the_same_reason_is_set_off() -> None:
    assert waits({0: [Traced("a", 5)], 1: [Traced("a", 7)]}, range(2), 2) == [Wait(1, [2, 0])]


def test_what_was_traced_for_other_reasons_came_one_after_the_other() -> None:
    found = waits({0: [Traced("a", 5)], 1: [Traced("b", 7)]}, range(2), 2)
    assert sorted(found) == [Wait(0, [0, 5]), Wait(1, [7, 0])]


def test_traces_of_one_reason_pair_in_their_order() -> None:
    slow_first, slow_last = [Traced("a", 3), Traced("a", 1)], [Traced("a", 1), Traced("a", 3)]
    assert (excess_ns(slow_first, slow_last), excess_ns(slow_last, slow_first)) == (2, 2)


def test_a_worker_that_does_not_run_in_step_neither_waits_nor_is_waited_for() -> None:
    assert waits({1: [Traced("a", 7)]}, [0, 1], 3) == [Wait(1, [7, 0, 0])]


@given(STEPS)
def test_each_waits_for_the_longest_beyond_its_own(traced: dict[int, list[Traced]]) -> None:
    found = waits(traced, range(5), 5)
    assert len({wait.worker for wait in found}) == len(found)
    for worker in range(5):
        mine = traced.get(worker, [])
        longest = max((excess_ns(theirs, mine) for other, theirs in traced.items() if other != worker), default=0)
        assert [wait.waited_ns[worker] for wait in found if wait.waited_ns[worker]] == ([longest] if longest else [])
    for wait in found:
        assert wait.waited_ns[wait.worker] == 0
        assert max(wait.waited_ns) > 0


def test_where_there_is_too_much_to_set_off_they_waited_for_all_of_it_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    traced = {0: [Traced("a", 5), Traced("b", 2)], 1: [Traced("a", 6), Traced("c", 3)]}
    assert sorted(waits(traced, range(2), 2)) == [Wait(0, [0, 2]), Wait(1, [4, 0])]
    monkeypatch.setattr(waiting, "_MAX_CELLS", 5)
    assert sorted(waits(traced, range(2), 2)) == [Wait(0, [0, 7]), Wait(1, [9, 0])]
