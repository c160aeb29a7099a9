"""Profile sessions below a logdir that hold a trace's span: found by the span's id, which no other file contains."""

from __future__ import annotations

import mmap
import os
import re
import threading
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

#: A logdir that was gone through is not gone through again for so long.
_KEEP_SECONDS = 10.0
#: Directories looked at; a logdir has a few per run. Bytes searched for one session's ids: a second's work.
_MAX_DIRECTORIES = 20_000
_MAX_BYTES = 1 << 30
_SUFFIX = ".xplane.pb"
_SEQ = re.compile(rb"\d{1,15}")


class _File(NamedTuple):
    """What one host wrote. `run`: the session as the Profile tab names it."""

    run: str
    path: str
    size: int
    mtime_ns: int


class ProfileSessions:
    """Those below `logdir`, a directory on this machine, as xprof lists them. Thread-safe."""

    def __init__(self, logdir: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._logdir = logdir
        self._clock = clock
        self._lock = threading.Lock()
        self._files: list[_File] = []
        self._looked: float | None = None
        self._seqs: dict[tuple[_File, str], frozenset[int]] = {}  # by file and session: whose spans it holds

    def run_with(self, session: str, seq: int, time_ns: int) -> str | None:
        """The profile session with the span of a trace, which began at `time_ns`; None if there is none."""
        with self._lock:
            if self._looked is None or self._clock() - self._looked >= _KEEP_SECONDS:
                self._files = list(_files(self._logdir))
                self._looked = self._clock()
                there = set(self._files)
                self._seqs = {key: seqs for key, seqs in self._seqs.items() if key[0] in there}
            left = _MAX_BYTES
            # a file is written when its session ends: the likeliest first
            for file in sorted(self._files, key=lambda file: (file.mtime_ns < time_ns, abs(file.mtime_ns - time_ns))):
                key = file, session
                if key not in self._seqs:
                    left -= file.size
                    if left < 0:
                        break
                    self._seqs[key] = _seqs_in(file, session)
                if seq in self._seqs[key]:
                    return file.run
            return None


def _files(logdir: str) -> Iterator[_File]:
    """`<run>/plugins/profile/<session>/<host>.xplane.pb`."""
    directories = 0
    visited: set[tuple[int, int]] = set()
    for directory, subdirectories, names in os.walk(logdir, followlinks=True):
        directories += 1
        try:
            status = os.stat(directory)
        except OSError:
            status = None
        if status is None or (status.st_dev, status.st_ino) in visited or directories > _MAX_DIRECTORIES:
            subdirectories.clear()
            continue
        visited.add((status.st_dev, status.st_ino))
        parts = os.path.relpath(directory, logdir).split(os.sep)
        if parts[-3:-1] != ["plugins", "profile"]:
            continue
        subdirectories.clear()
        for path in [os.path.join(directory, name) for name in names if name.endswith(_SUFFIX)]:
            try:
                status = os.stat(path)
            except OSError:
                continue
            yield _File("/".join([*parts[:-3], parts[-1]]), path, status.st_size, status.st_mtime_ns)


def _seqs_in(file: _File, session: str) -> frozenset[int]:
    """Numbers of the session's traces whose ids (`<session>/<seq>`) are in the file."""
    prefix = session.encode("ascii", "replace") + b"/"
    found = set()
    try:
        with open(file.path, "rb") as opened, mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ) as content:
            at = content.find(prefix)
            while at >= 0:
                start = at + len(prefix)
                # a string's length lies before it: digits of what follows are not its own
                length = content[at - 1] - len(prefix) if at else 0
                digits = content[start : start + max(0, length)]
                if _SEQ.fullmatch(digits):
                    found.add(int(digits))
                at = content.find(prefix, start)
    except (OSError, ValueError):  # gone, or empty
        pass
    return frozenset(found)
