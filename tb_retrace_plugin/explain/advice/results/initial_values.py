"""A layer's own tf.function, traced while Keras builds the layer: what it takes for weights are initial values."""

from __future__ import annotations

from dataclasses import replace

from tb_retrace_plugin.explain.advice.evidence.built_by_keras import is_built_by_keras
from tb_retrace_plugin.explain.advice.evidence.facts import Advice, FunctionFacts

#: Of the evidence of advice on such a function.
HOLDS_INITIAL_VALUES = "It is not known whether the weights existed when that trace was made."
_TEXT = (
    "By itself this can change results: trace {n} was made while Keras built the layer: of weights that did not"
    " exist yet it has the initial values as constants, and what it serves never runs with the trained ones. Leave"
    " `{name}` undecorated, and make a tf.function of what calls the layer, such as `tf.function(model)`."
)


def told_of_building(advice: Advice, function: FunctionFacts) -> Advice:
    """The advice, with what such a trace would go on serving."""
    n = 0
    for trace in function.traces:
        n += not trace.lookup.failed
        if is_built_by_keras(trace) and not trace.lookup.failed:
            evidence = f"{advice.evidence} {HOLDS_INITIAL_VALUES}".lstrip()
            return replace(advice.warned(_TEXT.format(n=n, name=function.name)), evidence=evidence, apply=None)
    return advice
