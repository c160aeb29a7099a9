"""A session's event file, written through TensorFlow's own filesystems and flushed per record."""

from __future__ import annotations

import os
import socket
import threading
import time
from typing import Any

from google.protobuf.message import Message

from tb_retrace_plugin.capture.session_directory import closed, is_taken, opened, session_directory
from tb_retrace_plugin.events import encode


class LogDirError(RuntimeError):
    """The log directory cannot be written; raised before training starts, with what to do."""


class EventSink:
    """Thread-safe. After a write fails it stays closed for good: what was written is whole, the rest is counted."""

    def __init__(self, log_dir: str) -> None:
        """Creates a directory below `log_dir` and a file in it. Raises LogDirError if that fails."""
        self._lock = threading.Lock()
        self._pid = os.getpid()
        self._writer: Any = None
        self.path = ""
        directory = session_directory(log_dir)
        try:
            self._open(directory)
            if is_taken(directory, except_file=self.path):  # another process came at the same moment
                self._remove()
                self._open(os.path.join(directory, f"process{self._pid}"))
        except Exception as error:
            self.close()
            reason = getattr(error, "message", None) or str(error)
            raise LogDirError(
                f"Retrace cannot write to {directory!r}: {reason}. "
                "Choose a log_dir that this process may create files in."
            ) from error

    def _open(self, directory: str) -> None:
        import tensorflow as tf

        now = time.time()
        self.path = os.path.join(directory, encode.event_file_name(now, socket.gethostname(), self._pid))
        tf.io.gfile.makedirs(directory)
        self._writer = tf.io.TFRecordWriter(self.path)
        opened(self.path)
        self._write(encode.encode_file_version(now))
        if not tf.io.gfile.exists(self.path):
            raise OSError("the file is not there after writing it")

    def _remove(self) -> None:
        import tensorflow as tf

        path = self.path
        self.close()
        tf.io.gfile.remove(path)

    def write_record(self, tag: str, message: Message) -> None:
        """Raises whatever the filesystem raises."""
        self._write(encode.encode_record(tag, message, time.time()))

    def write_graph(self, sha256: str, data: bytes) -> None:
        """Reaches the file with the next record, that of its trace. Raises whatever the filesystem raises."""
        self._write(encode.encode_graph(sha256, data, time.time()), flush=False)

    def _write(self, event: bytes, *, flush: bool = True) -> None:
        with self._lock:
            if self._writer is None:
                raise OSError("the event file is closed")
            if os.getpid() != self._pid:  # a forked child shares the file's buffer: it must not touch it
                raise OSError("the event file belongs to the parent process")
            try:
                self._writer.write(event)
                if flush:
                    self._writer.flush()
            except Exception:
                self._writer = None
                closed(self.path)
                raise

    def close(self) -> None:
        with self._lock:
            writer, self._writer = self._writer, None
            closed(self.path)
            if writer is not None and os.getpid() == self._pid:
                writer.close()
