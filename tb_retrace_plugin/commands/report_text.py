"""The report as a person reads it: the verdict, then each function by what it lost, then why."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from tb_retrace_plugin.analysis.for_advice.advice import advice_of
from tb_retrace_plugin.analysis.jobs.jobs import jobs
from tb_retrace_plugin.analysis.sessions.cost import retrace_ns
from tb_retrace_plugin.analysis.sessions.session import Compilation, FunctionGroup, Session, TraceEvent
from tb_retrace_plugin.analysis.sessions.stale import (
    changed_alike,
    counted_texts_of,
    drawn_sentence,
    stale_names,
    stale_sentence,
    stale_way_out,
)
from tb_retrace_plugin.analysis.sessions.store import Store
from tb_retrace_plugin.analysis.sessions.summary import summarize
from tb_retrace_plugin.analysis.sessions.tally import lost_ns_of, tally_of
from tb_retrace_plugin.analysis.sessions.wording import count_text, list_text, quoted, seconds_text, times_text
from tb_retrace_plugin.commands.terminal import Style, plain
from tb_retrace_plugin.commands.worker_text import worker_lines
from tb_retrace_plugin.explain.advice.evidence.facts import Advice
from tb_retrace_plugin.explain.advice.source.code import traces_text
from tb_retrace_plugin.explain.verdict.earlier_trace import rests_on
from tb_retrace_plugin.explain.words.made_by_libraries import (
    LAMBDA,
    as_sentence,
    is_of_a_trainer,
    named_text,
    whole_of,
)
from tb_retrace_plugin.explain.words.place import short_path, user_frame
from tb_retrace_plugin.explain.words.sentence import trace_sentence
from tb_retrace_plugin.schema import retrace_pb2 as pb

#: Retraces for the same reason that are written out before "… and 29 more".
SHOWN_PER_REASON = 3
#: Sets of arguments for whose shapes XLA recompiled, shapes of one argument, and stale names that are told one by one.
_SHAPES_SHOWN = 4
_STALE_SHOWN = 5
#: Names of functions without a retrace that are listed on one line.
_NAMES_SHOWN = 8


def report_lines(store: Store, everything: bool, style: Style) -> Iterator[str]:
    """Lines without line ends. `everything`: no trace is left out or folded."""
    summary = summarize(store.sessions)
    yield style.bold(style.code(plain(summary.sentence)))
    if summary.detail:
        yield style.code(plain(summary.detail))
    if summary.stale:
        yield style.warn(style.code(plain(summary.stale)))
    for job in jobs(store.sessions):
        if len(job.sessions) > 1:
            yield ""
            yield from worker_lines(job, everything, style)
    for session in store.sessions:
        yield ""
        yield from _session_lines(session, everything, style, alone=len(store.sessions) == 1)


def _session_lines(session: Session, everything: bool, style: Style, alone: bool) -> Iterator[str]:
    yield style.dim(plain(_session_heading(session)))
    if not alone:
        summary = summarize([session])
        yield style.code(plain(f"{summary.sentence} {summary.detail} {summary.stale}".strip()))
    groups = sorted(session.functions.values(), key=_rank)
    told = [g for g in groups if any(e.is_retrace or e.record.failed for e in g.events) or _has_more(g)]
    before = _ToldBefore()
    for group in groups if everything else told:
        yield ""
        yield from _function_lines(group, everything, style, before)
    quiet = [g for g in groups if g not in told]
    if quiet and not everything:
        yield ""
        yield from _quiet_lines(quiet)
    if hidden := [g for g in groups if g.hidden_compilations]:
        yield ""
        what = "XLA's compilations of a function inside another function's graph are not seen"
        names = dict.fromkeys(plain(tally_of(g).role or g.function.name) for g in hidden)
        of_a_batch = any(is_of_a_trainer(g.function.file) for g in hidden)
        size = " XLA compiles a step for each size of a batch: where all are of one size, once." if of_a_batch else ""
        yield f"  {what}: {list_text(list(names), _NAMES_SHOWN)}.{size}"


def _quiet_lines(groups: list[FunctionGroup]) -> Iterator[str]:
    """What the user wrote first, and by itself: the others' names say nothing to them."""
    for of_libraries in (False, True):
        mine = [group for group in groups if group.function.library == of_libraries]
        names = list(dict.fromkeys(plain(group.function.name) for group in mine))
        more = [f"and {len(names) - _NAMES_SHOWN} more"] if len(names) > _NAMES_SHOWN else []
        if names:
            whose = ", made by libraries" if of_libraries else ""
            yield f"  Not retraced{whose}: {', '.join(names[:_NAMES_SHOWN] + more)}."


