"""Traces that several threads made at once: their times are of each thread, and add up to more than went by."""

from __future__ import annotations

from tb_retrace_plugin.analysis.sessions.session import Session


def counted_twice_ns(session: Session) -> int:
    """What the times of its retraces add up to beyond the time in which any of them was made. Kept with the session."""
    if len(session.threads) < 2:
        return 0
    kept = session.counted_twice
    if kept is None or kept[0] != session.revision:
        kept = session.counted_twice = session.revision, _count(session)
    return kept[1]


def _count(session: Session) -> int:
    spans = sorted(
        (event.record.time_ns, event.trace_ns)
        for event in session.events.values()
        if event.is_retrace and not event.parent_seq
    )
    beyond = end = 0
    for start, took in spans:
        beyond += max(0, min(end, start + took) - start)
        end = max(end, start + took)
    return beyond
