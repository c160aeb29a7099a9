"""A decorated method that is called of an instance that nothing holds: `self` is None while it is traced."""

from __future__ import annotations

from tb_retrace_plugin.explain.advice.evidence.facts import Fix, FunctionFacts, Traced
from tb_retrace_plugin.explain.advice.evidence.reading import node_of
from tb_retrace_plugin.explain.advice.source.code import source_line
from tb_retrace_plugin.schema.signature import DELETED

_NOT_REPLAYED = "Each instance that is kept has a tf.function of its own, and is traced for itself."


def is_gone(trace: Traced) -> bool:
    """Whether it failed, and its instance no longer existed."""
    node = node_of(trace, "self") if trace.lookup.failed else None
    return node is not None and node.value.startswith(f"{DELETED} ")


def propose(function: FunctionFacts) -> Fix | None:
    gone = [trace for trace in function.avoidable if is_gone(trace)]
    if not gone:
        return None
    line = source_line(function.caller(gone[0]))
    calls = "A call" if len(gone) == 1 else f"{len(gone):,} calls"
    return Fix(
        "keep_instance",
        f"{calls} of `{function.name}` failed: nothing holds the instance that its method is called of, TensorFlow does"
        " so by a weak reference alone, and `self` is None while it is traced. Keep it in a variable until the call is"
        " over.",
        None,
        other=f"one = …  # the instance, kept\none.{function.name}(…)" + (f"  # in place of: {line}" if line else ""),
        evidence=_NOT_REPLAYED,
    )  # fmt: skip
