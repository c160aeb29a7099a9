"""Turns observed traces into records of one session and writes them. Nothing here raises into the program."""

from __future__ import annotations

import collections
import functools
import os
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from google.protobuf.message import Message

from tb_retrace_plugin.capture import hook, tf_seam
from tb_retrace_plugin.capture.call_site import CallSite, read_call_site
from tb_retrace_plugin.capture.closure import ClosureReader
from tb_retrace_plugin.capture.event_sink import EventSink
from tb_retrace_plugin.capture.function_objects import FunctionObjects
from tb_retrace_plugin.capture.function_place import is_variable_initializer, key_of
from tb_retrace_plugin.capture.graph_writer import GraphWriter
from tb_retrace_plugin.capture.narrator import Narrator
from tb_retrace_plugin.capture.notice import warn_once
from tb_retrace_plugin.capture.session import new_session
from tb_retrace_plugin.capture.signatures import SignatureReader
from tb_retrace_plugin.capture.stale_values import StaleValues
from tb_retrace_plugin.capture.steps import current_step
from tb_retrace_plugin.capture.xla_compilations import Compilation, Compilations
from tb_retrace_plugin.explain.change import Change
from tb_retrace_plugin.explain.closure import ClosedOver, diff_closures
from tb_retrace_plugin.explain.diff import diff_signatures
from tb_retrace_plugin.explain.history import MAX_ENTRIES, Entry, History
from tb_retrace_plugin.explain.verdict import Facts, judge
from tb_retrace_plugin.schema import retrace_pb2 as pb
from tb_retrace_plugin.schema import tags
from tb_retrace_plugin.schema.signature import Signature, signature_to_proto

#: Causes whose verdict depends on whether the graph is another one.
_NEED_THE_GRAPH = frozenset({"object_identity", "unknown"})
#: Signatures that a function had cached before recording started and that are read for comparison.
_MAX_CACHED_READ = 1000
#: A first execution within this time of the last write waits to be carried by the next record.
_FIRST_CALL_PAUSE_NS = 100_000_000
#: Python values are compared again after this time, and so seldom that it takes less than one percent of the time.
_STALE_PAUSE_NS = 200_000_000
MAX_STALE_RECORDS = 1000
MAX_XLA_RECORDS = 20_000


class _Code:
    """What a session knows of one function's code."""

    def __init__(self) -> None:
        self.history = History()
        self.objects = FunctionObjects()
        self.closures: dict[int, tuple[ClosedOver, ...] | None] = {}
        self.traces = 0


class Sink(Protocol):
    """What is recorded goes here. `write_record` and `write_graph` raise whatever keeps them from it."""

    path: str

    def write_record(self, tag: str, message: Message) -> None: ...
    def write_graph(self, sha256: str, data: bytes) -> None: ...
    def close(self) -> None: ...


class Teller(Protocol):
    """Is told of each trace when it is recorded, within the call that traced: it must not raise, nor take long."""

    def tell(self, record: pb.Trace, stack: pb.Stack) -> None: ...


