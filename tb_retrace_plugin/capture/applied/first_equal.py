"""One tf.function for several of the same code: a call of a later one goes to the first that sees the same."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tb_retrace_plugin.capture import tf_seam
from tb_retrace_plugin.capture.applied.change import AppliedChange
from tb_retrace_plugin.capture.applied.python_state import PythonState, State

#: First ones that are kept alive; what is made after so many of them is as the program made it.
_MAX_FIRST = 100
_MAX_NAMES = 3


@dataclass(slots=True)
class _First:
    """`state`: when it was called first. `instance`: of its method, kept alive as one for all calls would be."""

    function: Any
    instance: Any
    options: Mapping[str, Any]
    state: State


class FirstEqual:
    """Of one change."""

    def __init__(self, change: AppliedChange) -> None:
        self._change = change
        self._states = PythonState()
        self._known: list[_First] = []
        self._first: weakref.WeakKeyDictionary[Any, _First] = weakref.WeakKeyDictionary()
        self._lock = threading.RLock()

    def function_for(self, function: Any, options: Mapping[str, Any]) -> Any:
        """Which tf.function serves a call of `function`, which was made with `options`. Never raises."""
        with self._lock:
            try:
                return self._function_for(function, options)
            except Exception as error:
                self._change.say(error)
                return function

    def _function_for(self, function: Any, options: Mapping[str, Any]) -> Any:
        state, instance = self._state(function)
        first = self._first.get(function)
        if first is None:
            first = next((one for one in self._known if one.state == state and one.options == options), None)
            if first is None:
                if self._known:
                    self._change.say(f"another one is not the same: {_difference(self._known[-1], state, options)}")
                if len(self._known) == _MAX_FIRST:
                    self._change.say(f"after {_MAX_FIRST} that are not the same, no more are compared")
                    return function
                first = _First(function, instance, options, state)
                self._known.append(first)
            self._first[function] = first
        if first.function is function:
            return function
        now, _ = self._state(first.function)
        if state == first.state == now:
            return first.function
        other = state if state != first.state else now
        self._change.say(f"it is not the same any more: {_difference(first, other, options)}")
        return function

    def _state(self, function: Any) -> tuple[State, Any]:
        traced = tf_seam.unwrapped(function.python_function)
        reference = tf_seam.bound_instance(traced)
        instance = reference() if reference is not None else None
        return self._states.of(traced, instance), instance


def _difference(first: _First, state: State, options: Mapping[str, Any]) -> str:
    if first.options != options:
        return "the options of its tf.function"
    names = [name for name in {**first.state, **state} if first.state.get(name) != state.get(name)]
    return ", ".join(f"`{name}`" for name in names[:_MAX_NAMES]) + (", …" if len(names) > _MAX_NAMES else "")
