"""Whether a recording holds, or counts, every trace: a count that may be too low is no proof of anything."""

from __future__ import annotations

from collections.abc import Mapping

from tb_retrace_plugin.analysis.sessions.session import Session
from tb_retrace_plugin.analysis.sessions.wording import count_text

#: The recorder's counters that mean that traces are missing.
_TRACES = ("traces_not_recorded", "traces_not_described", "records_not_written")


def lost_traces(losses: Mapping[str, int]) -> dict[str, int]:
    """Of a session's counters those that mean that traces are missing."""
    return {name: losses[name] for name in _TRACES if losses.get(name)}


def uncounted_traces(session: Session) -> list[str]:
    """Why its counts are known to be too low, in words; empty if they are not."""
    lost = lost_traces(session.losses)
    found = [f"not all traces were recorded ({name.replace('_', ' ')}: {count})" for name, count in lost.items()]
    found += uncounted_functions(session)
    if session.missing:
        found.append(f"{count_text(session.missing, 'trace')} missing from the files")
    return found


def uncounted_functions(session: Session) -> list[str]:
    """Beyond a process's bytes of records not even the first of a kind is recorded: such a function is in no total."""
    traces = sum(s.traces for key, kinds in session.omitted.items() if key not in session.functions for s in kinds)
    return [f"{count_text(traces, 'trace')} of functions of which none is recorded"] if traces else []


def missing_traces(session: Session) -> list[str]:
    """What is known to be missing one by one, counted or not, in words; empty if nothing is."""
    found = uncounted_traces(session)
    if session.omitted_traces:
        found.append(f"{count_text(session.omitted_traces, 'repetitive trace')} counted, not recorded one by one")
    return found
