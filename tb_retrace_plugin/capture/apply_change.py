"""Declares and calls some functions otherwise than the program does, for `tb-retrace try`; no source is touched.

Functions are known by their code: file, line and qualified name, as a recording has them. What `tf.function` makes of
that code is declared otherwise, called with other arguments, or another one like it is called in its place
(`applied/`, a file for each way). This is the one part of Retrace that changes what a program does: it runs in the
processes that `tb-retrace try` starts for it, and nowhere else.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tb_retrace_plugin.capture import tf_seam
from tb_retrace_plugin.capture.applied import batches_alike, one_pipeline
from tb_retrace_plugin.capture.applied.arguments import changed_arguments
from tb_retrace_plugin.capture.applied.change import AppliedChange, change_of
from tb_retrace_plugin.capture.applied.closed_over import ClosedOverNumbers
from tb_retrace_plugin.capture.applied.declared import spec_of
from tb_retrace_plugin.capture.applied.first_equal import FirstEqual
from tb_retrace_plugin.capture.applied.variables_once import VariablesOnce
from tb_retrace_plugin.explain.what_if.input_signature import parse_input_signature


def apply_changes(changes: Sequence[AppliedChange]) -> None:
    """From now on, every `tf.function` of these codes is made with its change. Raises SeamMissingError.

    Classes are changed by `applied/equal_classes.py`, which has to come before them.
    """
    function_class = tf_seam.function_class()
    init, parameters = function_class.__init__, inspect.signature(function_class.__init__)
    missing = {"python_function", "name", "input_signature", "reduce_retracing", "autograph"} - set(
        parameters.parameters
    )
    if missing:
        raise tf_seam.SeamMissingError(f"tf.function's class takes no {', '.join(sorted(missing))}")
    one_pipeline.install(changes)
    batches_alike.install(changes)
    declared = {
        id(change): parse_input_signature(change.input_signature) if change.input_signature else ()
        for change in changes
    }

    def make(python_function: Any, options: Mapping[str, Any]) -> Any:
        made = function_class.__new__(function_class)
        init(made, python_function, **options)
        return made

    ways = {id(change): _Calls(change, make) for change in changes if change.is_made_at_calls}
    redirected: weakref.WeakKeyDictionary[Any, _Made] = weakref.WeakKeyDictionary()

    @functools.wraps(init)
    def changed_init(self: Any, *args: Any, **kwargs: Any) -> None:
        bound = parameters.bind(self, *args, **kwargs)
        change = change_of(bound.arguments["python_function"], changes)
        if change is not None:
            try:
                specs = [spec_of(one, bound.arguments["python_function"]) for one in declared[id(change)]]
            except Exception as error:
                change.say(error)
            else:
                bound.arguments.update({"input_signature": specs} if specs else {})
                bound.arguments.update({"reduce_retracing": True} if change.reduce_retracing else {})
                change.objects += 1
                if id(change) in ways:
                    options = {k: v for k, v in bound.arguments.items() if k not in ("self", "python_function")}
                    redirected[self] = _Made(ways[id(change)], options)
        init(*bound.args, **bound.kwargs)

    function_class.__init__ = changed_init
    if ways:
        for name in ("__call__", "get_concrete_function"):
            setattr(function_class, name, _redirecting(getattr(function_class, name), redirected))


@dataclass(frozen=True, slots=True)
class _Made:
    """Of one tf.function. `options`: what it was made with."""

    calls: _Calls
    options: Mapping[str, Any]


class _Calls:
    """What is done to the calls of one change's functions."""

    def __init__(self, change: AppliedChange, make: Callable[[Any, Mapping[str, Any]], Any]) -> None:
        self._change = change
        self._first = FirstEqual(change) if change.one_function else None
        self._numbers = ClosedOverNumbers(change, make) if change.closed_over else None
        self._variables = VariablesOnce(change) if change.variables_once else None

    def call(
        self, method: Callable[..., Any], function: Any, options: Mapping[str, Any], args: Any, kwargs: dict[str, Any]
    ) -> Any:
        args, kwargs = changed_arguments(function.python_function, self._change, args, kwargs)
        if self._numbers is not None:
            function, numbers = self._numbers.function_for(function, options)
            kwargs = {**kwargs, **numbers}
        elif self._first is not None:
            function = self._first.function_for(function, options)
        around = self._variables.around_call(function) if self._variables is not None else contextlib.nullcontext()
        with around:
            return method(function, *args, **kwargs)


def _redirecting(method: Callable[..., Any], redirected: Mapping[Any, _Made]) -> Callable[..., Any]:
    @functools.wraps(method)
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        made = redirected.get(self)
        if made is None:
            return method(self, *args, **kwargs)
        return made.calls.call(method, self, made.options, args, kwargs)

    return call
