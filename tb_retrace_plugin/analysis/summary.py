"""The verdict: one sentence and one line under it, with the numbers they are made of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tb_retrace_plugin.analysis.cost import Cost, lost_ns, retrace_ns, total_cost
from tb_retrace_plugin.analysis.session import Compilation, Session, TraceEvent, is_initializer
from tb_retrace_plugin.analysis.stale import stale_names, stale_summary
from tb_retrace_plugin.analysis.wording import count_text, list_text, percent_text, quoted, seconds_text, times_text
from tb_retrace_plugin.explain.sentence import context_text


@dataclass(frozen=True, slots=True)
class Summary:
    """See `Summary` in docs/http_api.md. `traces`, `functions`: with at least one successful trace."""

    sentence: str
    detail: str
    traces: int
    retraces: int
    failed: int
    functions: int
    seconds_lost: float
    avoidable_seconds: float
    run_seconds: float | None
    share: float | None
    recompilations: int
    stale: str

    def to_json(self) -> dict[str, object]:
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(slots=True)
class _Code:
    """The same code over all sessions."""

    plain_name: str
    events: list[TraceEvent]
    recompilations: list[Compilation]  # successful ones

    @property
    def name(self) -> str:
        return quoted(self.plain_name)

    @property
    def retraces(self) -> list[TraceEvent]:
        return [event for event in self.events if event.is_retrace and not event.record.failed]

    @property
    def traces(self) -> int:
        return sum(not event.record.failed for event in self.events)

    @property
    def lost(self) -> int:
        return sum(map(lost_ns, self.events))


def summarize(sessions: Sequence[Session]) -> Summary:
    """The verdict over `sessions`; over none, an invitation."""
    codes: dict[tuple[str, int, str, str], _Code] = {}
    for session in sessions:
        for key, group in session.functions.items():
            code = codes.setdefault(key, _Code(group.function.name, [], []))
            code.events.extend(group.events)
            code.recompilations.extend(c for c in group.recompilations if not c.failed)
    everything = [event for code in codes.values() for event in code.events]
    cost = total_cost(everything)
    run_seconds = _run_seconds(sessions)
    lost = cost.lost_ns / 1e9
    share = lost / run_seconds if run_seconds else None
    if share is not None and share > 1:  # several threads traced at once, or clocks were set: no honest share
        share = None
    failed = sum(event.record.failed for event in everything)
    failed_lost = sum(lost_ns(event) for event in everything if event.record.failed)
    failures = _failures_text(failed, failed_lost)
    sentence, detail = _words(sessions, list(codes.values()), cost, share, failures)
    return Summary(
        sentence=sentence,
        detail=detail,
        traces=len(everything) - failed,
        retraces=sum(len(code.retraces) for code in codes.values()),
        failed=failed,
        functions=sum(code.traces > 0 for code in codes.values()),
        seconds_lost=lost,
        avoidable_seconds=cost.avoidable_ns / 1e9,
        run_seconds=run_seconds,
        share=share,
        recompilations=sum(len(code.recompilations) for code in codes.values()),
        stale=stale_summary((code.plain_name, stale_names(code.events)) for code in codes.values()),
    )


def _words(
    sessions: Sequence[Session], codes: list[_Code], cost: Cost, share: float | None, failures: list[str]
) -> tuple[str, str]:
    if not sessions:
        return "Nothing is recorded here yet.", ""
    if not codes:
        if any(session.end is None for session in sessions):
            return "No `tf.function` has been traced yet.", "Traces appear here as they happen."
        if any(session.ran_eagerly for session in sessions):
            why = "functions ran eagerly (`tf.config.run_functions_eagerly(True)`, or Keras' `run_eagerly=True`)"
            return f"No `tf.function` was traced while recording: {why}.", ""
        return "No `tf.function` was traced while recording.", ""
    troubled = [code for code in codes if code.retraces or code.recompilations]
    if not troubled:
        return _nothing_retraced(codes, failures)
    lost = seconds_text(cost.lost_ns / 1e9)
    of_run = f", {percent_text(share)} of the run" if share is not None else ""
    troubled.sort(key=lambda code: (-code.lost, -len(code.retraces)))
    worst = troubled[0]
    details = []
    if len(troubled) == 1:
        sentence = f"{_trouble_text(worst)}: {lost} lost{of_run}."
    else:
        sentence = f"{_troubles_text(troubled)}: {lost} lost{of_run}."
        details.append(f"Most of it: {_trouble_text(worst)}, {seconds_text(worst.lost / 1e9)} lost.")
    if reason := _main_reason(worst):
        details.append(reason)
    if cost.avoidable_ns > 0:
        details.append(f"{seconds_text(cost.avoidable_ns / 1e9)} of tracing and first execution can be avoided.")
    return sentence, " ".join(details + failures)


def _trouble_text(code: _Code) -> str:
    if not code.recompilations:
        return _traced_text(code)
    recompiled = _recompiled_text(code)
    return f"{_traced_text(code)} and {recompiled}" if code.retraces else f"{code.name} was {recompiled}"


def _troubles_text(codes: list[_Code]) -> str:
    retraced = [code for code in codes if code.retraces]
    recompiled = [code for code in codes if code.recompilations]
    texts = []
    if len(retraced) == 1:
        texts.append(_traced_text(retraced[0]))
    elif retraced:
        retraces = sum(len(code.retraces) for code in retraced)
        texts.append(f"{len(retraced):,} functions were traced again, {count_text(retraces, 'retrace')} in all")
    if len(recompiled) == 1:
        texts.append(f"{recompiled[0].name} was {_recompiled_text(recompiled[0])}")
    elif recompiled:
        times = times_text(sum(len(code.recompilations) for code in recompiled))
        texts.append(f"{len(recompiled):,} functions were recompiled by XLA, {times} in all")
    return ", and ".join(texts)


def _recompiled_text(code: _Code) -> str:
    """``recompiled by XLA 12 times for new shapes of `x` ``, the arguments by how often each changed."""
    paths = Counter(path for c in code.recompilations for path in c.paths if path)
    shapes = f" of {list_text([quoted(path) for path, _ in paths.most_common()], 2)}" if paths else ""
    return f"recompiled by XLA {times_text(len(code.recompilations))} for new shapes{shapes}"


def _traced_text(code: _Code) -> str:
    """`again` if the first trace was made before the recording began."""
    retraces = len(code.retraces)
    if retraces == code.traces:
        return (
            f"{code.name} was traced again {times_text(retraces)}" if retraces > 1 else f"{code.name} was traced again"
        )
    return f"{code.name} was traced {times_text(code.traces)}"


def _failures_text(failed: int, lost: int) -> list[str]:
    if not failed:
        return []
    cost = f" ({seconds_text(lost / 1e9)} of the time lost)" if lost else ""
    return [f"{count_text(failed, 'trace')} failed{cost}."]


def _nothing_retraced(codes: list[_Code], failures: list[str]) -> tuple[str, str]:
    traces = sum(code.traces for code in codes)
    functions = sum(code.traces > 0 for code in codes)
    numbers = f"{count_text(functions, 'function')}, {count_text(traces, 'trace')}"
    broken = [code for code in codes if any(event.record.failed for event in code.events)]
    if broken:
        took = sum(event.trace_ns for code in broken for event in code.events if event.record.failed)
        details = [f"That took {seconds_text(took / 1e9)}."] if took else []
        details += [f"Nothing else was traced again: {numbers}."] if traces else []
        return _failed_text(broken), " ".join(details)
    second = [e for c in codes for e in c.events if e.record.kind == "variable_creation" and not is_initializer(e)]
    if not second:
        word = "twice" if traces == functions else "again"
        return f"Nothing was traced {word}: {numbers}.", " ".join(failures)
    why = "A first call that creates variables is traced twice; that is needed and happens once."
    return f"Nothing was retraced: {numbers}.", why


def _failed_text(broken: list[_Code]) -> str:
    """What failed, and why as far as it is known; the errors themselves are with the traces."""
    failed = [event for code in broken for event in code.events if event.record.failed]
    total = sum(len(code.events) for code in broken)
    names = list_text([code.name for code in broken], 3)
    sentence = f"{len(failed):,} of {count_text(total, 'trace')} of {names} failed"
    if any(event.record.kind == "variable_creation" for event in failed):
        return f"{sentence}: a function may create variables in its first call alone. Create them outside of it, once."
    return f"{sentence}."


def _main_reason(code: _Code) -> str:
    """`92 % by `x` changing shape.`: the first change's cause and path with the largest share of the time lost."""
    if not code.retraces:  # the sentence has said it
        return ""
    by_reason: dict[tuple[str, str], int] = {}
    others: dict[tuple[str, str], dict[str, None]] = {}
    for event in code.retraces:
        changes = event.record.changes
        reason = (changes[0].cause, changes[0].path) if changes else ("unknown", "")
        by_reason[reason] = by_reason.get(reason, 0) + retrace_ns(event)
        others.setdefault(reason, {}).update((c.path, None) for c in changes[1:] if c.path)
    for compilation in code.recompilations:
        reason = ("recompilation", compilation.paths[0])
        by_reason[reason] = by_reason.get(reason, 0) + compilation.duration_ns
    total = sum(by_reason.values())
    if total <= 0:
        return ""
    (cause, path), part = max(by_reason.items(), key=lambda item: item[1])
    share = "All of it" if part == total else percent_text(part / total)
    along = [quoted(other) for other in others.get((cause, path), ())]
    if len(along) > 2:
        along[1:] = [f"{len(along) - 1} more"]
    return f"{share} by {_reason_text(cause, path)}{', with ' if along else ''}{' and '.join(along)}."


def _reason_text(cause: str, path: str) -> str:
    name = quoted(path) if path else "an argument"
    texts = {
        "shape": f"{name} changing shape",
        "rank": f"{name} changing rank",
        "dtype": f"{name} changing dtype",
        "python_value": f"new Python values of {name}",
        "python_type": f"{name} changing its Python type",
        "structure": f"{name} changing structure",
        "object_identity": f"other Python objects passed as {name}",
        "variable_identity": f"{name} sharing its variables differently",
        "composite_spec": f"{name} changing its type specification",
        "capture": f"other captured values of {name}" if path else "other captured values",
        "context": f"calls from elsewhere: {context_text(path) or path or 'the context changed'}",
        "recreated_function": "new `tf.function` objects of the same code",
        "variable_creation": "variables created in the first call",
        "recompilation": f"XLA compiling for new shapes of {name}",
        "unknown": "reasons that TensorFlow does not show",
    }
    return texts.get(cause, f"{name}: {cause}")


def _run_seconds(sessions: Iterable[Session]) -> float | None:
    known = [seconds for session in sessions if (seconds := session.run_seconds) is not None]
    return sum(known) if known else None
