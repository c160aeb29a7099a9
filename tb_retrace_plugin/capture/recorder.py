"""Turns observed traces into records of one session and writes them. Nothing here raises into the program."""

from __future__ import annotations

import collections
import os
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from google.protobuf.message import Message

from tb_retrace_plugin.capture import hook, tf_seam
from tb_retrace_plugin.capture.call_site import CallSite, read_call_site
from tb_retrace_plugin.capture.clean_text import clean
from tb_retrace_plugin.capture.describe import Describer
from tb_retrace_plugin.capture.event_sink import EventSink
from tb_retrace_plugin.capture.function_place import key_of
from tb_retrace_plugin.capture.graph_writer import GraphWriter
from tb_retrace_plugin.capture.graphs_tab import Choice, GraphsTab
from tb_retrace_plugin.capture.narrator import Narrator
from tb_retrace_plugin.capture.notice import warn_once
from tb_retrace_plugin.capture.observation import Observation
from tb_retrace_plugin.capture.session import new_session
from tb_retrace_plugin.capture.stale_values import StaleValues
from tb_retrace_plugin.capture.steps import current_step
from tb_retrace_plugin.capture.xla_compilations import Compilation, Compilations
from tb_retrace_plugin.schema import retrace_pb2 as pb
from tb_retrace_plugin.schema import tags

#: A first execution within this time of the last write waits to be carried by the next record.
_FIRST_CALL_PAUSE_NS = 100_000_000
#: Python values are compared again after this time, and so seldom that it takes less than one percent of the time.
_STALE_PAUSE_NS = 200_000_000
MAX_STALE_RECORDS = 1000
MAX_XLA_RECORDS = 20_000


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
        graphs_tab: Choice = None,
        tellers: Sequence[Teller] = (),
        open_sink: Callable[[str], Sink] = EventSink,
    ) -> None:
        """Opens the event file. Raises LogDirError if `log_dir` cannot be written."""
        self.log_dir = log_dir
        self._graphs = graphs
        self._graphs_tab_choice = graphs_tab
        self._pid = os.getpid()
        self._lock = threading.RLock()
        self._tellers = [*([Narrator()] if verbose else []), *tellers]
        self._open_sink = open_sink
        self._sink = open_sink(log_dir)
        self._begin_session()

    def _begin_session(self) -> None:
        self.session = new_session()
        self._stale = StaleValues()
        self._stale_records = 0
        self._compilations: dict[int, Compilations] = {}
        self._xla_records = 0
        self._next_stale_check_ns = 0
        self._ran_eagerly = tf_seam.functions_run_eagerly()
        self._next_seq = 1
        self._traces = 0
        self._losses: collections.Counter[str] = collections.Counter()
        self._stacks_written: set[str] = set()
        graph_writer = GraphWriter(lambda *graph: self._sink.write_graph(*graph), enabled=self._graphs)
        self._describer = Describer(graph_writer, self.lost, self._lose)
        self._graphs_tab: GraphsTab | None = None
        if (choice := self._graphs_tab_choice) is not None:
            directory = os.path.dirname(self._sink.path)
            self._graphs_tab = GraphsTab(choice, self.log_dir, directory, self.session, self.lost, self._lose)
        self._pending_calls: list[pb.FirstCall] = []
        self._call_files = 0
        self._last_call_write_ns = 0
        self._ends = 0
        self._is_open = True
        self._sink.write_record(tags.session_tag(self.session.id), self.session)

    # --- the hook's listener ---

    def trace_started(self, observation: Observation) -> None:
        with self._lock:
            observation.seqs[id(self)] = self._next_seq
            self._next_seq += 1

    def trace_ended(self, observation: Observation) -> None:
        seq = observation.seqs.get(id(self))
        if seq is None or os.getpid() != self._pid:
            return
        with self._lock:
            parent = observation.parent
            try:
                record = self._describer.describe(observation, seq, parent.seqs.get(id(self), 0) if parent else 0)
                if not record.failed:
                    traced = observation.traced.python
                    self._stale.watch(seq, key_of(observation.function), traced, observation.instance)
            except Exception as error:
                self._lose("traces_not_described", f"describing a trace failed ({type(error).__name__}: {error})")
                return
            observation.span.describe(self.session.id, record)
            if self._graphs_tab is not None and observation.result is not None:
                self._graphs_tab.write(record, observation.result)
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
            record.shapes.add(path=clean(path, 300), dims=shape)
        for change in changes:
            record.changes.add(cause=change.cause, path=clean(change.path, 300), old=change.old, new=change.new)
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
            if self._graphs_tab is not None:
                self._graphs_tab.close()
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

    # --- writing ---

    def _write_trace(self, record: pb.Trace, o: Observation) -> None:
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
                    seq=stale.seq, name=clean(stale.name.text, 200), kind=stale.name.kind,
                    traced=clean(stale.traced, 200), now=clean(stale.now, 200), time_ns=time.time_ns(),
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