def _rank(group: FunctionGroup) -> tuple[int, int]:
    """What lost most first."""
    tally = tally_of(group)
    return -tally.cost.lost_ns, -tally.traces - tally.failed


def _has_more(group: FunctionGroup) -> bool:
    """Whether there is something to tell of a function besides its traces."""
    has_old = bool(group.function.drawn) or any(event.stale_values for event in group.events)
    return bool(group.recompilations) or has_old or bool(advice_of(group)) or bool(counted_texts_of(group))


def _session_heading(session: Session) -> str:
    start = session.start
    parts = [f"{session.run}:" if session.run != "." else ""]
    if start is not None:
        parts.append(os.path.basename(start.program) or "python")
        if start.HasField("worker"):
            parts.append(f"· worker {start.worker}")
        parts.append(f"· TensorFlow {start.tensorflow}")
    if session.run_seconds is not None:
        parts.append(f"· {seconds_text(session.run_seconds)}")
    if session.end is None:
        parts.append("· no end recorded (running, or killed)")
    return " ".join(part for part in parts if part)


@dataclass(slots=True)
class _ToldBefore:
    """Of a session's functions that libraries made. `codes`: of advice -> the function; `parts`: what they are a part
    of -> the first one, and the places of the user's that it was retraced from."""

    codes: dict[str, tuple[int, str]] = field(default_factory=dict)
    parts: dict[str, tuple[str, set[tuple[str, int] | None]]] = field(default_factory=dict)


def _function_lines(group: FunctionGroup, everything: bool, style: Style, before: _ToldBefore) -> Iterator[str]:
    function = group.function
    tally = tally_of(group)
    cost, retraces, failed = tally.cost, tally.retraces, tally.failed
    name = style.bold(plain(function.name))
    if tally.role:
        name = f"{style.bold(style.code(plain(as_sentence(tally.role))))}: {plain(function.name)}"
    yield f"  {name}  {style.dim(plain(_place(function.file, function.line)))}"
    counts = [count_text(tally.traces, "trace")]
    if retraces:
        counts.append(count_text(retraces, "retrace"))
    if tally.objects > 1:
        counts.append(f"{'at least ' if group.omitted else ''}{tally.objects:,} tf.function objects")
    if failed:
        counts.append(f"{failed:,} failed")
    if group.xla_compilations is not None:
        counts.append(count_text(group.xla_compilations, "XLA compilation"))
    costs = [f"tracing {seconds_text(cost.trace_ns / 1e9)}"]
    if tally.nested_ns:
        costs.append(f"{seconds_text(tally.nested_ns / 1e9)} of traces nested in it")
    if cost.first_call_ns:
        costs.append(f"first executions {seconds_text(cost.first_call_ns / 1e9)}")
    if cost.lookup_ns:
        costs.append(f"lookups {seconds_text(cost.lookup_ns / 1e9)}")
    if cost.lost_ns:
        to = ["retraces"] if cost.lost_ns > cost.recompilation_ns else []
        to += ["recompilations"] if cost.recompilation_ns else []
        costs.append(f"{seconds_text(cost.lost_ns / 1e9)} lost to {' and '.join(to)}")
    if cost.avoidable_ns:
        costs.append(style.warn(f"{seconds_text(cost.avoidable_ns / 1e9)} avoidable"))
    yield f"  {', '.join(counts)} · {', '.join(costs)}"
    yield from _retrace_lines(group, everything, style, before)
    if group.omitted:
        lost = sum(map(lost_ns_of, group.omitted))
        took = f" ({seconds_text(lost / 1e9)} lost)" if lost else ""
        text = f"{count_text(group.omitted_traces, 'trace')} like these, counted and not recorded one by one{took}"
        yield style.dim(f"    … and {text}")
    yield from _recompilation_lines(group, everything, style)
    yield from _stale_lines(group, everything, style)
    yield from _advice_lines(group, style, before.codes)


