"""A recording judged by a budget: which limits were passed, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tb_retrace_plugin.analysis.budgets.budget import Budget, Limits
from tb_retrace_plugin.analysis.budgets.budget_counts import BudgetCounts, budget_counts, counts, may_be_compiled_unseen
from tb_retrace_plugin.analysis.exports.report import code_json
from tb_retrace_plugin.analysis.sessions.losses import uncounted_traces
from tb_retrace_plugin.analysis.sessions.select import is_called
from tb_retrace_plugin.analysis.sessions.session import (
    RETRACE_KINDS,
    FunctionGroup,
    Session,
    TraceEvent,
    is_initializer,
)
from tb_retrace_plugin.analysis.sessions.tally import tally_of
from tb_retrace_plugin.analysis.sessions.wording import count_text, list_text, quoted, seconds_text, times_text
from tb_retrace_plugin.events.records import Problem
from tb_retrace_plugin.explain.explanation import explain_traces
from tb_retrace_plugin.explain.words.place import place_text
from tb_retrace_plugin.schema import retrace_pb2 as pb

CHECK_SCHEMA = 1
#: Functions that are explained where all together pass a limit.
_WORST_SHOWN = 3


@dataclass(slots=True)
class Finding:
    """One limit that was passed. `explanation`: why, line by line; backticks mark code."""

    limit: str
    allowed: Any
    measured: Any
    text: str
    explanation: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Judged:
    """One function of one session, or (`function` None) all of them together; `limits`: by which it was judged.

    `doubts`: why it cannot be said to be within.
    """

    session: Session
    function: pb.Function | None
    limits: Limits
    traces: int
    findings: list[Finding] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Judgement:
    """`unsure`: why a recording that is within the budget cannot be trusted to be; `notes`: what else to know."""

    judged: list[Judged] = field(default_factory=list)
    unsure: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def is_over(self) -> bool:
        return any(one.findings for one in self.judged)

    @property
    def result(self) -> str:
        """`over` is certain, whatever was lost; `within` is said only where nothing was."""
        return "over" if self.is_over else "unjudged" if self.unsure else "within"

    def to_json(self) -> dict[str, Any]:
        """See docs/gate.md."""
        return {
            "schema": CHECK_SCHEMA,
            "result": self.result,
            "functions": [_judged_json(one) for one in self.judged],
            "unsure": self.unsure,
            "notes": self.notes,
        }


def _judged_json(one: Judged) -> dict[str, Any]:
    limits = {name: getattr(one.limits, name) for name in one.limits.__slots__}
    return {
        "session": one.session.id,
        "run": one.session.run,
        "function": None if one.function is None else code_json(one.function),
        "limits": {name: value for name, value in limits.items() if value is not None},
        "traces": one.traces,
        "findings": [{name: getattr(found, name) for name in found.__slots__} for found in one.findings],
    }


def judge(sessions: Sequence[Session], budget: Budget, problems: Iterable[Problem] = ()) -> Judgement:
    """Each session by itself: it is one process, as a budget is written for. `problems`: in reading the files."""
    judgement = Judgement(unsure=[p.text for p in problems if p.severity == "error" or "left out" in p.text])
    matched: set[str] = set()
    for session in sessions:
        explained: set[int] = set()
        for group in session.functions.values():
            if any(is_initializer(event) for event in group.events):
                continue
            name = next((name for name in budget.functions if is_called(group.function, name)), None)
            limits = budget.functions[name] if name is not None else None
            if name is not None:
                matched.add(name)
            elif not group.function.library:
                limits = budget.default
            if limits is not None:
                judgement.judged.append(_judge_function(group, limits, budget.warm_up_steps))
                if judgement.judged[-1].findings:
                    explained.add(group.index)
        if budget.all is not None:
            judgement.judged.append(_judge_all(session, budget.all, budget.warm_up_steps, explained))
        judgement.unsure += _doubts(session)
        doubts = [doubt for one in judgement.judged if one.session is session for doubt in one.doubts]
        judgement.unsure += [f"{session.run}: {doubt}." for doubt in dict.fromkeys(doubts)]
        judgement.notes += _notes(session, budget)
    missing = [name for name in budget.functions if name not in matched]
    if missing and not judgement.judged:
        names = list_text([quoted(name) for name in missing], 8)
        judgement.unsure.append(f"no function of the budget was traced: {names}. Were they renamed?")
    elif missing:
        names = list_text([quoted(name) for name in missing], 8)
        judgement.notes.append(f"in the budget and not traced: {names}.")
    elif not judgement.judged:
        judgement.unsure.append("nothing that the budget limits was traced.")
    return judgement


def _judge_function(group: FunctionGroup, limits: Limits, warm_up_steps: int) -> Judged:
    measured = budget_counts([group], warm_up_steps, omitted=not warm_up_steps)
    found = _findings(measured, limits, warm_up_steps, at_least=_at_least([group], warm_up_steps))
    for finding in found:
        finding.text = f"{place_text(group.function, tally_of(group).role)} {finding.text}"
    if found:
        events = [event for event in group.events if counts(event, warm_up_steps)]
        found[0].explanation = _explanation(group, events)
    doubts = _doubts_of([group], limits, warm_up_steps, found)
    return Judged(group.session, group.function, limits, measured.traces, found, doubts)


def _judge_all(session: Session, limits: Limits, warm_up_steps: int, explained: Container[int]) -> Judged:
    """Functions of libraries too, but for TensorFlow's own initialization of variables.

    `explained`: functions (by index) of which it has been said why.
    """
    groups = [g for g in session.functions.values() if not any(is_initializer(event) for event in g.events)]
    measured = budget_counts(groups, warm_up_steps, omitted=not warm_up_steps)
    found = _findings(measured, limits, warm_up_steps, at_least=_at_least(groups, warm_up_steps))
    for finding in found:
        finding.text = f"All functions together: {_without_verb(finding.text)}"
    if found:
        worst = sorted(groups, key=lambda g: -tally_of(g).retraces - tally_of(g).failed)
        for group in worst[:_WORST_SHOWN]:
            told = [e for e in group.events if counts(e, warm_up_steps) and (e.is_retrace or e.record.failed)]
            if told:
                more = (
                    0 if warm_up_steps else sum(s.traces for s in group.omitted if s.failed or s.kind in RETRACE_KINDS)
                )
                place = place_text(group.function, tally_of(group).role)
                least = _at_least([group], warm_up_steps)
                text = f"{place}: {least}{count_text(len(told) + more, 'retrace')}"
                found[0].explanation.append(f"  {text}")
                found[0].explanation += [] if group.index in explained else _explanation(group, told)
    doubts = _doubts_of(groups, limits, warm_up_steps, found)
    return Judged(session, None, limits, measured.traces, found, doubts)


def _without_verb(text: str) -> str:
    return text.removeprefix("was ").removeprefix("has ")


def _at_least(groups: Sequence[FunctionGroup], warm_up_steps: int) -> str:
    """Of traces that were counted only no step is known: after a warm-up there may be those as well."""
    return "at least " if warm_up_steps and any(group.omitted for group in groups) else ""


def _doubts_of(
    groups: Sequence[FunctionGroup], limits: Limits, warm_up_steps: int, found: Sequence[Finding]
) -> list[str]:
    """Limits that only traces of which not all is known would pass."""
    doubts = []
    passed = {finding.limit for finding in found}
    if _at_least(groups, warm_up_steps):
        possible = _findings(budget_counts(groups, warm_up_steps, omitted=True), limits, warm_up_steps)
        for finding in possible:
            if finding.limit not in passed:
                omitted = count_text(sum(group.omitted_traces for group in groups), "repetitive trace")
                doubts.append(
                    f"{omitted} counted, not recorded one by one: how many of them came after the warm-up is not known,"
                    f" and with all of them `{finding.limit}` would be passed"
                )
    if limits.recompilations is not None and "recompilations" not in passed:
        for group in groups:
            if may_be_compiled_unseen(group):
                omitted = count_text(group.omitted_traces, "trace")
                doubts.append(
                    f"how often XLA compiled again what {omitted} of {quoted(group.function.name)} made, which were"
                    " counted and not recorded one by one, is not known"
                )
    return doubts


def _findings(counted: BudgetCounts, limits: Limits, warm_up_steps: int, *, at_least: str = "") -> list[Finding]:
    after = f" after {count_text(warm_up_steps, 'step')} of warm-up" if warm_up_steps else ""
    found = []
    if limits.traces is not None and counted.traces > limits.traces:
        text = f"was traced {at_least}{times_text(counted.traces)}{after}; {limits.traces} allowed."
        found.append(Finding("traces", limits.traces, counted.traces, text))
    if limits.retraces is not None and counted.retraces > limits.retraces:
        text = f"was traced again {at_least}{times_text(counted.retraces)}{after}; {limits.retraces} allowed."
        found.append(Finding("retraces", limits.retraces, counted.retraces, text))
    if limits.failed_traces is not None and counted.failed > limits.failed_traces:
        text = f"has {at_least}{count_text(counted.failed, 'failed trace')}{after}; {limits.failed_traces} allowed."
        found.append(Finding("failed_traces", limits.failed_traces, counted.failed, text))
    if limits.recompilations is not None and counted.recompilations > limits.recompilations:
        times = times_text(counted.recompilations)
        text = f"was compiled again by XLA {at_least}{times}{after}; {limits.recompilations} allowed."
        found.append(Finding("recompilations", limits.recompilations, counted.recompilations, text))
    seconds = counted.avoidable_seconds
    if limits.avoidable_seconds is not None and seconds > limits.avoidable_seconds:
        allowed = seconds_text(limits.avoidable_seconds)
        text = f"has {at_least}{seconds_text(seconds)} of avoidable tracing and first execution{after};"
        found.append(Finding("avoidable_seconds", limits.avoidable_seconds, seconds, f"{text} {allowed} allowed."))
    if limits.causes is not None:
        new = Counter({cause: count for cause, count in counted.causes.items() if cause not in limits.causes})
        if new:
            least = "at least " if at_least or counted.more_causes else ""
            text = f"was traced again for {_causes_text(new, least)}{after}; {_allowed_causes(limits.causes)}."
            found.append(Finding("causes", list(limits.causes), sorted(new), text))
    return found


def _causes_text(causes: Counter[str], at_least: str) -> str:
    said = [f"{cause.replace('_', ' ')} ({at_least}{times_text(count)})" for cause, count in causes.most_common()]
    return list_text(said, 8)


def _allowed_causes(causes: Sequence[str]) -> str:
    said = [cause.replace("_", " ") for cause in causes]
    if not said:
        return "no cause is allowed"
    return f"only {list_text(said, 20)} {'is' if len(said) == 1 else 'are'} allowed"


def _explanation(group: FunctionGroup, events: Sequence[TraceEvent]) -> list[str]:
    calls = {event.seq: event.first_call_ns or 0 for event in group.events}
    told = [event.record for event in events]
    traces = [event.record for event in group.events]
    return explain_traces(traces, group.session.stacks, calls, about=told, omitted=group.omitted_traces)


def _doubts(session: Session) -> list[str]:
    """Why counts may be too low."""
    found = [f"{session.run}: {text}." for text in uncounted_traces(session)]
    if session.ran_eagerly:
        found.append(f"{session.run}: functions ran eagerly for some time and were not traced meanwhile.")
    return found


def _notes(session: Session, budget: Budget) -> list[str]:
    found = []
    if session.end is None:
        found.append(f"{session.run}: the recording has no end: running, or killed. It was judged as far as it goes.")
    if budget.warm_up_steps and session.events and not any(e.record.HasField("step") for e in session.events.values()):
        found.append(
            f"{session.run}: no trace has a step, so that none counts as warm-up. Use RetraceCallback, or set_step."
        )
    return found
