"""Stands in front of TensorFlow's tracing, times each trace and hands it to the recorders that listen.

A cached call never comes here. A trace that does is passed through unchanged, whatever happens to us: an error of our
own is counted, and a signal that strikes in our work leaves it fit for the next trace.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from tb_retrace_plugin.capture import tf_seam
from tb_retrace_plugin.capture.failure import is_from_signal_handler
from tb_retrace_plugin.capture.watch import lookup_time, under_way
from tb_retrace_plugin.capture.watch.calls import watch_calls
from tb_retrace_plugin.capture.watch.lookup_time import LookupTimes
from tb_retrace_plugin.capture.watch.observation import Listener, Observation, failed
from tb_retrace_plugin.capture.watch.process_memory import resident_bytes

_listeners: tuple[Listener, ...] = ()
_lock = threading.RLock()  # a signal handler may stop a recording while it starts
_by_graph: dict[int, Observation] = {}  # traces under way, by id of the graph that they build
_lookup_times = LookupTimes()
_untold = [0]  # failures that could not even be counted, as at the end of the stack


_thread = under_way.thread


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
        if listener not in _listeners:
            return
        try:
            see_to_the_hook()
        finally:
            _listeners = tuple([other for other in _listeners if other is not listener])
            if not _listeners:
                tf_seam.uninstall()


def see_to_the_hook() -> None:
    """Puts the hook back if another tool has taken it away; what was traced meanwhile is lost and not counted."""
    with _lock:
        if not _listeners:
            return
        count, _untold[0] = _untold[0], 0
        for listener in _listeners:
            for _ in range(count):
                listener.lost("traces_not_recorded")
        if tf_seam.was_taken_away():
            tf_seam.install(_make_hook)
            problem = RuntimeError("another tool has restored TensorFlow's own tracing over Retrace's hook")
            failed(_listeners, "looking after its hook", problem, "hook_taken_away")


def forget_after_fork() -> None:
    """In a forked child: nobody listens, and no lock is held."""
    global _listeners, _lock
    _listeners, _lock = (), threading.RLock()
    _by_graph.clear()
    under_way.forget_after_fork()
    tf_seam.uninstall()


def _make_hook(original: Callable[..., Any]) -> Callable[..., Any]:
    def create_concrete_function(function_type: Any, type_context: Any, func_graph: Any, tracing_options: Any) -> Any:
        if not _listeners:
            return original(function_type, type_context, func_graph, tracing_options)
        observation = result = error = None
        try:
            observation = _begin(function_type, type_context, func_graph, tracing_options)
        except Exception as problem:
            if _is_users(_listeners, "starting to record a trace", problem):
                raise
        if observation is None:
            return original(function_type, type_context, func_graph, tracing_options)
        try:
            result = original(function_type, type_context, func_graph, tracing_options)
            return result
        except BaseException as raised:
            error = raised
            raise
        finally:
            try:
                _end(observation, result, error)
            except Exception as problem:
                if _is_users(_listeners, "recording a trace", problem):
                    raise
            finally:
                error = None  # it holds this frame
                if observation.graph is not None:  # its end was not seen to
                    try:
                        _abandon(observation)
                    except Exception:  # the next trace takes it off
                        observation.graph = None

    return create_concrete_function


def _begin(function_type: Any, type_context: Any, func_graph: Any, options: Any) -> Observation | None:
    entered = time.perf_counter_ns()
    thread = _thread
    known = _by_graph.get(id(func_graph))
    if thread.busy or (known is not None and known.graph is func_graph):  # a hook of ours below another tool's
        return None
    stack, observation = thread.stack, None
    try:
        thread.busy = True
        while stack and stack[-1].graph is None:  # a signal kept it from being taken off
            stack.pop()
        lookup = tf_seam.lookup_of(sys._getframe(2))
        observation = Observation(function_type, type_context, func_graph, options, lookup)
        observation.parent = stack[-1] if stack else _parent_by_graph(func_graph) if _by_graph else None
        if observation.parent is None and observation.cached_before >= lookup_time.FEWEST:
            # it is estimated, and was made since the one before
            observation.lookup_ns = min(_lookup_ns(observation), entered - thread.ended_ns)
        for listener in _listeners:
            listener.trace_started(observation)
        _by_graph[id(func_graph)] = observation
        if stack:
            stack[-1].overhead_ns += time.perf_counter_ns() - entered
        else:
            thread.collector.start()
        stack.append(observation)
        observation.start_collector_ns = thread.collector.nanoseconds
        observation.start_ns = time.time_ns()
        observation.start_perf_ns = time.perf_counter_ns()
        return observation
    except BaseException:
        _by_graph.pop(id(func_graph), None)
        if observation is not None:
            observation.let_go()
            if stack and stack[-1] is observation:
                stack.pop()
        if not stack:
            thread.collector.stop()
        raise
    finally:
        thread.busy = False


def _lookup_ns(observation: Observation) -> int:
    try:
        return _lookup_times.nanoseconds(observation.options, observation.lookup, observation.cached_before)
    except Exception as problem:
        if _is_users(_listeners, "timing a lookup", problem, "lookups_not_timed"):
            raise
        return 0


def _parent_by_graph(func_graph: Any) -> Observation | None:
    """The trace around one that runs in another thread (distribution strategies trace replicas in threads)."""
    for graph in tf_seam.outer_graphs(func_graph):
        found = _by_graph.get(id(graph))
        if found is not None and found.graph is graph:
            return found
    return None


def _end(observation: Observation, result: Any, error: BaseException | None) -> None:
    ended = time.perf_counter_ns()
    thread, listeners = _thread, _listeners
    stack = thread.stack
    try:
        thread.busy = True
        while stack and stack.pop() is not observation:
            pass
        _by_graph.pop(id(observation.graph), None)
        collector_before = thread.collector.nanoseconds
        collected = collector_before - observation.start_collector_ns
        observation.duration_ns = max(0, ended - observation.start_perf_ns - observation.overhead_ns - collected)
        if not stack:
            thread.collector.stop()
        observation.memory_after = resident_bytes()
        observation.result, observation.error = result, error
        for listener in listeners:
            try:
                listener.trace_ended(observation)
            except Exception as problem:
                if _is_users((listener,), "recording a trace", problem):
                    raise
        if result is not None and observation.seqs:
            try:
                watch_calls(result, observation, _listening)
            except Exception as problem:
                if _is_users(listeners, "watching the first call of a trace", problem, "calls_not_watched"):
                    raise
        around = stack[-1] if stack else observation.parent  # in another thread, which waits for this one
        if around is not None:
            around.nested_ns += observation.duration_ns
            collected = thread.collector.nanoseconds - collector_before
            around.overhead_ns += observation.overhead_ns + time.perf_counter_ns() - ended - collected
        else:
            thread.ended_ns = time.perf_counter_ns()
            took = thread.ended_ns - observation.start_perf_ns
            under_way.add_to_call_around(took + observation.lookup_ns)
    finally:
        thread.busy = False
        span = observation.span
        observation.let_go()
        span.end()


def _abandon(observation: Observation) -> None:
    stack = _thread.stack
    while stack and stack.pop() is not observation:
        pass
    _by_graph.pop(id(observation.graph), None)
    if not stack:
        _thread.collector.stop()
    observation.let_go()
    observation.span.end()


def _is_users(
    listeners: tuple[Listener, ...], doing: str, error: Exception, counter: str = "traces_not_recorded"
) -> bool:
    """Counts an error of our own; True for one that is the program's, which is to be raised on."""
    users = False
    try:
        users = is_from_signal_handler(error)
        if not users:
            failed(listeners, doing, error, counter)
    except Exception:  # the end of the stack, or of memory
        _untold[0] += 1
    return users
