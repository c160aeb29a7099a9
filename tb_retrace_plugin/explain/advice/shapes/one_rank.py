"""A tensor of several ranks, where the code does for each what the others do not need."""

from __future__ import annotations

from tb_retrace_plugin.explain.advice.evidence.decided_by_rank import decided_by_rank, of_several_ranks
from tb_retrace_plugin.explain.advice.evidence.facts import Fix, FunctionFacts
from tb_retrace_plugin.explain.advice.evidence.listed import listed


def propose(function: FunctionFacts) -> Fix | None:
    clause = decided_by_rank(function)
    if not clause:
        return None
    paths = of_several_ranks(function)
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
