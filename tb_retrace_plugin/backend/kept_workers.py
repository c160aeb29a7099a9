"""Answers about workers, kept until one of the job's sessions changes: of 100,000 traces they take a second."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from typing import Any

from tb_retrace_plugin.analysis.jobs.jobs import Job
from tb_retrace_plugin.analysis.jobs.workers import workers

#: Jobs that are looked at in turn.
_MOST = 8


class KeptWorkers:
    """Thread-safe: what two requests make at once is the same."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Hashable, dict[str, Any]] = OrderedDict()

    def of(self, job: Job, generation: str) -> dict[str, Any]:
        """`generation`: of the store."""
        key = generation, tuple((session.id, session.revision) for session in job.sessions)
        answer = self._kept.get(key)
        if answer is None:
            answer = self._kept[key] = workers(job)
            while len(self._kept) > _MOST:
                try:
                    self._kept.popitem(last=False)
                except KeyError:  # another request was here
                    break
        return answer
