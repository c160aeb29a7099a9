"""Calls of a concrete function that are watched: the first; where XLA compiles without a trace, those that make it."""

from __future__ import annotations

import contextlib
import time
from collections import deque
from collections.abc import Callable
from typing import Any

from tb_retrace_plugin.capture import tf_seam
from tb_retrace_plugin.capture.failure import is_from_signal_handler
from tb_retrace_plugin.capture.watch.observation import Listener, Observation, failed
from tb_retrace_plugin.capture.watch.under_way import TimedCall
from tb_retrace_plugin.capture.watch.xla_compilations import Compilation, OpenArguments

#: Forward passes whose backward pass has not been seen.
_MAX_FORWARD = 100


def watch_calls(
    concrete_function: Any, observation: Observation, listeners: Callable[[], tuple[Listener, ...]]
) -> None:
    """Times the first call; and each call that makes XLA compile, where only the calls' arguments reveal it.

    `listeners`: who listens now.
    """
    seqs = {x: seq for x in listeners() if (seq := observation.seqs.get(id(x)))}
    if not tf_seam.jit_compile_of(observation.options):
        _FirstCall(concrete_function, seqs, listeners).watch()
    elif arguments := OpenArguments(concrete_function):
        hide = any(getattr(listener, "hides_values", False) for listener in seqs)
        arguments.set_paths(concrete_function, observation.traced_signature, hide=hide)
        _NewArguments(concrete_function, seqs, listeners, arguments).watch()
    else:
        _FirstCompiledCall(concrete_function, seqs, listeners).watch()


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

    def is_listened_to(self) -> bool:
        return any(listener in self._listeners() for listener in self._seqs)

    def compiled(self, compilation: Compilation) -> Callable[[bool], None]:
        """XLA compiles it in the call that begins now."""
        return self._timed(False, compilation)

    def watch_backward(self, backward: Any, passes: _Passes) -> None:
        _BackwardCalls(backward, self._seqs, self._listeners, passes).watch()

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
    __slots__ = ()

    def begin(self, tensors: Any, captured: Any) -> Callable[[bool], None] | None:
        tf_seam.unwatch_calls(self.function())
        if not tf_seam.executing_eagerly():  # a call inside another graph's trace executes nothing
            return None
        return self._timed(True, None)


class _FirstCompiledCall(_Calls):
    """Of what XLA compiles for one set of shapes: once, and once more with a gradient tape, or without one."""

    __slots__ = ("_passes",)

    def __init__(
        self, concrete_function: Any, seqs: dict[Listener, int], listeners: Callable[[], tuple[Listener, ...]]
    ) -> None:
        super().__init__(concrete_function, seqs, listeners)
        self._passes = _Passes(self, are_calls_told=True)
        self._passes.watch_forward(concrete_function)

    def begin(self, tensors: Any, captured: Any) -> Callable[[bool], None] | None:
        function = self.function()
        tf_seam.unwatch_calls(function)
        compilation = Compilation({}, tf_seam.kind_of_tape(function, [*tensors, *captured]) != 0, {})
        is_executed = tf_seam.executing_eagerly()
        if compilation.gradient or not is_executed:
            self._passes.watch_plain_call(function)
        if not is_executed:
            self._passes.are_calls_told = False
            return None
        end = self._timed(True, compilation)
        if compilation.gradient:
            self._passes.add(compilation)

        def first_ended(has_failed: bool) -> None:
            self._passes.are_calls_told = False
            end(has_failed)

        return first_ended


class _NewArguments(_Calls):
    __slots__ = ("_arguments", "_is_first", "_passes")

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
        self._passes = _Passes(self, are_calls_told=True)
        self._passes.watch_forward(concrete_function)

    def begin(self, tensors: Any, captured: Any) -> Callable[[bool], None] | None:
        if not tf_seam.executing_eagerly():
            return None
        if not self.is_listened_to():
            tf_seam.unwatch_calls(self.function())
            return None
        compilation = self._arguments.new(self.function(), tensors, captured)
        if compilation is None:
            return None
        if compilation.gradient:
            self._passes.add(compilation)
        was_first, self._is_first = self._is_first, False
        return self._timed(was_first, compilation)


class _Passes(tf_seam.WatchedPasses):
    """Forward and backward passes of one concrete function, which XLA compiles apart from it.

    `are_calls_told`: what a call compiles is told by who watches it; the backward pass is not among it.
    """

    __slots__ = ("_calls", "_forward", "_latest", "are_calls_told")

    def __init__(self, calls: _Calls, are_calls_told: bool) -> None:
        self._calls = calls
        self.are_calls_told = are_calls_told
        self._forward: deque[Compilation] = deque(maxlen=_MAX_FORWARD)
        self._latest = Compilation({}, True, {})

    def add(self, compilation: Compilation) -> None:
        """Of a forward pass."""
        self._forward.append(compilation)
        self._latest = compilation

    def for_backward(self) -> Compilation:
        """What the forward pass was compiled for that a new backward pass belongs to: a tape goes back in order."""
        return self._forward.pop() if self._forward else self._latest

    def forward_made(self, backward: Any) -> Callable[[], None] | None:
        if not self._calls.is_listened_to():
            return None
        if backward is not None:
            self._calls.watch_backward(backward, self)
        if self.are_calls_told:
            return None
        compilation = Compilation({}, True, {})
        self.add(compilation)
        end = self._calls.compiled(compilation)
        return lambda: end(False)

    def plain_call(self) -> Callable[[bool], None] | None:
        return self._calls.compiled(Compilation({}, False, {})) if self._calls.is_listened_to() else None

    def cope(self, error: Exception) -> bool:
        return self._calls.cope(error)


class _BackwardCalls(_Calls):
    """Of a backward pass: where nothing about it is open, its first one alone."""

    __slots__ = ("_arguments", "_passes")

    def __init__(
        self, backward: Any, seqs: dict[Listener, int], listeners: Callable[[], tuple[Listener, ...]], passes: _Passes
    ) -> None:
        super().__init__(backward, seqs, listeners)
        self._arguments = OpenArguments(backward, with_captures=True)
        self._passes = passes

    def begin(self, tensors: Any, captured: Any) -> Callable[[bool], None] | None:
        if not tf_seam.executing_eagerly():
            return None
        is_listened_to = self.is_listened_to()
        if not (is_listened_to and self._arguments):
            tf_seam.unwatch_calls(self.function())
        if not is_listened_to:
            return None
        if self._arguments and not self._arguments.are_new(self.function(), [*tensors, *captured], ()):
            return None
        return self.compiled(self._passes.for_backward()._replace(gradient=False, backward=True))
