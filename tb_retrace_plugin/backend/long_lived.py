"""Keeps what was read of large logdirs out of Python's garbage collections.

A collection looks through all objects that there are. Of 100,000 traces they are millions, none is garbage, and nothing
is answered meanwhile: half a second of the processor, every few seconds.
"""

from __future__ import annotations

import gc
import threading

_lock = threading.Lock()


def keep_out_of_collections() -> None:
    """All that is there now, and is no garbage. A later call looks through what came since, and nothing else."""
    with _lock:
        gc.collect()
        gc.freeze()


def give_back_to_collections() -> None:
    """For what is about to be let go: sessions and traces refer to one another."""
    with _lock:
        gc.unfreeze()
