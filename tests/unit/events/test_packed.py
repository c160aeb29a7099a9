"""Traces that lie packed in event files: each comes back as it was, and a damaged one costs few others."""

from __future__ import annotations

import contextlib
import hashlib
import os
import random
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from tb_retrace_plugin.events import packed
from tb_retrace_plugin.events.data_provider import ProviderReader
from tb_retrace_plugin.events.files import read_logdir
from tb_retrace_plugin.events.packed import MAX_BYTES, NoBaseError, Packer, PackError, Unpacker
from tb_retrace_plugin.events.records import Problem, Record, decode_record
from tb_retrace_plugin.schema import retrace_pb2 as pb
from tb_retrace_plugin.schema import tags
from tests.support.fake_provider import FakeProvider
from tests.support.logdirs import STARTED_NS, EventFile


def trace(seq: int, name: str = "step", text: str = "") -> pb.Trace:
    found = pb.Trace(seq=seq, kind="retrace", evidence="Each value of the Python number `k` is traced." + text)
    found.function.name = found.function.qualname = name
    found.function.file = "/home/someone/project/train_the_model.py"
    found.time_ns = STARTED_NS + seq
    found.changes.add(cause="python_value", path="k", old=str(seq - 1), new=str(seq))
    return found


def packed_all(traces: Iterable[pb.Trace]) -> dict[int, pb.Trace]:
    packer = Packer()
    return {one.seq: pb.Trace.FromString(packer.pack(one)[0]) for one in traces}


def unpacked(records: dict[int, pb.Trace]) -> Iterator[pb.Trace]:
    unpacker = Unpacker()
    for seq in sorted(records):
        yield pb.Trace.FromString(unpacker.unpack("s", str(seq), records[seq]))


_TEXTS = st.text(max_size=30)
_TRACES = st.builds(
    pb.Trace,
    kind=_TEXTS,
    function=st.builds(pb.Function, name=st.sampled_from("ab"), file=_TEXTS),
    trace_duration_ns=st.integers(0, 2**62),
    evidence=st.text(max_size=300),
    changes=st.lists(st.builds(pb.Change, path=_TEXTS, old=_TEXTS, new=_TEXTS), max_size=3),
    stack_id=st.binary(max_size=8).map(bytes.hex),
)


@given(st.lists(_TRACES, max_size=12), st.randoms(use_true_random=False))
def test_every_trace_comes_back_in_the_order_of_numbers(traces: list[pb.Trace], rng: random.Random) -> None:
    """Written in any order: a trace is written when it ends, and numbered when it starts."""
    numbers = rng.sample(range(1, 100), len(traces))
    for seq, one in zip(numbers, traces, strict=True):
        one.seq = seq
    assert list(unpacked(packed_all(traces))) == sorted(traces, key=lambda one: one.seq)


def test_the_third_of_a_function_takes_a_quarter() -> None:
    sizes = [len(one.packed) for one in packed_all(trace(seq) for seq in range(1, 10)).values()]
    assert max(sizes[2:]) < sizes[1] / 3
    assert max(sizes[2:]) < len(trace(9).SerializeToString()) / 4


def test_each_function_has_its_own() -> None:
    records = packed_all(trace(seq, f"step_{seq % 3}") for seq in range(1, 31))
    bases = {seq: one.base_seq for seq, one in records.items() if one.base_seq}
    assert len(bases) > 20
    assert all(seq % 3 == base % 3 for seq, base in bases.items())


def test_a_trace_never_needs_one_that_started_later() -> None:
    records = packed_all([trace(5), trace(6), trace(2), trace(7)])  # 2 ended after those nested in it
    assert all(one.base_seq < seq for seq, one in records.items())


def test_what_is_lost_with_one_has_a_limit() -> None:
    records = packed_all(trace(seq) for seq in range(1, 1001))
    uses = [one.base_seq for one in records.values()]
    most = max(set(uses) - {0}, key=uses.count)
    assert 100 < uses.count(most) <= packed._MAX_USES
    del records[most]
    unpacker, lost = Unpacker(), 0
    for seq, one in sorted(records.items()):
        try:
            unpacker.unpack("s", str(seq), one)
        except NoBaseError:
            lost += 1
    assert lost == uses.count(most)


def test_traces_of_another_kind_get_another_to_be_stored_against() -> None:
    other = " Nothing like it was said of the others before: the graph is not stored, as there are too many of them."
    records = packed_all(trace(seq, text=other if seq > 50 else "") for seq in range(1, 101))
    assert {one.base_seq for seq, one in records.items() if 2 < seq <= 50} == {2}
    last = records[100]
    assert 50 < last.base_seq < 70
    assert len(last.packed) < 1.2 * len(records[50].packed)


