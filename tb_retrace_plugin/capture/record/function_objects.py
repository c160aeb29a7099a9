"""Which tf.function object a trace belongs to, as a number per code, holding no object alive."""

from __future__ import annotations

import weakref
from typing import Any

from tb_retrace_plugin.capture import tf_seam


class FunctionObjects:
    """Numbers from 1, in order of first appearance. Not thread-safe."""

    def __init__(self) -> None:
        self.count = 0
        self._known: dict[int, tuple[int, weakref.ReferenceType[Any]]] = {}

    def number(self, tracing_options: Any) -> tuple[int, bool]:
        """(number, whether it is new) of the function object behind these options."""
        owned = tf_seam.owned_by_function_object(tracing_options)
        key = id(owned)
        known = self._known.get(key)
        if known is not None and known[1]() is owned:
            return known[0], False
        self.count += 1
        self._known[key] = (self.count, weakref.ref(owned, lambda dead: self._forget(key, dead)))
        return self.count, True

    def is_known(self, tracing_options: Any) -> bool:
        """Whether a trace of the function object behind these options came before."""
        owned = tf_seam.owned_by_function_object(tracing_options)
        known = self._known.get(id(owned))
        return known is not None and known[1]() is owned

    def _forget(self, key: int, dead: Any) -> None:
        known = self._known.get(key)
        if known is not None and known[1] is dead:
            del self._known[key]
