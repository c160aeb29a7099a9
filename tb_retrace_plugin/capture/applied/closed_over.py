"""One tf.function that is passed, as tensors, the Python numbers that each of several closes over."""

from __future__ import annotations

import inspect
import threading
import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tb_retrace_plugin.capture import tf_seam
from tb_retrace_plugin.capture.applied.change import AppliedChange
from tb_retrace_plugin.capture.applied.python_state import PythonState, State
from tb_retrace_plugin.capture.values.plain_values import is_list_of_numbers, is_number

_MAX_ITEMS = 64


class ClosedOverNumbers:
    """Of one change. `make(python_function, options)` makes a tf.function that is not changed again."""

    def __init__(self, change: AppliedChange, make: Callable[[Any, Mapping[str, Any]], Any]) -> None:
        self._change, self._make = change, make
        self._states = PythonState()
        self._known: list[tuple[State, Mapping[str, Any], Any]] = []
        self._lock = threading.RLock()

    def function_for(self, function: Any, options: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
        """Which tf.function serves a call of `function`, and what it is passed besides. Never raises."""
        with self._lock:
            try:
                return self._function_for(function, options)
            except Exception as error:
                self._change.say(error)
                return function, {}

    def _function_for(self, function: Any, options: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
        import tensorflow as tf

        names = self._change.closed_over
        traced = tf_seam.unwrapped(function.python_function)
        python = traced.python
        if traced.outer is not python or not set(names) <= set(python.__code__.co_freevars):
            self._change.say(f"it does not close over {', '.join(names)} as a plain function does")
            return function, {}
        cells = dict(zip(python.__code__.co_freevars, python.__closure__, strict=True))
        numbers = {name: cells[name].cell_contents for name in names}
        if not all(is_number(value) or is_list_of_numbers(value, _MAX_ITEMS) for value in numbers.values()):
            self._change.say(f"{', '.join(names)} is not a number each time")
            return function, {}
        state = self._states.of(traced, without=names)
        shared = next((one for known, with_, one in self._known if known == state and with_ == options), None)
        if shared is None:
            plain = {**options, "autograph": False}  # AutoGraph would look for the source of what stands around it
            shared = self._make(_with_numbers(python, names, bool(options.get("autograph", True))), plain)
            self._known.append((state, options, shared))
        return shared, {name: tf.constant(n, self._change.dtypes.get(name)) for name, n in numbers.items()}


def _with_numbers(python: Any, names: Sequence[str], autograph: bool) -> Any:
    """The same function with the numbers as keyword-only arguments; of its own source line all the same."""

    def with_numbers(*args: Any, **kwargs: Any) -> Any:
        passed = {name: types.CellType(kwargs.pop(name)) for name in names}
        closure = zip(python.__code__.co_freevars, python.__closure__, strict=True)
        cells = tuple(passed.get(name, cell) for name, cell in closure)
        inner = types.FunctionType(python.__code__, python.__globals__, python.__name__, python.__defaults__, cells)
        inner.__kwdefaults__, inner.__qualname__ = python.__kwdefaults__, python.__qualname__
        return (_converted(inner) if autograph else inner)(*args, **kwargs)

    signature = inspect.signature(python)
    parameters = list(signature.parameters.values())
    place = len(parameters) - (1 if parameters and parameters[-1].kind is inspect.Parameter.VAR_KEYWORD else 0)
    parameters[place:place] = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY) for name in names]
    with_numbers.__wrapped__ = python  # type: ignore[attr-defined]
    with_numbers.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    with_numbers.__name__, with_numbers.__qualname__ = python.__name__, python.__qualname__
    return with_numbers


def _converted(function: Any) -> Any:
    """As tf.function itself would; without its source the function runs as it is."""
    import tensorflow as tf

    try:
        return tf.autograph.to_graph(function)
    except Exception:
        return function
