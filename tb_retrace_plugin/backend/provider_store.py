"""The store behind the routes: follows TensorBoard's data provider, and is safe to use from its many threads.

Looking for what is new takes long where there is much (TensorBoard lists every tag each time). Then it is done beside
the requests, which are answered from what is known. So is what takes long to find out of many traces: it is thought of
before anybody asks.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from tensorboard.util import tb_logging

from tb_retrace_plugin.analysis.for_advice.advice import advice_json
from tb_retrace_plugin.analysis.pages.digest import Digest
from tb_retrace_plugin.analysis.pages.function_page import function_page
from tb_retrace_plugin.analysis.sessions.session import FunctionGroup
from tb_retrace_plugin.analysis.sessions.store import Store
from tb_retrace_plugin.backend.long_lived import give_back_to_collections, keep_out_of_collections
from tb_retrace_plugin.backend.shared_lock import SharedLock
from tb_retrace_plugin.events.damaged_files import DamagedFiles
from tb_retrace_plugin.events.data_provider import ProviderReader
from tb_retrace_plugin.events.graph_blobs import ProviderGraphs

logger = tb_logging.get_logger()

#: TensorBoard itself looks at the files every few seconds; asking it more often shows nothing newer.
POLL_SECONDS = 0.5
#: A look that took longer is not waited for the next time, and followed by a pause of so many times its length.
_QUICK_SECONDS = 0.05
_PAUSE = 3
#: The first look reads everything: its length says nothing about the next ones.
_LONGEST_PAUSE_SECONDS = 5.0
#: A local TensorBoard has one experiment, but its id comes from the URL.
_MAX_EXPERIMENTS = 4
#: Records after whose reading Python's collections are spared them, and what there is to say is thought of.
_MANY_RECORDS = 1_000
#: Traces of a function of which advice may take long; and for how many functions it is thought of: so many are kept.
_MANY_TRACES = 500
_FUNCTIONS_AHEAD = 48
#: Of the largest also their pages.
_PAGES_AHEAD = 8


@dataclass(frozen=True, slots=True)
class Reading:
    """What is known of one experiment. It does not change while it is held."""

    store: Store
    digest: Digest


class ProviderStore:
    """`clock` in seconds, rising. `logdir`: a directory on this machine, or "" where it is none."""

    def __init__(self, provider: Any, clock: Callable[[], float] = time.monotonic, logdir: str = "") -> None:
        self._provider = provider
        self._logdir = logdir
        self._clock = clock
        self._lock = threading.Lock()
        self._followed: OrderedDict[str, _Followed] = OrderedDict()

    @contextmanager
    def reading(self, context: Any, experiment_id: str) -> Iterator[Reading]:
        """The experiment as it is now, or was a few seconds ago where there is much of it.

        Raises:
          whatever the data provider raises if it cannot be read.
        """
        with self._lock:
            followed = self._followed.get(experiment_id)
            if followed is None:
                followed = self._followed[experiment_id] = _Followed(
                    self._provider, experiment_id, self._clock, self._logdir
                )
            self._followed.move_to_end(experiment_id)
            while len(self._followed) > _MAX_EXPERIMENTS:
                self._followed.popitem(last=False)
        followed.keep_up(context)
        with followed.held() as reading:
            yield reading


class _Followed:
    """One experiment, and how far it has been read."""

    def __init__(self, provider: Any, experiment_id: str, clock: Callable[[], float], logdir: str) -> None:
        self._provider = provider
        self._damaged = DamagedFiles(logdir, clock) if logdir else None
        self._experiment_id = experiment_id
        self._clock = clock
        self._looking = threading.Lock()
        self._lock = SharedLock()
        self._looked: float | None = None
        self._took = 0.0
        self._failure: Exception | None = None
        self._unsettled = 0
        self._settling = threading.Lock()
        self._context: Any = None
        self._graphs = ProviderGraphs(provider, experiment_id)
        self._reader, self._reading = self._anew()

    @contextmanager
    def held(self) -> Iterator[Reading]:
        """For any number of callers at once: they only read."""
        with self._lock.reading():
            yield self._reading

    def keep_up(self, context: Any) -> None:
        """Takes in what is new if it is time to. Raises what the last look raised, until one succeeds."""
        if self._looked is None:
            with self._looking:  # there is nothing to show before
                if self._looked is None:
                    self._look(context)
        elif self._is_time() and self._looking.acquire(blocking=False):
            if self._took < _QUICK_SECONDS:
                try:
                    self._look(context)
                finally:
                    self._looking.release()
            else:
                self._look_beside(context)
        if self._failure is not None:
            raise self._failure

    def _is_time(self) -> bool:
        assert self._looked is not None
        if self._failure is not None and self._took < _QUICK_SECONDS:
            return True
        return self._clock() - self._looked >= max(POLL_SECONDS, min(_LONGEST_PAUSE_SECONDS, _PAUSE * self._took))

    def _look_beside(self, context: Any) -> None:
        """`_looking` is held, and released at the end."""

        def look() -> None:
            try:
                self._look(context)
            finally:
                self._looking.release()

        try:
            threading.Thread(target=look, name="retrace-reading", daemon=True).start()
        except RuntimeError:  # no more threads
            self._looking.release()

    def _look(self, context: Any) -> None:
        began = self._clock()
        self._context = context
        try:
            batch = self._reader.poll(context)
            if batch.vanished:  # what is known is shown until the rest has been read again
                reader, reading = self._anew()
                batch = reader.poll(context)
                reading.store.add(batch.items)
                reading.digest.update()
                self._reader, self._reading = reader, reading
                give_back_to_collections()  # the earlier ones
                self._unsettled = _MANY_RECORDS
            else:
                if self._damaged is not None:
                    running = {session.run for session in self._reading.store.sessions if session.end is None}
                    batch.items += self._damaged.look(running, self._reader.has_read)
                with self._lock.writing():
                    self._reading.store.add(batch.items)
                self._reading.digest.update()
            self._unsettled += len(batch.items)
            self._failure = None
        except Exception as error:
            self._failure = error
        finally:
            self._looked = self._clock()
            self._took = self._looked - began
        if self._unsettled >= _MANY_RECORDS and self._settling.acquire(blocking=False):
            self._unsettled = 0
            try:
                threading.Thread(target=self._settle, name="retrace-settling", daemon=True).start()
            except RuntimeError:  # no more threads
                self._settling.release()

    def _settle(self) -> None:
        """After much was read. `_settling` is held, and released at the end."""
        try:
            keep_out_of_collections()
            with self.held() as reading:
                groups = sorted(reading.store.functions, key=lambda group: -len(group.events))[:_FUNCTIONS_AHEAD]
            for place, group in enumerate(groups):
                if len(group.events) < _MANY_TRACES:
                    break
                ahead: Callable[[FunctionGroup], Any] = function_page if place < _PAGES_AHEAD else advice_json
                with self.held():
                    ahead(group)
            keep_out_of_collections()
        except Exception:
            logger.exception("Retrace could not think ahead")  # whoever asks finds it out, and is told
        finally:
            self._settling.release()

    def _anew(self) -> tuple[ProviderReader, Reading]:
        store = Store(lambda sha256: self._graphs.blob(self._context, sha256))
        return ProviderReader(self._provider, self._experiment_id), Reading(store, Digest(store))
