"""`tf.vectorized_map` and a tape's `jacobian` outside a tf.function: each call traces what it vectorizes."""

from __future__ import annotations

from tb_retrace_plugin.explain.advice.code import source_line
from tb_retrace_plugin.explain.advice.facts import Fix, FunctionFacts
from tb_retrace_plugin.explain.verdict import MADE_BY_EACH_CALL

_MOST_LINES = 3


def propose(function: FunctionFacts) -> Fix | None:
    traces = [trace for trace in function.traces if trace.evidence == MADE_BY_EACH_CALL]
    if not traces:
        return None
    text = (
        "`tf.vectorized_map`, a tape's `jacobian` and `batch_jacobian` make a tf.function of what they vectorize and"
        f" trace it, at every call outside a tf.function: {function.at_least}{len(traces) + 1} times so far. Call them"
        " inside a tf.function of yours, made once: they are part of its graph then."
    )
    lines = dict.fromkeys(line for trace in traces if (line := source_line(function.caller(trace))))
    shown = "".join(f"    # {line}\n" for line in list(lines)[:_MOST_LINES])
    code = f"@tf.function  # once, before the loop\ndef vectorized(…):\n{shown}    return …"
    return Fix(
        "vectorize_in_a_function", text, None, other=code,
        evidence="What the tf.function around it would be called with is not recorded.",
    )  # fmt: skip
