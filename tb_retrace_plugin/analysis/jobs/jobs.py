"""Which sessions are the workers of one job."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from tb_retrace_plugin.analysis.exports.report import worker_number
from tb_retrace_plugin.analysis.sessions.session import Session

#: Directories that recordings always lie in: of the job, of a worker, of a second process of it.
_OWN = re.compile(r"(?:^|/)retrace(?:/worker\d+)?(?:/process\d+(?:-\d+)?)?$")


@dataclass(slots=True)
class Job:
    """One launch. `run`: without the workers' directories; `sessions`: one per worker, by its number."""

    run: str
    sessions: list[Session] = field(default_factory=list)

    @property
    def expected(self) -> int | None:
        """How many workers it has by TF_CONFIG; None if that is not known, or they do not agree."""
        said = {session.start.workers for session in self.sessions if session.start is not None}
        return said.pop() or None if len(said) == 1 else None


def jobs(sessions: Iterable[Session]) -> list[Job]:
    """Those of which a worker is recorded, in the order of their starts.

    Workers of a run belong together until one of them starts again: that is another launch. Their hosts' clocks may
    differ by less than the time between two launches.
    """
    found: dict[str, list[Job]] = {}
    there: dict[str, set[int | None]] = {}  # workers of the latest launch
    numbered = [session for session in sessions if worker_number(session) is not None]
    for session in sorted(numbered, key=lambda session: session.started_ns):
        run = _OWN.sub("", session.run) or "."
        launches = found.setdefault(run, [])
        if not launches or worker_number(session) in there[run]:
            launches.append(Job(run))
            there[run] = set()
        there[run].add(worker_number(session))
        launches[-1].sessions.append(session)
    every = [job for launches in found.values() for job in launches]
    for job in every:
        job.sessions.sort(key=lambda session: worker_number(session) or 0)
    return sorted(every, key=lambda job: min(session.started_ns for session in job.sessions))


def job_of(sessions: Iterable[Session], session: Session) -> Job | None:
    """None: the session is no worker's."""
    return next((job for job in jobs(sessions) if session in job.sessions), None)
