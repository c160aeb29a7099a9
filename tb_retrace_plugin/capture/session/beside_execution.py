"""A thread for work that may be done while TensorFlow executes a graph, which leaves Python to others meanwhile."""

from __future__ import annotations

import contextlib
import os
import queue
import threading
from collections.abc import Callable

#: A thread that has had nothing to do for so long ends; the next piece of work starts another.
_IDLE_S = 10.0
#: What is to be done afterwards is done once nothing has come for so long.
PAUSE_S = 0.1

_Work = Callable[[], None]
_work: queue.SimpleQueue[tuple[_Work, _Work | None]] = queue.SimpleQueue()
_lock = threading.Lock()
_thread: threading.Thread | None = None


def has_a_processor() -> bool:
    """Whether this process may use another one for it."""
    return len(os.sched_getaffinity(0)) > 1 if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1) > 1


def run_beside(work: _Work, afterwards: _Work | None = None) -> bool:
    """Has it run as soon as the thread is given Python, one piece after the other; neither may raise. `afterwards`:
    once for all that came with it, after a pause.

    False where no thread can be started: whoever needs it done has to see to that.
    """
    global _thread
    with _lock:
        _work.put((work, afterwards))
        if _thread is None:
            thread = threading.Thread(target=_run, name="retrace", daemon=True)
            with contextlib.suppress(RuntimeError):  # the process may have no more
                thread.start()
                _thread = thread
        return _thread is not None


def _run() -> None:
    global _thread
    afterwards: dict[_Work, None] = {}
    while True:
        try:
            work, then = _work.get(timeout=PAUSE_S if afterwards else _IDLE_S)
        except queue.Empty:
            if afterwards:
                for then in afterwards:
                    _done(then)
                afterwards, then = {}, None
                continue
            with _lock:
                if not _work.empty():
                    continue
                _thread = None
                return
        if then is not None:
            afterwards[then] = None
        _done(work)
        del work, then  # nothing is kept alive while it waits


def _done(work: _Work) -> None:
    with contextlib.suppress(BaseException):  # a signal of the program's strikes in its main thread alone
        work()


def forget_after_fork() -> None:
    """A forked child has no such thread."""
    global _work, _lock, _thread
    _work, _lock, _thread = queue.SimpleQueue(), threading.Lock(), None
