"""A session's event file, written through TensorFlow's own filesystems and flushed per record.

A disk that is full, a directory that is removed, a filesystem that hangs: the record is tried once more in a new file,
and later ones from time to time; what could not be written is the recorder's to count.
"""

from __future__ import annotations

import errno
import os
import socket
import threading
import time
import weakref
from collections.abc import Callable
from typing import Any

from google.protobuf.message import Message

from tb_retrace_plugin.capture.notice import warn_once
from tb_retrace_plugin.capture.session.session_directory import closed, is_taken, opened, session_directory
from tb_retrace_plugin.events import encode
from tb_retrace_plugin.events.packed import Packer
from tb_retrace_plugin.schema import retrace_pb2 as pb

#: What the first record of a trace has found, that the file is there, holds for those that follow it at once.
_READY_S = 0.02
#: After a new file could not be written either: seconds until the next is tried, doubled each time.
_FIRST_PAUSE_S = 0.05
_LONGEST_PAUSE_S = 60.0
#: Where flush after flush takes longer than this, so many in a row (one may be the machine), flushing takes one part in
#: `_ONE_IN` of the time at most, and a process that is killed loses what was traced since the last one.
SLOW_FLUSH_S = 0.05
_SLOW_IN_A_ROW = 5
_ONE_IN = 20
#: Errors of a directory that is none, or not this process's to write to; None: it takes files and does not have them.
_THE_DIRECTORYS = frozenset({
    None, errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOENT, errno.ENOTDIR, errno.EEXIST, errno.EISDIR,
    errno.ENAMETOOLONG, errno.EINVAL, errno.ELOOP,
})  # fmt: skip


class LogDirError(RuntimeError):
    """The log directory cannot be written; raised before training starts, with what to do."""