def _retrace_lines(group: FunctionGroup, everything: bool, style: Style, before: _ToldBefore) -> Iterator[str]:
    """Why it was traced again. The parts of an input pipeline are made by the same calls: that is said once."""
    function, cost = group.function, tally_of(group).cost
    retraces = [event for event in group.events if _is_told(event, everything)]
    places = {_place_of(event) for event in retraces}
    if (whole := whole_of(tally_of(group).role)) and retraces and None not in places and not everything:
        first, known = before.parts.setdefault(whole, (function.name, places))
        if first != function.name and places <= known:
            lost = sum(map(retrace_ns, retraces))
            took = f" ({seconds_text(lost / 1e9)})" if lost else ""
            calls = f"by the same calls as {quoted(first)}, above"
            text = f"traced again {times_text(len(retraces))}{took} {calls}; --all shows why"
            yield f"    {style.code(plain(text))}"
            return
    told: dict[object, int] = {}
    folded: dict[object, list[TraceEvent]] = {}
    shown_for = {_reason(event): event for event in reversed(retraces)}
    caller, evidence = None, ""
    # one will do of what libraries make, and of what nothing is to be done about
    most = 1 if function.library and (tally_of(group).role or not cost.avoidable_ns) else SHOWN_PER_REASON
    for event in retraces:
        reason = _reason(event)
        told[reason] = told.get(reason, 0) + 1
        if everything or told[reason] <= most:
            yield from _event_lines(event, style)
            if _needs_its_evidence(event.record) and event.record.evidence != evidence:
                shown = shown_for[reason].record
                if shown is event.record or shown.evidence == event.record.evidence:
                    evidence = event.record.evidence
                    yield f"          {style.code(plain(evidence if shown is event.record else f'as #{shown.n}'))}"
            if _caller(event) != caller:  # said once for traces from the same line
                caller = _caller(event)
                yield style.dim(f"          called from {_caller_text(caller)}")
        else:
            folded.setdefault(reason, []).append(event)
    for reason, events in folded.items():
        yield from _folded_lines(events, style, shown_for[reason] if len(shown_for) > 1 else None)


#: Of a bool, and of what is None in some calls.
_TOLD_BY_THE_SENTENCE = "two traces."


def _needs_its_evidence(record: pb.Trace) -> bool:
    """Whether the sentence alone leaves open what differs, or why it can be avoided, or nobody knows whether it can."""
    told = record.verdict in ("bounded", "unknown") and not record.evidence.endswith(_TOLD_BY_THE_SENTENCE)
    told = told or record.kind == "recreated" or rests_on(record.evidence) is not None
    return bool(record.evidence) and told


def _named(group: FunctionGroup) -> str:
    """By its name, if that says anything."""
    name = group.function.name
    return named_text(name, tally_of(group).role if name == LAMBDA else "")


def _advice_lines(group: FunctionGroup, style: Style, codes: dict[str, tuple[int, str]]) -> Iterator[str]:
    """What was tried on the recorded signatures and helps, best first."""
    warned: set[str] = set()
    noted: set[str] = set()
    defined: set[str] = set()  # functions that alternatives share, such as one that pads
    for number, advice in enumerate(advice_of(group)):
        word = "fix:" if number == 0 else "also:" if advice.traces_after is None else "or:"
        code = advice.code or ""
        # one change of a line mends all that a library makes for it, and a dataset all that it is given
        is_shared = group.function.library or advice.rule == "build_dataset_once"
        shown_of, which = codes.setdefault(code, (group.index, _named(group))) if is_shared else (group.index, "")
        if code and shown_of != group.index:
            yield f"    {style.warn(word)} {style.code(plain(f'The same change as for {which}, above.'))}"
            yield f"         {_numbers_text(advice, group)}".rstrip()
            continue
        yield f"    {style.warn(word)} {style.code(plain(advice.text))}"
        told = ("as above" if warning in warned else plain(warning) for warning in advice.warnings)
        yield from (f"         {style.warn('careful:')} {text}" for text in dict.fromkeys(told))
        warned.update(advice.warnings)
        before, _, rest = code.rpartition("\n\n")
        if before in defined and "def " in before and "@tf.function" not in before:  # that one is what it is about
            code = f"# with what is defined above\n{rest}"
        defined.add(before)
        for line in code.splitlines():
            yield f"           {style.bold(plain(line))}".rstrip()
        for note in advice.notes:
            if note not in noted:
                yield f"         {style.dim('note:')} {style.code(plain(note))}"
        noted.update(advice.notes)
        yield f"         {_numbers_text(advice, group)}{style.dim(plain(advice.evidence))}"


