"""Keras distributes a dataset anew in each call of `fit` and `evaluate`, with functions of TensorFlow's."""

from __future__ import annotations

import ast

from tb_retrace_plugin.explain.advice.evidence.facts import Fix, FunctionFacts, Traced
from tb_retrace_plugin.explain.advice.evidence.in_datasets import is_given_to_tf_data, objects_by
from tb_retrace_plugin.explain.advice.evidence.reading import how_often
from tb_retrace_plugin.explain.advice.source.code import parsed, source_line
from tb_retrace_plugin.explain.what_if.candidate import Candidate

_METHODS = frozenset({"evaluate", "fit", "predict"})


def propose(function: FunctionFacts) -> Fix | None:
    traces = [
        trace
        for trace, _ in function.with_cause("recreated_function")
        if is_given_to_tf_data(trace) and any(f.function == "experimental_distribute_dataset" for f in trace.stack)
    ]
    if not traces or not all(map(_dataset, function.traces)):
        return None
    objects = objects_by(_dataset, function, traces)
    if not objects:
        return None
    names = list(dict.fromkeys(_dataset(t) for t in function.traces if t.lookup.object_number in objects))
    text = (
        "Keras distributes the dataset that it is given over the strategy's devices in each call, and"
        f" `{function.name}` is made for that: {function.at_least}{how_often(objects)}. Distribute the dataset"
        " once and pass what comes of it to each call."
    )
    code = "\n".join(f"{name} = strategy.experimental_distribute_dataset({name})  # once" for name in names)
    return Fix(
        "distribute_dataset_once", text, Candidate(objects=objects), other=code,
        assumes="the dataset is the same each time",
    )  # fmt: skip


def _dataset(trace: Traced) -> str:
    """Its name in the user's call of the model; "" if the call passes it otherwise."""
    methods = []
    line = ""
    for frame in trace.stack:
        if frame.user:
            line = source_line(frame)
            break
        if frame.function in _METHODS and "keras/" in frame.file.replace("\\", "/"):
            methods.append(frame.function)
    tree = parsed(line)
    if not methods or tree is None:
        return ""
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == methods[-1]:
            given = {keyword.arg: keyword.value for keyword in call.keywords}
            found = given.get("validation_data") if len(methods) > 1 else [*call.args, given.get("x")][0]
            return found.id if isinstance(found, ast.Name) else ""
    return ""
