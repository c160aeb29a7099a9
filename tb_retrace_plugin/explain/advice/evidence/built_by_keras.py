"""A layer's own tf.function, traced while Keras builds the layer: what it takes for weights are initial values."""

from __future__ import annotations

from dataclasses import replace

from tb_retrace_plugin.explain.advice.evidence.facts import Advice, FunctionFacts, Traced

#: Of the evidence of advice on such a function.
HOLDS_INITIAL_VALUES = "It is not known whether the weights existed when that trace was made."
_TEXT = (
    "By itself this can change results: trace {n} was made while Keras built the layer, and has the initial values of"
    " weights that did not exist yet as constants; what it serves never runs with the trained ones. Leave `{name}`"
    " undecorated, and make a tf.function of what calls the layer, such as `tf.function(model)`. "
)


def is_built_by_keras(trace: Traced) -> bool:
    """Whether Keras called the function to find out what its layer gives, before the layer was built."""
    is_called = False
    for frame in trace.stack:
        if "/keras/src/" not in frame.file.replace("\\", "/"):
            continue
        if frame.function == "_maybe_build" and is_called:
            return True
        is_called = is_called or frame.function == "compute_output_spec"
    return False


def told_of_building(advice: Advice, function: FunctionFacts) -> Advice:
    """The advice; first of all what such a trace would go on serving."""
    n = 0
    for trace in function.traces:
        n += not trace.lookup.failed
        if is_built_by_keras(trace) and not trace.lookup.failed:
            text = _TEXT.format(n=n, name=function.name)
            evidence = f"{advice.evidence} {HOLDS_INITIAL_VALUES}".lstrip()
            return replace(advice, text=text + advice.text, evidence=evidence, apply=None)
    return advice
