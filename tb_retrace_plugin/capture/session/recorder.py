"""Turns observed traces into records of one session and writes them. Nothing here raises into the program."""

from __future__ import annotations

import itertools
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Hashable, Sequence
from typing import Protocol

from tb_retrace_plugin.capture import tf_seam
from tb_retrace_plugin.capture.record.describe import Describer
from tb_retrace_plugin.capture.record.graph_writer import GraphWriter
from tb_retrace_plugin.capture.record.read_trace import ReadTrace
from tb_retrace_plugin.capture.session.beside_execution import PAUSE_S, has_a_processor, run_beside
from tb_retrace_plugin.capture.session.compilation_records import CompilationRecords
from tb_retrace_plugin.capture.session.event_sink import EventSink
from tb_retrace_plugin.capture.session.first_calls import FirstCalls
from tb_retrace_plugin.capture.session.graphs_tab import Choice, GraphsTab
from tb_retrace_plugin.capture.session.losses import Losses
from tb_retrace_plugin.capture.session.narrator import Narrator
from tb_retrace_plugin.capture.session.record_writer import RecordWriter, Sink
from tb_retrace_plugin.capture.session.repetition import Repetition
from tb_retrace_plugin.capture.session.session import new_session
from tb_retrace_plugin.capture.session.stale_records import StaleRecords
from tb_retrace_plugin.capture.session.waiting_trace import WaitingTrace, may_wait, waiting_trace
from tb_retrace_plugin.capture.values.shown import Values
from tb_retrace_plugin.capture.watch import hook, under_way
from tb_retrace_plugin.capture.watch.observation import Observation
from tb_retrace_plugin.capture.watch.steps import current_step
from tb_retrace_plugin.capture.watch.xla_compilations import Compilation
from tb_retrace_plugin.explain.differences.change import Change
from tb_retrace_plugin.schema import retrace_pb2 as pb
from tb_retrace_plugin.schema import tags

#: Another thread that describes a trace may wait, in an `__eq__` of the program's, for the one that waits here.
_LONGEST_WAIT_S = 10.0
#: A first execution that was shorter is told to the file by the thread that described its trace, somewhat later.
_SHORT_NS = int(PAUSE_S * 1e9) // 2


class Teller(Protocol):
    """Is told of each trace when it is recorded, within the call that traced: it must not raise, nor take long."""

    def tell(self, record: pb.Trace, stack: pb.Stack) -> None: ...


