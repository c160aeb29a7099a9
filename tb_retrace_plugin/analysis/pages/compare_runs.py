"""Two recordings side by side, before and after a change: functions matched by their code. docs/compare.md."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tb_retrace_plugin.analysis.exports.report import code_json
from tb_retrace_plugin.analysis.sessions.cost import lost_ns
from tb_retrace_plugin.analysis.sessions.losses import uncounted_traces
from tb_retrace_plugin.analysis.sessions.session import (
    RETRACE_KINDS,
    FunctionGroup,
    Session,
    TraceEvent,
    is_initializer,
)
from tb_retrace_plugin.analysis.sessions.tally import Tally, tally_of
from tb_retrace_plugin.analysis.sessions.wording import count_text, list_text, seconds_text, times_text
from tb_retrace_plugin.explain.words.made_by_libraries import as_sentence, named_text
from tb_retrace_plugin.schema import retrace_pb2 as pb

COMPARE_SCHEMA = 1
#: How a function of the one recording was found in the other, the surest way first.
MATCHES = {
    "place": "the same file, line and name",
    "file and name": "the same name in the same file, on another line",
    "moved": "the same qualified name in another file",
    "renamed": "the same name, defined elsewhere",
}


@dataclass(slots=True)
class Code:
    """One function's code over all sessions of one recording."""

    function: pb.Function
    groups: list[FunctionGroup] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        events = [event for group in self.groups for event in group.events]
        retraces = [event for event in events if event.is_retrace]
        causes = Counter(cause for event in retraces for cause in {change.cause for change in event.record.changes})
        for sums in (sums for group in self.groups for sums in group.omitted):
            if sums.kind in RETRACE_KINDS and sums.cause:
                causes[sums.cause] += sums.traces
        tallies = [tally_of(group) for group in self.groups]
        return {
            **_counts(tallies),
            "objects": sum(tally.objects for tally in tallies),
            "causes": dict(sorted(causes.items())),
            "costliest": _costliest(events),
        }


def _costliest(events: Iterable[TraceEvent]) -> dict[str, Any]:
    """The trace to look at first: of those that cost most by being made again, else of all."""
    event = max(events, key=lambda e: (lost_ns(e), e.own_ns + (e.first_call_ns or 0), -e.seq))
    return {"session": event.session.id, "seq": event.seq}


def compare_runs(a: Sequence[Session], b: Sequence[Session]) -> dict[str, Any]:
    """`a` before, `b` after; ready for JSON. Several sessions of one side (workers, several runs) count together."""
    codes_a, codes_b = _codes(a), _codes(b)
    pairs = match(codes_a, codes_b)
    rows = [_row(one, other, how) for one, other, how in pairs]
    rows.sort(key=lambda row: (_RANK[row["change"]], -_weight(row)))
    side_a, side_b = _side(a), _side(b)
    return {
        "schema": COMPARE_SCHEMA,
        "sentence": _sentence(rows, side_a, side_b),
        "detail": _detail(rows),
        "notices": _notices(a, b, side_a, side_b),
        "a": side_a,
        "b": side_b,
        "functions": rows,
    }


def _codes(sessions: Iterable[Session]) -> list[Code]:
    found: dict[Hashable, Code] = {}
    for session in sessions:
        for group in _groups(session):
            function = group.function
            key = function.file, function.line, function.qualname, function.variant
            found.setdefault(key, Code(function)).groups.append(group)
    return list(found.values())


def _groups(session: Session) -> list[FunctionGroup]:
    """All but TensorFlow's own initialization of variables."""
    groups = session.functions.values()
    return [group for group in groups if not any(is_initializer(event) for event in group.events)]


def _side(sessions: Sequence[Session]) -> dict[str, Any]:
    events = [e for session in sessions for e in session.events.values() if not is_initializer(e)]
    seconds = [session.run_seconds for session in sessions]
    starts = [session.start for session in sessions if session.start is not None]
    steps = [event.record.step for event in events if event.record.HasField("step")]
    return {
        "sessions": [session.id for session in sessions],
        "runs": sorted({session.run for session in sessions}),
        "programs": sorted({start.program for start in starts}),
        "tensorflow": sorted({start.tensorflow for start in starts}),
        "started_ns": str(min((s.started_ns for s in sessions), default=0)),
        "run_seconds": sum(s for s in seconds if s is not None) if all(s is not None for s in seconds) else None,
        "last_step": max(steps, default=None),
        **_counts([tally_of(group) for session in sessions for group in _groups(session)]),
    }


