"""`assert_max_traces`: a test fails if a function is traced too often, and says why it was."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Any, Literal

from tb_retrace_plugin.analysis.sessions.select import is_called
from tb_retrace_plugin.analysis.sessions.session import FunctionGroup, TraceEvent
from tb_retrace_plugin.analysis.sessions.tally import tally_of
from tb_retrace_plugin.analysis.sessions.wording import times_text
from tb_retrace_plugin.explain.words.made_by_libraries import is_of_a_pipeline
from tb_retrace_plugin.explain.words.place import place_text
from tb_retrace_plugin.gate.in_memory import InMemory, explanation, record_in_memory
from tb_retrace_plugin.schema import retrace_pb2 as pb

#: A tf.function, the Python function in one, or what it is called.
Wanted = str | Callable[..., Any] | None


class TooManyTraces(AssertionError):
    """A function was traced more often than allowed; the message says which, why, and what change stops it."""


class assert_max_traces(contextlib.ContextDecorator):
    """`with assert_max_traces(1): …` fails if a function is traced more than once within it.

    Args:
      n: so many traces are allowed, each function's counted by itself. Traces are counted as by
        `experimental_get_tracing_count()`: those that succeeded; the second one of a first call that creates variables
        counts. 0: nothing may be traced any more.
      function: the one function that is meant: a `tf.function`, the Python function in it, its name, its qualified
        name or `file.py:name`. None: each function of the program's, all `tf.function` objects of one `def` together;
        and of Keras' and others' functions each object by itself, but for the functions of Keras' input pipeline, which
        are made anew in each call of `fit`, `evaluate` and `predict`.

    Raises TooManyTraces at the end, unless something else was raised; LookupError if a name is given that no
    `tf.function` has; CannotCount if this TensorFlow's traces cannot be counted. It can be nested, and used as a
    decorator. What other threads trace meanwhile counts too.
    """

    def __init__(self, n: int, function: Wanted = None) -> None:
        check_arguments(n, function)
        self._n = n
        self._function = function
        self._stack = contextlib.ExitStack()
        self._recorded: InMemory | None = None

    def _recreate_cm(self) -> assert_max_traces:
        return assert_max_traces(self._n, self._function)

    def __enter__(self) -> assert_max_traces:
        self._recorded = self._stack.enter_context(record_in_memory())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> Literal[False]:
        __tracebackhide__ = True
        self._stack.__exit__(kind, error, trace)
        if kind is None and self._recorded is not None and (text := too_many(self._recorded, self._n, self._function)):
            raise TooManyTraces(text)
        return False


def check_arguments(n: Any, function: Any) -> None:
    """Raises TypeError or ValueError for what `assert_max_traces` cannot take."""
    if isinstance(n, bool) or not isinstance(n, int):
        raise TypeError(f"the number of traces allowed is a whole number, not {n!r}")
    if n < 0:
        raise ValueError(f"the number of traces allowed is 0 or more, not {n}")
    if function is not None and not isinstance(function, str) and not callable(function):
        raise TypeError(f"function is a tf.function or a name, not {function!r}")


def too_many(recorded: InMemory, n: int, function: Wanted = None) -> str:
    """Why this is over the limit, in words; "" if it is not. Raises LookupError for a name that nothing has."""
    counted = [group for group in recorded.functions if _is_meant(group.function, function)]
    if isinstance(function, str) and not counted and not _exists(function):
        raise LookupError(f"no tf.function is called {function!r}, so that none can be traced too often")
    if recorded.ran_eagerly and not recorded.functions:
        warnings.warn("functions run eagerly here: nothing is traced, and no trace can be one too many", stacklevel=3)
    lines: list[str] = []
    for group in counted:
        for events in _parts(group):
            traces = sum(not event.record.failed for event in events)
            if traces > n:
                place = place_text(group.function, tally_of(group).role)
                allowed = "none is allowed" if n == 0 else f"{n:,} {'is' if n == 1 else 'are'} allowed"
                lines.append(f"{place} was traced {times_text(traces)}; {allowed}.")
                lines += explanation(group, events)
    return "\n".join(lines).replace("`", "")


def _is_meant(function: pb.Function, wanted: Wanted) -> bool:
    if wanted is None:
        return not (function.library and is_of_a_pipeline(function.file))
    if isinstance(wanted, str):
        return is_called(function, wanted)
    code = code_of(wanted)
    return (function.file, function.line, function.qualname) == (code.file, code.line, code.qualname)


def code_of(function: Any) -> pb.Function:
    from tb_retrace_plugin.capture import tf_seam
    from tb_retrace_plugin.capture.code.function_place import function_of

    return function_of(tf_seam.unwrapped(getattr(function, "python_function", function)).python)


def _parts(group: FunctionGroup) -> Iterable[list[TraceEvent]]:
    """What is counted together: the program's own code; of a library each object, for each may be another model's."""
    if not group.function.library:
        return [group.events]
    objects: dict[int, list[TraceEvent]] = {}
    for event in group.events:
        objects.setdefault(event.record.object, []).append(event)
    return objects.values()


def _exists(name: str) -> bool:
    """Whether some tf.function of this process is called so, traced or not."""
    import gc

    from tb_retrace_plugin.capture import tf_seam

    function_class = tf_seam.function_class()
    # by its type: `isinstance` asks an object of the program for its `__class__`
    functions = (found for found in gc.get_objects() if issubclass(type(found), function_class))
    return any(is_called(code_of(found), name) for found in functions)
