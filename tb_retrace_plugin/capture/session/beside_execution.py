"""A thread for work that may be done while TensorFlow executes a graph, which leaves Python to others meanwhile."""

from __future__ import annotations

import contextlib
import os
import queue
import threading
from collections.abc import Callable

#: A thread that has had nothing to do for so long ends; the next piece of work starts another.
_IDLE_S = 10.0

_work: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
_lock = threading.Lock()
_thread: threading.Thread | None = None


def has_a_processor() -> bool:
    """Whether this process may use another one for it."""
    return len(os.sched_getaffinity(0)) > 1 if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1) > 1


def run_beside(work: Callable[[], None]) -> None:
    """Has it run as soon as the thread is given Python, one piece after the other. It must not raise.

    It may never run, where no thread can be started: whoever needs it done has to see to that.
    """
    global _thread
    with _lock:
        _work.put(work)
        if _thread is None:
            thread = threading.Thread(target=_run, name="retrace", daemon=True)
            with contextlib.suppress(RuntimeError):  # the process may have no more
                thread.start()
                _thread = thread


def _run() -> None:
    global _thread
    while True:
        try:
            work = _work.get(timeout=_IDLE_S)
        except queue.Empty:
            with _lock:
                if not _work.empty():
                    continue
                _thread = None
                return
        with contextlib.suppress(BaseException):  # a signal of the program's strikes in its main thread alone
            work()
        del work  # nothing is kept alive while it waits


def forget_after_fork() -> None:
    """A forked child has no such thread."""
    global _work, _lock, _thread
    _work, _lock, _thread = queue.SimpleQueue(), threading.Lock(), None
