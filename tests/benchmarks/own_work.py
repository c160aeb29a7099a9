"""Work in Retrace's own code while a program trains: what a long trace's own spread would hide."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from tb_retrace_plugin.capture.session.recorder import Recorder
from tb_retrace_plugin.capture.watch import hook


class OwnWork:
    """Milliseconds of the processor's, in all, from its making on: it stands around Retrace's functions for good.

    `total`: of the thread that traces; `beside`: of the one that works while it executes; `ends`: of starting and
    ending recordings, where a machine has to find again what was not used for a while.
    """

    def __init__(self) -> None:
        self.total = self.beside = self.ends = 0.0
        hook._begin, hook._end = self._timed(hook._begin), self._timed(hook._end)
        for name in ("first_call_began", "first_call_ended"):
            setattr(Recorder, name, self._timed(getattr(Recorder, name)))
        Recorder._catch_up = self._timed(Recorder._catch_up, "beside")  # type: ignore[method-assign]
        for name in ("__init__", "attach", "detach"):
            setattr(Recorder, name, self._timed(getattr(Recorder, name), "ends"))

    def _timed(self, call: Callable[..., Any], to: str = "total") -> Callable[..., Any]:
        def timed(*arguments: Any, **options: Any) -> Any:
            start = time.thread_time()
            try:
                return call(*arguments, **options)
            finally:
                setattr(self, to, getattr(self, to) + (time.thread_time() - start) * 1e3)

        return timed
