"""A trace that `reduce_retracing` widened, and that failed for a size which Python asks for: the graph knows it."""

from __future__ import annotations

from tb_retrace_plugin.explain.advice.evidence.facts import Fix, FunctionFacts
from tb_retrace_plugin.explain.advice.evidence.listed import listed
from tb_retrace_plugin.explain.advice.evidence.sizes_asked_for import sizes_asked_for
from tb_retrace_plugin.explain.verdict.evidence import says_it_was_widened_and_failed


def propose(function: FunctionFacts) -> Fix | None:
    traces = [trace for trace in function.avoidable if says_it_was_widened_and_failed(trace.evidence)]
    changes = [change for trace in traces for change in trace.changes]
    paths = list(dict.fromkeys(change.path for change in changes if change.cause in ("shape", "rank")))
    if not paths:
        return None
    asked = sizes_asked_for(function, paths)
    return Fix(
        "size_in_the_graph",
        f"`reduce_retracing=True` made the sizes of {listed(paths)} of `{function.name}` unknown that change, and the"
        " trace failed: where the code asks for such a size by `.shape`, it is None. `tf.shape` gives it, as a tensor."
        " Or leave `reduce_retracing=True` out: each shape is traced by itself then.",
        None, evidence="Not replayed: the function would have to be written otherwise.",
        notes=[asked] if asked else [],
    )  # fmt: skip
