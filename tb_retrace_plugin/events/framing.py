"""The TFRecord framing of event files, read in pure Python and told apart: cut off, damaged, or fine.

TensorBoard's own reader stops at the first bad checksum and says nothing; a report must say what it could not read.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

_HEADER = struct.Struct("<QI")
_FOOTER = struct.Struct("<I")
#: A length beyond this is damage, not data (protobuf itself ends at 2 GiB).
_MAX_LENGTH = 1 << 31


def _make_table() -> tuple[int, ...]:
    table = []
    for byte in range(256):
        crc = byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 if crc & 1 else 0)
        table.append(crc)
    return tuple(table)


_TABLE = _make_table()


def masked_crc32c(data: bytes) -> int:
    """CRC-32C as TFRecord stores it."""
    table = _TABLE
    crc = 0xFFFFFFFF
    for byte in data:
        crc = table[(crc ^ byte) & 0xFF] ^ (crc >> 8)
    crc ^= 0xFFFFFFFF
    return (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF


@dataclass(frozen=True, slots=True)
class Frame:
    """One record's bytes, at `offset` in the file."""

    offset: int
    data: bytes
    stored_crc: int

    def intact(self) -> bool:
        """Whether the checksum is right; on demand, because it is slow for megabytes."""
        return masked_crc32c(self.data) == self.stored_crc


@dataclass(frozen=True, slots=True)
class Truncated:
    """The file ends inside the record at `offset`."""

    offset: int


@dataclass(frozen=True, slots=True)
class Damaged:
    """The length at `offset` cannot be trusted: nothing after it can be found."""

    offset: int


def read_frames(file: BinaryIO) -> Iterator[Frame | Truncated | Damaged]:
    """Yields the records of an event file; a `Truncated` or `Damaged` is the last thing yielded.

    Raises:
      OSError: the file cannot be read.
    """
    size = os.fstat(file.fileno()).st_size
    offset = 0
    while True:
        header = file.read(_HEADER.size)
        if not header:
            return
        if len(header) < _HEADER.size:
            yield Truncated(offset)
            return
        length, length_crc = _HEADER.unpack(header)
        if masked_crc32c(header[:8]) != length_crc or length > _MAX_LENGTH:
            yield Damaged(offset)
            return
        end = offset + _HEADER.size + length + _FOOTER.size
        if end > size:  # it may have grown meanwhile; and no bytes are asked for that are not there
            size = os.fstat(file.fileno()).st_size
        if end > size:
            yield Truncated(offset)
            return
        data = file.read(length)
        footer = file.read(_FOOTER.size)
        if len(data) < length or len(footer) < _FOOTER.size:
            yield Truncated(offset)
            return
        yield Frame(offset, data, _FOOTER.unpack(footer)[0])
        offset = end
