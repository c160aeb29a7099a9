"""Stands in front of TensorFlow's tracing, times each trace and hands it to the recorders that listen.

A cached call never comes here. A trace that does is passed through unchanged, whatever happens to us.
"""

from __future__ import annotations

import sys
import threading
import time
import weakref
from collections.abc import Callable
from typing import Any, Protocol

from tb_retrace_plugin.capture import tf_seam
from tb_retrace_plugin.capture.call_site import CallSite, read_call_site
from tb_retrace_plugin.capture.collector_time import CollectorTime
from tb_retrace_plugin.capture.function_place import function_of
from tb_retrace_plugin.capture.notice import warn_once
from tb_retrace_plugin.capture.process_memory import resident_bytes
from tb_retrace_plugin.capture.steps import current_step
from tb_retrace_plugin.capture.xla_compilations import Compilation, UnknownShapes
from tb_retrace_plugin.schema import retrace_pb2 as pb
from tb_retrace_plugin.schema.signature import Signature


class Observation:
    """One trace under way, then over. Lives only as long as the trace; holds no graph once it is recorded."""

    __slots__ = (
        "cached_before", "call_site", "duration_ns", "error", "function", "function_type", "graph", "instance",
        "lookup", "memory_after", "memory_before", "nested_ns", "options", "overhead_ns", "parent", "result", "seqs",
        "start_collector_ns", "start_ns", "start_perf_ns", "step", "thread", "traced", "traced_signature",
        "variable_ids",
    )  # fmt: skip

    def __init__(
        self, function_type: Any, type_context: Any, func_graph: Any, options: Any, lookup: tf_seam.Lookup | None
    ) -> None:
        self.function_type = function_type
        self.variable_ids = tf_seam.variable_ids(type_context)
        self.graph = func_graph
        self.options = options
        self.lookup = lookup
        self.traced = tf_seam.traced_function_of(options)
        self.function: pb.Function = function_of(self.traced.python)
        self.call_site: CallSite = read_call_site()
        self.step = current_step()
        self.cached_before = len(options.function_cache) if options.function_cache is not None else 0
        self.thread = threading.current_thread().name
        self.memory_before = resident_bytes()
        self.memory_after = 0
        self.parent: Observation | None = None
        self.nested_ns = 0
        self.overhead_ns = 0
        self.duration_ns = 0
        self.result: Any = None
        self.error: BaseException | None = None
        self.seqs: dict[int, int] = {}
        self.traced_signature: Signature | None = None  # once a listener has read it
        self.start_ns = 0
        self.start_perf_ns = 0
        self.start_collector_ns = 0
        # a method's instance may be a temporary that nothing but the call keeps until the trace is over
        weak = tf_seam.bound_instance(self.traced)
        self.instance = weak() if weak is not None else None


class Listener(Protocol):
    """A recorder. None of these may raise."""

    def trace_started(self, observation: Observation) -> None: ...
    def trace_ended(self, observation: Observation) -> None: ...
    def first_call_ended(self, seq: int, duration_ns: int, failed: bool) -> None: ...
    def xla_compiled(
        self, seq: int, compilation: Compilation, time_ns: int, duration_ns: int, failed: bool
    ) -> None: ...
    def lost(self, what: str) -> None: ...


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
        _failed("starting to record a trace", error)
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
            _watch_calls(result, observation)
        if stack:
            stack[-1].nested_ns += observation.duration_ns
            collected = _thread.collector.nanoseconds - collector_before
            stack[-1].overhead_ns += observation.overhead_ns + time.perf_counter_ns() - ended - collected
    except Exception as problem:
        _failed("recording a trace", problem)
    finally:
        observation.result = observation.error = observation.graph = observation.instance = None
        _thread.busy = False


def _watch_calls(concrete_function: Any, observation: Observation) -> None:
    """Times the first call; and each call that makes XLA compile, where only the calls' shapes reveal it."""
    seqs = {x: seq for x in _listeners if (seq := observation.seqs.get(id(x)))}
    compiled_by_xla = tf_seam.jit_compile_of(observation.options)
    if compiled_by_xla and (shapes := UnknownShapes(concrete_function)):
        shapes.set_paths(concrete_function, observation.traced_signature)
        _watch_shapes(concrete_function, shapes, seqs)
        return

    def first(call: Callable[[], Any]) -> Any:
        if not tf_seam.executing_eagerly():  # a call inside another graph's trace executes nothing
            return call()
        return _timed(call, seqs, True, Compilation({}, False) if compiled_by_xla else None)

    tf_seam.wrap_first_call(concrete_function, first)


def _watch_shapes(concrete_function: Any, shapes: UnknownShapes, seqs: dict[Listener, int]) -> None:
    function = weakref.ref(concrete_function)
    is_first = True

    def watched(call: Callable[[], Any], tensors: list[Any], captured: list[Any]) -> Any:
        nonlocal is_first
        if not tf_seam.executing_eagerly():
            return call()
        compilation = None
        try:
            if not any(listener in _listeners for listener in seqs):
                tf_seam.unwrap_calls(function())
            else:
                compilation = shapes.new(function(), tensors, captured)
        except Exception as error:
            _failed("watching the shapes of a call", error)
        if compilation is None:
            return call()
        was_first, is_first = is_first, False
        return _timed(call, seqs, was_first, compilation)

    tf_seam.wrap_calls(concrete_function, watched)


def _timed(call: Callable[[], Any], seqs: dict[Listener, int], first: bool, compilation: Compilation | None) -> Any:
    started, start = time.time_ns(), time.perf_counter_ns()
    failed = True
    try:
        result = call()
        failed = False
        return result
    finally:
        duration = time.perf_counter_ns() - start
        for listener, seq in seqs.items():
            if first:
                listener.first_call_ended(seq, duration, failed)
            if compilation is not None and listener in _listeners:
                listener.xla_compiled(seq, compilation, started, duration, failed)


def _failed(doing: str, error: BaseException) -> None:
    for listener in _listeners:
        listener.lost("traces_not_recorded")
    problem = f"{type(error).__name__}: {error}"
    warn_once("hook", f"Retrace failed while {doing} ({problem}). Training goes on; the loss is counted.")