def _numbers_text(advice: Advice, group: FunctionGroup) -> str:
    """`4 traces → 1, 24 ms saved. `, or "" where nothing is promised."""
    if advice.traces_after is None:
        return ""
    noun = "recorded trace" if group.omitted else "trace"
    numbers = traces_text(advice.traces_before, advice.traces_after, noun)
    if advice.seconds_saved:
        numbers += f", {seconds_text(advice.seconds_saved)} saved"
    return f"{numbers}. "


def _recompilation_lines(group: FunctionGroup, everything: bool, style: Style) -> Iterator[str]:
    """One for each set of arguments whose shapes or values made XLA compile again."""
    if everything:
        for event in group.events:
            for compilation in event.recompilations:
                record = compilation.record
                step = f" at step {record.step}" if record.HasField("step") else ""
                failure = ", and the compilation failed" if record.failed else ""
                which = f"graph #{event.record.n} was compiled by XLA a {_ordinal(record.k)} time{step}"
                text = f"{which} for {_changes_text([compilation])}{failure}."
                yield f"    {style.code(plain(text))} {style.dim(seconds_text(compilation.duration_ns / 1e9))}"
        return
    alike: dict[tuple[tuple[str, str], ...], list[Compilation]] = {}
    for compilation in group.recompilations:
        changed = tuple((change.cause, change.path) for change in compilation.record.changes)
        alike.setdefault(changed, []).append(compilation)
    ordered = sorted(alike.values(), key=lambda same: -sum(c.duration_ns for c in same))
    for same in ordered[:SHOWN_PER_REASON]:
        seconds = sum(c.duration_ns for c in same) / len(same) / 1e9
        each = " each" if len(same) > 1 else ""
        failed = sum(c.failed for c in same)
        failures = f" ({failed} of them failed)" if failed else ""
        text = f"compiled by XLA {times_text(len(same))} without a trace{failures}: {_changes_text(same)}"
        yield f"    {style.code(plain(text))}  {style.dim(f'{seconds_text(seconds)}{each}')}"
        frame = user_frame(group.session.stacks.get(same[0].record.stack_id))
        if frame is not None:
            yield style.dim(f"          called from {_caller_text(frame)}")
    if rest := sum(map(len, ordered[SHOWN_PER_REASON:])):
        yield style.dim(f"    … and {rest} more for other arguments; --all shows them")


def _changes_text(compilations: list[Compilation]) -> str:
    """`` `x` (32, 10) → (7, 10), (9, 10) …, value of `n` 1 → 2, 3``; all with changes of the same arguments."""
    texts = []
    columns = list(zip(*(c.record.changes for c in compilations), strict=True))
    for changes in columns[:_SHAPES_SHOWN]:
        new = list(dict.fromkeys(change.new for change in changes))
        more = " …" if len(new) > _SHAPES_SHOWN else ""
        what = "value of " if changes[0].cause == "value" else ""
        texts.append(f"{what}{quoted(changes[0].path)} {changes[0].old} → {', '.join(new[:_SHAPES_SHOWN])}{more}")
    if len(columns) > len(texts):
        texts.append(f"and {count_text(len(columns) - len(texts), 'more argument')}")
    return ", ".join(texts)


def _ordinal(number: int) -> str:
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def _stale_lines(group: FunctionGroup, everything: bool, style: Style) -> Iterator[str]:
    names = stale_names(group.events)
    kinds = [[name] for name in names] if everything else changed_alike(names)
    shown = kinds if everything else kinds[:_STALE_SHOWN]
    for stale, *alike in shown:
        text = f"{stale_sentence(stale, group, alike)}. {stale_way_out(stale, group)}"
        yield f"    {style.warn('stale:')} {style.code(plain(text))}"
    if rest := len(names) - sum(map(len, shown)):
        yield style.dim(f"    … and {rest} more {'name' if rest == 1 else 'names'}; --all shows them")
    if drawn := drawn_sentence(group.function, [text for advice in advice_of(group) for text in advice.warnings]):
        yield f"    {style.warn('drawn:')} {style.code(plain(drawn))}"
    for text in [] if advice_of(group) else counted_texts_of(group):  # advice notes it
        yield f"    {style.warn('counted:')} {style.code(plain(text))}"


