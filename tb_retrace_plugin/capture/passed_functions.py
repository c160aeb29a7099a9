"""Whether two functions that were passed as arguments would do the same, by their numbers in signatures."""

from __future__ import annotations

import functools
from types import FunctionType, MethodType
from typing import Any

from tb_retrace_plugin.capture.closure import ClosureReader
from tb_retrace_plugin.capture.failure import let_signals_through
from tb_retrace_plugin.explain.history import MAX_ENTRIES


class PassedFunctions:
    """Of one session. Nothing keeps them alive: what they were is noted. Not thread-safe."""

    def __init__(self, closures: ClosureReader) -> None:
        self._closures = closures
        self._identities: dict[int, int] = {}

    def note(self, number: int, function: Any) -> None:
        """When it is passed for the first time: it may be gone the next. Nothing of what is no function."""
        if not isinstance(function, FunctionType | MethodType | functools.partial) or number in self._identities:
            return
        if len(self._identities) >= MAX_ENTRIES:  # oldest first
            del self._identities[next(iter(self._identities))]
        try:
            self._identities[number] = self._closures.identity(function)
        except Exception as error:  # what it closes over is the user's: then it is not known
            let_signals_through(error)

    def are_alike(self, old: str, new: str) -> bool | None:
        """Whether those that a change names (`function f #3`) are of one code and close over, or bind, the same.

        None if that is not known.
        """
        known = [self._identities.get(int(n)) for n in (_number(old), _number(new)) if n.isdecimal()]
        return known[0] == known[1] if len(known) == 2 and None not in known else None


def _number(text: str) -> str:
    return text.rpartition(" #")[2]
