"""Stands in front of TensorFlow's tracing, times each trace and hands it to the recorders that listen.

A cached call never comes here. A trace that does is passed through unchanged, whatever happens to us.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from tb_retrace_plugin.capture import tf_seam
from tb_retrace_plugin.capture.calls import watch_calls
from tb_retrace_plugin.capture.collector_time import CollectorTime
from tb_retrace_plugin.capture.observation import Listener, Observation, failed
from tb_retrace_plugin.capture.process_memory import resident_bytes

_listeners: tuple[Listener, ...] = ()
_lock = threading.Lock()
_by_graph: dict[int, Observation] = {}  # traces under way, by id of the graph that they build


class _ThreadState(threading.local):
    stack: list[Observation]
    busy: bool

    def __init__(self) -> None:
        self.stack = []
        self.busy = False  # user code that our own work ran into (an __eq__) may trace: that passes through
        self.collector = CollectorTime()


_thread = _ThreadState()


def _listening() -> tuple[Listener, ...]:
    return _listeners


def add_listener(listener: Listener) -> None:
    """Starts observing if nobody did yet. Raises SeamMissingError if this TensorFlow cannot be observed."""
    global _listeners
    with _lock:
        if listener in _listeners:
            return
        if not _listeners:
            tf_seam.check()
            tf_seam.install(_make_hook)
        _listeners = (*_listeners, listener)


def remove_listener(listener: Listener) -> None:
    global _listeners
    with _lock:
        _listeners = tuple(other for other in _listeners if other is not listener)
        if not _listeners:
            tf_seam.uninstall()


def forget_after_fork() -> None:
    """In a forked child: nobody listens, and no lock is held."""
    global _listeners, _lock
    _listeners, _lock = (), threading.Lock()
    _by_graph.clear()
    tf_seam.uninstall()


def _make_hook(original: Callable[..., Any]) -> Callable[..., Any]:
    def create_concrete_function(function_type: Any, type_context: Any, func_graph: Any, tracing_options: Any) -> Any:
        if not _listeners or _thread.busy:
            return original(function_type, type_context, func_graph, tracing_options)
        observation = _begin(function_type, type_context, func_graph, tracing_options)
        if observation is None:
            return original(function_type, type_context, func_graph, tracing_options)
        try:
            result = original(function_type, type_context, func_graph, tracing_options)
        except BaseException as error:
            _end(observation, None, error)
            raise
        _end(observation, result, None)
        return result

    return create_concrete_function


def _begin(function_type: Any, type_context: Any, func_graph: Any, options: Any) -> Observation | None:
    entered = time.perf_counter_ns()
    _thread.busy = True
    try:
        lookup = tf_seam.lookup_of(sys._getframe(2))
        observation = Observation(function_type, type_context, func_graph, options, lookup)
        observation.parent = _thread.stack[-1] if _thread.stack else _parent_by_graph(func_graph)
        for listener in _listeners:
            listener.trace_started(observation)
        _by_graph[id(func_graph)] = observation
        if _thread.stack:
            _thread.stack[-1].overhead_ns += time.perf_counter_ns() - entered
        if not _thread.stack:
            _thread.collector.start()
        _thread.stack.append(observation)
        observation.start_collector_ns = _thread.collector.nanoseconds
        observation.start_ns = time.time_ns()
        observation.start_perf_ns = time.perf_counter_ns()
        return observation
    except Exception as error:
        failed(_listeners, "starting to record a trace", error)
        return None
    finally:
        _thread.busy = False


def _parent_by_graph(func_graph: Any) -> Observation | None:
    """The trace around one that runs in another thread (distribution strategies trace replicas in threads)."""
    for graph in tf_seam.outer_graphs(func_graph):
        found = _by_graph.get(id(graph))
        if found is not None:
            return found
    return None


def _end(observation: Observation, result: Any, error: BaseException | None) -> None:
    ended = time.perf_counter_ns()
    _thread.busy = True
    try:
        stack = _thread.stack
        while stack and stack.pop() is not observation:
            pass
        _by_graph.pop(id(observation.graph), None)
        collector_before = _thread.collector.nanoseconds
        collected = collector_before - observation.start_collector_ns
        observation.duration_ns = max(0, ended - observation.start_perf_ns - observation.overhead_ns - collected)
        if not stack:
            _thread.collector.stop()
        observation.memory_after = resident_bytes()
        observation.result, observation.error = result, error
        for listener in _listeners:
            listener.trace_ended(observation)
        if result is not None and observation.seqs:
            watch_calls(result, observation, _listening)
        if stack:
            stack[-1].nested_ns += observation.duration_ns
            collected = _thread.collector.nanoseconds - collector_before
            stack[-1].overhead_ns += observation.overhead_ns + time.perf_counter_ns() - ended - collected
    except Exception as problem:
        failed(_listeners, "recording a trace", problem)
    finally:
        observation.span.end()
        observation.result = observation.error = observation.graph = observation.instance = None
        _thread.busy = False