def test_after_forgetting_a_trace_stands_by_itself() -> None:
    packer = Packer()
    for seq in range(1, 5):
        packer.pack(trace(seq))
    packer.forget()
    assert pb.Trace.FromString(packer.pack(trace(5))[0]).base_seq == 0


def test_what_a_packer_holds_has_a_limit() -> None:
    packer = Packer()
    for seq in range(1, 1000):
        packer.pack(trace(seq, f"step_{seq}"))
    assert len(packer._bases) == packed._MAX_FUNCTIONS


def test_what_an_unpacker_holds_has_a_limit() -> None:
    """Far more than a packer refers to; of the latest."""
    unpacker, packer = Unpacker(), Packer()
    for seq in range(1, packed._MAX_KEPT + 100):
        unpacker.unpack("s", str(seq), pb.Trace.FromString(packer.pack(trace(seq, f"step_{seq}"))[0]))
    assert len(unpacker._bases) == packed._MAX_KEPT
    for seq in range(1, 1000):
        large = zstandard.ZstdCompressor().compress(os.urandom(100) + bytes(MAX_BYTES - 100))
        unpacker.unpack("t", str(seq), pb.Trace(packed=large))
    assert sum(map(len, unpacker._bases.values())) == unpacker._kept_bytes <= packed._MAX_KEPT_BYTES


def test_a_large_trace_lies_there_as_it_is() -> None:
    large = trace(1, text="x" * MAX_BYTES)
    payload, size = Packer().pack(large)
    assert (pb.Trace.FromString(payload), size) == (large, len(payload))


@pytest.mark.parametrize(
    "content", [bytes(MAX_BYTES + 1), bytes(100 << 20)], ids=["a little too large", "a bomb of 100 MiB"]
)
def test_what_claims_to_be_too_large_is_not_unpacked(content: bytes) -> None:
    for compressor in (zstandard.ZstdCompressor(), zstandard.ZstdCompressor(write_content_size=False)):
        bomb = pb.Trace(packed=compressor.compress(content))
        with pytest.raises(PackError):
            Unpacker().unpack("s", "1", bomb)


def test_many_bombs_end_at_a_limit() -> None:
    bomb = pb.Trace(packed=zstandard.ZstdCompressor().compress(bytes(MAX_BYTES)))
    unpacker, most = Unpacker(), int(1.1 * packed.MAX_UNPACKED_BYTES / MAX_BYTES)
    found = [_problem(unpacker, str(seq), bomb) for seq in range(1, most)]
    assert found[0] == ""
    assert "256 MiB were unpacked" in found[-1]


def _problem(unpacker: Unpacker, key: str, record: pb.Trace) -> str:
    try:
        unpacker.unpack("s", key, record)
    except PackError as error:
        return str(error)
    return ""


def test_one_in_another_is_not_unpacked_further() -> None:
    inner = pb.Trace(seq=1, packed=zstandard.ZstdCompressor().compress(trace(1).SerializeToString()))
    outer = pb.Trace(packed=zstandard.ZstdCompressor().compress(inner.SerializeToString()))
    record = decode_record("r", "retrace/trace/s/1", outer.SerializeToString(), 1.7e9)
    assert isinstance(record, Record)
    assert record.message == pb.Trace(seq=1)


@pytest.mark.parametrize("change", [b"", b"x", None])
def test_a_damaged_one_is_left_out_and_said(change: bytes | None) -> None:
    good = packed_all([trace(1)])[1].packed
    bad = pb.Trace(packed=good[:-9] + change if change is not None else good[:20] + b"????" + good[24:])
    problem = decode_record("fit", "retrace/trace/s/1", bad.SerializeToString(), 1.7e9)
    assert isinstance(problem, Problem)
    assert "was left out" in problem.text


def test_nothing_damaged_is_read_as_something_else() -> None:
    """The data server looks at no checksum of the file's: whatever byte is another, it is the same trace or none."""
    records = packed_all(trace(seq) for seq in range(1, 4))
    whole = {seq: one.SerializeToString() for seq, one in enumerate(unpacked(records), 1)}
    assert records[3].base_seq == 2
    for damaged_seq in (2, 3):
        good = records[damaged_seq].packed
        for place in range(len(good)):
            bad = good[:place] + bytes([good[place] ^ 1]) + good[place + 1 :]
            unpacker = Unpacker()
            for seq in (2, 3):
                record = pb.Trace(packed=bad if seq == damaged_seq else records[seq].packed)
                record.base_seq = records[seq].base_seq
                with contextlib.suppress(PackError):
                    assert unpacker.unpack("s", str(seq), record) == whole[seq], (damaged_seq, place)


def test_a_trace_is_not_read_against_another_than_it_was_stored_against() -> None:
    records = packed_all(trace(seq) for seq in range(1, 4))
    unpacker = Unpacker()
    other = Packer().pack(trace(2, text=" Another trace of this number."))[0]
    unpacker.unpack("s", "2", pb.Trace.FromString(other))
    assert _problem(unpacker, "3", records[3]) == "it is damaged"


