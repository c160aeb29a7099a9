"""Keras builds a dataset in each call of `fit`, `evaluate` and `predict` on a generator or a PyDataset."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from tb_retrace_plugin.explain.advice.evidence.called_on_keras import line_of_keras, method_of
from tb_retrace_plugin.explain.advice.evidence.facts import Fix, Frame, FunctionFacts, Traced
from tb_retrace_plugin.explain.advice.evidence.reading import times_text
from tb_retrace_plugin.explain.advice.keras.keras_code import SAMPLE_WEIGHTS, call_of, free_names, given_to
from tb_retrace_plugin.explain.advice.source.code import source_line
from tb_retrace_plugin.explain.verdict.keras_pipelines import GENERATED_AGAIN

_PY_DATASETS = "/py_dataset_adapter.py"
#: Of Keras 2, where what it makes of a Sequence begins with what it makes of a generator.
_OF_KERAS_2 = "/tf_keras/src/engine/data_adapter.py"
_GENERATOR = "a generator"
_MODULE = "<module>"
#: What `fit` writes to the arguments that it builds datasets of: a line of Keras' with this in it is of the second.
_OF_VALIDATION = "eval"
_ANY_ORDER = """\
def in_any_order(data):
    order = list(range(len(data)))
    random.shuffle(order)  # as `fit` does
    return ({} for i in order)"""
_IN_ORDER = """\
def in_order(data):
    return ({} for i in range(len(data)))"""
_NOT_CALLED = "A dataset makes no use of the `workers` of {}, and does not call its `on_epoch_end`."
_NO_LENGTH = (
    "A generator does not tell how many batches there are, and Keras may warn that they ran out:"
    " `.apply(tf.data.experimental.assert_cardinality(…))` of the dataset tells it."
)
#: A function that is called each time has names of its own in each call: what it passes is kept where both see it.
_KEPT = "current"
_HEAD = f"{_KEPT} = {{}}  # once, as what follows, outside of the function"
_EVERY_EPOCH = "It asks for a new generator in every epoch, where Keras goes through one, until that ends."
_ALL_EPOCHS = "Or, of one model, call `fit` once, with all epochs."
_SIZES_DIFFER = "Sizes that are others in other calls are unknown to it, as Keras' own functions have them then."
#: Of a `tf.TensorSpec`, as code.
_SIZES = re.compile(r"\[([^\[\]]*)\]")
_TUPLES_OF_ONE = "If it gives tuples of one already, leave out the brackets around it."


@dataclass(slots=True)
class _Call:
    """A line of the user's that calls a model, and what Keras built in these calls after the first, by parameter, with
    the signature of the one dataset that would do."""

    method: str
    frame: Frame
    traces: dict[str, list[Traced]] = field(default_factory=dict)
    signatures: dict[str, str] = field(default_factory=dict)


def propose(function: FunctionFacts) -> Fix | None:
    again = [trace for trace in function.traces if trace.evidence == GENERATED_AGAIN and trace.output_signature]
    calls: dict[tuple[str, Frame], _Call] = {}
    for trace in again:
        method, frame = method_of(trace), function.caller(trace)
        if not method or frame is None:
            return None
        call = calls.setdefault((method, frame), _Call(method, frame))
        call.traces.setdefault(_parameter(trace), []).append(trace)
    if not calls or not all(_has_one_for_all(call, function) for call in calls.values()):
        return None
    again = [trace for call in calls.values() for traces in call.traces.values() for trace in traces]
    of_what = {_kind(trace) for trace in again}
    methods = " or ".join(f"`{method}`" for method in dict.fromkeys(call.method for call in calls.values()))
    made = " or ".join(sorted(of_what))
    times = len(again) + sum(len(call.traces) for call in calls.values())
    parts = [_change(call, number) for number, call in enumerate(calls.values(), 1)]
    once = list(dict.fromkeys(made for part in parts for made in part.once))
    head = ["import random"] if any("random." in definition for definition in once) else []
    head += [_HEAD] if any(call.frame.function != _MODULE for call in calls.values()) else []
    each = "for each" if sum(len(call.traces) for call in calls.values()) > 1 else "of it"
    return Fix(
        "keras_generator_once",
        f"Each call of {methods} on {made} builds a dataset of its own, of which `{function.name}` is a part: it was"
        f" built {function.at_least}{times_text(times)}. Build a tf.data.Dataset {each} once, and pass that: it asks"
        " for what it is of again each time that it is gone through.",
        None,
        other="\n".join([*head, *once, *(line for part in parts for line in part.lines)]),
        notes=list(dict.fromkeys(note for part in parts for note in part.notes)),
        evidence=f"Keras builds one dataset for each call of {methods} on {made}, and none if it is given a dataset.",
        traces_after=len(function.traces) - len(again),
    )


def _has_one_for_all(call: _Call, function: FunctionFacts) -> bool:
    """Whether one dataset can have the elements of all the calls of the line: those that differ in sizes alone are of
    unknown ones to it, and each call builds it again for nothing."""
    of_line = [t for t in function.traces if method_of(t) == call.method and function.caller(t) == call.frame]
    for parameter, traces in call.traces.items():
        built = [trace for trace in of_line if _parameter(trace) == parameter]
        signatures = list(dict.fromkeys(one.output_signature for one in built if one.output_signature))
        widest = _widest(signatures)
        if widest is None:
            return False
        call.signatures[parameter] = widest
        if len(signatures) > 1:
            traces[:] = built[1:]
    return True


def _widest(signatures: Sequence[str]) -> str | None:
    """With None for each size in which they differ; None if that is not all."""
    parts = [_SIZES.split(one) for one in signatures]
    if len({tuple(part[::2]) for part in parts}) != 1:
        return None
    first = parts[0]
    for place in range(1, len(first), 2):
        sizes = [part[place].split(", ") for part in parts]
        if len({len(one) for one in sizes}) != 1:
            return None
        first[place] = ", ".join(one[0] if len(set(one)) == 1 else "None" for one in zip(*sizes, strict=True))
    return "".join(f"[{text}]" if place % 2 else text for place, text in enumerate(first))


def _parameter(trace: Traced) -> str:
    """Which of `fit`'s it was that Keras built it of."""
    line = line_of_keras(trace)
    frame = next((f for f in trace.stack if f.function == "fit" and f.line == line and not f.user), None)
    return "validation_data" if frame is not None and _OF_VALIDATION in frame.source else "x"


