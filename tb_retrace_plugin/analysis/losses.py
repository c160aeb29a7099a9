"""Whether a recording holds every trace: a count that may be too low is no proof of anything."""

from __future__ import annotations

from collections.abc import Mapping

from tb_retrace_plugin.analysis.session import Session
from tb_retrace_plugin.analysis.wording import count_text

#: The recorder's counters that mean that traces are missing.
_TRACES = ("traces_not_recorded", "traces_not_described", "records_not_written")


def lost_traces(losses: Mapping[str, int]) -> dict[str, int]:
    """Of a session's counters those that mean that traces are missing."""
    return {name: losses[name] for name in _TRACES if losses.get(name)}


def missing_traces(session: Session) -> list[str]:
    """What is known to be missing one by one, in words; empty if nothing is."""
    lost = lost_traces(session.losses)
    found = [f"not all traces were recorded ({name.replace('_', ' ')}: {count})" for name, count in lost.items()]
    if session.omitted_traces:
        found.append(f"{count_text(session.omitted_traces, 'repetitive trace')} counted, not recorded one by one")
    if session.missing:
        found.append(f"{count_text(session.missing, 'trace')} missing from the files")
    return found
