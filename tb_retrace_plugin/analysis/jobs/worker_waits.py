"""What of the workers' waiting for one another's tracing is known, and what it rests on."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from tb_retrace_plugin.analysis.exports.report import step
from tb_retrace_plugin.analysis.jobs.waiting import Traced, Wait, waits
from tb_retrace_plugin.analysis.jobs.worker_codes import WorkersCode, who
from tb_retrace_plugin.analysis.sessions.losses import missing_traces
from tb_retrace_plugin.analysis.sessions.session import Session, TraceEvent
from tb_retrace_plugin.analysis.sessions.wording import count_text


class WaitAtStep(NamedTuple):
    """`event`: what was waited for most; `traced_ns`: of that function at that step, per worker."""

    step: int
    code: WorkersCode
    event: TraceEvent
    traced_ns: list[int]
    wait: Wait

    @property
    def longest_ns(self) -> int:
        return max(self.wait.waited_ns)


@dataclass(slots=True)
class Waits:
    """`text`: what they rest on or, where nothing is claimed, why. `waited_ns`: per worker, at most; None: not known.

    `waited_for_ns`: per worker, how long others waited for it: at each step the longest.
    """

    text: str
    waited_ns: list[int] | None = None
    waited_for_ns: list[int] = field(default_factory=list)
    steps: list[WaitAtStep] = field(default_factory=list)  # the longest first
    is_partial: bool = False  # traces are missing one by one, and what was waited for them


def waits_of(codes: Sequence[WorkersCode], sessions: Sequence[Session]) -> Waits:
    """Notes in the codes what was waited for each."""
    if len(sessions) < 2:
        return Waits("Only one worker is recorded here.")
    tasks = [max((e.record.collective_tasks for e in session.events.values()), default=0) for session in sessions]
    in_step = [worker for worker, count in enumerate(tasks) if count > 1]
    if len(in_step) < 2:
        return Waits(_not_in_step(sessions, in_step))
    if back := [worker for worker in in_step if _steps_go_back(sessions[worker])]:
        return Waits(
            f"How long they waited is not known: the steps of {who(back, sessions).lower()} begin again at some time,"
            " so that a step's number does not say which step it is."
        )
    cells, without_step = _by_step(codes, in_step)
    if not cells:
        return Waits(
            "How long they waited is not known: no trace has a step. The Keras callback records it; in a loop of your"
            " own, `set_step` or `tf.summary.experimental.set_step` says it."
        )
    found = Waits("", [0] * len(sessions), [0] * len(sessions))
    assert found.waited_ns is not None
    for (number, _), (code, events) in cells.items():
        traced = {w: [Traced(reason, event.trace_ns) for event, reason in own] for w, own in events.items()}
        for wait in waits(traced, in_step, len(sessions)):
            event = max((event for event, _ in events[wait.worker]), key=lambda e: e.trace_ns)
            traced_ns = [sum(t.ns for t in traced.get(w, ())) for w in range(len(sessions))]
            at_step = WaitAtStep(number, code, event, traced_ns, wait)
            found.steps.append(at_step)
            for worker, ns in enumerate(wait.waited_ns):
                found.waited_ns[worker] += ns
            found.waited_for_ns[wait.worker] += at_step.longest_ns
            code.waited_ns[wait.worker] = code.waited_ns.get(wait.worker, 0) + at_step.longest_ns
    found.steps.sort(key=lambda at_step: (-at_step.longest_ns, at_step.step))
    found.text = (
        f"Their graphs hold collective operations of {max(tasks)} processes: a step ends for no worker before all have"
        " run it. “Up to”: what each traced of a function at the same step is compared; a worker may have been"
        " late for other reasons, and first executions, which hold the waiting itself, are not counted."
    )
    if without_step:
        are = "is" if without_step == 1 else "are"
        found.text += f" {count_text(without_step, 'trace')} without a step {are} left out."
    found.is_partial = any(missing_traces(sessions[worker]) for worker in in_step)
    if found.is_partial:
        found.text += " Of traces that are not recorded one by one no step is known: the waiting for them is not in it."
    if others := [worker for worker in range(len(sessions)) if worker not in in_step]:
        found.text += f" Of {who(others, sessions).lower()} no such graph is known, and nothing is said."
    return found


def _not_in_step(sessions: Sequence[Session], in_step: Sequence[int]) -> str:
    text = "Whether they waited for one another is not known"
    if in_step:
        return f"{text}: only of {who(in_step, sessions).lower()} a graph is known that waits for other processes."
    events = [event for session in sessions for event in session.events.values()]
    if events and not any(event.record.graph_sha256 for event in events):
        return f"{text}: no graph was recorded, and it is the graphs that show it."
    return (
        f"{text}: no recorded graph holds operations that wait for other processes. With parameter servers, or where"
        " each worker trains by itself, none waits for another's tracing."
    )


def _steps_go_back(session: Session) -> bool:
    latest = None
    for seq in sorted(session.events):
        event = session.events[seq]
        if event.record.nested or (number := step(event.record)) is None:
            continue
        if latest is not None and number < latest:
            return True
        latest = number
    return False


_Cells = dict[tuple[int, int], tuple[WorkersCode, dict[int, list[tuple[TraceEvent, Hashable]]]]]


def _by_step(codes: Iterable[WorkersCode], in_step: Iterable[int]) -> tuple[_Cells, int]:
    """By step and function each worker's traces, without those nested in others; and how many have no step."""
    cells: _Cells = {}
    without = 0
    for code in codes:
        for worker in in_step:
            for event, mark in zip(code.events(worker), code.marks(worker), strict=True):
                if event.record.nested:
                    continue
                if mark.step is None:
                    without += 1
                    continue
                cell = cells.get((mark.step, id(code)))
                if cell is None:
                    cell = cells[mark.step, id(code)] = code, {}
                cell[1].setdefault(worker, []).append((event, mark.why))
    return cells, without
