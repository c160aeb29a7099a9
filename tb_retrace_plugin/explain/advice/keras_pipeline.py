"""Keras makes the functions of its input pipeline anew in each call of `predict`, `evaluate` and `fit`."""

from __future__ import annotations

from collections import Counter

from tb_retrace_plugin.explain.advice.facts import Fix, FunctionFacts, Traced
from tb_retrace_plugin.explain.advice.keras_code import code_of
from tb_retrace_plugin.explain.verdict import SAME_GRAPH_AND_CAPTURES

_METHODS = ("predict", "evaluate", "fit")


def propose(function: FunctionFacts) -> Fix | None:
    if "/data_adapters/" not in function.file.replace("\\", "/"):
        return None
    calls = Counter(
        (method, frame) for t in function.traces if (method := method_of(t)) and (frame := function.caller(t))
    )
    if not calls or sum(calls.values()) != len(function.traces):
        return None
    (method, frame), count = max(calls.items(), key=lambda item: item[1])
    if count < 2:
        return None
    text = (
        f"Each call of `{method}` on arrays builds an input pipeline of its own, of which `{function.name}` is a part:"
        f" {function.at_least}{count} calls, {count} traces. {_REMEDY[method]}"
    )
    # a dataset has a pipeline already, without this function; one call has it once
    remaining = len(function.traces) - count + (1 if method == "predict" else 0)
    # with the same graphs for all of them, what was traced of one pipeline serves the next
    same = [trace.evidence == SAME_GRAPH_AND_CAPTURES for trace in function.traces if trace.kind != "first"]
    is_one_pipeline = method == "predict" and count == len(function.traces) and all(same)
    evidence = (
        "Keras makes one pipeline for each call of `predict`: one call, one trace."
        if method == "predict"
        else f"Keras makes one pipeline for each call of `{method}` on arrays, and none where it is given a dataset."
    )
    return Fix(
        "keras_predict_once" if method == "predict" else "keras_dataset_once", text, None, other=code_of(method, frame),
        evidence=evidence, traces_after=remaining,
        outside={"one_pipeline": True} if is_one_pipeline else None,
    )  # fmt: skip


_REMEDY = {
    "predict": "Call `predict` once over all inputs, or `model(x)` or `model.predict_on_batch(x)` for each.",
    "evaluate": "Make a `tf.data.Dataset` of the arrays once and pass it to each call.",
    "fit": "Make a `tf.data.Dataset` of the arrays once and pass it to each call; or call `fit` once, with all epochs.",
}


def method_of(trace: Traced) -> str:
    """The public method of the model that the user called."""
    found = ""
    for frame in trace.stack:
        if frame.user:
            break
        if frame.function in _METHODS and "trainer" in frame.file:
            found = frame.function  # the outermost: `fit` evaluates in between
    return found
