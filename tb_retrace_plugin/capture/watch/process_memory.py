"""The training process's resident memory."""

from __future__ import annotations

import os
import time

#: What was read so short a time ago stands for now: of traces that take longer it is read before and after each.
_FRESH_NS = 20_000_000
_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


_file = -1  # open, or not yet
_latest = 0, 0  # bytes, and when they were read


def resident_bytes() -> int:
    """Resident set size in bytes, of up to 20 ms ago; 0 where the system does not tell (only Linux's /proc is read)."""
    global _latest
    found, when = _latest
    now = time.monotonic_ns()
    if now - when < _FRESH_NS:
        return found
    try:
        found = int(os.pread(_file, 128, 0).split(None, 2)[1]) * _PAGE
    except (OSError, ValueError, IndexError):
        found = _read_anew()
    _latest = found, now
    return found


def _read_anew() -> int:
    global _file
    try:
        _file = os.open("/proc/self/statm", os.O_RDONLY | os.O_CLOEXEC)
        return int(os.pread(_file, 128, 0).split(None, 2)[1]) * _PAGE
    except (OSError, ValueError, IndexError):
        return 0


def _forget_after_fork() -> None:
    """A forked child's `self` is another process; the parent's file stays open in it, as all that it inherits."""
    global _file, _latest
    _file, _latest = -1, (0, 0)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_after_fork)