def _kind(trace: Traced) -> str:
    frames = [(frame.file.replace("\\", "/"), frame.source) for frame in trace.stack]
    if any(file.endswith(_PY_DATASETS) for file, _ in frames):
        return "a PyDataset"
    is_sequence = any(file.endswith(_OF_KERAS_2) and source.startswith("super().") for file, source in frames)
    return "a Sequence" if is_sequence else _GENERATOR


@dataclass(slots=True)
class _Changed:
    """What is made once, lines of each call, and what to know of them."""

    once: list[str]
    lines: list[str]
    notes: list[str]


def _change(call: _Call, number: int) -> _Changed:
    line = source_line(call.frame)
    written = call_of(line, call.method)
    given = given_to(written, call.method) if written is not None else None
    names = dict(zip(("x", "validation_data"), free_names([line], number), strict=True))
    is_local = call.frame.function != _MODULE
    definitions, datasets, kept, notes = [], [], [], []
    changed = line.encode()  # columns are bytes
    for parameter, traces in sorted(call.traces.items()):
        name, kind, output_signature = names[parameter], _kind(traces[0]), call.signatures[parameter]
        value = given.get(parameter) if given is not None else None
        asked = (ast.get_source_segment(line, value) or "…") if value is not None else "…"
        if is_local:
            kept.append(f"{_KEPT}[{name!r}] = {asked}  # before each call")
            asked = f"{_KEPT}[{name!r}]"
        elif isinstance(value, ast.Call) and given is not None and "epochs" in given and "steps_per_epoch" not in given:
            notes += [_EVERY_EPOCH] if kind == _GENERATOR else []
        if any(one.output_signature not in ("", output_signature) for one in traces):
            notes.append(_SIZES_DIFFER)
        if kind != _GENERATOR:
            is_shuffled = call.method == "fit" and parameter == "x" and not _is_false((given or {}).get("shuffle"))
            definition = (_ANY_ORDER if is_shuffled else _IN_ORDER).format(_element(output_signature))
            definitions.append(definition)
            asked = f"{definition[4 : definition.index('(')]}({asked})"
            notes += [_NOT_CALLED.format(kind)] if call.method == "fit" else []
            notes += [_TUPLES_OF_ONE] if output_signature.endswith(",)") else []
        once = "" if is_local else "  # once, before the loop"
        datasets.append(
            f"{name} = tf.data.Dataset.from_generator(\n    lambda: {asked},\n"
            f"    output_signature={output_signature},\n).prefetch(tf.data.AUTOTUNE){once}"
        )
    for parameter in sorted(call.traces, key=lambda name: getattr((given or {}).get(name), "col_offset", 0))[::-1]:
        if given is not None and (value := given.get(parameter)) is not None:
            changed = changed[: value.col_offset] + names[parameter].encode() + changed[value.end_col_offset :]
    shown = changed.decode()
    if shown == line:
        passed = [names["x"]] if "x" in call.traces else ["…"]
        passed += [f"validation_data={names['validation_data']}"] if "validation_data" in call.traces else []
        shown = f"model.{call.method}({', '.join([*passed, '…'])})"
    if given is not None and call.method == "fit":
        notes += [] if "steps_per_epoch" in given else [_NO_LENGTH]
        notes += [_ALL_EPOCHS] if isinstance(given.get("x"), ast.Name | ast.Attribute) else []
        notes += [f"With `class_weight` Keras maps a dataset anew in each call. {SAMPLE_WEIGHTS}"] * (
            "class_weight" in given
        )
    place = line or f"{call.frame.file}:{call.frame.line}"
    return _Changed([*definitions, *datasets], [*kept, f"{shown}  # in place of: {place}"], notes)


def _element(output_signature: str) -> str:
    """Of a PyDataset: lists are no tuples to tf.data, and an array by itself is a tuple of one to Keras."""
    if output_signature.endswith(",)"):
        return "(data[i],)"
    return "tuple(data[i])" if output_signature.startswith("(") else "data[i]"


def _is_false(value: ast.expr | None) -> bool:
    return isinstance(value, ast.Constant) and value.value is False
