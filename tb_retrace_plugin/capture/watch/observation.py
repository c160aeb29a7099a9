"""One trace as it is observed, and who is told of it."""

from __future__ import annotations

import itertools
import threading
from typing import Any, Protocol

from tb_retrace_plugin.capture import tf_seam
from tb_retrace_plugin.capture.code.built_later import is_built_otherwise_each_time
from tb_retrace_plugin.capture.code.call_site import CallSite, read_call_site
from tb_retrace_plugin.capture.code.function_place import is_made_by_each_iterator
from tb_retrace_plugin.capture.failure import let_signals_through, problem_text
from tb_retrace_plugin.capture.notice import warn_once
from tb_retrace_plugin.capture.watch.process_memory import resident_bytes
from tb_retrace_plugin.capture.watch.profiler_spans import Span
from tb_retrace_plugin.capture.watch.steps import current_step
from tb_retrace_plugin.capture.watch.traced_functions import traced_function
from tb_retrace_plugin.capture.watch.xla_compilations import Compilation
from tb_retrace_plugin.schema.signature import Signature

#: Datasets of which no two are taken for one.
_built_otherwise = itertools.count()


class Observation:
    """One trace under way, then over. Lives only as long as the trace; holds no graph once it is recorded."""

    __slots__ = (
        "bound", "cached_before", "call_site", "data", "duration_ns", "error", "function", "function_type", "graph",
        "instance", "key", "lookup", "lookup_ns", "memory_after", "memory_before", "nested_ns",
        "options", "overhead_ns", "parent", "result", "seqs", "span", "start_collector_ns", "start_ns",
        "start_perf_ns", "step", "thread", "traced", "traced_signature", "variable_ids", "variables",
    )  # fmt: skip

    def __init__(
        self, function_type: Any, type_context: Any, func_graph: Any, options: Any, lookup: tf_seam.Lookup | None
    ) -> None:
        self.function_type = function_type
        self.variable_ids, self.variables = tf_seam.variables_passed(type_context)
        self.graph = func_graph
        self.options = options
        self.lookup = lookup
        self.lookup_ns = 0  # of a nested one it is in the time of the trace around it
        self.traced, self.function, self.key = traced_function(options)
        self.call_site: CallSite = read_call_site()
        self.data = b""
        if self.traced.structured is not None or (self.function.library and is_made_by_each_iterator(self.function)):
            self.data = _data_read(self.traced, self.call_site)
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
        self.span = Span(self.function)
        self.traced_signature: Signature | None = None  # once a listener has read it
        self.start_ns = 0
        self.start_perf_ns = 0
        self.start_collector_ns = 0
        # a method's instance may be a temporary that nothing but the call keeps until the trace is over
        self.bound = tf_seam.bound_instance(self.traced)
        self.instance = self.bound() if self.bound is not None else None

    @property
    def is_within_a_dataset(self) -> bool:
        """Whether a function of a dataset builds the one whose function it is."""
        outer = self.parent
        return self.traced.structured is not None and outer is not None and outer.traced.structured is not None

    def let_go(self) -> None:
        """It is over: nothing of the program's is held any longer."""
        self.result = self.error = self.graph = self.instance = None


def _data_read(traced: tf_seam.TracedFunction, call_site: CallSite) -> bytes:
    try:
        data = tf_seam.data_iterated() if traced.structured is None else tf_seam.data_read()
        if traced.structured is not None and is_built_otherwise_each_time(call_site.stack_id, call_site.stack.frames):
            data += f" {next(_built_otherwise)}".encode()
        return data
    except Exception as error:  # a dataset of a kind that we do not know
        let_signals_through(error)
        return b""


class Listener(Protocol):
    """A recorder. None of these may raise."""

    def trace_started(self, observation: Observation) -> None: ...
    def trace_ended(self, observation: Observation) -> None: ...
    def first_call_began(self, seq: int) -> None: ...
    def first_call_ended(self, seq: int, duration_ns: int, failed: bool) -> None: ...
    def xla_compiled(
        self, seq: int, compilation: Compilation, time_ns: int, duration_ns: int, failed: bool
    ) -> None: ...
    def lost(self, what: str) -> None: ...


def failed(
    listeners: tuple[Listener, ...], doing: str, error: BaseException, counter: str = "traces_not_recorded"
) -> None:
    """Counts what was not recorded, and says so once."""
    for listener in listeners:
        listener.lost(counter)
    warn_once(
        f"hook:{counter}",
        f"Retrace failed while {doing} ({problem_text(error)}). Training goes on; the loss is counted.",
    )
