"""A tensor of several ranks, where the code does for each what the others do not need."""

from __future__ import annotations

from tb_retrace_plugin.explain.advice.evidence.decided_by_rank import decided_by_rank, of_several_ranks
from tb_retrace_plugin.explain.advice.evidence.facts import Fix, FunctionFacts
from tb_retrace_plugin.explain.advice.evidence.listed import listed
from tb_retrace_plugin.explain.advice.shapes.shapes import propose_input_signature
from tb_retrace_plugin.explain.what_if.candidate import NO_CHANGE


def propose(function: FunctionFacts) -> Fix | None:
    clause = decided_by_rank(function)
    paths = of_several_ranks(function)
    if not clause:
        return _widened(function, paths)
    names = listed(paths)
    return Fix(
        "one_rank",
        f"{names} of `{function.name}` {'comes' if len(paths) == 1 else 'come'} in several ranks. {clause}, so what is"
        " built depends on the rank, and a trace for an unknown one may do what none of them does. Pass"
        f" {'it' if len(paths) == 1 else 'them'} in one rank at every call, such as `{paths[0]}[None]` where a"
        " dimension is missing.",
        None,
        evidence="Not replayed: which shapes all calls would have is not recorded.",
    )  # fmt: skip


def _widened(function: FunctionFacts, paths: list[str]) -> Fix | None:
    """With `reduce_retracing` on, where nothing else is left to ask for: no input signature can be declared."""
    if not paths or not all(trace.lookup.reduce_retracing for trace in function.traces):
        return None
    if propose_input_signature(function, NO_CHANGE) is not None:
        return None
    return Fix(
        "one_rank",
        f"{listed(paths)} of `{function.name}` {'comes' if len(paths) == 1 else 'come'} in several ranks, and"
        " `reduce_retracing=True` costs a trace that is widened to an unknown one. If a dimension is missing in some"
        f" calls, such as that of a batch, pass {'it' if len(paths) == 1 else 'them'} in one rank at every call"
        f" (`{paths[0]}[None]`), as far as the function does the same with it.",
        None,
        evidence="Not replayed: which shapes all calls would have is not recorded.",
    )
