"""Keras makes the functions of its input pipeline anew in each call of `predict`, `evaluate` and `fit`."""

from __future__ import annotations

from collections import Counter

from tb_retrace_plugin.explain.advice.evidence.called_on_keras import (
    is_of_a_pipeline,
    library_that_calls,
    line_of_keras,
    method_of,
)
from tb_retrace_plugin.explain.advice.evidence.facts import Fix, Frame, FunctionFacts
from tb_retrace_plugin.explain.advice.evidence.reading import Merged
from tb_retrace_plugin.explain.advice.keras.keras_code import (
    code_of,
    on_batch,
    passes_on,
    takes_named_arrays,
    told_of_another,
    told_of_lists,
    told_of_order,
)
from tb_retrace_plugin.explain.verdict.evidence import SAME_GRAPH_AND_CAPTURES

_SEQUENCES = ("tuple", "list")


def propose(function: FunctionFacts) -> Fix | None:
    if not is_of_a_pipeline(function.file):
        return None
    calls = Counter(
        (method, frame) for t in function.traces if (method := method_of(t)) and (frame := function.caller(t))
    )
    if not calls or sum(calls.values()) != len(function.traces):
        return None
    (method, frame), count = max(calls.items(), key=lambda item: item[1])
    if count < 2:
        return None
    # `fit` builds one more of the arrays for validation, in another line of Keras'
    those = [t for t in function.traces if method_of(t) == method and function.caller(t) == frame]
    kinds = Counter(map(line_of_keras, those))
    validates = method == "fit" and len(kinds) > 1
    text = (
        f"Each call of `{method}` on arrays builds an input pipeline of its own, of which `{function.name}` is a part:"
        f" {function.at_least}{max(kinds.values())} calls, {count} traces."
    )
    library = library_that_calls(those[0])
    if library and not passes_on(frame, method):
        text += (
            f" `{library}` calls it: where that takes a `tf.data.Dataset` in the place of arrays, pass it one, which"
            " has a pipeline already."
        )
        return Fix("keras_dataset_once", text, None, evidence="Whether that library takes a dataset is not recorded.")
    remaining = len(function.traces) - count
    if function.name == _OF_CLASS_WEIGHTS:
        text = f"Each call of `{method}` with `class_weight` maps the dataset anew: {function.at_least}{count} calls."
        return Fix(
            "keras_dataset_once", f"{text} {_SAMPLE_WEIGHTS}", None, traces_after=remaining,
            evidence="Keras maps a dataset with `class_weight` in each call, and one of (x, y, weight) as it is.",
        )  # fmt: skip
    if method == "predict" and function.distributes:
        return Fix(
            "keras_predict_once", f"{text} {_PREDICT_DISTRIBUTED}", None, traces_after=remaining,
            evidence="Keras makes one pipeline for each call of `predict`, and none for a call of the model itself.",
        )  # fmt: skip
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
    if validates:
        text += " The arrays for validation have a pipeline of their own: make a dataset of those, too."
        text += _SPLIT if "validation_split" in frame.source else ""
    if method == "fit" and "class_weight" in frame.source:
        text += f" But with `class_weight` Keras maps a dataset anew in each call. {_SAMPLE_WEIGHTS}"
    lists = _lists_passed(function, method, frame)
    code = code_of(method, frame, _ONCE if once else _EACH_TIME, validates=validates, lists=lists or frozenset())
    text += told_of_lists(frame, method) if lists is None else ""
    text += told_of_another(frame, method)
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
_PREDICT_DISTRIBUTED = (
    "The model itself, called on all rows (`model(x, training=False)`), builds none. Nor does `predict_on_batch`, but"
    " with a strategy of several replicas it returns each row once for each of them. Where it is one model, whose"
    " weights stay the same between the calls, one `predict` over all inputs does as well."
)
_ONCE = "once, before the loop, if the arrays are always the same"
_EACH_TIME = "before each call"
_OF_CLASS_WEIGHTS = "class_weights_map_fn"
_SAMPLE_WEIGHTS = (
    "Make a dataset of `(x, y, weights)` once, with the class weight of each row as its sample weight, and leave"
    " `class_weight` out."
)
_SPLIT = " `validation_split` holds out the last rows: split the arrays before."


def _are_of_one_size(function: FunctionFacts, method: str, frame: Frame) -> bool:
    """Whether all the pipelines that a line made are the same: those of other arrays, or batches, have other graphs.

    Of arrays for validation, which another line of Keras' makes, by themselves.
    """
    same = Merged()
    for place, trace in enumerate(function.traces):
        if trace.closest is not None and trace.evidence == SAME_GRAPH_AND_CAPTURES:
            same.merge(place, trace.closest)
    kinds: dict[int, set[int]] = {}
    for place, trace in enumerate(function.traces):
        if method_of(trace) == method and function.caller(trace) == frame:
            kinds.setdefault(line_of_keras(trace), set()).add(same.replaced.get(place, place))
    return all(len(found) == 1 for found in kinds.values())


def _lists_passed(function: FunctionFacts, method: str, frame: Frame) -> frozenset[str] | None:
    """Parameters for which lists or tuples of arrays are passed; None if that is not known."""
    for trace in function.traces:
        data = dict(trace.lookup.signature.arguments).get("data")
        if data is not None and method_of(trace) == method and function.caller(trace) == frame:
            parts = [node for _, node in data.children] if data.kind in _SEQUENCES else [data]
            return frozenset(name for name, node in zip(("x", "y"), parts, strict=False) if node.kind in _SEQUENCES)
    return None
