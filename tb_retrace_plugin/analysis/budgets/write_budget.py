"""A budget written from a recording: what was measured is what is allowed from now on."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Iterator, Sequence
from typing import Any

from tb_retrace_plugin.analysis.budgets.budget_counts import budget_counts, counts
from tb_retrace_plugin.analysis.sessions.select import is_called
from tb_retrace_plugin.analysis.sessions.session import FunctionGroup, Session, is_initializer
from tb_retrace_plugin.analysis.sessions.wording import count_text
from tb_retrace_plugin.schema import retrace_pb2 as pb

#: Seconds differ from machine to machine: so many times what was measured is allowed.
_HEADROOM = 2
_BARE = re.compile("[A-Za-z0-9_-]+")


def budget_text(sessions: Sequence[Session], *, warm_up_steps: int = 0, libraries: bool = False) -> str:
    """The text of a `retrace.toml`; of several sessions, what all of them stay within. `libraries`: Keras' too."""
    groups = [
        group
        for session in sessions
        for group in session.functions.values()
        if (libraries or not group.function.library) and not any(is_initializer(event) for event in group.events)
    ]
    every = [group.function for session in sessions for group in session.functions.values()]
    limits: dict[str, dict[str, Any]] = {}
    for group in groups:
        found = limits.setdefault(_name(group.function, every), {})
        for key, value in _measured(group, warm_up_steps).items():
            old = found.get(key)
            found[key] = value if old is None else sorted({*old, *value}) if key == "causes" else max(old, value)
    return "\n".join(_lines(sessions, limits, warm_up_steps)) + "\n"


def _measured(group: FunctionGroup, warm_up_steps: int) -> dict[str, Any]:
    counted = budget_counts([group], warm_up_steps, omitted=True)
    found: dict[str, Any] = {"traces": counted.traces}
    if counted.failed:
        found["failed_traces"] = counted.failed
    if any(event.record.jit_compile for event in group.events if counts(event, warm_up_steps)):
        found["recompilations"] = counted.recompilations
    found["causes"] = sorted(counted.causes)
    return found


def _name(function: pb.Function, every: Sequence[pb.Function]) -> str:
    """The shortest that means this code alone and stays when lines move; else one that several share."""
    here = function.file, function.line
    base = os.path.basename(function.file)
    for name in (function.name, function.qualname, f"{base}:{function.name}", f"{base}:{function.qualname}"):
        if all((other.file, other.line) == here for other in every if is_called(other, name)):
            return name
    return f"{base}:{function.qualname}"


def _lines(sessions: Sequence[Session], limits: dict[str, dict[str, Any]], warm_up_steps: int) -> Iterator[str]:
    yield "# What `tb-retrace check LOGDIR --budget FILE` allows; each key: docs/gate.md."
    if warm_up_steps:
        yield "# Traces before this step are free."
        yield f"warm_up_steps = {warm_up_steps}"
        if omitted := sum(session.omitted_traces for session in sessions):
            yield f"# Of {count_text(omitted, 'trace')} no step is recorded: counted here as later ones."
    every = [budget_counts(session.functions.values(), warm_up_steps, omitted=True) for session in sessions]
    seconds = max((counted.avoidable_seconds for counted in every), default=0.0)
    yield ""
    yield "[all]"
    if seconds:
        yield f"avoidable_seconds = {_rounded_up(_HEADROOM * seconds)}  # measured: {_rounded_up(seconds)}"
    else:
        yield "avoidable_seconds = 0"
    yield ""
    yield "[default]  # functions that are not named below"
    yield "retraces = 0"
    for name, values in sorted(limits.items()):
        yield ""
        yield f"[functions.{name if _BARE.fullmatch(name) else json.dumps(name)}]"
        for key, value in values.items():
            yield f"{key} = {json.dumps(value)}"


def _rounded_up(seconds: float) -> float:
    """To two digits."""
    unit = 10.0 ** (math.floor(math.log10(seconds)) - 1)
    return float(f"{math.ceil(seconds / unit) * unit:.12g}")
