"""Shapes of code of which XLA compiles some of the tf.function objects (`jit_compile=True`), and others not."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from tb_retrace_plugin.explain.advice.evidence.facts import Advice, FunctionFacts

_SHAPES = ("shape", "rank")
_RULES = frozenset({"input_signature", "reduce_retracing", "trace_beforehand"})
_COMPILED_ALL_THE_SAME = (
    "What is made with `jit_compile=True` XLA compiles for each shape all the same: there it is padding that helps."
)


def calls_for_both(function: FunctionFacts) -> bool:
    """Whether shapes change for those that XLA leaves alone, too."""
    if not (function.jit_compile and function.compiled_in_part):
        return False
    return any(
        not trace.jit_compile and trace.verdict == "avoidable" and any(c.cause in _SHAPES for c in trace.changes)
        for trace in function.traces
    )


def declared(found: Iterable[Advice]) -> list[Advice]:
    """What is advised where no shape has to be known."""
    return [
        replace(one, notes=(*one.notes, _COMPILED_ALL_THE_SAME)) for one in found if _RULES & {*one.rule.split("+")}
    ]
