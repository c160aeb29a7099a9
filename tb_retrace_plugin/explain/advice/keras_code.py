"""A call of a Keras model on arrays as the user wrote it, with a dataset in their place."""

from __future__ import annotations

import ast
import re

from tb_retrace_plugin.explain.advice.code import parsed, source_line
from tb_retrace_plugin.explain.advice.facts import Frame

#: Parameters in their order, as far as they are passed by position.
_PARAMETERS = {
    "fit": ("x", "y", "batch_size", "epochs", "verbose", "callbacks"),
    "evaluate": ("x", "y", "batch_size", "verbose", "sample_weight"),
    "predict": ("x", "batch_size", "verbose"),
}
_OF_ARRAYS = ("x", "y", "sample_weight")
#: What a dataset does itself.
_OF_THE_DATASET = frozenset({*_OF_ARRAYS, "batch_size", "shuffle"})
#: Keras' own, where none is given.
_BATCH_SIZE = "32"
_ONCE = "once, before the loop"
_GIVEN_BATCH_SIZE = re.compile(r"\bbatch_size=([\w.]+)")


def takes_arrays(frame: Frame, method: str) -> bool:
    """Whether the user's line passes what only arrays have."""
    call = _call(source_line(frame), method)
    given = _given(call, method) if call is not None else None
    return given is not None and ("y" in given or "batch_size" in given)


def code_of(method: str, frame: Frame, why: str = _ONCE) -> str:
    """`why`: a comment beside the dataset."""
    line = source_line(frame)
    call = _call(line, method)
    given = _given(call, method) if call is not None else None
    if call is None or given is None:
        return _made_up(method, line, line or f"{frame.file}:{frame.line}", why)
    text = {name: ast.get_source_segment(line, value) or "…" for name, value in given.items()}
    model = ast.get_source_segment(line, call.func) or f"model.{method}"
    kept = [f"{name}={value}" for name, value in text.items() if name not in _OF_THE_DATASET]
    if method == "predict":
        kept += [f"batch_size={text['batch_size']}"] if "batch_size" in text else []
        passed = ", ".join(["np.concatenate(inputs)", *kept])
        return f"{model}({passed})  # one call over all, in place of: {line}"
    arrays = [text[name] for name in _OF_ARRAYS if name in text]
    tensors = f"({', '.join(arrays)})" if len(arrays) > 1 else arrays[0]
    is_shuffled = method == "fit" and text.get("shuffle") != "False"
    data = f"tf.data.Dataset.from_tensor_slices({tensors})" + (f".shuffle(len({arrays[0]}))" if is_shuffled else "")
    # columns are bytes
    start, end = (line.encode()[:at].decode() for at in (call.col_offset, call.end_col_offset or 0))
    changed = f"{start}{model}({', '.join(['data', *kept])}){line[len(end) :]}"
    return f"data = {data}.batch({text.get('batch_size', _BATCH_SIZE)})  # {why}\n{changed}  # in place of: {line}"


def _call(line: str, method: str) -> ast.Call | None:
    tree = parsed(line)
    nodes = list(ast.walk(tree)) if tree is not None else []
    calls = [node for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)]
    found = [call for call in calls if isinstance(call.func, ast.Attribute) and call.func.attr == method]
    return found[0] if len(found) == 1 else None


def _given(call: ast.Call, method: str) -> dict[str, ast.expr] | None:
    """Arguments by name, in their order; None if some are not told, or there is no such dataset of them."""
    parameters = _PARAMETERS[method]
    if len(call.args) > len(parameters) or any(isinstance(argument, ast.Starred) for argument in call.args):
        return None
    given = dict(zip(parameters, call.args, strict=False))
    for keyword in call.keywords:
        if keyword.arg is None:
            return None
        given[keyword.arg] = keyword.value
    given = {name: value for name, value in given.items() if name not in _OF_THE_DATASET or not _is_none(value)}
    # lists of arrays are one tensor to a dataset; a part for validation cannot be taken of one
    is_list = any(isinstance(given.get(name), ast.List) for name in _OF_ARRAYS)
    has_parts = "sample_weight" in given and "y" not in given
    return None if "x" not in given or is_list or has_parts or "validation_split" in given else given


def _is_none(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is None


def _made_up(method: str, line: str, place: str, why: str) -> str:
    if method == "predict":
        return f"model.predict(np.concatenate(inputs))  # one call over all, in place of: {place}"
    batch = _GIVEN_BATCH_SIZE.search(line)
    shuffled = ".shuffle(len(x))" if method == "fit" and "shuffle=False" not in line else ""
    data = f"tf.data.Dataset.from_tensor_slices((x, y)){shuffled}.batch({batch[1] if batch else _BATCH_SIZE})"
    return f"data = {data}  # {why}\nmodel.{method}(data)  # in place of: {place}"
