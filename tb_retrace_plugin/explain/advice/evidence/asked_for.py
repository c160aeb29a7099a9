"""Concrete functions that the program asked for: what they are passed is a part of what they are."""

from __future__ import annotations

import itertools
from collections.abc import Collection

from tb_retrace_plugin.explain.advice.evidence.facts import FunctionFacts, Traced
from tb_retrace_plugin.explain.advice.evidence.in_datasets import is_given_to_tf_data

_ASKS = "get_concrete_function"


def is_asked_for(trace: Traced) -> bool:
    within = itertools.takewhile(lambda frame: not frame.user, trace.stack)
    return any(frame.function == _ASKS and "tensorflow" in frame.file for frame in within)


def takes_tensors(function: FunctionFacts, paths: Collection[str]) -> str:
    """A sentence for advice to pass tensors for Python values; "" where none was asked for."""
    if not _are_asked_for(function, paths):
        return ""
    it, what = ("it", "an argument") if len(paths) == 1 else ("them", "arguments")
    return f" What `{_ASKS}` gave then takes {it} as {what}: pass {it} where that is called."


def takes_one_dtype(function: FunctionFacts, paths: Collection[str]) -> str:
    if not _are_asked_for(function, paths):
        return ""
    return f" Ask for one concrete function (`{_ASKS}`) with that dtype, and cast what it is called with."


def _are_asked_for(function: FunctionFacts, paths: Collection[str]) -> bool:
    """Whether traces that changes at these paths led to were, and not by `tf.data` of what it was given."""
    return any(
        is_asked_for(trace)
        and not is_given_to_tf_data(trace)
        and any(change.path.startswith(tuple(paths)) for change in trace.changes)
        for trace in function.avoidable
    )
