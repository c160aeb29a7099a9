"""Variables that another function's first call makes: what is traced before that call makes them itself."""

from __future__ import annotations

import itertools

from tb_retrace_plugin.analysis.sessions.session import FunctionGroup, TraceEvent
from tb_retrace_plugin.explain.advice.evidence.facts import MadeBefore

#: Functions that are looked at, and names that are told.
_LOOKED_AT, _MOST = 300, 3
#: What a model is made of; an optimizer is of one function's own, mostly.
_SHARED = frozenset({"layer", "made", "variable"})
#: As a user calls what Keras' own functions are traced for.
_OF_A_MODEL = frozenset({"fit", "evaluate", "predict", "train_on_batch", "test_on_batch", "predict_on_batch"})


def made_before(group: FunctionGroup) -> MadeBefore | None:
    """By the first call of the latest function that was traced before this one; None also where this one made some."""
    events = list(itertools.islice(group.events, 2))
    if group.function.library or not events or any(event.record.created_for for event in events):
        return None
    found: list[TraceEvent] = []
    for other in itertools.islice(list(group.session.functions.values()), _LOOKED_AT):
        first = next(iter(other.events), None) if other is not group else None
        if first is not None and first.seq < events[0].seq and _names(first):
            found.append(first)
    if not found:
        return None
    latest = max(found, key=lambda event: event.seq)
    return MadeBefore(_called(latest), _names(latest))


def _names(event: TraceEvent) -> tuple[str, ...]:
    owners = [owner for owner in event.record.created_for if owner.kind in _SHARED and owner.name]
    return tuple(owner.name for owner in owners)[:_MOST]


def _called(event: TraceEvent) -> str:
    function = event.function.function
    stack = event.session.stacks.get(event.record.stack_id) if function.library else None
    above = itertools.takewhile(lambda frame: not frame.user, stack.frames) if stack is not None else ()
    return next((frame.function for frame in above if frame.function in _OF_A_MODEL), function.name)
