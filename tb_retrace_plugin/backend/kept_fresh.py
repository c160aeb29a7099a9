"""A value that may take long to make: then it is made anew beside the requests, which get the last one."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

_T = TypeVar("_T")

#: What takes longer is not waited for again.
_QUICK_SECONDS = 0.05


class KeptFresh(Generic[_T]):
    """Made at every request while that is quick; else at most every `seconds`. Thread-safe."""

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds = seconds
        self._clock = clock
        self._making = threading.Lock()
        self._kept: tuple[_T] | None = None
        self._made = 0.0
        self._took = 0.0

    def get(self, make: Callable[[], _T]) -> _T:
        """Raises what `make` raises, unless an earlier value is kept and `make` is slow."""
        kept = self._kept
        if kept is None or self._took < _QUICK_SECONDS:
            with self._making:
                return self._make(make)
        if self._clock() - self._made >= max(self._seconds, self._took) and self._making.acquire(blocking=False):
            threading.Thread(target=self._make_beside, args=(make,), name="retrace-listing", daemon=True).start()
        return kept[0]

    def _make_beside(self, make: Callable[[], _T]) -> None:
        try:
            self._make(make)
        except Exception:
            self._made = self._clock()  # the last value stays; the next try comes after the same pause
        finally:
            self._making.release()

    def _make(self, make: Callable[[], _T]) -> _T:
        began = self._clock()
        value = make()
        self._made = self._clock()
        self._took = self._made - began
        self._kept = (value,)
        return value