class Recorder:
    """One session, in one event file for each time that it is attached. Raises only from its constructor.

    Only errors that a signal handler of the program raises go through, as KeyboardInterrupt does.
    """

    def __init__(
        self,
        log_dir: str,
        *,
        verbose: int = 0,
        graphs: bool = True,
        graphs_tab: Choice = None,
        tellers: Sequence[Teller] = (),
        sampled: bool = True,
        values: str = "short",
        open_sink: Callable[[str], Sink] = EventSink,
    ) -> None:
        """Opens the event file. `sampled`: of repetitive traces some are counted only. `values`: of values.WORDS.

        Raises LogDirError if `log_dir` is not one to write to.
        """
        self.log_dir = log_dir
        self._graphs = graphs
        self._graphs_tab_choice = graphs_tab
        self._sampled = sampled
        self._values_word = values
        self.hides_values = values == "none"
        self._pid = os.getpid()
        self._has_a_processor = has_a_processor()
        self._lock = threading.RLock()
        self._tellers = [*([Narrator()] if verbose else []), *tellers]
        self._open_sink = open_sink
        self._sink = open_sink(log_dir)
        try:
            self._begin_session()
        except BaseException:
            self._sink.close()
            raise

    def _begin_session(self) -> None:
        self.session = new_session()
        self._values = Values(self._values_word)
        self.session.values = self._values_word
        session_id = self.session.id
        self._losses = Losses(session_id)
        self._records = RecordWriter(self._sink, session_id, self._losses, with_sources=not self.hides_values)
        self._first_calls = FirstCalls(self._records)
        self._stale = StaleRecords(self._records, self._values)
        self._compilations = CompilationRecords(self._records, self._values)
        self._ran_eagerly = tf_seam.functions_run_eagerly()
        self._seqs = itertools.count(1)
        self._traces = 0
        self._repetition = Repetition(sampled=self._sampled)
        self._omitted_records = 0
        self._graph_writer = GraphWriter(lambda *graph: self._sink.write_graph(*graph), enabled=self._graphs)
        self._describer = Describer(
            self._graph_writer, self._omits, self.lost, self._losses.lose, self._values, self._stale.read_otherwise
        )  # fmt: skip
        self._graphs_tab: GraphsTab | None = None
        if (choice := self._graphs_tab_choice) is not None:
            directory = os.path.dirname(self._sink.path)
            self._graphs_tab = GraphsTab(choice, self.log_dir, directory, self.session, self.lost, self._losses.lose)
        self._waiting: WaitingTrace | None = None
        self._is_recording_waiting = False
        self._run_beside = 0  # number of the latest trace that was handed to the thread
        self._ended: deque[tuple[int, int, bool]] = deque()  # first calls, not noted yet
        # whoever is told of a trace is told before it is executed
        self._may_wait = self._has_a_processor and not self._tellers and self._graphs_tab is None
        self._ends = 0
        self._is_open = True
        self._records.write(tags.session_tag(session_id), self.session)
        self._records.see_to_the_file(self._graph_writer.forget)

    def _omits(self, record: pb.Trace, code: Hashable, changes: Sequence[Change], error_type: str) -> bool:
        return self._repetition.omits(record, code, changes, error_type, self._sink.bytes_written)

    # --- the hook's listener ---

    def trace_started(self, observation: Observation) -> None:
        observation.seqs[id(self)] = next(self._seqs)

    def trace_ended(self, observation: Observation) -> None:
        seq = observation.seqs.get(id(self))
        if seq is None or not self._acquire("traces_not_recorded"):
            return
        try:
            trace: ReadTrace | None = None
            waits = self._may_wait and may_wait(observation)
            if not (waits and self._describer.may_be_read_later(observation)):
                trace = self._read(observation, seq)
                if trace is None:
                    return
            if waits:
                self._waiting = waiting_trace(seq, trace, observation)
            if self._waiting is None and (trace := trace or self._read(observation, seq)) is not None:
                self._record(trace, observation)
        finally:
            self._lock.release()

    def _read(self, o: Observation, seq: int) -> ReadTrace | None:
        try:
            return self._describer.read(o, seq, o.parent.seqs.get(id(self), 0) if o.parent else 0)
        except Exception as error:
            self._losses.lose("traces_not_described", "describing a trace failed", error)
            return None

    def first_call_began(self, seq: int) -> None:
        """TensorFlow is about to execute: what had waited for that is done by whoever is given Python first."""
        waiting = self._waiting
        if waiting is not None and waiting.seq == seq:
            self._run_beside = seq if run_beside(self._catch_up, self._write_first_calls) else 0

    def _catch_up(self) -> None:
        try:
            if self._waiting is not None and self._acquire(""):  # not lost yet: the next to take the lock records it
                self._lock.release()
        except Exception as error:  # of the thread's: nobody else tells of it
            self._losses.lose("traces_not_recorded", "recording a trace failed", error)

    def _record_waiting(self) -> None:
        self._is_recording_waiting = True  # before `_waiting` is None: another thread asks for both
        waiting, self._waiting = self._waiting, None
        if waiting is None:
            self._is_recording_waiting = False
            return
        o, thread = waiting.observation, under_way.thread
        o.result, o.instance = waiting.result, waiting.instance
        was_busy, thread.busy = thread.busy, True  # as where a trace is described at once: a finalizer may trace
        try:
            if (trace := waiting.trace or self._read(o, waiting.seq)) is not None:
                self._record(trace, o, waiting.graph)
        finally:
            thread.busy = was_busy
            o.let_go()
            self._is_recording_waiting = False

    def _record(
        self, trace: ReadTrace, o: Observation, graph: list[tf_seam.TracedFunctionGraph] | None = None
    ) -> None:  # fmt: skip
        try:
            self._note_first_calls()
            self._records.see_to_the_file(self._graph_writer.forget)
            record, omitted = self._describer.describe(trace, o, graph)
        except Exception as error:
            self._losses.lose("traces_not_described", "describing a trace failed", error)
            return
        try:
            self._write_trace(record, omitted, o)
        finally:
            self._tell(record, omitted, o)

    def _tell(self, record: pb.Trace, omitted: bool, observation: Observation) -> None:
        """Whatever else is done for a trace; the trace itself is recorded."""
        try:
            if not record.failed and not omitted:
                self._stale.watch(record, observation)
            self._stale.write(observation.step)
        except Exception as error:
            self._losses.lose("stale_values_not_compared", "comparing Python values failed", error)
        for teller in self._tellers:
            try:
                teller.tell(record, observation.call_site.stack)
            except Exception as error:
                self._losses.lose("traces_not_told", "telling of a trace failed", error)

    def first_call_ended(self, seq: int, duration_ns: int, failed: bool) -> None:
        self._ended.append((seq, duration_ns, failed))
        is_described = self._waiting is None and not self._is_recording_waiting  # and nothing is held any longer
        if not (is_described and seq == self._run_beside and duration_ns < _SHORT_NS):
            self._write_first_calls()

    def _write_first_calls(self) -> None:
        """Those that no record has for a while, in a record of their own."""
        if not self._ended or not self._acquire(""):  # else it is told with the next
            return
        try:
            self._note_first_calls()
            if self._is_open and self._first_calls.are_due():
                self._first_calls.write()
        finally:
            self._lock.release()

    def _note_first_calls(self) -> None:
        while self._ended:
            seq, duration_ns, failed = self._ended.popleft()
            if not self._repetition.first_call(seq, duration_ns):
                self._first_calls.add(seq, duration_ns, failed)

    def xla_compiled(self, seq: int, compilation: Compilation, time_ns: int, duration_ns: int, failed: bool) -> None:
        if not self._acquire("compilations_not_described"):
            return
        try:
            if not self._repetition.is_omitted(seq):  # else it is in the first call's time
                self._compilations.write(seq, compilation, time_ns, duration_ns, failed)
        finally:
            self._lock.release()

    def _acquire(self, counter: str) -> bool:
        """Takes the lock, and does what had waited; False in a forked child, and where another thread seems to wait
        for this one."""
        if os.getpid() != self._pid:
            return False
        if self._lock.acquire(timeout=_LONGEST_WAIT_S):
            if self._waiting is not None:
                try:
                    self._record_waiting()
                except BaseException:
                    self._lock.release()
                    raise
            return True
        if counter:
            self._losses.count(counter)
        return False

    def lost(self, what: str) -> None:
        """Counts one."""
        self._losses.count(what)

    # --- life ---

    def attach(self) -> None:
        """Starts listening. Raises SeamMissingError."""
        if not self._is_open:
            try:
                self._open_again()
            except Exception as error:  # once begun, recording never stops a program
                self._losses.lose("records_not_written", f"writing to {self.log_dir} failed", error)
                return
        hook.add_listener(self)

    def _open_again(self) -> None:
        before, self._sink = self._sink, self._open_sink(self.log_dir)
        self._is_open = True
        if os.path.dirname(before.path) != os.path.dirname(self._sink.path):
            self._begin_session()  # somebody else writes there now; a session lies in one directory
        else:
            self._records.goes_on_in(self._sink)

    def detach(self) -> None:
        """Stops listening, marks the end of the session and closes its file; it may be attached again."""
        try:
            hook.remove_listener(self)
        except Exception as error:
            self._losses.lose("close_failed", "letting go of tracing failed", error)
            hook.remove_listener(self)
        if not self._is_open or not self._acquire("close_failed"):
            return
        try:
            self._is_open = False
            self._write_end()
            if self._graphs_tab is not None:
                self._graphs_tab.close()
            self._sink.close()
        except Exception as error:
            self._losses.lose("close_failed", "closing the event file failed", error)
        finally:
            self._lock.release()

    def _write_end(self) -> None:
        self._ends += 1
        try:
            self._stale.write(current_step(), final=True)
            self._write_omitted(final=True)
        except Exception as error:
            self._losses.lose("stale_values_not_compared", "ending the recording failed", error)
        try:
            self._note_first_calls()
            self._ran_eagerly |= tf_seam.functions_run_eagerly()
        finally:
            end = pb.SessionEnd(
                time_ns=time.time_ns(), losses=self._losses.counts, first_calls=self._first_calls.waiting,
                traces=self._traces + self._repetition.traces, functions_run_eagerly=self._ran_eagerly,
            )  # fmt: skip
            if self._records.write(tags.end_tag(self.session.id, self._ends), end):
                self._first_calls.waiting = []

    def ran_eagerly(self) -> None:
        """Says that functions were run without tracing at some time, for a reason that TensorFlow does not show."""
        self._ran_eagerly = True

    def flush(self) -> None:
        """Writes first executions that wait for the next record, and what became stale since."""
        if not self._is_open or not self._acquire("records_not_written"):
            return
        try:
            hook.see_to_the_hook()
            self._note_first_calls()
            self._first_calls.write()
            self._stale.write(current_step())
            self._write_omitted()
            self._sink.flush()
        except Exception as error:
            self._losses.lose("records_not_written", "writing what had waited failed", error)
        finally:
            self._lock.release()

    @property
    def traces(self) -> int:
        """Traces recorded so far, failed ones too, and those of a kind with others that were counted only."""
        return self._traces + self._repetition.traces

    @property
    def losses(self) -> dict[str, int]:
        """What could not be recorded, counted by name; empty if nothing was lost."""
        return dict(self._losses.counts)

    # --- writing ---

    def _write_trace(self, record: pb.Trace, omitted: bool, o: Observation) -> None:
        if omitted:
            self._repetition.count(record)
        else:
            try:
                o.span.describe(self.session.id, record)
                if self._graphs_tab is not None and o.result is not None:
                    self._graphs_tab.write(record, o.result)
                self._records.write_stack(o.call_site)
                record.first_calls.extend(self._first_calls.waiting)
                for name, count in self._losses.counts.items():
                    record.losses[name] = count
            except Exception as error:
                self._losses.lose("traces_not_told", "telling of a trace failed", error)
            if self._records.write(tags.trace_tag(self.session.id, record.seq), record):
                self._first_calls.waiting = []
                self._traces += 1
        self._write_omitted()

    def _write_omitted(self, *, final: bool = False) -> None:
        omitted = self._repetition.news(final=final)
        if omitted is not None:
            self._omitted_records += 1
            self._records.write(tags.omitted_tag(self.session.id, self._omitted_records), omitted)