def test_a_small_graph_comes_with_its_trace_and_is_named_by_its_hash() -> None:
    one = trace(1)
    one.graph_content, one.graph_sha256 = b"a graph", hashlib.sha256(b"a graph").hexdigest()
    payload, _ = Packer().pack(one)
    assert one.graph_sha256  # whoever else has the record sees it as it was
    record = decode_record("r", "retrace/trace/s/1", payload, 1.7e9)
    assert isinstance(record, Record)
    assert isinstance(record.message, pb.Trace)
    assert record.graph == b"a graph"
    assert record.message.graph_content == b""
    assert record.message.graph_sha256 == one.graph_sha256
    assert one.graph_sha256.encode() not in Unpacker().unpack("s", "1", pb.Trace.FromString(payload))


# --- through the readers ---


def write(directory: Path, seqs: range) -> EventFile:
    file, packer = EventFile(directory), Packer()
    for seq in seqs:
        file.write(tags.trace_tag("s", seq), pb.Trace.FromString(packer.pack(trace(seq))[0]), STARTED_NS)
    file.close()
    return file


def test_a_file_is_read_whole(tmp_path: Path) -> None:
    write(tmp_path, range(1, 600))
    assert [getattr(item, "message", item) for item in read_logdir(str(tmp_path))] == [
        trace(seq) for seq in range(1, 600)
    ]


def test_a_damaged_record_costs_those_that_are_stored_against_it_and_each_is_said(tmp_path: Path) -> None:
    path = write(tmp_path, range(1, 600)).path
    data = path.read_bytes()
    place = data.index(b"retrace/trace/s/2") + 60  # the second trace is what those after it are stored against
    path.write_bytes(data[:place] + bytes([data[place] ^ 255]) + data[place + 1 :])
    items = list(read_logdir(str(tmp_path)))
    read = [item.message.seq for item in items if isinstance(item, Record) and isinstance(item.message, pb.Trace)]
    assert read[0] == 1
    assert read[1:] == list(range(600 - len(read[1:]), 600))
    assert 599 - len(read) <= packed._MAX_USES + 1
    problems = [item.text for item in items if isinstance(item, Problem)]
    assert len(problems) == 599 - len(read)
    assert "damaged" in problems[0]
    assert all("(2) was not read" in text for text in problems[1:])


def test_one_that_comes_before_what_it_needs_waits_for_it() -> None:
    provider = FakeProvider()
    reader = ProviderReader(provider, "")
    for seq, one in packed_all(trace(seq) for seq in range(1, 8)).items():
        provider.put("r", tags.trace_tag("s", seq), one)
    provider.withheld = {tags.trace_tag("s", 2)}
    assert numbers(reader) == [1]
    provider.withheld = set()
    assert numbers(reader) == list(range(2, 8))


def test_what_is_prepared_to_read_traces_is_let_go_of_after_a_look() -> None:
    provider = FakeProvider()
    reader = ProviderReader(provider, "")
    for seq, one in packed_all(trace(seq, f"step_{seq % 80}") for seq in range(1, 400)).items():
        provider.put("r", tags.trace_tag("s", seq), one)
    assert numbers(reader) == list(range(1, 400))
    assert not reader._unpackers["r"]._prepared
    unpacker = Unpacker()
    for seq, one in packed_all(trace(seq, f"step_{seq % 60}") for seq in range(1, 400)).items():
        unpacker.unpack("s", str(seq), one)
    assert len(unpacker._prepared) == 60


def test_one_whose_base_is_not_there_is_told_once() -> None:
    provider = FakeProvider()
    reader = ProviderReader(provider, "")
    for seq, one in packed_all(trace(seq) for seq in range(1, 5)).items():
        if seq != 2:
            provider.put("r", tags.trace_tag("s", seq), one)
    problems = [item for item in reader.poll(None).items if isinstance(item, Problem)]
    assert len(problems) == 2
    assert reader.poll(None).items == []


def test_a_reader_that_begins_anew_has_all_again() -> None:
    provider = FakeProvider()
    reader = ProviderReader(provider, "")
    for seq, one in packed_all(trace(seq) for seq in range(1, 5)).items():
        provider.put("r", tags.trace_tag("s", seq), one)
    assert numbers(reader) == [1, 2, 3, 4]

    def fail() -> None:
        raise OSError("the data server is gone")

    provider.before_listing = fail
    with pytest.raises(OSError, match="is gone"):
        reader.poll(None)
    provider.before_listing = lambda: None
    assert numbers(reader) == [1, 2, 3, 4]


def numbers(reader: ProviderReader) -> list[int]:
    items = reader.poll(None).items
    assert all(isinstance(item, Record) for item in items), items
    return [item.message.seq for item in items if isinstance(item, Record) and isinstance(item.message, pb.Trace)]
