"""All that a traced function reads by name, with what layers and optimizers of Keras' own, that it calls, read."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from types import CodeType
from typing import Any

from tb_retrace_plugin.capture import tf_seam
from tb_retrace_plugin.capture.python_state.code_walk import KerasCall, Passed
from tb_retrace_plugin.capture.python_state.found_reads import Found
from tb_retrace_plugin.capture.python_state.keras_calls import reads_of_call
from tb_retrace_plugin.capture.python_state.keras_steps import Runs, applies, is_trained
from tb_retrace_plugin.capture.python_state.layer_settings import read_of_an_optimizer, whether_trained
from tb_retrace_plugin.capture.python_state.passed_on import passed_by_keras
from tb_retrace_plugin.capture.python_state.python_reads import reads_of
from tb_retrace_plugin.explain.differences.keras_metrics import is_a_metric

#: Code, and of which instance, that is being gone through, from the outside in.
_Within = tuple[tuple[CodeType, int], ...]


def all_reads(
    function: Any, instance: Any, text: str = "", *, passed: Passed | None,
    arguments: Mapping[str, Any] | None = None, trained: list[Any] | None = None, within: _Within = (),
) -> list[Found]:  # fmt: skip
    """With what layers and optimizers of Keras' own, that it calls, read of themselves."""
    calls: list[KerasCall] = []
    here = function.__code__, id(instance)
    if here in within:  # a layer's `call` that calls Keras' own methods of that layer, such as `self.add_loss(…)`
        return []
    found = reads_of(
        function, instance, text, arguments, is_told=is_told, passed=passed, trained=trained, of_keras=calls
    )
    for call in calls:
        found += reads_of_call(call, lambda run: reads_of_keras(run.training, run, (*within, here)))
    return found


def reads_of_keras(trains: bool | None, run: Runs, within: _Within = ()) -> list[Found]:
    if run.function is is_trained:
        return [whether_trained(run.function, run.instance(), run.text)]
    if run.function is applies:
        optimizer = run.instance()
        return [one for method in applies(optimizer) for one in read_of_an_optimizer(method, optimizer, run.text)]
    if run.is_keras:
        return run.read()
    passed = functools.partial(passed_by_keras, run.function, bool(trains))
    return all_reads(run.function, run.instance(), run.text, passed=passed, within=within)


def is_told(value: Any) -> bool:
    """A tensor, a variable, a model, an optimizer; and a metric of Keras', which is nothing that TensorFlow tracks."""
    if tf_seam.holds_tensors(value):
        return True
    return is_a_metric(type(value))
