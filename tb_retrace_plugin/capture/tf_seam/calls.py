"""Calls of concrete functions, and the tensors that they are made with."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

from tb_retrace_plugin.capture.tf_seam.private import hot


class WatchedCalls:
    """Sees the calls of one concrete function, from `watch` until `unwatch_calls`.

    One object for each watched function and no closures: every trace leaves one behind until its first call.
    """

    __slots__ = ("_class_call", "_function")

    def __init__(self, concrete_function: Any) -> None:
        self._class_call = type(concrete_function)._call_flat
        self._function = weakref.ref(concrete_function)  # in its own __dict__, a strong one would be a cycle

    def begin(self, tensors: Any, captured: Any) -> Callable[[bool], None] | None:
        """A call with these tensors and captured tensors. What it returns is called with whether the call failed."""
        raise NotImplementedError

    def cope(self, error: Exception) -> bool:
        """An error of `begin`'s, or of what it returned: the call goes on unless this says that it is the program's."""
        raise NotImplementedError

    def function(self) -> Any:
        """None once it is gone."""
        return self._function()

    def watch(self) -> None:
        self.function().__dict__["_call_flat"] = self

    def __call__(self, tensor_inputs: Any, captured_inputs: Any) -> Any:
        function, end = self._function(), None  # runs nothing that could fail
        if function is None:  # cannot be: it is being called
            raise ReferenceError("a concrete function was called after its end")
        try:
            end = self.begin(tensor_inputs, captured_inputs)
        except Exception as problem:
            if self.cope(problem):
                raise
        if end is None:
            return self._class_call(function, tensor_inputs, captured_inputs)
        has_failed = True
        try:
            result = self._class_call(function, tensor_inputs, captured_inputs)
            has_failed = False
            return result
        finally:
            try:
                end(has_failed)
            except Exception as problem:
                if self.cope(problem):
                    raise


def unwatch_calls(concrete_function: Any) -> None:
    """Calls run TensorFlow's own code alone again."""
    if concrete_function is not None:
        concrete_function.__dict__.pop("_call_flat", None)


def argument_tensors(concrete_function: Any, *, with_captures: bool = False) -> list[Any]:
    """The graph's placeholders of arguments, in the order of flat tensor arguments; captures are left out, or last."""
    graph = concrete_function.graph
    if with_captures:
        return list(graph.inputs)
    return list(graph.inputs[: len(graph.inputs) - len(graph.captures) - len(graph.deferred_internal_captures)])


def argument_name(placeholder: Any) -> str:
    """The argument's name as TensorFlow keeps it with the placeholder."""
    try:
        return str(placeholder.op.get_attr("_user_specified_name").decode())
    except Exception:
        return str(placeholder.op.name)


def a_tape_is_open() -> bool:
    """Whether a gradient tape or accumulator may record what this thread calls."""
    return bool(hot("tensorflow.python.eager.record", "could_possibly_record")())


def kind_of_tape(concrete_function: Any, tensors: list[Any]) -> int:
    """0 unless a gradient tape will record a call with these tensors; for each kind of tape its forward pass is a
    function of its own."""
    if not a_tape_is_open():
        return 0
    # as the call itself is about to do: only then do tapes know which variables it reads
    accessed = hot("tensorflow.python.ops.resource_variable_ops", "variable_accessed")
    for variable in concrete_function.graph.variables:
        accessed(variable)
    kind = hot("tensorflow.python.ops.gradients_util", "PossibleTapeGradientTypes")
    none = hot("tensorflow.python.ops.gradients_util", "POSSIBLE_GRADIENT_TYPES_NONE")
    return int(kind(tensors)) - int(none)
