"""Keras makes the functions of its input pipeline anew in each call of `predict`, `evaluate` and `fit`."""

from __future__ import annotations

from collections import Counter

from tb_retrace_plugin.explain.advice.code import source_line
from tb_retrace_plugin.explain.advice.facts import Fix, Frame, FunctionFacts, Traced

_METHODS = ("predict", "evaluate", "fit")


def propose(function: FunctionFacts) -> Fix | None:
    if "/data_adapters/" not in function.file.replace("\\", "/"):
        return None
    calls = Counter(
        (method, frame) for t in function.traces if (method := _method(t)) and (frame := function.caller(t))
    )
    repeated = [(method, frame, count) for (method, frame), count in calls.items() if count > 1]
    if not repeated or sum(calls.values()) != len(function.traces):
        return None
    method, frame, count = max(repeated, key=lambda item: item[2])
    text = (
        f"Each call of `{method}` on arrays builds an input pipeline of its own, of which `{function.name}` is a part:"
        f" {count} calls, {count} traces. {_REMEDY[method]}"
    )
    remaining = sum(1 if count > 1 else count for count in calls.values())
    return Fix(
        f"keras_{method}_once", text, None, other=_code(method, frame), traces_after=remaining,
        evidence=f"Keras makes one pipeline for each call of `{method}`: one call, one trace.",
    )  # fmt: skip


_REMEDY = {
    "predict": "Call `predict` once over all inputs, or `model(x)` or `model.predict_on_batch(x)` for each.",
    "evaluate": "Call `evaluate` once over all inputs, or `model.test_on_batch` for each.",
    "fit": "Call `fit` once with all its epochs and data, or `model.train_on_batch` for each batch.",
}
_CODE = {
    "predict": "model.predict(np.concatenate(inputs))  # one call over all, in place of: {line}",
    "evaluate": "model.evaluate(np.concatenate(inputs), np.concatenate(targets))  # one call, in place of: {line}",
    "fit": "model.fit(x, y, epochs=epochs)  # one call, in place of: {line}",
}


def _code(method: str, frame: Frame) -> str:
    return _CODE[method].format(line=source_line(frame) or f"{frame.file}:{frame.line}")


def _method(trace: Traced) -> str:
    """The public method of the model that the user called."""
    found = ""
    for frame in trace.stack:
        if frame.user:
            break
        if frame.function in _METHODS and "trainer" in frame.file:
            found = frame.function  # the outermost: `fit` evaluates in between
    return found
