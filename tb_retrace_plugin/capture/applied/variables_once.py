"""Variables that a function creates in every trace: created once, before they are used, as if it were done outside."""

from __future__ import annotations

import contextlib
import threading
import weakref
from collections.abc import Callable, Iterator
from typing import Any

from tb_retrace_plugin.capture.applied.change import AppliedChange


class VariablesOnce:
    """Of one change. Each trace of a tf.function is given the variables of its first one, in the order of creation."""

    def __init__(self, change: AppliedChange) -> None:
        self._change = change
        self._made: weakref.WeakKeyDictionary[Any, list[Any]] = weakref.WeakKeyDictionary()
        self._counts: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()  # by the graph being traced
        self._lock = threading.RLock()

    @contextlib.contextmanager
    def around_call(self, function: Any) -> Iterator[None]:
        import tensorflow as tf

        outside = tf.compat.v1.get_default_graph()
        made = self._made.setdefault(function, [])

        def create(next_creator: Callable[..., Any], **kwargs: Any) -> Any:
            graph = tf.compat.v1.get_default_graph()
            if tf.executing_eagerly() or getattr(graph, "outer_graph", None) is not outside:
                return next_creator(**kwargs)  # of another function's graph, or made outside by the one below
            with self._lock:
                number = self._counts.get(graph, 0)
                self._counts[graph] = number + 1
                variable = self._variable(made, number, kwargs)
            return next_creator(**kwargs) if variable is None else variable

        with tf.variable_creator_scope(create):
            yield

    def _variable(self, made: list[Any], number: int, kwargs: dict[str, Any]) -> Any:
        """None if it has to be created in the graph."""
        import tensorflow as tf

        try:
            with tf.init_scope():
                given = kwargs.get("initial_value")
                value = tf.convert_to_tensor(given() if callable(given) else given, dtype=kwargs.get("dtype"))
                if number == len(made):
                    found = {k: kwargs[k] for k in _PASSED_ON if kwargs.get(k) is not None}
                    # without lifting: it is not the tf.function's own to initialize
                    made.append(tf.Variable(value, experimental_enable_variable_lifting=False, **found))
                known, shape = made[number], kwargs.get("shape")
                if (known.dtype, known.shape) != (value.dtype, value.shape if shape is None else tf.TensorShape(shape)):
                    self._change.say("it does not create the same variables in each trace")
                    return None
                return known
        except Exception as error:  # its initial value is known inside the graph alone
            self._change.say(f"a variable cannot be created outside of it: {type(error).__name__}: {error}")
            return None


_PASSED_ON = ("trainable", "name", "constraint", "synchronization", "aggregation", "shape")
