"""A job's functions over its workers: which is which, and where the workers' traces of one part."""

from __future__ import annotations

import os
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from tb_retrace_plugin.analysis.exports.report import step, worker_number
from tb_retrace_plugin.analysis.sessions.losses import missing_traces
from tb_retrace_plugin.analysis.sessions.session import FunctionGroup, Session, TraceEvent, is_initializer
from tb_retrace_plugin.analysis.sessions.tally import tally_of
from tb_retrace_plugin.analysis.sessions.wording import list_text
from tb_retrace_plugin.explain.words.sentence import trace_sentence
from tb_retrace_plugin.schema import retrace_pb2 as pb

#: Of a difference in words; there may be one for each function.
_MAX_TEXT = 2000


class Mark(NamedTuple):
    """What traces of one function on two workers share if they are the same. `why`: as that function gives it."""

    why: Hashable
    step: int | None


@dataclass(eq=False, slots=True)
class WorkersCode:
    """One function's code. `groups`: per worker, None where it was not traced.

    `waited_ns`: for its tracing, by the worker that was waited for, the longest wait of another at each step.
    """

    function: pb.Function
    groups: list[FunctionGroup | None]
    waited_ns: dict[int, int] = field(default_factory=dict)
    _marks: dict[int, list[Mark]] = field(default_factory=dict)

    def marks(self, worker: int) -> list[Mark]:
        """Of its traces on one worker; read from the records once."""
        found = self._marks.get(worker)
        if found is None:
            found = self._marks[worker] = [Mark(why(event), step(event.record)) for event in self.events(worker)]
        return found

    def events(self, worker: int) -> list[TraceEvent]:
        group = self.groups[worker]
        return group.events if group is not None else []

    @property
    def role(self) -> str:
        """Of what Keras or TensorFlow made."""
        return next((role for group in self.groups if group is not None and (role := tally_of(group).role)), "")

    @property
    def traces(self) -> list[int]:
        """Successful ones, per worker."""
        return [tally_of(group).traces if group is not None else 0 for group in self.groups]

    @property
    def retraces(self) -> list[int]:
        return [tally_of(group).retraces if group is not None else 0 for group in self.groups]

    @property
    def total_waited_ns(self) -> int:
        return sum(self.waited_ns.values())


def codes_of(sessions: Sequence[Session]) -> list[WorkersCode]:
    """By file, line and name; of a job whose hosts have it in other directories, by the file's name without them."""
    by_name: dict[Hashable, list[tuple[int, FunctionGroup]]] = {}
    for worker, session in enumerate(sessions):
        for group in session.functions.values():
            function = group.function
            # of one function all or none
            if not is_initializer(group.events[0]):
                name = os.path.basename(function.file), function.line, function.qualname, function.variant
                by_name.setdefault(name, []).append((worker, group))
    codes: list[WorkersCode] = []
    for found in by_name.values():
        is_one = len({worker for worker, _ in found}) == len(found)
        by_file: dict[str, WorkersCode] = {}
        for worker, group in found:
            file = "" if is_one else group.function.file
            code = by_file.setdefault(file, WorkersCode(group.function, [None] * len(sessions)))
            code.groups[worker] = group
        codes += by_file.values()
    return codes


def why(event: TraceEvent) -> Hashable:
    """Equal for traces of one function that were made for the same reason; values are each worker's own."""
    changes = event.record.changes
    return event.kind, event.failed, tuple([(c.cause, c.path) for c in changes]) if len(changes) > 1 else event.reason


@dataclass(frozen=True, slots=True)
class Difference:
    """The first trace of a function that some workers made and others did not, or otherwise."""

    event: TraceEvent
    text: str


def difference(code: WorkersCode, sessions: Sequence[Session], *, in_step: bool) -> Difference | None:
    """None if all workers traced it as often, each time for the same reason; `in_step`: and at the same step.

    Where traces are missing one by one, those before them are compared, and how many there are.
    """
    traces = [code.events(worker) for worker in range(len(sessions))]
    marks: list[Sequence[Hashable]] = [code.marks(worker) for worker in range(len(sessions))]
    if not in_step:
        marks = [[mark.why for mark in code.marks(worker)] for worker in range(len(sessions))]
    whole = [_whole(group) for group in code.groups if group is not None and missing_traces(group.session)]
    n = _first_that_differs(marks, min([max(map(len, traces)), *whole]))
    if n is not None:
        here = {worker: events[n] for worker, events in enumerate(traces) if n < len(events)}
        ways: dict[Hashable, list[int]] = {}
        for worker in here:
            ways.setdefault(marks[worker][n], []).append(worker)
        these = min(ways.values(), key=lambda found: (len(found), found))  # the odd ones out
        event = here[these[0]]
        text = f"{who(these, sessions)}: {trace_sentence(event.record)}"
        others = [worker for worker in here if worker not in these]
        if others:
            alike = all(code.marks(worker)[n].why == code.marks(these[0])[n].why for worker in others)
            text += (
                f" {who(others, sessions)} traced it {'at another step' if alike else 'for another reason'} instead."
            )
        missing = [worker for worker in range(len(sessions)) if worker not in here]
        if missing:
            text += f" {who(missing, sessions)} did not."
        return Difference(event, text if len(text) <= _MAX_TEXT else f"{text[: _MAX_TEXT - 1]}…")
    if len(set(code.traces)) > 1:
        most = max(range(len(sessions)), key=lambda worker: (code.traces[worker], len(traces[worker])))
        if traces[most]:
            text = "Their traces part where not all are recorded one by one: they were not traced as often."
            return Difference(traces[most][-1], text)
    return None


def _first_that_differs(marks: Sequence[Sequence[Hashable]], length: int) -> int | None:
    """The first place, of so many, at which not all have the same; None if there is none."""
    first = marks[0]
    if all(len(other) >= length and other[:length] == first[:length] for other in marks):
        return None
    return next(n for n in range(length) if any(len(other) <= n or other[n] != first[n] for other in marks))


def _whole(group: FunctionGroup) -> int:
    """How many traces come before the first that is missing; traces that threads made at once may count as such."""
    number = 0
    for place, event in enumerate(group.events):
        if not event.failed:
            number += 1
            if event.record.n != number:
                return place
    return len(group.events)


def who(places: Sequence[int], sessions: Sequence[Session]) -> str:
    """`Worker 1`, `Workers 0 and 2`: by their numbers, of which each session has one."""
    numbers = [str(worker_number(sessions[place])) for place in places]
    return f"Worker{'s' if len(numbers) > 1 else ''} {list_text(numbers, 6)}"
