"""Keras makes the functions of its input pipeline anew in each call of `predict`, `evaluate` and `fit`."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

from tb_retrace_plugin.explain.advice.evidence.called_on_keras import (
    library_that_calls,
    line_of_keras,
    method_of,
)
from tb_retrace_plugin.explain.advice.evidence.facts import Fix, Frame, FunctionFacts, Traced
from tb_retrace_plugin.explain.advice.evidence.reading import Merged
from tb_retrace_plugin.explain.advice.keras.keras_code import (
    ALL_ROWS,
    ONCE,
    SAMPLE_WEIGHTS,
    code_of,
    on_batch,
    passes_on,
    takes_named_arrays,
    told_of_another,
    told_of_fixed_batches,
    told_of_lists,
    told_of_options,
    told_of_order,
)
from tb_retrace_plugin.explain.advice.source.code import plural
from tb_retrace_plugin.explain.verdict.evidence import SAME_GRAPH_AND_CAPTURES
from tb_retrace_plugin.explain.words.made_by_libraries import is_of_a_pipeline

_SEQUENCES = ("tuple", "list")
#: Of the user's, different ones, of which one advice is.
_MOST_LINES = 4


@dataclass(slots=True)
class _Line:
    """A line of the user's that calls a model, and what Keras made in these calls."""

    method: str
    frame: Frame
    traces: list[Traced]

    @property
    def calls(self) -> int:
        return max(self._by_line_of_keras().values())

    @property
    def validates(self) -> bool:
        """`fit` builds one more of the arrays for validation, in another line of Keras'."""
        return self.method == "fit" and len(self._by_line_of_keras()) > 1

    @property
    def is_a_librarys(self) -> bool:
        return bool(library_that_calls(self.traces[0])) and not passes_on(self.frame, self.method)

    def _by_line_of_keras(self) -> Counter[int]:
        return Counter(map(line_of_keras, self.traces))


def propose(function: FunctionFacts) -> Fix | None:
    if not is_of_a_pipeline(function.file):
        return None
    lines = _chosen(_lines(function))
    return _fix(function, lines) if sum(len(line.traces) for line in lines) > 1 else None


def propose_beside(function: FunctionFacts) -> Fix | None:
    """Where `predict` is told of, the lines that call the others again and again; and the other way round."""
    if not is_of_a_pipeline(function.file) or function.name in _OF_CLASS_WEIGHTS:
        return None
    every = _lines(function)
    told = _chosen(every)
    beside = [line for line in every if line not in told and line.calls > 1 and not line.is_a_librarys]
    predicts = bool(told) and told[0].method == "predict"
    beside = [line for line in beside if (line.method == "predict") != predicts]
    if not beside or told[0].is_a_librarys:
        return None
    fix = _fix(function, _chosen(beside))
    left = (fix.traces_after or 0) - sum(len(line.traces) for line in told)
    are = "is" if left == 1 else "are"
    return replace(fix, evidence=f"{fix.evidence} With the change above as well {plural(left, 'trace')} {are} left.")


def _fix(function: FunctionFacts, lines: list[_Line]) -> Fix:
    count = sum(len(line.traces) for line in lines)
    methods = " or ".join(f"`{method}`" for method in dict.fromkeys(line.method for line in lines))
    calls = sum(line.calls for line in lines)
    text = (
        f"Each call of {methods} on arrays builds an input pipeline of its own, of which `{function.name}` is a part:"
        f" {function.at_least}{plural(calls, 'call')}, {count} traces."
    )
    first = lines[0]
    if first.is_a_librarys:
        text += (
            f" `{library_that_calls(first.traces[0])}` calls it: where that takes a `tf.data.Dataset` in the place of"
            " arrays, pass it one, which has a pipeline already."
        )
        return Fix("keras_dataset_once", text, None, evidence="Whether that library takes a dataset is not recorded.")
    remaining = len(function.traces) - count
    if function.name in _OF_CLASS_WEIGHTS:
        mapped = f"{function.at_least}{plural(calls, 'call')}"
        on_batches = [line.method for line in lines if line.method.endswith("_on_batch")]
        text = f"Each call of {methods} with `class_weight` maps {'a' if on_batches else 'the'} dataset anew: {mapped}."
        text += f" {SAMPLE_WEIGHTS}" if len(on_batches) < len(lines) else ""
        text += _ON_BATCHES.format(on_batches[0]) if on_batches else ""
        return Fix(
            "keras_dataset_once", text, None, traces_after=remaining,
            evidence="Keras maps a dataset with `class_weight` in each call, and what has weights as it is.",
        )  # fmt: skip
    if first.method == "predict" and function.distributes:
        return Fix(
            "keras_predict_once", f"{text} Call the model itself on all rows, which builds none.", None,
            traces_after=remaining, notes=[_ON_REPLICAS, _ONE_PREDICT],
            evidence="Keras makes one pipeline for each call of `predict`, and none for a call of the model itself.",
        )  # fmt: skip
    if first.method == "predict":
        codes = dict.fromkeys(on_batch(line.frame) for line in lines)
        is_of_one_size = all(_are_of_one_size(function, line.method, line.frame) for line in lines)
        return Fix(
            "keras_predict_once", f"{text} Call `predict_on_batch`, which builds none.", None,
            other="\n".join(filter(None, codes)),
            notes=[
                ALL_ROWS, *([] if is_of_one_size else [_OF_SEVERAL_SIZES]),
                *([_CASTS_NOTHING] if len(lines) > 1 else []), _ONE_PREDICT,
            ],
            evidence="Keras makes one pipeline for each call of `predict`, and none for `predict_on_batch`.",
            traces_after=remaining,
        )  # fmt: skip
    return _of_arrays(function, lines, text, methods, remaining)


