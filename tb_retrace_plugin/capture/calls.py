"""Calls of a concrete function that are watched: the first; where XLA compiles without a trace, those of new shapes."""

from __future__ import annotations

import contextlib
import time
import weakref
from collections.abc import Callable
from typing import Any

from tb_retrace_plugin.capture import tf_seam
from tb_retrace_plugin.capture.failure import is_from_signal_handler
from tb_retrace_plugin.capture.observation import Listener, Observation, failed
from tb_retrace_plugin.capture.xla_compilations import Compilation, UnknownShapes


def watch_calls(
    concrete_function: Any, observation: Observation, listeners: Callable[[], tuple[Listener, ...]]
) -> None:
    """Times the first call; and each call that makes XLA compile, where only the calls' shapes reveal it.

    `listeners`: who listens now.
    """
    seqs = {x: seq for x in listeners() if (seq := observation.seqs.get(id(x)))}
    compiled_by_xla = tf_seam.jit_compile_of(observation.options)
    if compiled_by_xla and (shapes := UnknownShapes(concrete_function)):
        hide = any(getattr(listener, "hides_values", False) for listener in seqs)
        shapes.set_paths(concrete_function, observation.traced_signature, hide=hide)
        _watch_shapes(concrete_function, shapes, seqs, listeners)
        return
    function = weakref.ref(concrete_function)

    def begin(_tensors: Any, _captured: Any) -> Callable[[bool], None] | None:
        tf_seam.unwatch_calls(function())
        if not tf_seam.executing_eagerly():  # a call inside another graph's trace executes nothing
            return None
        return _timed(seqs, listeners, True, Compilation({}, False) if compiled_by_xla else None)

    tf_seam.watch_calls(concrete_function, begin, _cope(listeners))


def _watch_shapes(
    concrete_function: Any,
    shapes: UnknownShapes,
    seqs: dict[Listener, int],
    listeners: Callable[[], tuple[Listener, ...]],
) -> None:
    function = weakref.ref(concrete_function)
    is_first = True

    def begin(tensors: Any, captured: Any) -> Callable[[bool], None] | None:
        nonlocal is_first
        if not tf_seam.executing_eagerly():
            return None
        if not any(listener in listeners() for listener in seqs):
            tf_seam.unwatch_calls(function())
            return None
        compilation = shapes.new(function(), tensors, captured)
        if compilation is None:
            return None
        was_first, is_first = is_first, False
        return _timed(seqs, listeners, was_first, compilation)

    tf_seam.watch_calls(concrete_function, begin, _cope(listeners))


def _timed(
    seqs: dict[Listener, int],
    listeners: Callable[[], tuple[Listener, ...]],
    first: bool,
    compilation: Compilation | None,
) -> Callable[[bool], None]:
    started, start = time.time_ns(), time.perf_counter_ns()

    def end(has_failed: bool) -> None:
        duration = time.perf_counter_ns() - start
        for listener, seq in seqs.items():
            if first:
                listener.first_call_ended(seq, duration, has_failed)
            if compilation is not None and listener in listeners():
                listener.xla_compiled(seq, compilation, started, duration, has_failed)

    return end


def _cope(listeners: Callable[[], tuple[Listener, ...]]) -> Callable[[Exception], bool]:
    def cope(error: Exception) -> bool:
        """Counts an error of our own; True for the program's."""
        users = False
        with contextlib.suppress(Exception):  # the end of the stack, or of memory
            users = is_from_signal_handler(error)
            if not users:
                failed(listeners(), "watching a call", error, "calls_not_watched")
        return users

    return cope
