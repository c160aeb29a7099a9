"""The training process's resident memory."""

from __future__ import annotations

import os

_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


_files: dict[int, int] = {}  # process id -> open file: a forked child's `self` is another process


def resident_bytes() -> int:
    """Resident set size in bytes, 0 where the system does not tell (only Linux's /proc is read)."""
    try:
        pid = os.getpid()
        if pid not in _files:
            _files[pid] = os.open("/proc/self/statm", os.O_RDONLY | os.O_CLOEXEC)
        return int(os.pread(_files[pid], 128, 0).split()[1]) * _PAGE
    except (OSError, ValueError, IndexError):
        return 0
