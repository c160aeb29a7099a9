"""The training process's resident memory."""

from __future__ import annotations

import os

_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


_file = [-1]  # open, or not yet


def resident_bytes() -> int:
    """Resident set size in bytes, 0 where the system does not tell (only Linux's /proc is read)."""
    try:
        return int(os.pread(_file[0], 128, 0).split(None, 2)[1]) * _PAGE
    except (OSError, ValueError, IndexError):
        return _read_anew()


def _read_anew() -> int:
    try:
        _file[0] = os.open("/proc/self/statm", os.O_RDONLY | os.O_CLOEXEC)
        return int(os.pread(_file[0], 128, 0).split(None, 2)[1]) * _PAGE
    except (OSError, ValueError, IndexError):
        return 0


def _forget_after_fork() -> None:
    """A forked child's `self` is another process; the parent's file stays open in it, as all that it inherits."""
    _file[0] = -1


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_after_fork)
