"""`tf.vectorized_map`, a tape's `jacobian` and `ForwardAccumulator` where no tf.function is around: they trace."""

from __future__ import annotations

from collections.abc import Sequence

from tb_retrace_plugin.explain.advice.evidence.facts import Fix, FunctionFacts, Traced
from tb_retrace_plugin.explain.advice.evidence.reading import times_text
from tb_retrace_plugin.explain.advice.source.code import source_line
from tb_retrace_plugin.explain.verdict.evidence import MADE_BY_EACH_CALL

_MOST_LINES = 3
_OF_TAPES = frozenset({"jacobian", "batch_jacobian"})
_NOT_RECORDED = "What the tf.function around it would be called with is not recorded."


def propose(function: FunctionFacts) -> Fix | None:
    traces = [trace for trace in function.traces if trace.evidence == MADE_BY_EACH_CALL]
    if not traces:
        return None
    text = (
        "`tf.vectorized_map`, a tape's `jacobian` and `batch_jacobian` make a tf.function of what they vectorize and"
        f" trace it, at every call outside a tf.function: {function.at_least}{times_text(len(traces) + 1)} so far. Call"
        " them inside a tf.function of yours, made once: they are part of its graph then."
    )
    tape, notes = "", []
    if any(frame.function in _OF_TAPES and not frame.user for trace in traces for frame in trace.stack):
        notes = ["A tape goes into it with all that it records: one that is made outside is another at each call."]
        tape = "    with tf.GradientTape(…) as tape:\n        …  # all that it records\n"
    code = f"@tf.function  # once, before the loop\ndef vectorized(…):\n{tape}{_lines(function, traces)}    return …"
    return Fix("vectorize_in_a_function", text, None, other=code, evidence=_NOT_RECORDED, notes=notes)


def propose_forward(function: FunctionFacts) -> Fix | None:
    """For `ForwardAccumulator`, which traces a function for each kind of operation that it follows."""
    if not function.file.replace("\\", "/").endswith("/tensorflow/python/eager/forwardprop.py"):
        return None
    traces = [trace for trace, _ in function.with_cause("shape", "rank") if not trace.nested]
    if not traces:
        return None
    text = (
        "`tf.autodiff.ForwardAccumulator` traces a function for each kind of operation that it follows, and outside a"
        " tf.function for other shapes anew. Put its `with` block, with all that it follows, into a tf.function of"
        " yours that is made once and declared for all shapes: with `reduce_retracing=True`, or an `input_signature`."
    )
    code = (
        "@tf.function(reduce_retracing=True)  # once, before the loop\ndef forward(…):\n"
        "    with tf.autodiff.ForwardAccumulator(…) as accumulator:\n        …  # all that it follows\n    return …"
    )
    return Fix("forward_mode_in_a_function", text, None, other=code, evidence=_NOT_RECORDED)


def _lines(function: FunctionFacts, traces: Sequence[Traced]) -> str:
    lines = dict.fromkeys(line for trace in traces if (line := source_line(function.caller(trace))))
    return "".join(f"    # {line}\n" for line in list(lines)[:_MOST_LINES])
