"""A recording that is kept in memory, for what asks about it in the same process: tests, and `on_retrace`."""

from __future__ import annotations

import threading
import time
from typing import NamedTuple

from google.protobuf.message import Message

from tb_retrace_plugin.schema import retrace_pb2 as pb

#: More records than any test makes; what comes later is counted as lost.
MAX_RECORDS = 20_000


class Kept(NamedTuple):
    """`time_s`: unix time."""

    tag: str
    message: Message
    time_s: float


class MemorySink:
    """In place of an EventSink. Graphs are dropped: verdicts need their digests alone. Thread-safe."""

    def __init__(self, _log_dir: str = "") -> None:
        self.path = "(memory)"
        self.files_lost = self.bytes_written = 0
        self.records: list[Kept] = []
        self._lock = threading.Lock()

    def ready(self) -> int:
        return 1

    def write_record(self, tag: str, message: Message) -> None:
        if isinstance(message, pb.Trace):
            message.ClearField("graph_content")
        with self._lock:
            if len(self.records) >= MAX_RECORDS:
                raise OSError(f"more than {MAX_RECORDS:,} records")
            self.records.append(Kept(tag, message, time.time()))

    def write_graph(self, sha256: str, data: bytes) -> None:
        return

    def flush(self) -> None:
        return

    def close(self) -> None:
        return
