"""Whether two functions that were passed as arguments would do the same, by their numbers in signatures."""

from __future__ import annotations

from types import FunctionType

from tb_retrace_plugin.capture.closure import ClosureReader
from tb_retrace_plugin.explain.history import MAX_ENTRIES


class PassedFunctions:
    """Of one session. Nothing keeps them alive: what they were is noted. Not thread-safe."""

    def __init__(self, closures: ClosureReader) -> None:
        self._closures = closures
        self._identities: dict[int, int] = {}

    def note(self, number: int, function: FunctionType) -> None:
        """When it is passed for the first time: it may be gone the next."""
        if number in self._identities:
            return
        if len(self._identities) >= MAX_ENTRIES:  # oldest first
            del self._identities[next(iter(self._identities))]
        self._identities[number] = self._closures.identity(function)

    def differ(self, old: str, new: str) -> bool:
        """Whether those that a change names (`function f #3`) are of other code, or close over other values."""
        known = [self._identities.get(int(n)) for n in (_number(old), _number(new)) if n.isdecimal()]
        return len(known) == 2 and None not in known and known[0] != known[1]


def _number(text: str) -> str:
    return text.rpartition(" #")[2]
