"""How a trace lies in an event file: compressed, and against an earlier trace of its function where there is one.

Traces of one function say nearly the same: of 840 bytes of a trace of two operations, its graph with it, 90 are left.
Frames have checksums: TensorBoard's data server looks at none of the file's, and what is read against a damaged trace,
or against another than it was stored against, would be something that never was.
Imported by the training process: standard library, protobuf and zstandard only.
"""

from __future__ import annotations

from collections import OrderedDict

import zstandard

from tb_retrace_plugin.schema import retrace_pb2 as pb

#: A serialized trace beyond this lies there as it is; none is unpacked to more.
MAX_BYTES = 64 << 10
#: Of so many functions, the latest, an earlier trace is held to store others against.
_MAX_FUNCTIONS = 64
#: After so many traces another is stored by itself: what is lost with a damaged record has a limit.
_MAX_USES = 256
#: A function's first trace, which has no cause and is compared with none, serves others only where so much is saved.
_GOOD = 6
#: So many in a row of which more than half is left, or a third more than of the best: traces are of another kind now.
_MAX_POOR = 8
#: A reader keeps far more of them than a writer uses, whatever order they were read in.
_MAX_KEPT = 64 * _MAX_FUNCTIONS
_MAX_KEPT_BYTES = 16 << 20
#: What one reader unpacks: so much, which is what a recorder writes before it keeps the first of a kind alone, and so
#: many times what it read.
MAX_UNPACKED_BYTES = 256 << 20
_MAX_RATIO = 20
_LEVEL = 3
_WINDOW_LOG = MAX_BYTES.bit_length()


class PackError(ValueError):
    """A packed trace that cannot be read; the text says why."""


class NoBaseError(PackError):
    """The trace that it is stored against was not read, or not yet."""


class _Base:
    """A trace that others are stored against; what that takes is prepared when the first one comes."""

    __slots__ = ("_best", "_compressor", "_is_first", "_poor", "content", "seq", "uses")

    def __init__(self, seq: int, content: bytes, *, is_first: bool) -> None:
        self.seq = seq
        self.content = content
        self.uses = 0
        self._is_first = is_first
        self._best = MAX_BYTES
        self._poor = 0  # in a row
        self._compressor: zstandard.ZstdCompressor | None = None

    def serves(self, packed_bytes: int, content_bytes: int) -> bool:
        """Whether a trace that has become so small is to be stored like this; else it is the next base."""
        if self._is_first and packed_bytes > content_bytes // _GOOD:
            return False
        self._best = min(self._best, packed_bytes)
        is_poor = packed_bytes > min(self._best * 4 // 3, content_bytes // 2)
        self._poor = self._poor + 1 if is_poor else 0
        return self._poor < _MAX_POOR

    def compress(self, content: bytes) -> bytes:
        if self._compressor is None:
            window_log = min(_WINDOW_LOG, max(10, (2 * len(self.content)).bit_length()))
            parameters = zstandard.ZstdCompressionParameters.from_level(
                _LEVEL, window_log=window_log, write_checksum=True
            )
            dictionary = zstandard.ZstdCompressionDict(self.content, dict_type=zstandard.DICT_TYPE_RAWCONTENT)
            dictionary.precompute_compress(compression_params=parameters)
            self._compressor = zstandard.ZstdCompressor(dict_data=dictionary, compression_params=parameters)
        return self._compressor.compress(content)


class Packer:
    """Of one event file at a time. Not thread-safe."""

    def __init__(self) -> None:
        self._bases: OrderedDict[tuple[str, int, str, str], _Base] = OrderedDict()
        self._whole = zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True)

    def forget(self) -> None:
        """Another file is written, or what was packed last may not be in it."""
        self._bases.clear()

    def pack(self, trace: pb.Trace) -> tuple[bytes, int]:
        """The serialized record, and its bytes before it was packed; the next trace of the function may need it."""
        content = _serialized(trace)
        if len(content) > MAX_BYTES:
            return content, len(content)
        function = trace.function
        key = function.file, function.line, function.qualname, function.variant
        base = self._bases.get(key)
        # readers take traces in the order of their numbers: one that started earlier cannot need a later one
        if base is not None and base.seq < trace.seq and base.uses < _MAX_USES:
            packed = base.compress(content)
            if base.serves(len(packed), len(content)):
                base.uses += 1
                self._bases.move_to_end(key)
                return pb.Trace(packed=packed, base_seq=base.seq).SerializeToString(), len(content)
        self._bases[key] = _Base(trace.seq, content, is_first=base is None)
        self._bases.move_to_end(key)
        if len(self._bases) > _MAX_FUNCTIONS:
            self._bases.popitem(last=False)
        return pb.Trace(packed=self._whole.compress(content)).SerializeToString(), len(content)


