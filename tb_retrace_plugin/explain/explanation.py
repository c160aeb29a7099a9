"""Why one function was traced so often, in a few lines: for a test that failed, a budget that was passed, a warning."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from tb_retrace_plugin.explain.advice.advise import advise
from tb_retrace_plugin.explain.advice.evidence.facts import Advice
from tb_retrace_plugin.explain.advice.from_records import facts_from_records
from tb_retrace_plugin.explain.advice.source.code import plural, traces_text
from tb_retrace_plugin.explain.words.place import frame_text, user_frame
from tb_retrace_plugin.explain.words.sentence import trace_sentence
from tb_retrace_plugin.schema import retrace_pb2 as pb

#: Traces for the same reason that are written out.
_SHOWN_PER_REASON = 3
_MAX_SHOWN = 20
#: Pieces of advice that are given: the best, and one other way.
_ADVICE_SHOWN = 2


def explain_traces(
    traces: Sequence[pb.Trace],
    stacks: Mapping[str, pb.Stack],
    first_calls_ns: Mapping[int, int] | None = None,
    *,
    about: Sequence[pb.Trace] | None = None,
    omitted: int = 0,
) -> list[str]:
    """Lines of text; backticks mark code. `traces`: all that is recorded of one function's code, in time order.

    `about`: those that are told; the others are what they are compared with, and what advice is tried on. `omitted`:
    how many traces there were besides, counted and not recorded one by one.
    """
    lines: list[str] = []
    told: dict[object, int] = {}
    folded = 0
    caller = None
    for trace in traces if about is None else about:
        reason = trace.kind, trace.failed, tuple((c.cause, c.path) for c in trace.changes)
        told[reason] = told.get(reason, 0) + 1
        if told[reason] > _SHOWN_PER_REASON or len(lines) > _MAX_SHOWN:
            folded += 1
            continue
        number = "failed" if trace.failed else f"#{trace.n}"
        lines.append(f"  {number}  {trace_sentence(trace)}")
        frame = user_frame(stacks.get(trace.stack_id))
        if frame is not None and (frame.file, frame.line) != caller:
            caller = frame.file, frame.line
            lines.append(f"        called from {frame_text(frame)}")
    if folded:
        lines.append(f"  … and {folded} more{' for the same reasons' if len(told) > 1 else ' for the same reason'}")
    if omitted:
        lines.append(f"  … and {plural(omitted, 'trace')} like others of it, counted and not recorded one by one")
    return lines + list(advice_lines(advice_for(traces, stacks, first_calls_ns, omitted), omitted))


def advice_for(
    traces: Sequence[pb.Trace],
    stacks: Mapping[str, pb.Stack],
    first_calls_ns: Mapping[int, int] | None = None,
    omitted: int = 0,
) -> list[Advice]:
    """Empty for signatures that cannot be read, too."""
    if not traces:
        return []
    try:
        return advise(replace(facts_from_records(traces, stacks, first_calls_ns or {}), omitted=omitted))
    except ValueError:  # nested deeper than any real signature
        return []


def advice_lines(advice: Sequence[Advice], omitted: int = 0) -> Iterator[str]:
    """The best, and one other way."""
    for number, one in enumerate(advice[:_ADVICE_SHOWN]):
        yield f"  {'fix' if number == 0 else 'or'}: {one.text}"
        yield from (f"       careful: {warning}" for warning in one.warnings)
        for line in (one.code or "").splitlines():
            yield f"        {line}".rstrip()
        yield from (f"        note: {note}" for note in one.notes)
        if one.traces_after is not None:
            noun = "recorded trace" if omitted else "trace"
            yield f"        {traces_text(one.traces_before, one.traces_after, noun)}"
