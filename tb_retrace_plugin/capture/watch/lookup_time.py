"""How long TensorFlow had looked through a function's cached signatures before it traced.

A lookup is over when its trace begins, and timing it would be code in every call. So it is made once more, timed, each
time that the cache has doubled; in between, its time is taken to grow as it did between the last two. That is with the
number of signatures; but of objects that no longer exist many have one hash, and then up to its square.
"""

from __future__ import annotations

import math
import time
import weakref
from typing import Any, NamedTuple

from tb_retrace_plugin.capture import tf_seam

#: With fewer cached signatures a lookup takes about a tenth of a small trace, or less.
FEWEST = 64
_GROWTH = 2
#: Longer than this many times what was to be expected is measured again: another thread may have run in between.
_SURPRISE = 2


class _Measured(NamedTuple):
    owner: weakref.ReferenceType[Any]
    signatures: int
    nanoseconds: int
    power: float  # of the number of signatures, which the time grows with

    def of(self, signatures: int) -> int:
        return int(self.nanoseconds * (signatures / self.signatures) ** self.power)

    def power_until(self, signatures: int, nanoseconds: int) -> float:
        grown, slower = signatures / self.signatures, nanoseconds / max(1, self.nanoseconds)
        return min(max(1.0, math.log(max(1.0, slower)) / math.log(grown)), 2.0)


class LookupTimes:
    """Of all function objects, of which it keeps none alive."""

    def __init__(self) -> None:
        self._measured: dict[int, _Measured] = {}

    def nanoseconds(self, tracing_options: Any, lookup: tf_seam.Lookup | None, signatures: int) -> int:
        """Of a lookup that found nothing among so many cached signatures, which are `FEWEST` at least."""
        if lookup is None:
            return 0
        owner = tf_seam.owned_by_function_object(tracing_options)
        key = id(owner)
        measured = self._measured.get(key)
        if measured is not None and measured.owner() is not owner:
            measured = None
        if measured is None or signatures >= measured.signatures * _GROWTH:
            took = _timed(tracing_options.function_cache, lookup)
            if measured is None or took > _SURPRISE * measured.of(signatures):
                took = min(took, _timed(tracing_options.function_cache, lookup))
            power = 1.0 if measured is None else measured.power_until(signatures, took)
            measured = _Measured(weakref.ref(owner, lambda dead: self._forget(key, dead)), signatures, took, power)
            self._measured[key] = measured
        return measured.of(signatures)

    def _forget(self, key: int, dead: Any) -> None:
        measured = self._measured.get(key)
        if measured is not None and measured.owner is dead:
            del self._measured[key]


def _timed(function_cache: Any, lookup: tf_seam.Lookup) -> int:
    began = time.perf_counter_ns()
    tf_seam.look_up(function_cache, lookup)
    return time.perf_counter_ns() - began
