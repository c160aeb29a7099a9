"""Random operations with seeds (`tf.random.set_seed`): each trace begins their numbers anew."""

from __future__ import annotations

import itertools

from tb_retrace_plugin.explain.advice.evidence.alone import with_graphs
from tb_retrace_plugin.explain.advice.evidence.facts import Advice, FunctionFacts
from tb_retrace_plugin.explain.advice.evidence.in_datasets import is_given_to_tf_data, method_that_runs

_BEGIN_ANEW = (
    "This changes what is drawn: random operations in it have seeds, and each trace begins their numbers anew; with"
    " fewer traces calls go on with them."
)

_TWO = 2


def told_of_seeds(advice: Advice, function: FunctionFacts) -> Advice:
    """The advice, with that other numbers are drawn. Each iterator over a dataset begins them anew (measured)."""
    if all(is_given_to_tf_data(trace) and not method_that_runs(trace) for trace in function.traces):
        return advice
    is_so = function.graphs.once("seeded", lambda: _draws_by_seeds(function))
    return advice.warned(_BEGIN_ANEW) if is_so else advice


def _draws_by_seeds(function: FunctionFacts) -> bool:
    """As the first graphs of it tell, and the largest: a mask, or a mode, may draw something in some calls alone."""
    nodes = {place: trace.nodes for place, trace in with_graphs(function)}
    if len(nodes) < _TWO:
        return False
    first, second = itertools.islice(nodes, _TWO)
    largest = max(nodes, key=nodes.__getitem__)
    pairs = [(first, second), *([(largest, first)] if largest != first else [])]
    found = (function.graphs.compare(*pair) for pair in pairs)
    return any(pair is not None and pair.seeded for pair in found)
