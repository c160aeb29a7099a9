"""Operations that draw random numbers with a seed: each trace has its own, and begins their sequence anew."""

from __future__ import annotations

from collections.abc import Sequence

from tb_retrace_plugin.graphs.read_graph import GraphFunction

#: Attributes of `RandomUniform` and its like; 0 in both is no seed.
SEEDS = ("seed", "seed2")


def draws_with_a_seed(graph: Sequence[GraphFunction]) -> bool:
    return any(
        node.attr[seed].i
        for function in graph
        if b"seed" in function.data
        for node in function.definition.node_def
        for seed in SEEDS
        if seed in node.attr
    )