def _counts(tallies: Sequence[Tally]) -> dict[str, Any]:
    costs = [tally.cost for tally in tallies]
    return {
        "traces": sum(tally.traces for tally in tallies),
        "failed_traces": sum(tally.failed for tally in tallies),
        "retraces": sum(tally.retraces for tally in tallies),
        "recompilations": sum(tally.recompilations for tally in tallies),
        "trace_seconds": sum(cost.trace_ns for cost in costs) / 1e9,
        "first_call_seconds": sum(cost.first_call_ns for cost in costs) / 1e9,
        "lookup_seconds": sum(cost.lookup_ns for cost in costs) / 1e9,
        "recompilation_seconds": sum(cost.recompilation_ns for cost in costs) / 1e9,
        "seconds_lost": sum(cost.lost_ns for cost in costs) / 1e9,
        "avoidable_seconds": sum(cost.avoidable_ns for cost in costs) / 1e9,
    }


# --- which function is which ---


def match(a: Sequence[Code], b: Sequence[Code]) -> list[tuple[Code | None, Code | None, str | None]]:
    """Pairs of the same code, by the surest way that tells them; then those of one side alone, with None.

    Where several have the same key, they are paired in the order of their lines if there are equally many, and left
    to the next way otherwise.
    """
    ways: tuple[tuple[str, Callable[[pb.Function], Hashable]], ...] = (
        ("place", lambda f: (f.file, f.line, f.qualname, f.variant)),
        ("place", lambda f: (os.path.basename(f.file), f.line, f.qualname, f.variant)),
        ("file and name", lambda f: (f.file, f.qualname, "" if f.name == "<lambda>" else f.variant)),
        ("file and name", lambda f: (os.path.basename(f.file), f.qualname, "" if f.name == "<lambda>" else f.variant)),
        ("moved", lambda f: (f.qualname, f.variant) if f.name != "<lambda>" else None),
        ("renamed", lambda f: (os.path.basename(f.file), f.name) if f.name != "<lambda>" else None),
        ("renamed", lambda f: (f.name, f.library) if f.name != "<lambda>" else None),
    )
    left, right = list(a), list(b)
    pairs: list[tuple[Code | None, Code | None, str | None]] = []
    for how, key in ways:
        ours, theirs = _by_key(left, key), _by_key(right, key)
        for name, codes in ours.items():
            others = theirs.get(name, [])
            if len(codes) == len(others):
                pairs += [(one, other, how) for one, other in zip(codes, others, strict=True)]
        done = {id(code) for pair in pairs for code in pair[:2]}
        left = [code for code in left if id(code) not in done]
        right = [code for code in right if id(code) not in done]
    return [*pairs, *((code, None, None) for code in left), *((None, code, None) for code in right)]


def _by_key(codes: Iterable[Code], key: Callable[[pb.Function], Hashable]) -> dict[Hashable, list[Code]]:
    found: dict[Hashable, list[Code]] = {}
    for code in sorted(codes, key=lambda code: (code.function.file, code.function.line, code.function.variant)):
        name = key(code.function)
        if name is not None:
            found.setdefault(name, []).append(code)
    return found


# --- what is said ---

_RANK = {"worse": 0, "better": 1, "new": 2, "gone": 3, "same": 4}


def _row(one: Code | None, other: Code | None, how: str | None) -> dict[str, Any]:
    a = one.to_json() if one is not None else None
    b = other.to_json() if other is not None else None
    known = other or one
    assert known is not None
    before, after = (set(side["causes"]) if side is not None else set() for side in (a, b))
    return {
        "name": known.function.name,
        "library": known.function.library,
        "role": next((role for group in known.groups if (role := tally_of(group).role)), None),
        "code_a": code_json(one.function) if one is not None else None,
        "code_b": code_json(other.function) if other is not None else None,
        "matched": how,
        "change": _change(a, b),
        "a": a,
        "b": b,
        "causes_gone": sorted(before - after),
        "causes_new": sorted(after - before),
    }


