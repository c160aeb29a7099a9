"""Concrete functions that the program asked for: what they are passed is a part of what they are."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection
from dataclasses import replace

from tb_retrace_plugin.explain.advice.evidence.facts import FunctionFacts, Traced
from tb_retrace_plugin.explain.advice.evidence.in_datasets import is_given_to_tf_data
from tb_retrace_plugin.explain.advice.evidence.reading import leads, node_of
from tb_retrace_plugin.explain.verdict.asked_for import ASKS, says_a_dtype_is_asked_for


def is_asked_for(trace: Traced) -> bool:
    within = itertools.takewhile(lambda frame: not frame.user, trace.stack)
    return any(frame.function == ASKS and "tensorflow" in frame.file for frame in within)


def others_than_asked_for(function: FunctionFacts) -> FunctionFacts:
    """Without traces that were asked for, where they were with a dtype of their own each: those stay."""
    if not any(says_a_dtype_is_asked_for(trace.evidence) for trace in function.traces):
        return function
    others = [trace for trace in function.traces if not is_asked_for(trace) or is_saved(trace)]
    return replace(function, traces=others)


def is_saved(trace: Traced) -> bool:
    """Whether saving a SavedModel asked for it, with what was traced before."""
    return "variable_policy" in trace.lookup.signature.context


def takes_tensors(function: FunctionFacts, paths: Collection[str]) -> list[str]:
    """A note for advice to pass tensors for Python values; none where no trace was asked for."""
    if not any(map(_is_asked_for_with(paths), function.traces)):
        return []
    it, what = ("it", "an argument") if len(paths) == 1 else ("them", "arguments")
    return [f"What `{ASKS}` gives takes {it} as {what} then: pass {it} where that is called."]


def _is_asked_for_with(paths: Collection[str]) -> Callable[[Traced], bool]:
    """Whether a trace was, with a Python value at one of the paths."""

    def is_so(trace: Traced) -> bool:
        if not is_asked_for(trace) or is_given_to_tf_data(trace) or is_saved(trace):
            return False
        return any((node := node_of(trace, path)) is not None and node.kind == "literal" for path in paths)

    return is_so


def asks_for_sizes(function: FunctionFacts, paths: Collection[str]) -> bool:
    """Whether concrete functions were asked for with known sizes at these paths, as an export of each size does."""
    return _are_asked_for(function, paths) and not any(
        is_asked_for(trace) and -1 in (node.shape or ())
        for trace in function.traces
        for path in paths
        if (node := node_of(trace, path)) is not None
    )


def takes_one_dtype(function: FunctionFacts, paths: Collection[str]) -> list[str]:
    if not _are_asked_for(function, paths):
        return []
    return [f"Ask for one concrete function (`{ASKS}`) with that dtype, and cast what it is called with."]


def _are_asked_for(function: FunctionFacts, paths: Collection[str]) -> bool:
    """Whether traces that changes at these paths led to were, and not by `tf.data` of what it was given."""
    return any(
        is_asked_for(trace)
        and not is_given_to_tf_data(trace)
        and not is_saved(trace)
        and any(leads(path, change.path) for path in paths for change in trace.changes)
        for trace in function.avoidable
    )
