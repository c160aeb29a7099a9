"""Keras makes the functions of its input pipeline anew in each call of `predict`, `evaluate` and `fit`."""

from __future__ import annotations

from collections import Counter

from tb_retrace_plugin.explain.advice.evidence.facts import Fix, Frame, FunctionFacts, Traced
from tb_retrace_plugin.explain.advice.evidence.reading import Merged
from tb_retrace_plugin.explain.advice.keras.keras_code import (
    code_of,
    on_batch,
    takes_named_arrays,
    told_of_order,
)
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
        f" {function.at_least}{count} calls, {count} traces."
    )
    remaining = len(function.traces) - count
    if method == "predict":
        return Fix(
            "keras_predict_once", f"{text} {_PREDICT}", None, other=on_batch(frame), traces_after=remaining,
            evidence="Keras makes one pipeline for each call of `predict`, and none for `predict_on_batch`.",
        )  # fmt: skip
    once = _are_of_one_size(function, method, frame) and takes_named_arrays(frame, method)
    when = "once, where they are the same at every call, else before each call," if once else "before each call"
    text += f" A `tf.data.Dataset` has a pipeline already: make one of the arrays {when} and pass that."
    if once and method == "fit":
        text += " Or call `fit` once, with all epochs."
    code = code_of(method, frame, _ONCE if once else _EACH_TIME)
    return Fix(
        "keras_dataset_once", text + told_of_order(code), None, other=code,
        evidence=f"Keras makes one pipeline for each call of `{method}` on arrays, and none if it is given a dataset.",
        traces_after=remaining,
    )  # fmt: skip


_PREDICT = (
    "`predict_on_batch` builds none, and takes all rows that it is given as one batch; so does the model itself, called"
    " on them. Where it is one model, whose weights stay the same between the calls, one `predict` over all inputs does"
    " as well."
)
_ONCE = "once, before the loop, if the arrays are always the same"
_EACH_TIME = "before each call"


def _are_of_one_size(function: FunctionFacts, method: str, frame: Frame) -> bool:
    """Whether all the pipelines that a line made are the same: those of other arrays, or batches, have other graphs."""
    same = Merged()
    for place, trace in enumerate(function.traces):
        if trace.closest is not None and trace.evidence == SAME_GRAPH_AND_CAPTURES:
            same.merge(place, trace.closest)
    of_line = [p for p, t in enumerate(function.traces) if method_of(t) == method and function.caller(t) == frame]
    return len({same.replaced.get(place, place) for place in of_line}) == 1


def method_of(trace: Traced) -> str:
    """The public method of the model that the user called."""
    found = ""
    for frame in trace.stack:
        if frame.user:
            break
        if frame.function in _METHODS and "trainer" in frame.file:
            found = frame.function  # the outermost: `fit` evaluates in between
    return found