def _lines(function: FunctionFacts) -> list[_Line]:
    """By traces, most first; [] where some trace is of no such line."""
    found: dict[tuple[str, Frame], _Line] = {}
    for trace in function.traces:
        method, frame = method_of(trace), function.caller(trace)
        if not method or frame is None:
            return []
        found.setdefault((method, frame), _Line(method, frame, [])).traces.append(trace)
    return sorted(found.values(), key=lambda line: len(line.traces), reverse=True)


def _chosen(lines: list[_Line]) -> list[_Line]:
    """Those that one text is of: that make it more than once, or, as where a loop is written out, once each."""
    if not lines or lines[0].is_a_librarys:
        return lines[:1]
    predicts = lines[0].method == "predict"
    kin = [line for line in lines if (line.method == "predict") == predicts and not line.is_a_librarys]
    kin = [line for line in kin if len(line.traces) > 1] or kin
    shown = list(dict.fromkeys(line.frame.source for line in kin))[:_MOST_LINES]
    return [line for line in kin if line.frame.source in shown]


def _of_arrays(function: FunctionFacts, lines: list[_Line], text: str, methods: str, remaining: int) -> Fix:
    once = [
        line.calls > 1 and _are_of_one_size(function, line.method, line.frame)
        and takes_named_arrays(line.frame, line.method)
        for line in lines
    ]  # fmt: skip
    when = "once, where they are the same at every call, else before each call," if any(once) else "before each call"
    text += f" A `tf.data.Dataset` has a pipeline already: make one of the arrays {when} and pass that."
    notes = []
    if once == [True] and lines[0].method == "fit":
        notes.append("Or, of one model, call `fit` once, with all epochs.")
    if any(line.validates for line in lines):
        notes.append("The arrays for validation have a pipeline of their own: make a dataset of those, too.")
    if any(line.method == "fit" and "class_weight" in line.frame.source for line in lines):
        notes.append(f"With `class_weight` Keras maps a dataset anew in each call. {SAMPLE_WEIGHTS}")
    codes: dict[str, str] = {}
    told: set[tuple[str, str]] = set()
    for line, is_once in zip(lines, once, strict=True):
        source = line.frame.source
        if (line.method, source) in told:
            continue
        told.add((line.method, source))
        kinds = _kinds_passed(function, line.method, line.frame)
        code = code_of(
            line.method, line.frame, ONCE if is_once else _EACH_TIME, validates=line.validates,
            kinds=kinds or {}, number=len(told), beside=[other.frame.source for other in lines],
            earlier=codes.get(source, ""),
        )  # fmt: skip
        codes[source] = code
        notes += told_of_lists(line.frame, line.method, code) if kinds is None else []
        notes += told_of_another(line.frame, line.method)
        notes += told_of_fixed_batches(line.frame, line.method) + told_of_options(line.frame, line.method)
    code = "\n".join(codes.values())
    if "x_held" in code and any("validation_split" in line.frame.source for line in lines):
        notes.append(_SPLIT)
    return Fix(
        "keras_dataset_once", text, None, other=code, warnings=told_of_order(code), notes=list(dict.fromkeys(notes)),
        evidence=f"Keras makes one pipeline for each call of {methods} on arrays, and none if it is given a dataset.",
        traces_after=remaining,
    )  # fmt: skip


_ON_REPLICAS = (
    "That is `model(x, training=False)`. `predict_on_batch` builds none either, but with a strategy of several replicas"
    " it returns each row once for each of them."
)
_OF_SEVERAL_SIZES = (
    "Its step is traced once more where the numbers of rows differ: for the first that it is given, and for any other."
)
#: Of lines that may pass other dtypes: what `predict` was given is not recorded, for it casts before.
_CASTS_NOTHING = (
    "`predict` casts fractions to Keras' own dtype, float32 unless it was set, and `predict_on_batch` nothing: where"
    " some of these lines pass float64, as NumPy makes it, the step is traced once more, unless they cast it first"
    ' (`x = np.asarray(x, "float32")`).'
)
_ONE_PREDICT = (
    "Where it is one model, whose weights stay the same between the calls, one `predict` over all inputs does as well."
)
_EACH_TIME = "before each call"
#: Of Keras 3, and of Keras 2.
_OF_CLASS_WEIGHTS = ("class_weights_map_fn", "_class_weights_map_fn")
_ON_BATCHES = " Pass `{}` the class weight of each row as its `sample_weight`, and leave `class_weight` out."
_SPLIT = "`validation_split` holds out the last rows: split the arrays before."


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


def _kinds_passed(function: FunctionFacts, method: str, frame: Frame) -> dict[str, str] | None:
    """What is passed for its parameters: "tensor", "list", "dict"; None if that is not known."""
    for trace in function.traces:
        data = dict(trace.lookup.signature.arguments).get("data")
        if data is not None and method_of(trace) == method and function.caller(trace) == frame:
            parts = [node for _, node in data.children] if data.kind in _SEQUENCES else [data]
            return {name: node.kind for name, node in zip(("x", "y"), parts, strict=False)}
    return None
