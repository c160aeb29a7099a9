"""How a graph lies in an event file: compressed, a later graph of a function against an earlier one.

Zstandard takes an earlier graph as its dictionary (`zstd --patch-from`). MobileNetV2's train step, 1.2 MB: whole 50 kB
in 0.8 ms (zlib: 120 kB in 3 ms); at another batch size against the first 1 kB in 0.5 ms.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable

import zstandard
from google.protobuf.message import DecodeError

from tb_retrace_plugin.schema import retrace_pb2 as pb

#: Nothing larger is written, nor decoded: a graph of a million nodes is about this large.
MAX_CONTENT_BYTES = 256 << 20
_LEVEL = 4
#: Matches reach back over the whole dictionary and the graph itself.
_MAX_WINDOW_LOG = 27
_BYTES_PER_ENTRY = 7
_MIN_TABLE_LOG, _MAX_TABLE_LOG = 10, 22
#: What compresses against a base of more is made anew for each graph.
_MAX_READY = 16 << 20
#: Bytes that an entry takes in both tables.
_TABLES = 8


class GraphError(ValueError):
    """A stored graph that cannot be read; the text says why."""


def base_memory(content: bytes) -> int:
    """Bytes that a Base of this content holds, about: it, a copy, and the tables of where things are in it."""
    return 2 * len(content) + (_TABLES << _table_log(content))


def _table_log(content: bytes) -> int:
    """With fewer entries a table forgets parts of the content; more are slow to fill, and to copy for each graph.

    Measured on graphs of 0.1 to 3.3 MB: a later graph takes the least at an entry per 7 bytes, up to 1.25 times that at
    one per 8, and up to ten times at one per 12.
    """
    return min(_MAX_TABLE_LOG, max(_MIN_TABLE_LOG, (len(content) // _BYTES_PER_ENTRY).bit_length()))


class Base:
    """An earlier graph that later ones are stored against, prepared once. `memory_bytes`: what it holds at rest, about.

    What compresses stays ready from one graph to the next: to find its memory anew takes as long as to use it.
    """

    def __init__(self, sha256: str, content: bytes) -> None:
        self.sha256 = sha256
        self.memory_bytes = base_memory(content)
        tables = _table_log(content)
        self._parameters = zstandard.ZstdCompressionParameters.from_level(
            _LEVEL,
            window_log=min(_MAX_WINDOW_LOG, max(10, (2 * len(content)).bit_length())),
            hash_log=tables,
            chain_log=tables,
        )
        self._dictionary = zstandard.ZstdCompressionDict(content, dict_type=zstandard.DICT_TYPE_RAWCONTENT)
        self._dictionary.precompute_compress(compression_params=self._parameters)
        self._compressor: zstandard.ZstdCompressor | None = None

    def compress(self, content: bytes) -> bytes:
        """By one thread at a time."""
        compressor = self._compressor
        if compressor is None:
            compressor = zstandard.ZstdCompressor(dict_data=self._dictionary, compression_params=self._parameters)
            if self.memory_bytes <= _MAX_READY:
                self._compressor = compressor
        return bytes(compressor.compress(content))

    def rest(self) -> None:
        """Until another graph comes: what compresses takes as much again."""
        self._compressor = None


class _Compressor(threading.local):
    """Several recorders may write at once, and a compressor serves one thread at a time."""

    def __init__(self) -> None:
        self.whole = zstandard.ZstdCompressor(level=_LEVEL)


_compressor = _Compressor()


def encode(content: bytes, base: Base | None = None) -> bytes:
    """A serialized StoredGraph. Raises GraphError if `content` is too large to be read again."""
    if len(content) > MAX_CONTENT_BYTES:
        raise GraphError(f"the graph takes {len(content) >> 20} MiB; at most {MAX_CONTENT_BYTES >> 20} MiB are stored")
    stored = pb.StoredGraph(content_bytes=len(content))
    if base is None:
        stored.data = _compressor.whole.compress(content)
    else:
        stored.data = base.compress(content)
        stored.base_sha256 = base.sha256
    return stored.SerializeToString()


def decode(
    sha256: str, blob: bytes, blob_of: Callable[[str], bytes | None], most_bytes: int = MAX_CONTENT_BYTES
) -> bytes:
    """The serialized GraphContent whose hash is `sha256`. `blob_of` gives the blob of another graph, if there is one.

    Raises:
      GraphError: it is damaged, too large, or stored against a graph that is not there.
    """
    stored = _parse(blob)
    base = None
    if stored.base_sha256:
        base_blob = blob_of(stored.base_sha256)
        if base_blob is None:
            raise GraphError("the earlier graph that this one is stored against is missing; it may have been deleted")
        stored_base = _parse(base_blob)
        if stored_base.base_sha256:
            raise GraphError("its record is damaged (the graph that it is stored against needs another)")
        base = _decompress(stored.base_sha256, stored_base, None, most_bytes)
    return _decompress(sha256, stored, base, most_bytes)


def _parse(blob: bytes) -> pb.StoredGraph:
    try:
        return pb.StoredGraph.FromString(blob)
    except (DecodeError, ValueError) as error:
        raise GraphError("its record is damaged") from error


def _decompress(sha256: str, stored: pb.StoredGraph, base: bytes | None, most_bytes: int) -> bytes:
    size = stored.content_bytes
    if not 0 <= size <= most_bytes:
        raise GraphError(f"it claims to take {size} bytes; at most {most_bytes >> 20} MiB are read")
    dictionary = zstandard.ZstdCompressionDict(base, dict_type=zstandard.DICT_TYPE_RAWCONTENT) if base else None
    try:
        # a frame states its size, and so much would be allocated at once
        if zstandard.frame_content_size(stored.data) != size:
            raise GraphError("its record is damaged (it is not as large as it says)")
        decompressor = zstandard.ZstdDecompressor(dict_data=dictionary, max_window_size=1 << _MAX_WINDOW_LOG)
        content = decompressor.decompress(stored.data, max_output_size=size)
    except zstandard.ZstdError as error:
        raise GraphError("its record is damaged") from error
    if hashlib.sha256(content).hexdigest() != sha256:
        raise GraphError("its record is damaged (its content has another hash)")
    return content