def _serialized(trace: pb.Trace) -> bytes:
    """Without the graph's hash where the graph is in it: a hash is what cannot be compressed."""
    if not trace.graph_content:
        return trace.SerializeToString()
    sha256, trace.graph_sha256 = trace.graph_sha256, ""
    try:
        return trace.SerializeToString()
    finally:
        trace.graph_sha256 = sha256


class Unpacker:
    """Of one run's records, in the order of their numbers. Not thread-safe."""

    def __init__(self) -> None:
        self._bases: OrderedDict[tuple[str, str], bytes] = OrderedDict()
        self._kept_bytes = 0
        self._room = MAX_UNPACKED_BYTES
        self._prepared: OrderedDict[bytes, zstandard.ZstdDecompressor] = OrderedDict()

    def unpack(self, session: str, key: str, record: pb.Trace) -> bytes:
        """The serialized trace of a record with `packed`. `key`: its number, as its tag has it.

        Raises:
          PackError: it is damaged or too large.
          NoBaseError: it is stored against a trace that was not read.
        """
        base = None
        if record.base_seq:
            base_key = session, str(record.base_seq)
            base = self._bases.get(base_key)
            if base is None:
                raise NoBaseError(f"the earlier trace that it is stored against ({record.base_seq}) was not read")
            self._bases.move_to_end(base_key)
        content = self._decompress(record.packed, base)
        if base is None:
            self._keep((session, key), content)
        return content

    def rest(self) -> None:
        """Until there is more to read: what is prepared takes 100 kB for each function."""
        self._prepared.clear()

    def _decompress(self, packed: bytes, base: bytes | None) -> bytes:
        try:
            # a frame states its size, and so much would be allocated at once
            size = zstandard.frame_content_size(packed)
            if not 0 <= size <= MAX_BYTES:
                raise PackError(f"it claims to take {size} bytes; at most {MAX_BYTES} are read")
            self._room += _MAX_RATIO * len(packed)
            if size > self._room:
                raise PackError(f"more than {MAX_UNPACKED_BYTES >> 20} MiB were unpacked before it")
            self._room -= size
            return self._decompressor(base).decompress(packed, max_output_size=size)
        except zstandard.ZstdError as error:
            raise PackError("it is damaged") from error

    def _decompressor(self, base: bytes | None) -> zstandard.ZstdDecompressor:
        if base is None:
            return zstandard.ZstdDecompressor(max_window_size=1 << _WINDOW_LOG)
        found = self._prepared.get(base)
        if found is None:  # takes twenty times as long as to use it
            dictionary = zstandard.ZstdCompressionDict(base, dict_type=zstandard.DICT_TYPE_RAWCONTENT)
            found = zstandard.ZstdDecompressor(dict_data=dictionary, max_window_size=1 << _WINDOW_LOG)
            self._prepared[base] = found
            if len(self._prepared) > _MAX_FUNCTIONS:
                self._prepared.popitem(last=False)
        return found

    def _keep(self, key: tuple[str, str], content: bytes) -> None:
        if key in self._bases:  # what was read first holds
            return
        self._bases[key] = content
        self._kept_bytes += len(content)
        while len(self._bases) > _MAX_KEPT or self._kept_bytes > _MAX_KEPT_BYTES:
            self._kept_bytes -= len(self._bases.popitem(last=False)[1])