def _event_lines(event: TraceEvent, style: Style) -> Iterator[str]:
    trace = event.record
    number = "failed" if trace.failed else f"#{trace.n}"
    cost = seconds_text(event.trace_ns / 1e9)
    if event.first_call_ns is not None:
        cost += f" + {seconds_text(event.first_call_ns / 1e9)} first execution"
    if event.lookup_ns:
        cost += f" + {seconds_text(event.lookup_ns / 1e9)} looking through {trace.cached_before:,} cached signatures"
    # "unknown" is what the sentence says already
    verdict = f" [{trace.verdict}]" if trace.verdict in ("avoidable", "bounded") else ""
    within = f" It happened inside the trace of {quoted(event.parent.record.function.name)}." if event.parent else ""
    sentence = style.code(plain(trace_sentence(trace) + within))
    yield f"    {number:<5} {sentence} {style.dim(cost)}{style.warn(plain(verdict))}"
    if trace.failed and (line := _error_line(trace.error)):
        yield f"          {plain(line)}"


#: In AutoGraph's report of an error, where its message begins.
_RAISED = re.compile(r"\s+[\w.]*(Error|Exception|Iteration|Exit|Interrupt|Warning): ")
#: Keras ends its errors with what the layer was called with.
_ARGUMENTS = re.compile(r"\n\s*(Arguments received by|Call arguments received by) ")


def _error_line(text: str) -> str:
    """The first one of the message itself, which AutoGraph and Keras put last, after their own."""
    text = text.strip()
    if arguments := _ARGUMENTS.search(text):
        return text[: arguments.start()].rstrip().rpartition("\n")[2].strip()
    lines = text.splitlines() or [""]
    if not lines[0].endswith("in user code:"):
        return lines[0].strip()
    return next((line for line in reversed(lines) if _RAISED.match(line)), lines[-1]).strip()


def _caller_text(frame: pb.Frame | None) -> str:
    if frame is None:
        return "library code only"
    return plain(f"{_place(frame.file, frame.line)}   {frame.source.strip()}").rstrip()


def _is_told(event: TraceEvent, everything: bool) -> bool:
    return everything or event.is_retrace or event.record.failed


def _folded_lines(events: list[TraceEvent], style: Style, like: TraceEvent | None) -> Iterator[str]:
    """`like`: one that is told, where there are several reasons."""
    lost = sum(map(retrace_ns, events))
    cost = f", {seconds_text(lost / 1e9)}" if lost else ""
    first, last = events[0].record.n, events[-1].record.n
    which = f"#{first}" if first == last else f"#{first} to #{last}"
    reason = "the same reason"
    if like is not None and not like.record.failed:
        reason += f" as #{like.record.n}"
    yield style.dim(f"    … and {len(events)} more for {reason} ({which}{cost}); --all shows them")


#: What differs from trace to trace in a sentence of one meaning.
_VALUES = re.compile(r"`[^`]*`|\S+ → \S+|\d[\d,.]*")


def _reason(event: TraceEvent) -> object:
    """Traces with an equal reason are told once: the same causes, of the same arguments, at the same line.

    Of another verdict, or judged by another trace than the closest, one has a reason of its own; of function objects
    that were made anew, what is another one is told by the evidence alone.
    """
    trace = event.record
    by_another = rests_on(trace.evidence) is not None
    why = _VALUES.sub("", trace.evidence) if trace.kind == "recreated" else ""
    causes = tuple((c.cause, c.path) for c in trace.changes)
    return trace.kind, trace.failed, causes, trace.verdict, _place_of(event), by_another, why


def _place_of(event: TraceEvent) -> tuple[str, int] | None:
    frame = _caller(event)
    return (frame.file, frame.line) if frame is not None else None


def _caller(event: TraceEvent) -> pb.Frame | None:
    return user_frame(event.session.stacks.get(event.record.stack_id))


def _place(file: str, line: int) -> str:
    """`train.py:12`."""
    return f"{short_path(file)}:{line}"
