"""Calls of a concrete function that are watched: the first; where XLA compiles without a trace, those that make it."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from typing import Any

from tb_retrace_plugin.capture import tf_seam
from tb_retrace_plugin.capture.failure import is_from_signal_handler
from tb_retrace_plugin.capture.watch.observation import Listener, Observation, failed
from tb_retrace_plugin.capture.watch.under_way import TimedCall
from tb_retrace_plugin.capture.watch.xla_compilations import Compilation, OpenArguments


def watch_calls(
    concrete_function: Any, observation: Observation, listeners: Callable[[], tuple[Listener, ...]]
) -> None:
    """Times the first call; and each call that makes XLA compile, where only the calls' arguments reveal it.

    `listeners`: who listens now.
    """
    seqs = {x: seq for x in listeners() if (seq := observation.seqs.get(id(x)))}
    compiled_by_xla = tf_seam.jit_compile_of(observation.options)
    if compiled_by_xla and (arguments := OpenArguments(concrete_function)):
        hide = any(getattr(listener, "hides_values", False) for listener in seqs)
        arguments.set_paths(concrete_function, observation.traced_signature, hide=hide)
        _NewArguments(concrete_function, seqs, listeners, arguments).watch()
    else:
        _FirstCall(concrete_function, seqs, listeners, compiled_by_xla).watch()


class _Calls(tf_seam.WatchedCalls):
    __slots__ = ("_listeners", "_seqs")

    def __init__(
        self, concrete_function: Any, seqs: dict[Listener, int], listeners: Callable[[], tuple[Listener, ...]]
    ) -> None:
        super().__init__(concrete_function)
        self._seqs = seqs
        self._listeners = listeners

    def cope(self, error: Exception) -> bool:
        """Counts an error of our own; True for the program's."""
        users = False
        with contextlib.suppress(Exception):  # the end of the stack, or of memory
            users = is_from_signal_handler(error)
            if not users:
                failed(self._listeners(), "watching a call", error, "calls_not_watched")
        return users

    def _timed(self, first: bool, compilation: Compilation | None) -> Callable[[bool], None]:
        if first:
            for listener, seq in self._seqs.items():
                listener.first_call_began(seq)
        started, call = time.time_ns(), TimedCall()

        def end(has_failed: bool) -> None:
            duration = call.end()
            for listener, seq in self._seqs.items():
                if first:
                    listener.first_call_ended(seq, duration, has_failed)
                if compilation is not None and listener in self._listeners():
                    listener.xla_compiled(seq, compilation, started, duration, has_failed)

        return end


class _FirstCall(_Calls):
    __slots__ = ("_compiled_by_xla",)

    def __init__(
        self,
        concrete_function: Any,
        seqs: dict[Listener, int],
        listeners: Callable[[], tuple[Listener, ...]],
        compiled_by_xla: bool,
    ) -> None:
        super().__init__(concrete_function, seqs, listeners)
        self._compiled_by_xla = compiled_by_xla

    def begin(self, tensors: Any, captured: Any) -> Callable[[bool], None] | None:
        tf_seam.unwatch_calls(self.function())
        if not tf_seam.executing_eagerly():  # a call inside another graph's trace executes nothing
            return None
        return self._timed(True, Compilation({}, False, {}) if self._compiled_by_xla else None)


class _NewArguments(_Calls):
    __slots__ = ("_arguments", "_is_first")

    def __init__(
        self,
        concrete_function: Any,
        seqs: dict[Listener, int],
        listeners: Callable[[], tuple[Listener, ...]],
        arguments: OpenArguments,
    ) -> None:
        super().__init__(concrete_function, seqs, listeners)
        self._arguments = arguments
        self._is_first = True

    def begin(self, tensors: Any, captured: Any) -> Callable[[bool], None] | None:
        if not tf_seam.executing_eagerly():
            return None
        if not any(listener in self._listeners() for listener in self._seqs):
            tf_seam.unwatch_calls(self.function())
            return None
        compilation = self._arguments.new(self.function(), tensors, captured)
        if compilation is None:
            return None
        was_first, self._is_first = self._is_first, False
        return self._timed(was_first, compilation)
