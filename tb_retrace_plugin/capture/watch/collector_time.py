"""Python's garbage collector, timed: a full collection may take 100 ms and falls into whatever runs at that moment."""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Mapping
from typing import Any


class CollectorTime:
    """`nanoseconds` spent collecting in this thread, so far, between `start` and `stop`. Nothing of it runs outside."""

    def __init__(self) -> None:
        self.nanoseconds = 0
        self._thread = threading.get_ident()
        self._began = 0

    def start(self) -> None:
        if self._on_collection not in gc.callbacks:  # a signal may have kept it from being stopped
            gc.callbacks.append(self._on_collection)

    def stop(self) -> None:
        try:
            gc.callbacks.remove(self._on_collection)
        except ValueError:  # somebody cleared the list
            return

    def _on_collection(self, phase: str, info: Mapping[str, Any]) -> None:
        if threading.get_ident() != self._thread:
            return
        if phase == "start":
            self._began = time.perf_counter_ns()
        elif self._began:
            self.nanoseconds += time.perf_counter_ns() - self._began
            self._began = 0
