"""Where a session's event file goes: into a directory in which no other session is writing.

TensorBoard's Python loader stops polling an event file once a later one appears beside it, so two live files in one
directory would lose the first one's later traces.
"""

from __future__ import annotations

import itertools
import os
import re
import socket
import threading
import time
from typing import Any

from tb_retrace_plugin.capture.session.session import task_of_job, worker_index
from tb_retrace_plugin.events import encode

#: A file of a host that cannot be asked counts as written to until it has been still for so long.
_STILL_SECONDS = 24 * 3600.0
_NAME = re.compile(rf"events\.out\.tfevents\.\d+\.\d+\.(?P<host>[^/]+)\.(?P<pid>\d+){re.escape(encode.FILE_SUFFIX)}")

_lock = threading.RLock()
_own_files: set[str] = set()  # that this process writes to now


def session_directory(log_dir: str) -> str:
    """`<log_dir>/retrace`, with several workers `<log_dir>/retrace/worker<i>`; `…/process<pid>` if that is taken.

    A job's parameter servers and evaluators have `…/ps<i>` and `…/evaluator<i>`.
    """
    task = task_of_job()
    directory = os.path.join(log_dir, "retrace")
    if worker_index() is not None or task.kind in ("ps", "evaluator"):
        directory = os.path.join(directory, f"{task.kind}{task.number}")
    if not is_taken(directory):
        return directory
    own = (os.path.join(directory, f"process{os.getpid()}{suffix}") for suffix in _suffixes())
    return next(path for path in own if not is_taken(path))


def is_taken(directory: str, except_file: str = "") -> bool:
    """True if another session, of this process or another, seems to write to a file in this directory."""
    gfile = _gfile()
    try:
        names = gfile.listdir(directory) if gfile.isdir(directory) else []
    except Exception:  # what cannot be listed cannot be written either, and writing says why
        return False
    return any(
        _is_written_to(os.path.join(directory, name), match["host"], int(match["pid"]))
        for name in names
        if os.path.join(directory, name) != except_file and (match := _NAME.fullmatch(name))
    )


def opened(path: str) -> None:
    with _lock:
        _own_files.add(path)


def closed(path: str) -> None:
    with _lock:
        _own_files.discard(path)


def _is_written_to(path: str, host: str, pid: int) -> bool:
    if host == encode.safe_host(socket.gethostname()) and os.name == "posix":
        return path in _own_files if pid == os.getpid() else _is_alive(pid)
    try:
        return bool(time.time() - _gfile().stat(path).mtime_nsec / 1e9 < _STILL_SECONDS)
    except Exception:
        return False


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


def _suffixes() -> Any:
    return itertools.chain([""], (f"-{i}" for i in itertools.count(2)))


def _gfile() -> Any:
    import tensorflow as tf

    return tf.io.gfile
