from __future__ import annotations

import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tensorboard.compat.tensorflow_stub.pywrap_tensorflow import masked_crc32c as tensorboards_crc
from tensorboard.summary.writer.record_writer import RecordWriter

from tb_retrace_plugin.events.framing import Damaged, Frame, Truncated, masked_crc32c, read_frames

RECORDS = [b"first", b"", b"third record \xff" * 50]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "records"
    with path.open("wb") as out:
        writer = RecordWriter(out)
        for record in RECORDS:
            writer.write(record)
    return path


def read(path: Path) -> list[Frame | Truncated | Damaged]:
    with path.open("rb") as file:
        return list(read_frames(file))


@given(st.binary(max_size=300))
def test_the_checksum_is_tensorboards(data: bytes) -> None:
    assert masked_crc32c(data) == tensorboards_crc(data)


def test_reads_what_tensorboards_writer_wrote(file: Path) -> None:
    frames = read(file)
    assert [f.data for f in frames if isinstance(f, Frame)] == RECORDS
    assert all(f.intact() for f in frames if isinstance(f, Frame))


def test_every_cut_keeps_the_whole_records_and_says_where_the_cut_one_starts(file: Path) -> None:
    whole = file.read_bytes()
    ends = [0]
    for record in RECORDS:
        ends.append(ends[-1] + 16 + len(record))
    for cut in range(len(whole)):
        file.write_bytes(whole[:cut])
        frames = read(file)
        complete = sum(end <= cut for end in ends[1:])
        assert [f.data for f in frames if isinstance(f, Frame)] == RECORDS[:complete]
        rest = [f for f in frames if not isinstance(f, Frame)]
        assert rest == ([] if cut in ends else [Truncated(ends[complete])])


def test_a_flipped_bit_in_the_data_is_told_and_the_next_record_still_read(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[14] ^= 1
    file.write_bytes(data)
    frames = read(file)
    assert [f.intact() for f in frames if isinstance(f, Frame)] == [False, True, True]


def test_a_flipped_bit_in_a_length_ends_the_file(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[16 + 5] ^= 1
    file.write_bytes(data)
    frames = read(file)
    assert [type(f) for f in frames] == [Frame, Damaged]
    assert frames[-1] == Damaged(16 + 5)


@pytest.mark.parametrize("length", [2**31 + 1, 2**63, 2**64 - 1])
def test_an_absurd_length_with_a_right_checksum_asks_for_no_memory(tmp_path: Path, length: int) -> None:
    header = struct.pack("<Q", length)
    path = tmp_path / "huge"
    path.write_bytes(header + struct.pack("<I", masked_crc32c(header)) + b"data")
    assert read(path) == [Damaged(0)]


def test_a_length_beyond_the_end_is_a_cut(tmp_path: Path) -> None:
    header = struct.pack("<Q", 2**30)
    path = tmp_path / "long"
    path.write_bytes(header + struct.pack("<I", masked_crc32c(header)) + b"data")
    assert read(path) == [Truncated(0)]


@given(st.binary(max_size=200))
def test_junk_is_never_a_record_and_never_raises(tmp_path_factory: pytest.TempPathFactory, junk: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "junk"
    path.write_bytes(junk)
    frames = read(path)
    assert all(not isinstance(f, Frame) or f.intact() or len(junk) >= 16 for f in frames)
    assert bool(frames) == bool(junk)
