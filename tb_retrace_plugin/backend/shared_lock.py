"""Many readers at once, or one writer."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class SharedLock:
    """Readers wait for a writer at work alone; one that has waited for `patience_s` is let in before new readers."""

    def __init__(self, patience_s: float = 30.0, clock: Callable[[], float] = time.monotonic) -> None:
        self._patience_s = patience_s
        self._clock = clock
        self._changed = threading.Condition()
        self._readers = 0
        self._writing = False
        self._waits_since: float | None = None

    @contextmanager
    def reading(self) -> Iterator[None]:
        with self._changed:
            while self._writing or self._is_due():
                self._changed.wait()
            self._readers += 1
        try:
            yield
        finally:
            with self._changed:
                self._readers -= 1
                self._changed.notify_all()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """For one writer at a time: who writes sees to that."""
        with self._changed:
            self._waits_since = self._clock()
            while self._readers:
                self._changed.wait()
            self._waits_since = None
            self._writing = True
        try:
            yield
        finally:
            with self._changed:
                self._writing = False
                self._changed.notify_all()

    def _is_due(self) -> bool:
        return self._waits_since is not None and self._clock() - self._waits_since >= self._patience_s
