"""What a record claims and cannot be: cleared or cut, and the rest of it is shown."""

from __future__ import annotations

import pytest
from google.protobuf.message import Message

from tb_retrace_plugin.analysis.sessions.store import Store
from tb_retrace_plugin.events.records import MAX_RECORD_BYTES, MAX_TEXT, Problem, Record, decode_record
from tb_retrace_plugin.schema import retrace_pb2 as pb
from tb_retrace_plugin.schema import tags


def decoded(tag: str, message: Message) -> Message:
    record = decode_record("fit", tag, message.SerializeToString(), 1.7e9)
    assert isinstance(record, Record), record
    return record.message


@pytest.mark.parametrize("value", [-1, -(2**63), 2**53, 2**63 - 1])
@pytest.mark.parametrize("field", ["n", "nodes", "trace_duration_ns", "parent_seq", "memory_after_bytes"])
def test_impossible_counts_are_not_known(field: str, value: int) -> None:
    trace = decoded(tags.trace_tag("s", 1), pb.Trace(seq=1, object=3, **{field: value}))
    assert (getattr(trace, field), trace.object) == (0, 3)  # type: ignore[attr-defined]


@pytest.mark.parametrize("value", [-1, 2**63 - 1])
def test_impossible_times_are_not_known(value: int) -> None:
    start = decoded(tags.session_tag("s"), pb.SessionStart(started_ns=value, host="h"))
    assert (start.started_ns, start.host) == (0, "h")  # type: ignore[attr-defined]
    end = pb.SessionEnd(time_ns=value, first_calls=[pb.FirstCall(seq=1, duration_ns=value)])
    message = decoded(tags.end_tag("s", 1), end)
    assert (message.time_ns, message.first_calls[0].duration_ns) in ((0, 0),)  # type: ignore[attr-defined]


def test_long_texts_are_cut_wherever_they_are() -> None:
    long, cut = "x" * 30_000, "x" * (MAX_TEXT - 1) + "…"
    trace = pb.Trace(seq=1, evidence=long, thread="t", signature=pb.Signature(context={long: long, "device": long}))
    trace.function.keyword_only.extend(["a", long])
    trace.changes.add(cause="shape", old=long)
    trace.signature.arguments.add(path=long).type.children.add(value=long)
    found = decoded(tags.trace_tag("s", 1), trace)
    assert isinstance(found, pb.Trace)
    assert (found.evidence, found.changes[0].old, list(found.function.keyword_only)) == (cut, cut, ["a", cut])
    assert dict(found.signature.context) == {cut: cut, "device": cut}
    assert (found.signature.arguments[0].path, found.signature.arguments[0].type.children[0].value) == (cut, cut)
    assert (found.thread, found.changes[0].cause) == ("t", "shape")


def test_a_record_beyond_any_real_one_is_refused_unread() -> None:
    problem = decode_record("fit", tags.trace_tag("s", 1), b"\x00" * (MAX_RECORD_BYTES + 1), 1.7e9)
    assert isinstance(problem, Problem)
    assert problem.text == "fit: record 'retrace/trace/s/1' is larger than 8 MiB; it was left out."


def test_counters_of_losses_are_few_and_countable() -> None:
    losses = {f"counter {number}": 1 for number in range(500)} | {"x" * 101: 3, "negative": -4, "too large": 2**60}
    end = decode_record("fit", tags.end_tag("s", 1), pb.SessionEnd(losses=losses).SerializeToString(), 1.7e9)
    assert isinstance(end, Record)
    store = Store()
    store.add([end])
    kept = store.sessions[0].losses
    assert len(kept) <= 50
    assert set(kept.values()) == {1}


def test_counts_that_are_added_up_leave_room_for_it() -> None:
    kinds = [pb.OmittedTraces(kind=kind, traces=10**12 + excess) for kind, excess in (("retrace", 0), ("first", 1))]
    found = decoded("retrace/omitted/s/1", pb.Omitted(kinds=kinds))
    assert [(one.kind, one.traces) for one in found.kinds] == [("retrace", 10**12), ("first", 0)]  # type: ignore[attr-defined]
