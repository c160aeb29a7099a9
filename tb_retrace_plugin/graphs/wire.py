"""Serialized FunctionDefs as they lie in bytes: where each node is, without a message for it."""

from __future__ import annotations

from collections.abc import Iterable

#: Field 3 of a FunctionDef, all of whose fields are length-delimited and below 16: each tag is one byte.
_NODE_DEF = 3 << 3 | 2


def node_spans(data: bytes) -> list[tuple[int, int]]:
    """Start and end of each `node_def` in a serialized FunctionDef. Asking each message takes five times as long.

    `data` has been parsed or serialized by protobuf: it is whole.
    """
    return [span for _, span in some_node_spans(data, -1)]


def some_node_spans(data: bytes, most_bytes: int, marks: Iterable[int] = ()) -> list[tuple[int, tuple[int, int]]]:
    """Index and span of each `node_def` of more bytes, or that one of `marks`, positions in `data` in order, is in.

    One is found in vain if a mark lies before it and in no node.
    """
    found = []
    end_of_data = len(data)
    coming = iter(marks)
    mark = next(coming, end_of_data)
    index = end = 0
    while end < end_of_data:
        field = data[end]
        length = data[end + 1]
        if length < 0x80:  # nearly always one byte or two
            start = end + 2
        elif (high := data[end + 2]) < 0x80:
            length += (high - 1) << 7
            start = end + 3
        else:
            length, start = varint(data, end + 1)
        end = start + length
        if field == _NODE_DEF:
            if length > most_bytes or mark < end:
                found.append((index, (start, end)))
                while mark < end:
                    mark = next(coming, end_of_data)
            index += 1
    return found


def with_nodes(data: bytes, changed: Iterable[tuple[tuple[int, int], bytes]]) -> list[bytes]:
    """A serialized FunctionDef, in pieces, with other nodes at some of its `node_spans`, in their order."""
    pieces: list[bytes] = []
    done = 0
    for (start, end), node in changed:
        pieces += [data[done : start - len(_varint_of(end - start))], _varint_of(len(node)), node]
        done = end
    return [*pieces, data[done:]] if done else [data]


def field(number: int, pieces: Iterable[bytes]) -> list[bytes]:
    """A length-delimited field of a number below 16, in pieces: a message of megabytes would be copied twice."""
    pieces = list(pieces)
    return [bytes((number << 3 | 2,)), _varint_of(sum(map(len, pieces))), *pieces]


def _varint_of(value: int) -> bytes:
    """As protobuf writes it, in as few bytes as there can be."""
    if 0x80 <= value < 0x4000:  # of most that is asked for
        return bytes((value & 0x7F | 0x80, value >> 7))
    sevens = []
    while value >= 0x80:
        sevens.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*sevens, value])


def varint(data: bytes, position: int) -> tuple[int, int]:
    """Its value, and where it ends. Raises IndexError if it does not."""
    value = shift = 0
    while True:
        byte = data[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, position
        shift += 7
