"""Calls of a concrete function that are watched: the first; where XLA compiles without a trace, those of new shapes."""

from __future__ import annotations

import time
import weakref
from collections.abc import Callable
from typing import Any

from tb_retrace_plugin.capture import tf_seam
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
        shapes.set_paths(concrete_function, observation.traced_signature)
        _watch_shapes(concrete_function, shapes, seqs, listeners)
        return

    def first(call: Callable[[], Any]) -> Any:
        if not tf_seam.executing_eagerly():  # a call inside another graph's trace executes nothing
            return call()
        return _timed(call, seqs, listeners, True, Compilation({}, False) if compiled_by_xla else None)

    tf_seam.wrap_first_call(concrete_function, first)


def _watch_shapes(
    concrete_function: Any,
    shapes: UnknownShapes,
    seqs: dict[Listener, int],
    listeners: Callable[[], tuple[Listener, ...]],
) -> None:
    function = weakref.ref(concrete_function)
    is_first = True

    def watched(call: Callable[[], Any], tensors: list[Any], captured: list[Any]) -> Any:
        nonlocal is_first
        if not tf_seam.executing_eagerly():
            return call()
        compilation = None
        try:
            if not any(listener in listeners() for listener in seqs):
                tf_seam.unwrap_calls(function())
            else:
                compilation = shapes.new(function(), tensors, captured)
        except Exception as error:
            failed(listeners(), "watching the shapes of a call", error)
        if compilation is None:
            return call()
        was_first, is_first = is_first, False
        return _timed(call, seqs, listeners, was_first, compilation)

    tf_seam.wrap_calls(concrete_function, watched)


def _timed(
    call: Callable[[], Any],
    seqs: dict[Listener, int],
    listeners: Callable[[], tuple[Listener, ...]],
    first: bool,
    compilation: Compilation | None,
) -> Any:
    started, start = time.time_ns(), time.perf_counter_ns()
    has_failed = True
    try:
        result = call()
        has_failed = False
        return result
    finally:
        duration = time.perf_counter_ns() - start
        for listener, seq in seqs.items():
            if first:
                listener.first_call_ended(seq, duration, has_failed)
            if compilation is not None and listener in listeners():
                listener.xla_compiled(seq, compilation, started, duration, has_failed)