class Recorder:
    """One session, in one event file for each time that it is attached. Raises only from its constructor."""

    def __init__(
        self,
        log_dir: str,
        *,
        verbose: int = 0,
        graphs: bool = True,
        tellers: Sequence[Teller] = (),
        open_sink: Callable[[str], Sink] = EventSink,
    ) -> None:
        """Opens the event file. Raises LogDirError if `log_dir` cannot be written."""
        self.log_dir = log_dir
        self._graphs = graphs
        self._pid = os.getpid()
        self._lock = threading.RLock()
        self._tellers = [*([Narrator()] if verbose else []), *tellers]
        self._open_sink = open_sink
        self._sink = open_sink(log_dir)
        self._begin_session()

    def _begin_session(self) -> None:
        self.session = new_session()
        self._reader = SignatureReader()
        self._closures = ClosureReader()
        self._stale = StaleValues()
        self._stale_records = 0
        self._compilations: dict[int, Compilations] = {}
        self._xla_records = 0
        self._next_stale_check_ns = 0
        self._ran_eagerly = tf_seam.functions_run_eagerly()
        self._codes: dict[tuple[str, int, str, str], _Code] = {}
        self._next_seq = 1
        self._traces = 0
        self._losses: collections.Counter[str] = collections.Counter()
        self._stacks_written: set[str] = set()
        self._graph_writer = GraphWriter(lambda *graph: self._sink.write_graph(*graph), enabled=self._graphs)
        self._pending_calls: list[pb.FirstCall] = []
        self._call_files = 0
        self._last_call_write_ns = 0
        self._ends = 0
        self._is_open = True
        self._sink.write_record(tags.session_tag(self.session.id), self.session)

    # --- the hook's listener ---

    def trace_started(self, observation: hook.Observation) -> None:
        with self._lock:
            observation.seqs[id(self)] = self._next_seq
            self._next_seq += 1

    def trace_ended(self, observation: hook.Observation) -> None:
        seq = observation.seqs.get(id(self))
        if seq is None or os.getpid() != self._pid:
            return
        with self._lock:
            try:
                record = self._describe(observation, seq)
            except Exception as error:
                self._lose("traces_not_described", f"describing a trace failed ({type(error).__name__}: {error})")
                return
            self._write_trace(record, observation)
            self._write_stale_values()
            for teller in self._tellers:
                teller.tell(record, observation.call_site.stack)

    def first_call_ended(self, seq: int, duration_ns: int, failed: bool) -> None:
        if os.getpid() != self._pid:
            return
        with self._lock:
            self._pending_calls.append(pb.FirstCall(seq=seq, duration_ns=duration_ns, failed=failed))
            if self._is_open and time.monotonic_ns() - self._last_call_write_ns >= _FIRST_CALL_PAUSE_NS:
                self._write_first_calls()

    def xla_compiled(self, seq: int, compilation: Compilation, time_ns: int, duration_ns: int, failed: bool) -> None:
        if os.getpid() != self._pid:
            return
        with self._lock:
            if self._xla_records >= MAX_XLA_RECORDS:
                self._losses["compilations_over_budget"] += 1
                return
            try:
                self._write_compilation(seq, compilation, time_ns, duration_ns, failed)
            except Exception as error:
                problem = f"describing a compilation failed ({type(error).__name__}: {error})"
                self._lose("compilations_not_described", problem)

    def _write_compilation(
        self, seq: int, compilation: Compilation, time_ns: int, duration_ns: int, failed: bool
    ) -> None:
        compilations = self._compilations.setdefault(seq, Compilations())
        changes = compilations.add(compilation.shapes)
        site = read_call_site()
        self._write_stack(site)
        record = pb.XlaCompilation(
            seq=seq, k=compilations.count, time_ns=time_ns, duration_ns=duration_ns, stack_id=site.stack_id,
            failed=failed, gradient=compilation.gradient,
        )  # fmt: skip
        if (step := current_step()) is not None:
            record.step = step
        for path, shape in compilation.shapes.items():
            record.shapes.add(path=_clean(path, 300), dims=shape)
        for change in changes:
            record.changes.add(cause=change.cause, path=_clean(change.path, 300), old=change.old, new=change.new)
        self._xla_records += 1
        self._write(tags.xla_tag(self.session.id, self._xla_records), record)

    def lost(self, what: str) -> None:
        self._losses[what] += 1

    # --- life ---

    def attach(self) -> None:
        """Starts listening. Raises SeamMissingError."""
        if not self._is_open:
            try:
                self._open_again()
            except Exception as error:  # once begun, recording never stops a program
                self._lose("records_not_written", str(error))
                return
        hook.add_listener(self)

    def _open_again(self) -> None:
        before, self._sink = self._sink, self._open_sink(self.log_dir)
        self._is_open = True
        if os.path.dirname(before.path) != os.path.dirname(self._sink.path):
            self._begin_session()  # somebody else writes there now; a session lies in one directory

    def detach(self) -> None:
        """Stops listening, marks the end of the session and closes its file; it may be attached again."""
        hook.remove_listener(self)
        if not self._is_open or os.getpid() != self._pid:
            return
        with self._lock:
            self._ends += 1
            self._write_stale_values(final=True)
            end = pb.SessionEnd(
                time_ns=time.time_ns(), losses=self._losses, first_calls=self._pending_calls, traces=self._traces,
                functions_run_eagerly=self._ran_eagerly or tf_seam.functions_run_eagerly(),
            )  # fmt: skip
            if self._write(tags.end_tag(self.session.id, self._ends), end):
                self._pending_calls = []
            self._is_open = False
            try:
                self._sink.close()
            except Exception as error:
                self._lose("close_failed", f"closing the event file failed ({error})")

    def ran_eagerly(self) -> None:
        """Says that functions were run without tracing at some time, for a reason that TensorFlow does not show."""
        self._ran_eagerly = True

    def flush(self) -> None:
        """Writes first executions that wait for the next record, and what became stale since."""
        if self._is_open and os.getpid() == self._pid:
            with self._lock:
                if self._pending_calls:
                    self._write_first_calls()
                self._write_stale_values()

    @property
    def traces(self) -> int:
        """Traces written so far, failed ones too."""
        return self._traces

    @property
    def losses(self) -> dict[str, int]:
        """What could not be recorded, counted by name; empty if nothing was lost."""
        return dict(self._losses)

    # --- one record ---

    def _describe(self, o: hook.Observation, seq: int) -> pb.Trace:
        code = self._codes.setdefault(key_of(o.function), _Code())
        number, new_object = code.objects.number(o.options)
        function = o.traced.python
        context = o.lookup.context if o.lookup is not None else None
        read = functools.partial(
            self._reader.read,
            polymorphic_type=o.options.polymorphic_type,
            instance=tf_seam.bound_instance(o.traced),
            instance_class=_class_of(o.function.qualname),
            variadic=tf_seam.variadic_name(o.traced),
            element=_element(o),
        )
        scope = "NO_SCOPE" if o.lookup is None else tf_seam.scope_name(context)
        looked_up = o.function_type if o.lookup is None else o.lookup.function_type
        wanted = read(looked_up, context, variable_ids=o.variable_ids)
        generalized = o.lookup is not None and o.function_type != o.lookup.function_type
        traced = read(o.function_type, context, variable_ids=o.variable_ids) if generalized else wanted
        o.traced_signature = traced
        if new_object and o.cached_before:
            self._read_cached(code, number, o, read)
        record = pb.Trace(
            seq=seq, function=o.function, object=number, time_ns=o.start_ns, failed=o.error is not None,
            nested=o.parent is not None, generalized=generalized, trace_duration_ns=o.duration_ns,
            nested_duration_ns=o.nested_ns, stack_id=o.call_site.stack_id, thread=_clean(o.thread, 100),
            memory_before_bytes=o.memory_before, memory_after_bytes=o.memory_after, cached_before=o.cached_before,
            reduce_retracing=bool(o.options.reduce_retracing), jit_compile=tf_seam.jit_compile_of(o.options),
        )  # fmt: skip
        if o.step is not None:
            record.step = o.step
        if o.parent is not None:
            record.parent_seq = o.parent.seqs.get(id(self), 0)
        if o.error is not None:
            record.error = _error_text(o.error)
        if new_object:
            if len(code.closures) >= MAX_ENTRIES:  # oldest first
                del code.closures[next(iter(code.closures))]
            code.closures[number] = self._closures.read(function, o.traced.partials)
        graph_key = self._explain(record, code, wanted, scope, number, o)
        signature_to_proto(wanted, record.signature)
        if generalized:
            signature_to_proto(traced, record.traced_signature)
        record.n = code.traces + 1
        if o.error is None:
            code.traces += 1
            if o.result is not None and (captures := tf_seam.by_reference_captures(o.result)):
                traced = read(o.function_type, context, variable_ids=o.variable_ids, captures=captures)
            self._stale.watch(seq, id(code), function, o.instance)
            closure = code.closures.get(number)
            code.history.add(Entry(traced, number, scope, seq, record.n, graph_key, closure))
        return record

    def _explain(
        self, record: pb.Trace, code: _Code, wanted: Signature, scope: str, number: int, o: hook.Observation
    ) -> str:
        """Fills kind, closest trace, changes, graph, verdict; returns a key equal for equal graphs, "" if not known."""
        kind, entry, changes = _classify(code.history, wanted, scope, number, record.function)
        by_identity = kind != "retrace" or any(change.cause in _NEED_THE_GRAPH for change in changes)
        graph_key = self._store_graph(record, o, needed=by_identity)
        if kind == "recreated" and entry is not None and entry.graph_key != graph_key:
            entry, changes = _twin(code.history, wanted, graph_key, number) or (entry, changes)
        record.kind = kind
        if entry is not None:
            record.closest_seq, record.closest_n = entry.seq, entry.n
        for change in changes:
            path, old, new = (_clean(text, 300) for text in (change.path, change.old, change.new))
            record.changes.add(cause=change.cause, path=path, old=old, new=new)
        verdict = judge(
            Facts(
                kind=kind,
                changes=tuple(changes),
                failed=record.failed,
                generalized=record.generalized,
                gone=any(c.cause == "object_identity" and self._reader.is_gone(c.old) for c in changes),
                saving="variable_policy" in wanted.context,
                same_graph=entry.graph_key == graph_key if entry and entry.graph_key and graph_key else None,
                closure=diff_closures(entry.closure, code.closures.get(number)) if entry is not None else None,
            )
        )
        record.verdict, record.evidence = verdict.word, verdict.evidence
        return graph_key

    def _read_cached(self, code: _Code, number: int, o: hook.Observation, read: Callable[..., Signature]) -> None:
        """What the function traced before recording started is compared with too."""
        for lookup, concrete in tf_seam.cached_functions(o.options.function_cache)[-_MAX_CACHED_READ:]:
            if concrete is o.result:
                continue
            captures = tf_seam.by_reference_captures(concrete)
            signature = read(lookup.function_type, lookup.context, captures=captures)
            code.history.add(Entry(signature, number, tf_seam.scope_name(lookup.context), 0, 0))

    def _store_graph(self, record: pb.Trace, o: hook.Observation, *, needed: bool) -> str:
        """Writes the graph; returns a key equal for equal graphs with equal captures, or ""."""
        if o.result is None:
            return ""
        try:
            record.nodes = tf_seam.node_count(o.result.graph)
            graph = self._graph_writer.store(o.result, record.nodes, key_of(o.function), needed=needed)
        except Exception as error:
            problem = f"storing a graph failed ({type(error).__name__}: {error})"
            record.graph_omitted = _clean(problem, 300)
            self._lose("graphs_not_stored", problem)
            return ""
        record.graph_bytes, record.graph_sha256 = graph.raw_bytes, graph.sha256
        record.graph_attributes_dropped, record.graph_omitted = graph.attributes_dropped, graph.omitted
        if graph.over_budget:
            self._losses["graphs_over_budget"] += 1
        if graph.omitted:
            return ""
        return f"{graph.sha256}:{self._reader.captured_key(tf_seam.captured_tensors(o.result))}"

    # --- writing ---

    def _write_trace(self, record: pb.Trace, o: hook.Observation) -> None:
        self._write_stack(o.call_site)
        record.first_calls.extend(self._pending_calls)
        for name, count in self._losses.items():
            record.losses[name] = count
        if self._write(tags.trace_tag(self.session.id, record.seq), record):
            self._pending_calls = []
            self._traces += 1

    def _write_stack(self, site: CallSite) -> None:
        if site.stack_id not in self._stacks_written and self._write(
            tags.stack_tag(self.session.id, site.stack_id), site.stack
        ):
            self._stacks_written.add(site.stack_id)

    def _write_first_calls(self) -> None:
        self._call_files += 1
        self._last_call_write_ns = time.monotonic_ns()
        calls = pb.FirstCalls(calls=self._pending_calls)
        if self._write(tags.first_calls_tag(self.session.id, self._call_files), calls):
            self._pending_calls = []

    def _write_stale_values(self, *, final: bool = False) -> None:
        now = time.monotonic_ns()
        if now < self._next_stale_check_ns and not final:
            return
        try:
            for stale in self._stale.check(final=final):
                if self._stale_records >= MAX_STALE_RECORDS:
                    self._losses["stale_values_over_budget"] += 1
                    continue
                self._stale_records += 1
                record = pb.StaleValue(
                    seq=stale.seq, name=_clean(stale.name.text, 200), kind=stale.name.kind,
                    traced=_clean(stale.traced, 200), now=_clean(stale.now, 200), time_ns=time.time_ns(),
                )  # fmt: skip
                if (step := current_step()) is not None:
                    record.step = step
                self._write(tags.stale_tag(self.session.id, self._stale_records), record)
        except Exception as error:
            self._lose("stale_values_not_compared", f"comparing Python values failed ({type(error).__name__}: {error})")
        ended = time.monotonic_ns()
        self._next_stale_check_ns = ended + max(_STALE_PAUSE_NS, 100 * (ended - now))

    def _write(self, tag: str, message: Any) -> bool:
        try:
            self._sink.write_record(tag, message)
            return True
        except Exception as error:
            self._lose("records_not_written", f"writing to {self._sink.path} failed ({error})")
            return False

    def _lose(self, counter: str, message: str) -> None:
        self._losses[counter] += 1
        warn_once(f"{counter}:{self.session.id}", f"Retrace: {message}. Training goes on; the loss is counted.")


