"""The verdict: one sentence and one line under it, with the numbers they are made of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from tb_retrace_plugin.analysis.sessions.at_once import counted_twice_ns
from tb_retrace_plugin.analysis.sessions.session import Session
from tb_retrace_plugin.analysis.sessions.stale import StaleName, stale_summary
from tb_retrace_plugin.analysis.sessions.tally import Tally, tally_of
from tb_retrace_plugin.analysis.sessions.wording import (
    count_text,
    list_text,
    percent_text,
    quoted,
    seconds_text,
    times_text,
)
from tb_retrace_plugin.explain.words.made_by_libraries import as_sentence, named_text, whole_of
from tb_retrace_plugin.explain.words.sentence import context_of, context_text

#: Where more than this part of the time lost went by at once, in several threads, it is no share of the run.
_MOST_AT_ONCE = 0.01


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
    is_a_librarys: bool
    tallies: list[Tally] = field(default_factory=list)
    is_known: bool = False  # what it is has been said

    @property
    def name(self) -> str:
        return named_text(self.plain_name, "" if self.is_known else self.role)

    @property
    def role(self) -> str:
        return next((tally.role for tally in self.tallies if tally.role), "")

    @property
    def retraces(self) -> int:
        return sum(tally.retraces for tally in self.tallies)

    @property
    def traces(self) -> int:
        return sum(tally.traces for tally in self.tallies)

    @property
    def failed(self) -> int:
        return sum(tally.failed for tally in self.tallies)

    @property
    def recompilations(self) -> int:
        """Successful ones."""
        return sum(tally.recompilations for tally in self.tallies)

    @property
    def lost(self) -> int:
        return sum(tally.cost.lost_ns for tally in self.tallies)

    @property
    def stale(self) -> list[StaleName]:
        if len(self.tallies) == 1:
            return self.tallies[0].stale
        names: dict[str, StaleName] = {}
        for stale in (name for tally in self.tallies for name in tally.stale):
            names.setdefault(stale.name, StaleName(stale.name)).found.extend(stale.found)
        return list(names.values())


_NOTHING_TO_CHANGE = "Each of these traces is needed once: nothing has to be changed."
_NOT_KNOWN = "None of it is known to be avoidable."
_RAN_EAGERLY = "functions ran eagerly (`tf.config.run_functions_eagerly(True)`, or Keras' `run_eagerly=True`)"


def summarize(sessions: Sequence[Session]) -> Summary:
    """The verdict over `sessions`; over none, an invitation."""
    codes: dict[tuple[str, int, str, str], _Code] = {}
    for session in sessions:
        for key, group in session.functions.items():
            code = codes.get(key)
            if code is None:
                code = codes[key] = _Code(group.function.name, group.function.library)
            code.tallies.append(tally_of(group))
    tallies = [tally for code in codes.values() for tally in code.tallies]
    lost_ns = sum(tally.cost.lost_ns for tally in tallies)
    avoidable_ns = sum(tally.cost.avoidable_ns for tally in tallies)
    run_seconds = _run_seconds(sessions)
    lost = lost_ns / 1e9
    share = lost / run_seconds if run_seconds else None
    at_once = sum(counted_twice_ns(session) for session in sessions)
    if share is not None and (share > 1 or at_once > lost_ns * _MOST_AT_ONCE):  # or clocks were set: no honest share
        share = None
    failed = sum(tally.failed for tally in tallies)
    failures = _failures_text(failed, sum(tally.failed_lost_ns for tally in tallies))
    sentence, detail = _words(sessions, list(codes.values()), lost_ns, avoidable_ns, share, failures)
    return Summary(
        sentence=as_sentence(sentence),
        detail=detail,
        traces=sum(tally.traces for tally in tallies),
        retraces=sum(tally.retraces for tally in tallies),
        failed=failed,
        functions=sum(code.traces > 0 for code in codes.values()),
        seconds_lost=lost,
        avoidable_seconds=avoidable_ns / 1e9,
        run_seconds=run_seconds,
        share=share,
        recompilations=sum(tally.recompilations for tally in tallies),
        stale=as_sentence(stale_summary((code.name, code.stale) for code in codes.values())),
    )


def _words(
    sessions: Sequence[Session],
    codes: list[_Code],
    lost_ns: int,
    avoidable_ns: int,
    share: float | None,
    failures: list[str],
) -> tuple[str, str]:
    if not sessions:
        return "Nothing is recorded here yet.", ""
    if not codes:
        if any(session.end is None for session in sessions):
            return "No `tf.function` has been traced yet.", "Traces appear here as they happen."
        if any(session.ran_eagerly for session in sessions):
            return f"No `tf.function` was traced while recording: {_RAN_EAGERLY}.", ""
        return "No `tf.function` was traced while recording.", ""
    troubled = [code for code in codes if code.retraces or code.recompilations]
    if not troubled:
        sentence, detail = _nothing_retraced(codes, failures)
        if any(session.ran_eagerly for session in sessions):  # which may be what is slow
            detail = f"{detail} Not everything was traced: {_RAN_EAGERLY}, which is slower.".lstrip()
        return sentence, detail
    lost = seconds_text(lost_ns / 1e9)
    of_run = f", {percent_text(share)} of the run" if share is not None else ""
    troubled.sort(key=lambda code: (-code.lost, -code.retraces))
    worst = troubled[0]
    details = []
    if len(troubled) == 1:
        sentence = f"{_trouble_text(worst)}: {lost} lost{of_run}."
    else:
        sentence = f"{_troubles_text(troubled)}: {lost} lost{of_run}."
        of_it = replace(worst, is_known=bool(_whole(troubled)))
        details.append(f"Most of it: {_trouble_text(of_it)}, {seconds_text(worst.lost / 1e9)} lost.")
    if reason := _main_reason(worst):
        details.append(reason)
    if callers := _callers_text(worst):
        details.append(callers)
    if avoidable_ns > 0:
        looked_up = any(tally.cost.lookup_ns for code in codes for tally in code.tallies)
        what = "lookups, tracing and first executions" if looked_up else "tracing and first execution"
        details.append(f"{seconds_text(avoidable_ns / 1e9)} of {what} can be avoided.")
    elif not any(code.recompilations for code in troubled):
        come_once = all(tally.retraces == tally.bounded for code in troubled for tally in code.tallies)
        details.append(_NOTHING_TO_CHANGE if come_once and not failures else _NOT_KNOWN)
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
        retraces = sum(code.retraces for code in retraced)
        texts.append(f"{_functions_text(retraced)} were traced again, {count_text(retraces, 'retrace')} in all")
    if len(recompiled) == 1:
        texts.append(f"{recompiled[0].name} was {_recompiled_text(recompiled[0])}")
    elif recompiled:
        times = times_text(sum(code.recompilations for code in recompiled))
        texts.append(f"{len(recompiled):,} functions were recompiled by XLA, {times} in all")
    return ", and ".join(texts)


def _functions_text(codes: list[_Code]) -> str:
    """``3 functions``; of what libraries made whose it is, or what all of them are parts of."""
    if whole := _whole(codes):
        return f"{len(codes):,} parts of {whole}"
    are_made = all(code.role and code.is_a_librarys for code in codes)
    return f"{len(codes):,} functions{' that Keras or TensorFlow made' if are_made else ''}"


def _whole(codes: list[_Code]) -> str:
    """What all of them are parts of; "" if there is no such thing."""
    wholes = {whole_of(code.role) for code in codes}
    return wholes.pop() if len(wholes) == 1 else ""


def _recompiled_text(code: _Code) -> str:
    """``recompiled by XLA 12 times for new shapes of `x` and values of `n` ``, arguments by how often each changed."""
    changed: Counter[tuple[str, str]] = Counter()
    for tally in code.tallies:
        changed.update(tally.recompiled_for)
    texts = []
    for noun, is_value in (("shapes", False), ("values", True)):
        paths = [path for (cause, path), _ in changed.most_common() if (cause == "value") == is_value]
        if paths:
            known = [quoted(path) for path in paths if path]
            texts.append(noun + (f" of {list_text(known, 2)}" if known else ""))
    return f"recompiled by XLA {times_text(code.recompilations)} for new {' and '.join(texts) or 'shapes'}"


def _traced_text(code: _Code) -> str:
    """`again` if the first trace was made before the recording began."""
    retraces = code.retraces
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
    broken = [code for code in codes if code.failed]
    if broken:
        took = sum(tally.failed_ns for code in broken for tally in code.tallies)
        details = [f"That took {seconds_text(took / 1e9)}."] if took else []
        details += [f"Nothing else was traced again: {numbers}."] if traces else []
        return _failed_text(broken), " ".join(details)
    if not any(tally.created for code in codes for tally in code.tallies):
        word = "twice" if traces == functions else "again"
        return f"Nothing was traced {word}: {numbers}.", " ".join(failures)
    why = "A first call that creates variables is traced twice; where they are created before it, once is enough."
    return f"Nothing was retraced: {numbers}.", why


def _failed_text(broken: list[_Code]) -> str:
    """What failed, and why as far as it is known; the errors themselves are with the traces."""
    failed = sum(code.failed for code in broken)
    total = failed + sum(code.traces for code in broken)
    names = list_text([code.name for code in broken], 3)
    which = f"{failed:,} of {count_text(total, 'trace')}"
    if failed == total:
        which = "The trace" if total == 1 else "Both traces" if total == 2 else f"All {total:,} traces"
    sentence = f"{which} of {names} failed"
    if any(tally.failed_creation for code in broken for tally in code.tallies):
        return f"{sentence}: a function may create variables in its first call alone. Create them outside of it, once."
    return f"{sentence}."


def _main_reason(code: _Code) -> str:
    """`92 % by `x` changing shape.`: the first change's cause and path with the largest share of the time lost."""
    if not code.retraces:  # the sentence has said it
        return ""
    by_reason: dict[tuple[str, str], int] = {}
    others: dict[tuple[str, str], dict[str, None]] = {}
    for tally in code.tallies:
        for key, reason in tally.reasons.items():
            by_reason[key] = by_reason.get(key, 0) + reason.lost_ns
            others.setdefault(key, {}).update(reason.along)
    total = sum(by_reason.values())
    if total <= 0:
        return ""
    (cause, path), part = max(by_reason.items(), key=lambda item: item[1])
    share = "All of it" if part == total else percent_text(part / total)
    more = [other for other in others.get((cause, path), ()) if cause != "context" or not context_text(other)]
    if cause == "context":  # whose fields are TensorFlow's, and change together
        path = context_of([path, *others.get((cause, path), ())])
    along = [quoted(other) for other in more]
    if len(along) > 2:
        along[1:] = [f"{len(along) - 1} more"]
    return f"{share} by {_reason_text(cause, path)}{', with ' if along else ''}{' and '.join(along)}."


def _callers_text(code: _Code) -> str:
    """``Called from `train.py:12`.``: of a library's function, whose name alone tells the user nothing."""
    callers: Counter[tuple[str, int]] = Counter()
    for tally in code.tallies:
        callers.update(tally.callers)
    names = [(file.replace("\\", "/").rpartition("/")[2], line) for (file, line), _ in callers.most_common()]
    places = [quoted(f"{name}:{line}") for name, line in names]
    return f"Called from {list_text(places, 2)}." if places else ""


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
        "recompilation_value": f"XLA compiling for new values of {name}",
        "unknown": "reasons that TensorFlow does not show",
    }
    return texts.get(cause, f"{name}: {cause}")


def _run_seconds(sessions: Iterable[Session]) -> float | None:
    known = [seconds for session in sessions if (seconds := session.run_seconds) is not None]
    return sum(known) if known else None
