from __future__ import annotations

from pathlib import Path

from tb_retrace_plugin.analysis.sessions.cost import lost_ns, total_cost
from tb_retrace_plugin.schema import retrace_pb2 as pb
from tests.support.stores import load, new_recording


def test_a_first_trace_costs_but_loses_nothing(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    recording.trace(trace_duration_ns=100, first_calls=[pb.FirstCall(seq=1, duration_ns=40)])
    cost = total_cost(load(tmp_path).sessions[0].events.values())
    assert (cost.trace_ns, cost.first_call_ns, cost.lost_ns, cost.avoidable_ns) == (100, 40, 0, 0)


def test_a_retrace_loses_its_tracing_and_its_first_call(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    recording.trace(trace_duration_ns=100)
    recording.trace(trace_duration_ns=70, first_calls=[pb.FirstCall(seq=2, duration_ns=5)])
    recording.trace(trace_duration_ns=30, kind="recreated", verdict="unknown")
    cost = total_cost(load(tmp_path).sessions[0].events.values())
    assert cost.trace_ns == 200
    assert cost.lost_ns == 105
    assert cost.avoidable_ns == 75


def test_a_retrace_loses_the_lookup_before_it_too(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    recording.trace(trace_duration_ns=100, lookup_duration_ns=9)
    recording.trace(trace_duration_ns=70, lookup_duration_ns=1000, first_calls=[pb.FirstCall(seq=2, duration_ns=5)])
    recording.trace(trace_duration_ns=30, lookup_duration_ns=2000, kind="recreated", verdict="unknown")
    session = load(tmp_path).sessions[0]
    cost = total_cost(session.events.values())
    assert (cost.trace_ns, cost.lookup_ns) == (200, 3009)
    assert cost.lost_ns == sum(map(lost_ns, session.events.values())) == 3105
    assert cost.avoidable_ns == 1075


def test_nothing_nested_is_counted_twice(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    # a retrace of `outer` (100) with a first trace (20) and a retrace (30, itself holding 10) nested in it
    recording.trace("outer", trace_duration_ns=1)
    recording.trace("inner", trace_duration_ns=1)
    outer = recording.trace("outer", trace_duration_ns=100, nested_duration_ns=50, write=False)
    recording.trace("new", trace_duration_ns=20, nested=True, parent_seq=3)
    recording.trace("inner", trace_duration_ns=30, nested_duration_ns=10, nested=True, parent_seq=3)
    recording.trace("deep", trace_duration_ns=10, nested=True, parent_seq=5)
    recording.write(outer)
    session = load(tmp_path).sessions[0]
    cost = total_cost(session.events.values())
    assert cost.trace_ns == 1 + 1 + 50 + 20 + 20 + 10
    assert cost.lost_ns == 100
    assert {seq: lost_ns(event) for seq, event in session.events.items() if lost_ns(event)} == {3: 100}


def test_a_retrace_nested_in_a_first_trace_is_lost_with_what_it_holds(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    recording.trace("inner", trace_duration_ns=1)
    outer = recording.trace("outer", trace_duration_ns=100, nested_duration_ns=30, write=False)
    recording.trace("inner", trace_duration_ns=30, nested=True, parent_seq=2)
    recording.write(outer)
    assert total_cost(load(tmp_path).sessions[0].events.values()).lost_ns == 30


def test_damaged_numbers_neither_loop_nor_go_below_zero(tmp_path: Path) -> None:
    recording = new_recording(tmp_path)
    recording.trace(trace_duration_ns=-5, nested_duration_ns=50)
    recording.trace(trace_duration_ns=10, nested_duration_ns=50, parent_seq=3)
    recording.trace(trace_duration_ns=10, nested_duration_ns=-50, parent_seq=2)
    recording.trace(trace_duration_ns=10, parent_seq=4)
    recording.trace(trace_duration_ns=10, parent_seq=77, first_calls=[pb.FirstCall(seq=5, duration_ns=-9)])
    cost = total_cost(load(tmp_path).sessions[0].events.values())
    assert cost.trace_ns == 30
    assert cost.lost_ns == 30
    assert cost.first_call_ns == 0