def _classify(
    history: History, wanted: Signature, scope: str, number: int, function: pb.Function
) -> tuple[str, Entry | None, list[Change]]:
    """Kind, closest earlier trace and differences of a trace that TensorFlow's cache could not serve."""
    if is_variable_initializer(function):
        return "variable_creation", None, [Change("variable_creation", "")]
    own = history.closest(wanted, object_number=number, scope=scope)
    other_scope = history.closest(wanted, object_number=number) if own is None else None
    if other_scope is not None and not other_scope[1] and scope == "NO_VARIABLE_CREATION":
        return "variable_creation", other_scope[0], [Change("variable_creation", "")]
    found = own or other_scope
    if found is not None:
        entry, changes = found
        return "retrace", entry, changes or [Change("unknown", "")]
    found = history.closest(wanted)
    if found is None:
        return "first", None, []
    return "recreated", *_recreated(*found, number)


def _recreated(entry: Entry, changes: list[Change], number: int) -> tuple[Entry, list[Change]]:
    # another instance has function objects of its own: passing the earlier instance brings the earlier object back
    if any(c.cause == "object_identity" and c.path == "self" for c in changes):
        return entry, changes
    return entry, [Change("recreated_function", "", f"object {entry.object_number}", f"object {number}"), *changes]


def _twin(history: History, wanted: Signature, graph_key: str, number: int) -> tuple[Entry, list[Change]] | None:
    """An earlier object with the same graph, captures and signature: a closer relative than the latest one."""
    entry = history.with_graph(graph_key) if graph_key else None
    if entry is None or diff_signatures(entry.signature, wanted):
        return None
    return _recreated(entry, [], number)


def _class_of(qualname: str) -> str:
    """`Model` of the method `make.<locals>.Model.step`: a temporary may be gone before its method is traced."""
    owner = qualname.rpartition(".")[0].rpartition(".")[2]
    return "" if owner == "<locals>" else owner[:80]


def _element(o: hook.Observation) -> list[tuple[str, tf_seam.Nest]] | None:
    try:
        return tf_seam.element_arguments(o.traced)
    except Exception:  # a dataset of a kind that we do not know: its tensors keep their numbers
        return None


def _error_text(error: BaseException) -> str:
    try:
        text = str(error)
    except Exception:
        text = "(its message cannot be read)"
    return _clean(f"{type(error).__name__}: {text}", 2000)


def _clean(text: str, limit: int) -> str:
    """Protobuf strings must be valid UTF-8; names and messages need not be."""
    text = text.encode("utf-8", "replace").decode("utf-8")
    return text if len(text) <= limit else text[: limit - 1] + "…"
