"""The store behind the routes: follows TensorBoard's data provider, and is safe to use from its many threads."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tb_retrace_plugin.analysis.digest import Digest
from tb_retrace_plugin.analysis.store import Store
from tb_retrace_plugin.events.data_provider import ProviderReader

#: TensorBoard itself looks at the files every few seconds; asking it more often shows nothing newer.
POLL_SECONDS = 0.5
#: A local TensorBoard has one experiment, but its id comes from the URL.
_MAX_EXPERIMENTS = 4


class Reading:
    """What is known of one experiment."""

    def __init__(self, provider: Any, experiment_id: str) -> None:
        self._provider = provider
        self._experiment_id = experiment_id
        self.polled: float | None = None
        self._start_anew()

    def poll(self, context: Any) -> None:
        """Takes in what is new; begins anew if something vanished."""
        batch = self._reader.poll(context)
        if batch.vanished:
            self._start_anew()
            batch = self._reader.poll(context)
        self.store.add(batch.items)

    def _start_anew(self) -> None:
        self._reader = ProviderReader(self._provider, self._experiment_id)
        self.store = Store()
        self.digest = Digest(self.store)


class ProviderStore:
    """`clock` in seconds, rising."""

    def __init__(self, provider: Any, clock: Callable[[], float] = time.monotonic) -> None:
        self._provider = provider
        self._clock = clock
        self._lock = threading.Lock()
        self._readings: OrderedDict[str, Reading] = OrderedDict()

    @contextmanager
    def reading(self, context: Any, experiment_id: str) -> Iterator[Reading]:
        """The experiment as it is now, for the caller alone while inside.

        Raises:
          whatever the data provider raises if it cannot be read.
        """
        with self._lock:
            reading = self._readings.get(experiment_id) or Reading(self._provider, experiment_id)
            self._readings[experiment_id] = reading
            self._readings.move_to_end(experiment_id)
            while len(self._readings) > _MAX_EXPERIMENTS:
                self._readings.popitem(last=False)
            if reading.polled is None or self._clock() - reading.polled >= POLL_SECONDS:
                reading.poll(context)
                reading.polled = self._clock()
            yield reading