class EventSink:
    """Thread-safe. `files`: how many it has begun; `files_lost`: how many were removed while they were written.

    `bytes_written`: of records before they are packed, without larger graphs.
    """

    def __init__(self, log_dir: str) -> None:
        """Creates a directory below `log_dir` and a file in it.

        Raises LogDirError if the directory is not one to write to. Where the machine fails (a full disk), a file is
        tried again with later records.
        """
        import tensorflow as tf

        self._lock = threading.RLock()  # a signal handler may end the recording in the middle of a write
        self._pid = os.getpid()
        self._writer: Any = None
        self._is_closed = False
        self._ready_until = 0.0
        self._session: bytes = b""  # goes into each new file, in case that the first one is gone
        self._packer = Packer()
        self._inode: tuple[int, int] | None = None
        self._is_dirty = False
        self._next_flush = 0.0
        self._slow_flushes = 0
        self._next_try = self._pause = 0.0
        self.path = ""
        self.files = self.files_lost = self.bytes_written = 0
        self._directory = directory = session_directory(log_dir)
        try:
            self._open()
            if is_taken(directory, except_file=self.path):  # another process came at the same moment
                self._remove()
                self._directory = os.path.join(directory, f"process{self._pid}")
                self._open()
        except (OSError, tf.errors.OpError) as error:
            if not _is_the_directorys(error):
                self._give_up(error)
                self._discard(except_path="")
            else:
                self.close()
                raise LogDirError(
                    f"Retrace cannot write to {directory!r}: {_reason(error)}. "
                    "Choose a log_dir that this process may create files in."
                ) from error
        except BaseException:
            self.close()
            raise
        _sinks.add(self)

    def _open(self) -> None:
        import tensorflow as tf

        now = time.time()
        path = os.path.join(self._directory, encode.event_file_name(now, socket.gethostname(), self._pid))
        self.path = path
        tf.io.gfile.makedirs(self._directory)
        self._writer = tf.io.TFRecordWriter(self.path)
        self._packer.forget()
        opened(self.path)
        self._inode = None
        self._writer.write(encode.encode_file_version(now))
        if self._session:
            self._writer.write(self._session)
        self._writer.flush()
        if not tf.io.gfile.exists(self.path):
            raise OSError("the file is not there after writing it")
        self._inode = _inode_of(self.path)
        self.files += 1

    def _remove(self) -> None:
        import tensorflow as tf

        path = self.path
        self._abandon()
        tf.io.gfile.remove(path)

    def ready(self) -> int:
        """How many-th file is being written now, a new one if the last cannot be. Raises what keeps it from that."""
        if os.getpid() != self._pid:  # a forked child shares the file's buffer and its lock: it must not touch either
            raise OSError("the event file belongs to the parent process")
        with self._lock:
            if self._is_closed:
                raise OSError("the event file is closed")
            if self._writer is not None and self._inode is not None and _inode_of(self.path) != self._inode:
                self.files_lost += 1
                self._give_up(OSError("the event file is gone"))
            if self._writer is None:
                self._open_again()
            self._ready_until = time.monotonic() + _READY_S
            return self.files

    def write_record(self, tag: str, message: Message) -> None:
        """Raises whatever the filesystem raises."""
        self._write(self._encoded, tag, message)

    def _encoded(self, tag: str, message: Message) -> bytes:
        """For the file that is written now: a trace may lie there against an earlier one of the same file."""
        if isinstance(message, pb.Trace):
            payload, size = self._packer.pack(message)
        else:
            payload = message.SerializeToString()
            size = len(payload)
        event = encode.encode_record(tag, payload, time.time())
        if isinstance(message, pb.SessionStart):
            self._session = event
        self.bytes_written += size
        return event

    def write_graph(self, sha256: str, data: bytes) -> None:
        """Reaches the file with the next record, that of its trace. Raises whatever the filesystem raises."""
        self._write(_encoded_graph, sha256, data, flush=False)

    def flush(self) -> None:
        """Of a filesystem that is slow, what waits for it. Raises whatever the filesystem raises."""
        if self._is_dirty and os.getpid() == self._pid:
            with self._lock:
                if self._writer is not None:
                    self._writer.flush()
                    self._is_dirty = False

    def _write(self, encoded: Callable[[str, Any], bytes], name: str, content: Any, *, flush: bool = True) -> None:
        if time.monotonic() >= self._ready_until or os.getpid() != self._pid:
            self.ready()
        if flush:
            self._ready_until = 0.0
        with self._lock:
            is_written = False
            try:
                event = encoded(name, content)
                try:
                    self._write_now(event, flush)
                except Exception as error:
                    failed_path = self.path
                    self._give_up(error)
                    self._open_again()
                    self._write_once_more(encoded(name, content), failed_path)
                is_written = True
            finally:
                if not is_written:  # a signal may have struck between packing and writing
                    self._packer.forget()

    def _write_once_more(self, event: bytes, failed_path: str) -> None:
        try:
            self._write_now(event, True)
        except Exception as again:
            self._not_yet(again)
            self._discard(except_path=failed_path)
            raise

    def _write_now(self, event: bytes, flush: bool) -> None:
        self._is_dirty = True
        self._writer.write(event)
        start = time.monotonic()
        if flush and start >= self._next_flush:
            self._writer.flush()
            self._is_dirty = False
            ended = time.monotonic()
            self._pause = 0.0
            took = ended - start
            self._slow_flushes = self._slow_flushes + 1 if took > SLOW_FLUSH_S else 0
            if self._slow_flushes >= _SLOW_IN_A_ROW:
                self._next_flush = ended + _ONE_IN * took
                warn_once(
                    f"slow:{self._directory}",
                    f"Retrace: writing to {self._directory} is slow ({took:.2g} s for a record): records are flushed"
                    " less often. If this process is killed, the latest are lost.",
                )

    def _open_again(self) -> None:
        """A new file in place of one that cannot be written any more. Raises whatever keeps it from that."""
        if time.monotonic() < self._next_try:
            raise OSError("the log directory cannot be written for now")
        before = self.path
        try:
            self._open()
        except Exception as error:
            self._not_yet(error)
            self._discard(except_path=before)
            raise

    def _discard(self, except_path: str) -> None:
        """A new file that could take no record is removed: there may be many. Never one that holds some."""
        import tensorflow as tf

        if self.path == except_path:
            return
        try:
            tf.io.gfile.remove(self.path)
        except Exception:  # it was never made
            return

    def _not_yet(self, error: Exception) -> None:
        self._pause = min(_LONGEST_PAUSE_S, max(_FIRST_PAUSE_S, 2 * self._pause))
        self._next_try = time.monotonic() + self._pause
        self._give_up(error)

    def _give_up(self, error: Exception) -> None:
        """What was written is whole up to the last record."""
        warn_once(
            f"file:{self._directory}",
            f"Retrace: writing to {self.path} failed ({_reason(error)}). Training goes on; a new file is tried.",
        )
        self._abandon()

    def _abandon(self) -> None:
        writer, self._writer, self._is_dirty = self._writer, None, False
        self._ready_until = 0.0
        closed(self.path)
        if writer is not None:
            try:
                writer.close()
            except Exception:  # what cannot be written cannot be closed in order either
                return

    def close(self) -> None:
        """Raises whatever the filesystem raises."""
        if os.getpid() != self._pid:
            return
        with self._lock:
            self._is_closed = True
            self._ready_until = 0.0
            writer, self._writer = self._writer, None
            closed(self.path)
            if writer is not None:
                writer.close()


def _is_the_directorys(error: Exception) -> bool:
    """Whether another directory has to be chosen; else it may well be written to later."""
    import tensorflow as tf

    if isinstance(error, OSError):
        return error.errno in _THE_DIRECTORYS
    return isinstance(
        error,
        (
            tf.errors.PermissionDeniedError, tf.errors.NotFoundError, tf.errors.FailedPreconditionError,
            tf.errors.InvalidArgumentError, tf.errors.UnimplementedError, tf.errors.AlreadyExistsError,
        ),
    )  # fmt: skip


def _encoded_graph(sha256: str, data: bytes) -> bytes:
    return encode.encode_graph(sha256, data, time.time())


def _inode_of(path: str) -> tuple[int, int] | None:
    """None where there is no such file, or it is not this machine's to know."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _reason(error: Exception) -> str:
    return str(getattr(error, "message", None) or error)


_sinks: weakref.WeakSet[EventSink] = weakref.WeakSet()


def _before_fork() -> None:
    """What a child finds in its copy of a buffer it would write when it ends."""
    for sink in list(_sinks):
        try:
            sink.flush()
        except Exception:  # the next write says so
            continue


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork)
