"""Code that asks whether a size is known, or slices by it: it goes another way once it is not, without an error; and
graphs that round what they divide by one."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tb_retrace_plugin.explain.advice.evidence.asked_for import asks_for_sizes
from tb_retrace_plugin.explain.advice.evidence.facts import Advice, Fix, FunctionFacts
from tb_retrace_plugin.explain.advice.evidence.listed import listed
from tb_retrace_plugin.explain.advice.evidence.read_anew import MAY
from tb_retrace_plugin.explain.advice.evidence.sizes_asked_for import size_changes
from tb_retrace_plugin.explain.advice.shapes.shapes import changing_paths
from tb_retrace_plugin.explain.verdict.asked_for import ASKS

#: Fixes that leave sizes unknown.
_RULES = frozenset({"input_signature", "reduce_retracing", "trace_beforehand"})
_OF_ANY_SIZE = (
    f"`{ASKS}` gives one of unknown dimensions then, whatever sizes it is asked for: what is exported of it (a"
    " SavedModel, TFLite) has no fixed sizes, nor have its outputs."
)
#: Graphs that are read.
_MOST_READ = 4
_ROUNDED = (
    f"{MAY}the graphs divide by a size, and round what comes of it (`{{}}`). By a known one TensorFlow multiplies with"
    " its inverse, which may have another last digit."
)
#: As capture/code/asked_sizes.py writes them.
_ASKED = re.compile(r"(?:if )?(.+?)\.shape(?:\[(-?\d+)\]( is None| or …)?|\.is_fully_defined\(\))")
_SLICED = re.compile(r"\[:?(\w[^:]*)\.shape\[(-?\d+)\]:?\]")


def told_of_known_sizes(advice: Advice, function: FunctionFacts, fixes: Sequence[Fix]) -> Advice:
    """The advice, with where the code asks so of a size that changes."""
    if not any(fix.rule in _RULES for fix in fixes):
        return advice
    paths = changing_paths(function)
    if (rounds := _rounds(function)) and paths:
        advice = advice.warned(_ROUNDED.format(rounds))
    if asks_for_sizes(function, paths):
        advice = advice.warned(_OF_ANY_SIZE)
    sliced = [use for use in function.python_uses if _slices(function, use, paths)]
    if sliced:
        by = "slices" if len(sliced) > 1 else "a slice"
        takes = "take" if len(sliced) > 1 else "takes"
        advice = advice.warned(
            f"{MAY}{by} by a size ({listed(sliced)}) {takes} everything once it is unknown, without an error:"
            " `tf.shape` gives the size."
        )
    asked = [use for use in function.python_uses if _asks(function, use, paths)]
    if not asked:
        return advice
    asks = f"the code asks whether a size is known ({listed(asked)})"
    return advice.warned(f"{MAY}{asks}, and does something else once it is not.")


def _rounds(function: FunctionFacts) -> str:
    """One graph of each kind is read: sizes alone build the same."""
    kinds = [
        place
        for place, trace in enumerate(function.traces)
        if not (trace.lookup.failed or (trace.changes and all(c.cause == "shape" for c in trace.changes)))
    ]
    return next(filter(None, map(function.graphs.rounds, kinds[:_MOST_READ])), "")


def _asks(function: FunctionFacts, use: str, paths: Sequence[str]) -> bool:
    found = _ASKED.fullmatch(use)
    if found is None or found[1] not in paths:
        return False
    if found[2] is None:
        return True
    return bool(found[3] or use.startswith("if ")) and size_changes(function, found[1], int(found[2]))


def _slices(function: FunctionFacts, use: str, paths: Sequence[str]) -> bool:
    found = _SLICED.fullmatch(use)
    return found is not None and found[1] in paths and size_changes(function, found[1], int(found[2]))
