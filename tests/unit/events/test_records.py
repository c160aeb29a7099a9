from __future__ import annotations

import pytest
from google.protobuf.message import Message
from hypothesis import given
from hypothesis import strategies as st

from tb_retrace_plugin.events.records import MAX_RECORD_BYTES, Problem, Record, decode_record, newer_schema_problem
from tb_retrace_plugin.schema import retrace_pb2 as pb

TRACE = pb.Trace(seq=3, kind="first").SerializeToString()


def test_a_record_of_ours_is_decoded() -> None:
    record = decode_record("fit/retrace", "retrace/trace/abc-1/3", TRACE, 5.0)
    assert isinstance(record, Record)
    assert record.message == pb.Trace(seq=3, kind="first")
    assert (record.run, record.tag.session, record.wall_time) == ("fit/retrace", "abc-1", 5.0)


@pytest.mark.parametrize(
    "tag", ["loss", "retrace", "retrace/graph/abc", "retrace/later/abc/1", "retrace/trace/abc", ""]
)
def test_what_holds_no_message_is_passed_over(tag: str) -> None:
    assert decode_record("r", tag, TRACE, 0.0) is None


@pytest.mark.parametrize(
    ("tag", "payload"),
    [
        ("retrace/trace/ABC/3", TRACE),
        ("retrace/trace/<script>/3", TRACE),
        ("retrace/trace//3", TRACE),
        (f"retrace/trace/{'a' * 65}/3", TRACE),
        ("retrace/trace/abc/4", TRACE),
        ("retrace/trace/abc/03", TRACE),
        ("retrace/trace/abc/-1", pb.Trace(seq=-1).SerializeToString()),
        ("retrace/trace/abc/0", b""),
        (f"retrace/trace/abc/{2**60}", pb.Trace(seq=2**60).SerializeToString()),
        ("retrace/trace/abc/3", "text"),
        ("retrace/trace/abc/3", None),
        ("retrace/trace/abc/3", b"\x0a\xff"),
        ("retrace/trace/abc/3", b"\xba\x06\x02\xff\xfe"),  # `error`-like text that is not UTF-8 has no seq either
        ("retrace/end/abc/x", b""),
        (f"retrace/end/abc/{'1' * 5000}", b""),
        ("retrace/xla/abc/x", pb.XlaCompilation(seq=1, k=1).SerializeToString()),
        ("retrace/xla/abc/1", pb.XlaCompilation(seq=1).SerializeToString()),
        ("retrace/xla/abc/1", pb.XlaCompilation(seq=-1, k=1).SerializeToString()),
        ("retrace/xla/abc/1", pb.XlaCompilation(seq=2**60, k=1).SerializeToString()),
        ("retrace/xla/abc/1", pb.XlaCompilation(seq=1, k=2**60).SerializeToString()),
        (f"retrace/stale/abc/{'9' * 19}", pb.StaleValue(seq=1).SerializeToString()),
        ("retrace/stale/abc/1", b""),
        ("retrace/end/abc/٣", b""),
    ],
)
def test_what_cannot_be_ours_is_a_problem_that_names_it(tag: str, payload: object) -> None:
    problem = decode_record("some/run", tag, payload, 0.0)
    assert isinstance(problem, Problem)
    assert "some/run" in problem.text
    assert len(problem.text) < 500


def test_a_record_larger_than_any_real_one_is_not_parsed() -> None:
    problem = decode_record("r", "retrace/trace/abc/1", bytes(MAX_RECORD_BYTES + 1), 0.0)
    assert isinstance(problem, Problem)
    assert "larger than" in problem.text


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("trace", pb.Trace(seq=1, step=2**62)),
        ("xla", pb.XlaCompilation(seq=1, k=1, step=-(2**62))),
        ("stale", pb.StaleValue(seq=1, step=2**62)),
    ],
)
def test_a_step_that_json_cannot_carry_is_dropped(kind: str, message: Message) -> None:
    record = decode_record("r", f"retrace/{kind}/abc/1", message.SerializeToString(), 0.0)
    assert isinstance(record, Record)
    assert not record.message.HasField("step")


def test_a_signature_nested_without_end_is_refused() -> None:
    node = pb.TypeNode(kind=pb.TypeNode.LIST)
    data = node.SerializeToString()
    for _ in range(300):
        data = b"\x42" + _varint(len(data)) + data  # TypeNode.children
    argument = b"\x12" + _varint(len(data)) + data
    signature = b"\x0a" + _varint(len(argument)) + argument
    trace = b"\x08\x01" + b"\x8a\x01" + _varint(len(signature)) + signature
    assert isinstance(decode_record("r", "retrace/trace/abc/1", trace, 0.0), Problem)


def _varint(number: int) -> bytes:
    out = b""
    while number > 127:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


@given(
    st.binary(max_size=300),
    st.sampled_from(
        ["session/abc", "trace/abc/1", "stack/abc/s", "first_calls/abc/1", "xla/abc/1", "stale/abc/1", "end/abc/1"]
    ),
)
def test_any_bytes_are_a_record_or_a_problem(payload: bytes, tag: str) -> None:
    assert isinstance(decode_record("r", f"retrace/{tag}", payload, 0.0), (Record, Problem))


@pytest.mark.parametrize("content", [b"", b"0", b"1", b"2", b"x", b"\xff", b"9" * 40, "²".encode()])
def test_content_that_names_no_later_version_is_no_news(content: bytes) -> None:
    assert newer_schema_problem("r", content) is None


def test_a_later_version_says_what_to_do() -> None:
    problem = newer_schema_problem("fit/retrace", b"3")
    assert problem is not None
    assert "fit/retrace" in problem.text
    assert "update tensorboard-plugin-retrace" in problem.text
