"""What one session could not record: counted by name, and told once each."""

from __future__ import annotations

import collections

from tb_retrace_plugin.capture.failure import let_signals_through, problem_text
from tb_retrace_plugin.capture.notice import warn_once


class Losses:
    """`counts`: by name; none is 0. Not thread-safe, but for `count`."""

    def __init__(self, session_id: str) -> None:
        self._session_id = session_id
        self.counts: collections.Counter[str] = collections.Counter()

    def count(self, what: str, many: int = 1) -> None:
        if many:
            self.counts[what] += many

    def lose(self, counter: str, what: str, error: Exception) -> None:
        """Counts and tells it, unless it is the program's own error: that is raised on."""
        self.counts[counter] += 1
        let_signals_through(error)
        problem = f"{what} ({problem_text(error)})"
        warn_once(f"{counter}:{self._session_id}", f"Retrace: {problem}. Training goes on; the loss is counted.")
