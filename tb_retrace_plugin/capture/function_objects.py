"""Which tf.function object a trace belongs to, as a number per code, holding no object alive."""

from __future__ import annotations

import weakref
from typing import Any


class FunctionObjects:
    """Numbers from 1, in order of first appearance. Not thread-safe."""

    def __init__(self) -> None:
        self.count = 0
        self._known: dict[int, tuple[int, list[Any]]] = {}

    def number(self, tracing_options: Any) -> tuple[int, bool]:
        """(number, whether it is new) of the function object behind these options.

        A function's objects share one function cache. The cache cannot be weakly referenced, the options that own it
        can: while one set of them lives, the cache's id is the object's own.
        """
        cache = tracing_options.function_cache
        key = id(tracing_options if cache is None else cache)
        known = self._known.get(key)
        if known is not None:
            number, owners = known
            if any(owner() is tracing_options for owner in owners):
                return number, False
            if any(owner() is not None for owner in owners):
                owners.append(self._reference(tracing_options, key))
                return number, False
        self.count += 1
        self._known[key] = (self.count, [self._reference(tracing_options, key)])
        return self.count, True

    def _reference(self, options: Any, key: int) -> Any:
        def forget(reference: Any) -> None:
            known = self._known.get(key)
            if known is not None and reference in known[1]:
                known[1].remove(reference)
                if not known[1]:
                    del self._known[key]

        return weakref.ref(options, forget)
