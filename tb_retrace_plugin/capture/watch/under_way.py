"""What is being traced and executed at this moment, so that time within other time is counted once.

A first execution may run Python (`tf.py_function`, a generator of a dataset) that traces or executes other functions,
and a trace may execute them (`tf.init_scope`): each of these has a time of its own.
"""

from __future__ import annotations

import contextlib
import threading
import time
import weakref

from tb_retrace_plugin.capture.watch.collector_time import CollectorTime
from tb_retrace_plugin.capture.watch.observation import Observation


class ThreadState(threading.local):
    """`stack`: traces under way in this thread, the innermost last. `ended_ns`: when the latest trace, or first
    execution, was over in it, by `time.perf_counter_ns`; 0: there was none."""

    stack: list[Observation]
    busy: bool
    ended_ns: int

    def __init__(self) -> None:
        self.stack = []
        self.busy = False  # user code that our own work ran into (an __eq__) may trace: that passes through
        self.collector = CollectorTime()
        self.ended_ns = 0


thread = ThreadState()


class TimedCall:
    """A call that is timed, from its making until `end`. `within_ns`: what was traced and timed in it on its own."""

    __slots__ = ("__weakref__", "start_ns", "thread", "trace", "within_ns")

    def __init__(self) -> None:
        self.within_ns = 0
        self.thread = threading.get_ident()
        self.trace = thread.stack[-1] if thread.stack else None
        _calls.append(weakref.ref(self, _forget))  # one whose end is never told, as after a signal, goes with its call
        self.start_ns = time.perf_counter_ns()

    def end(self) -> int:
        """How long it took without what has a time of its own."""
        thread.ended_ns = time.perf_counter_ns()
        took = thread.ended_ns - self.start_ns
        _forget(weakref.ref(self))
        if self.trace is None:
            add_to_call_around(took)
        else:
            self.trace.overhead_ns += took
        return max(0, took - self.within_ns)


_calls: list[weakref.ref[TimedCall]] = []  # the latest last
_Unstarted = getattr(threading, "_DummyThread", ())  # what Python holds of a thread that it did not start


def add_to_call_around(nanoseconds: int) -> None:
    """Of what is over now, in no trace, and has a time of its own.

    TensorFlow runs Python in threads that Python did not start, and does not tell for which call: the latest that is
    under way. It is the right one but where several threads execute functions for the first time at once.
    """
    if not _calls:
        return
    own = threading.get_ident()
    is_foreign = not any(one.ident == own and not isinstance(one, _Unstarted) for one in threading.enumerate())
    for reference in reversed(_calls):
        call = reference()
        if call is not None and (is_foreign or call.thread == own):
            call.within_ns += nanoseconds
            return


def _forget(call: weakref.ref[TimedCall]) -> None:
    with contextlib.suppress(ValueError):
        _calls.remove(call)


def forget_after_fork() -> None:
    _calls.clear()