def _change(a: dict[str, Any] | None, b: dict[str, Any] | None) -> str:
    """By counts; seconds differ from run to run."""
    if a is None:
        return "new"
    if b is None:
        return "gone"
    before, after = (side["traces"] + side["failed_traces"] + side["recompilations"] for side in (a, b))
    return "same" if before == after else "worse" if after > before else "better"


def _weight(row: dict[str, Any]) -> float:
    """By what was lost on either side."""
    sides = [side for side in (row["a"], row["b"]) if side is not None]
    return float(max(side["seconds_lost"] for side in sides))


def _sentence(rows: Sequence[dict[str, Any]], a: dict[str, Any], b: dict[str, Any]) -> str:
    worse = [row for row in rows if row["change"] == "worse"]
    better = [row for row in rows if row["change"] == "better"]
    lost = f"{seconds_text(a['seconds_lost'])} lost to retraces before, {seconds_text(b['seconds_lost'])} after."
    told = [row for row in (worse or better) if not row["library"]] or worse or better
    if not told:
        if not any(row["matched"] for row in rows):
            return f"No function was traced in both recordings: {lost}"
        if any(row["change"] in ("new", "gone") for row in rows):
            return f"What both recordings have was traced as often in both: {lost}"
        return f"Every function was traced as often in both: {lost}"
    first = told[0]
    name = as_sentence(named_text(first["name"], first["role"] or ""))
    text = f"{name} was traced {_often(first['a'])} and is now traced {_often(first['b'])}"
    others = len(worse or better) - 1
    if others:
        text += f"; {count_text(others, 'other function')} {'more' if worse else 'less'} often too"
    if worse and better:
        text += f"; {count_text(len(better), 'function')} less often"
    return f"{text}: {lost}"


def _detail(rows: Sequence[dict[str, Any]]) -> str:
    """What the sentence leaves open: whether anything got worse, and which causes of retraces came or went."""
    texts = []
    changes = {row["change"] for row in rows}
    if "better" in changes and "worse" not in changes:
        texts.append("Nothing that is in both is traced more often.")
    before, after = ({cause for row in rows if row[side] for cause in row[side]["causes"]} for side in ("a", "b"))
    for what, causes in (("No longer a cause", before - after), ("A new cause", after - before)):
        if causes:
            texts.append(f"{what} of retraces: {list_text([c.replace('_', ' ') for c in sorted(causes)], 4)}.")
    return " ".join(texts)


def _often(side: dict[str, Any]) -> str:
    text = times_text(side["traces"]) if side["traces"] else "never"
    if side["failed_traces"]:
        text += f" ({side['failed_traces']} failed)"
    if side["recompilations"]:
        text += f" (and compiled again {times_text(side['recompilations'])})"
    return text


def _notices(a: Sequence[Session], b: Sequence[Session], side_a: dict[str, Any], side_b: dict[str, Any]) -> list[str]:
    """What makes the two hard to compare."""
    found = []
    names = [{os.path.basename(program) for program in side["programs"]} for side in (side_a, side_b)]
    if all(names) and names[0] != names[1]:
        found.append(f"The programs differ: {_listed(names[0])} and {_listed(names[1])}.")
    if side_a["tensorflow"] != side_b["tensorflow"]:
        found.append(f"TensorFlow differs: {_listed(side_a['tensorflow'])} and {_listed(side_b['tensorflow'])}.")
    if len(a) != len(b):
        found.append(f"The one has {count_text(len(a), 'session')}, the other {len(b)}: all of a side count together.")
    for word, sessions in (("before", a), ("after", b)):
        if any(session.end is None for session in sessions):
            found.append(f"A recording {word} has no end: it is running, or was killed.")
        if any(uncounted_traces(session) for session in sessions):
            found.append(f"Not all traces {word} were recorded: its counts are too low.")
    return found


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names)) or "not known"
