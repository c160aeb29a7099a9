"""From which lines of the user's a function was called when it was traced."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from tb_retrace_plugin.analysis.sessions.session import TraceEvent
from tb_retrace_plugin.explain.words.place import user_frame


def call_sites(events: Iterable[TraceEvent]) -> list[dict[str, Any]]:
    """The innermost frame of the user's own code, of each trace that has one; the commonest first."""
    sites: Counter[tuple[str, int, str]] = Counter()
    for event in events:
        frame = user_frame(event.session.stacks.get(event.record.stack_id))
        if frame is not None and frame.file:
            sites[frame.file, frame.line, frame.function] += 1
    return [
        {"file": file, "line": line, "function": function, "traces": traces}
        for (file, line, function), traces in sites.most_common()
    ]
