"""One event file, written through TensorFlow's own filesystems and flushed per record."""

from __future__ import annotations

import os
import socket
import threading
import time
from typing import Any

from google.protobuf.message import Message

from tb_retrace_plugin.events import encode


class LogDirError(RuntimeError):
    """The log directory cannot be written; raised before training starts, with what to do."""


class EventSink:
    """Thread-safe. After a write fails it stays closed for good: what was written is whole, the rest is counted."""

    def __init__(self, directory: str, started: float) -> None:
        """Creates `directory` and the file. Raises LogDirError if that fails."""
        import tensorflow as tf

        self._lock = threading.Lock()
        self._pid = os.getpid()
        self._writer: Any = None
        self.bytes_written = 0
        self.path = os.path.join(directory, encode.event_file_name(started, socket.gethostname(), self._pid))
        try:
            tf.io.gfile.makedirs(directory)
            self._writer = tf.io.TFRecordWriter(self.path)
            self._write(encode.encode_file_version(started))
            if not tf.io.gfile.exists(self.path):
                raise OSError("the file is not there after writing it")
        except Exception as error:
            reason = getattr(error, "message", None) or str(error)
            raise LogDirError(
                f"Retrace cannot write to {directory!r}: {reason}. "
                "Choose a log_dir that this process may create files in."
            ) from error

    def write_record(self, tag: str, message: Message) -> None:
        """Raises whatever the filesystem raises."""
        self._write(encode.encode_record(tag, message, time.time()))

    def write_graph(self, sha256: str, data: bytes) -> None:
        """Raises whatever the filesystem raises."""
        self._write(encode.encode_graph(sha256, data, time.time()))

    def _write(self, event: bytes) -> None:
        with self._lock:
            if self._writer is None:
                raise OSError("the event file is closed")
            if os.getpid() != self._pid:  # a forked child shares the file's buffer: it must not touch it
                raise OSError("the event file belongs to the parent process")
            try:
                self._writer.write(event)
                self._writer.flush()
                self.bytes_written += len(event)
            except Exception:
                self._writer = None
                raise

    def close(self) -> None:
        with self._lock:
            writer, self._writer = self._writer, None
            if writer is not None and os.getpid() == self._pid:
                writer.close()
