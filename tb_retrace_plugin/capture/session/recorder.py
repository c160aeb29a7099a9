"""Turns observed traces into records of one session and writes them. Nothing here raises into the program."""

from __future__ import annotations

import collections
import functools
import itertools
import os
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from google.protobuf.message import Message

from tb_retrace_plugin.capture import tf_seam
from tb_retrace_plugin.capture.code.call_site import CallSite, read_call_site
from tb_retrace_plugin.capture.failure import let_signals_through, problem_text
from tb_retrace_plugin.capture.notice import warn_once
from tb_retrace_plugin.capture.python_state.python_reads import Passed
from tb_retrace_plugin.capture.python_state.stale_values import StaleValues
from tb_retrace_plugin.capture.record.describe import Describer, ReadTrace
from tb_retrace_plugin.capture.record.graph_writer import GraphWriter
from tb_retrace_plugin.capture.session.beside_execution import has_a_processor, run_beside
from tb_retrace_plugin.capture.session.event_sink import EventSink
from tb_retrace_plugin.capture.session.graphs_tab import Choice, GraphsTab
from tb_retrace_plugin.capture.session.narrator import Narrator
from tb_retrace_plugin.capture.session.repetition import Repetition
from tb_retrace_plugin.capture.session.session import new_session
from tb_retrace_plugin.capture.session.waiting_trace import WaitingTrace, waiting_trace
from tb_retrace_plugin.capture.values.clean_text import clean
from tb_retrace_plugin.capture.values.shown import Values
from tb_retrace_plugin.capture.watch import hook, under_way
from tb_retrace_plugin.capture.watch.observation import Observation
from tb_retrace_plugin.capture.watch.steps import current_step
from tb_retrace_plugin.capture.watch.xla_compilations import Compilation, Compilations, Value
from tb_retrace_plugin.explain.change import Change
from tb_retrace_plugin.schema import retrace_pb2 as pb
from tb_retrace_plugin.schema import tags

#: A first execution within this time of the last write waits to be carried by the next record.
_FIRST_CALL_PAUSE_NS = 100_000_000
#: First executions that wait for a file that cannot be written; the oldest are lost.
_MAX_PENDING_CALLS = 10_000
#: Python values are compared again after this time, and so seldom that it takes less than one percent of the time.
_STALE_PAUSE_NS = 200_000_000
_STALE_PAUSES = 100
MAX_STALE_RECORDS = 1000
MAX_XLA_RECORDS = 20_000
#: Stacks that are known to be written; of more, some are written again.
_MAX_STACKS = 20_000
#: Another thread that describes a trace may wait, in an `__eq__` of the program's, for the one that waits here.
_LONGEST_WAIT_S = 10.0


class Sink(Protocol):
    """What is recorded goes here. All but the counters raise whatever keeps them from it.

    `ready`: how many-th file is written now. `files_lost`: how many are gone. `bytes_written`: of records.
    """

    path: str
    files_lost: int
    bytes_written: int

    def ready(self) -> int: ...
    def write_record(self, tag: str, message: Message) -> None: ...
    def write_graph(self, sha256: str, data: bytes) -> None: ...
    def flush(self) -> None: ...
    def close(self) -> None: ...


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
        self._stale = StaleValues(self._values)
        self._stale_records = 0
        self._compilations: dict[int, Compilations] = {}
        self._xla_records = 0
        self._next_stale_check_ns = 0
        self._ran_eagerly = tf_seam.functions_run_eagerly()
        self._seqs = itertools.count(1)
        self._traces = 0
        self._losses: collections.Counter[str] = collections.Counter()
        self._stacks_written: set[str] = set()
        self._file = self._files_lost = 0
        self._repetition = Repetition(sampled=self._sampled)
        self._omitted_records = 0
        self._graph_writer = GraphWriter(lambda *graph: self._sink.write_graph(*graph), enabled=self._graphs)
        self._describer = Describer(self._graph_writer, self._omits, self.lost, self._lose, self._values)
        self._graphs_tab: GraphsTab | None = None
        if (choice := self._graphs_tab_choice) is not None:
            directory = os.path.dirname(self._sink.path)
            self._graphs_tab = GraphsTab(choice, self.log_dir, directory, self.session, self.lost, self._lose)
        self._waiting: WaitingTrace | None = None
        self._pending_calls: list[pb.FirstCall] = []
        self._call_files = 0
        self._last_call_write_ns = 0
        self._ends = 0
        self._is_open = True
        self._write(tags.session_tag(self.session.id), self.session)
        self._see_to_the_file()

    def _omits(self, record: pb.Trace, changes: Sequence[Change], error_type: str) -> bool:
        return self._repetition.omits(record, changes, error_type, self._sink.bytes_written)

    # --- the hook's listener ---

    def trace_started(self, observation: Observation) -> None:
        observation.seqs[id(self)] = next(self._seqs)

    def trace_ended(self, observation: Observation) -> None:
        seq = observation.seqs.get(id(self))
        if seq is None or not self._acquire("traces_not_recorded"):
            return
        try:
            parent = observation.parent
            try:
                trace = self._describer.read(observation, seq, parent.seqs.get(id(self), 0) if parent else 0)
            except Exception as error:
                self._lose("traces_not_described", "describing a trace failed", error)
                return
            if self._may_wait():
                self._waiting = waiting_trace(trace, observation)
            if self._waiting is None:
                self._record(trace, observation)
        finally:
            self._lock.release()

    def _may_wait(self) -> bool:
        """Whether traces may be described while TensorFlow executes: whoever is told of one is told before."""
        return self._has_a_processor and not self._tellers and self._graphs_tab is None

    def first_call_began(self, seq: int) -> None:
        """TensorFlow is about to execute: what had waited for that is done by whoever is given Python first."""
        waiting = self._waiting
        if waiting is not None and waiting.trace.seq == seq:
            run_beside(self._catch_up)

    def _catch_up(self) -> None:
        if self._waiting is not None and self._acquire(""):  # not lost yet: the next to take the lock records it
            self._lock.release()

    def _record_waiting(self) -> None:
        waiting, self._waiting = self._waiting, None
        if waiting is None:
            return
        o, thread = waiting.observation, under_way.thread
        o.result, o.instance = waiting.result, waiting.instance
        was_busy, thread.busy = thread.busy, True  # as where a trace is described at once: a finalizer may trace
        try:
            self._record(waiting.trace, o, waiting.graph)
        finally:
            thread.busy = was_busy
            o.let_go()

    def _record(
        self, trace: ReadTrace, o: Observation, graph: list[tf_seam.TracedFunctionGraph] | None = None
    ) -> None:  # fmt: skip
        try:
            self._see_to_the_file()
            record, omitted = self._describer.describe(trace, o, graph)
        except Exception as error:
            self._lose("traces_not_described", "describing a trace failed", error)
            return
        try:
            self._write_trace(record, omitted, o)
        finally:
            self._tell(record, omitted, o)

    def _tell(self, record: pb.Trace, omitted: bool, observation: Observation) -> None:
        """Whatever else is done for a trace; the trace itself is recorded."""
        try:
            if not record.failed and not omitted:
                runs = None if record.nested else observation.result
                signature = observation.traced_signature
                objects = signature is None or any(node.kind == "object" for _, node in signature.arguments)
                arguments = tf_seam.object_arguments(observation.function_type) if objects else None
                self._stale.watch(
                    record.seq, observation.key, observation.traced.python, observation.instance, runs, arguments,
                    _passed(observation),
                )  # fmt: skip
            self._write_stale_values(observation.step)
        except Exception as error:
            self._lose("stale_values_not_compared", "comparing Python values failed", error)
        for teller in self._tellers:
            try:
                teller.tell(record, observation.call_site.stack)
            except Exception as error:
                self._lose("traces_not_told", "telling of a trace failed", error)

    def first_call_ended(self, seq: int, duration_ns: int, failed: bool) -> None:
        if not self._acquire("first_calls_lost"):
            return
        try:
            if self._repetition.first_call(seq, duration_ns):
                return
            self._pending_calls.append(pb.FirstCall(seq=seq, duration_ns=duration_ns, failed=failed))
            if len(self._pending_calls) > _MAX_PENDING_CALLS:
                del self._pending_calls[0]
                self._losses["first_calls_lost"] += 1
            if self._is_open and time.monotonic_ns() - self._last_call_write_ns >= _FIRST_CALL_PAUSE_NS:
                self._write_first_calls()
        finally:
            self._lock.release()

    def xla_compiled(self, seq: int, compilation: Compilation, time_ns: int, duration_ns: int, failed: bool) -> None:
        if not self._acquire("compilations_not_described"):
            return
        try:
            if self._xla_records >= MAX_XLA_RECORDS:
                self._losses["compilations_over_budget"] += 1
                return
            if self._repetition.is_omitted(seq):  # it is in the first call's time
                return
            try:
                self._write_compilation(seq, compilation, time_ns, duration_ns, failed)
            except Exception as error:
                self._lose("compilations_not_described", "describing a compilation failed", error)
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
            self._losses[counter] += 1
        return False

    def _write_compilation(
        self, seq: int, compilation: Compilation, time_ns: int, duration_ns: int, failed: bool
    ) -> None:
        compilations = self._compilations.setdefault(seq, Compilations())
        compilation = compilation._replace(
            values={path: Value(v.identity, self._shown(v.text)) for path, v in compilation.values.items()}
        )
        changes = compilations.add(compilation)
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
        for path, value in compilation.values.items():
            record.values.add(path=clean(path, 300), text=value.text)
        for change in changes:
            record.changes.add(cause=change.cause, path=clean(change.path, 300), old=change.old, new=change.new)
        self._xla_records += 1
        self._write(tags.xla_tag(self.session.id, self._xla_records), record)

    def _shown(self, text: str) -> str:
        return self._values.shown(clean(text, self._values.limit(300)), "Tensor")

    def lost(self, what: str) -> None:
        """Counts one."""
        self._losses[what] += 1

    # --- life ---

    def attach(self) -> None:
        """Starts listening. Raises SeamMissingError."""
        if not self._is_open:
            try:
                self._open_again()
            except Exception as error:  # once begun, recording never stops a program
                self._lose("records_not_written", f"writing to {self.log_dir} failed", error)
                return
        hook.add_listener(self)

    def _open_again(self) -> None:
        before, self._sink = self._sink, self._open_sink(self.log_dir)
        self._is_open = True
        self._file = self._files_lost = 0
        if os.path.dirname(before.path) != os.path.dirname(self._sink.path):
            self._begin_session()  # somebody else writes there now; a session lies in one directory

    def detach(self) -> None:
        """Stops listening, marks the end of the session and closes its file; it may be attached again."""
        try:
            hook.remove_listener(self)
        except Exception as error:
            self._lose("close_failed", "letting go of tracing failed", error)
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
            self._lose("close_failed", "closing the event file failed", error)
        finally:
            self._lock.release()

    def _write_end(self) -> None:
        self._ends += 1
        try:
            self._write_stale_values(current_step(), final=True)
            self._write_omitted(final=True)
        except Exception as error:
            self._lose("stale_values_not_compared", "ending the recording failed", error)
        try:
            self._ran_eagerly |= tf_seam.functions_run_eagerly()
        finally:
            end = pb.SessionEnd(
                time_ns=time.time_ns(), losses=self._losses, first_calls=self._pending_calls,
                traces=self._traces + self._repetition.traces, functions_run_eagerly=self._ran_eagerly,
            )  # fmt: skip
            if self._write(tags.end_tag(self.session.id, self._ends), end):
                self._pending_calls = []

    def ran_eagerly(self) -> None:
        """Says that functions were run without tracing at some time, for a reason that TensorFlow does not show."""
        self._ran_eagerly = True

    def flush(self) -> None:
        """Writes first executions that wait for the next record, and what became stale since."""
        if not self._is_open or not self._acquire("records_not_written"):
            return
        try:
            hook.see_to_the_hook()
            if self._pending_calls:
                self._write_first_calls()
            self._write_stale_values(current_step())
            self._write_omitted()
            self._sink.flush()
        except Exception as error:
            self._lose("records_not_written", "writing what had waited failed", error)
        finally:
            self._lock.release()

    @property
    def traces(self) -> int:
        """Traces recorded so far, failed ones too, and those of a kind with others that were counted only."""
        return self._traces + self._repetition.traces

    @property
    def losses(self) -> dict[str, int]:
        """What could not be recorded, counted by name; empty if nothing was lost."""
        return dict(self._losses)

    # --- writing ---

    def _see_to_the_file(self) -> None:
        """In a new file what later records refer to is written again."""
        try:
            file = self._sink.ready()
        except Exception as error:  # the write itself will say it, and count
            let_signals_through(error)
            return
        if file == self._file:
            return
        if self._file:
            self._stacks_written.clear()
            self._graph_writer.forget()
        self._file = file
        self._losses["event_files_lost"] += self._sink.files_lost - self._files_lost
        self._losses += collections.Counter()  # without zeros
        self._files_lost = self._sink.files_lost

    def _write_trace(self, record: pb.Trace, omitted: bool, o: Observation) -> None:
        if omitted:
            self._repetition.count(record)
        else:
            try:
                o.span.describe(self.session.id, record)
                if self._graphs_tab is not None and o.result is not None:
                    self._graphs_tab.write(record, o.result)
                self._write_stack(o.call_site)
                if self._pending_calls:
                    record.first_calls.extend(self._pending_calls)
                for name, count in self._losses.items():
                    record.losses[name] = count
            except Exception as error:
                self._lose("traces_not_told", "telling of a trace failed", error)
            if self._write(tags.trace_tag(self.session.id, record.seq), record):
                self._pending_calls = []
                self._traces += 1
        self._write_omitted()

    def _write_omitted(self, *, final: bool = False) -> None:
        omitted = self._repetition.news(final=final)
        if omitted is not None:
            self._omitted_records += 1
            self._write(tags.omitted_tag(self.session.id, self._omitted_records), omitted)

    def _write_stack(self, site: CallSite) -> None:
        if site.stack_id in self._stacks_written:
            return
        stack = _without_sources(site.stack) if self.hides_values else site.stack
        if self._write(tags.stack_tag(self.session.id, site.stack_id), stack):
            if len(self._stacks_written) >= _MAX_STACKS:
                self._stacks_written.clear()
            self._stacks_written.add(site.stack_id)

    def _write_first_calls(self) -> None:
        self._call_files += 1
        self._last_call_write_ns = time.monotonic_ns()
        calls = pb.FirstCalls(calls=self._pending_calls)
        if self._write(tags.first_calls_tag(self.session.id, self._call_files), calls):
            self._pending_calls = []

    def _write_stale_values(self, step: int | None, *, final: bool = False) -> None:
        now = time.monotonic_ns()
        if now < self._next_stale_check_ns and not final:
            return
        try:
            for stale in self._stale.check(final=final):
                if self._stale_records >= MAX_STALE_RECORDS:
                    self._losses["stale_values_over_budget"] += 1
                    continue
                self._stale_records += 1
                limit = self._values.limit(200)
                record = pb.StaleValue(
                    seq=stale.seq, name=clean(stale.name.text, 200), kind=stale.name.kind,
                    traced=clean(stale.traced, limit), now=clean(stale.now, limit), time_ns=time.time_ns(),
                )  # fmt: skip
                if step is not None:
                    record.step = step
                self._write(tags.stale_tag(self.session.id, self._stale_records), record)
        except Exception as error:
            self._lose("stale_values_not_compared", "comparing Python values failed", error)
        ended = time.monotonic_ns()
        self._next_stale_check_ns = ended + max(_STALE_PAUSE_NS, _STALE_PAUSES * (ended - now))

    def _write(self, tag: str, message: Any) -> bool:
        try:
            self._sink.write_record(tag, message)
            return True
        except Exception as error:
            self._lose("records_not_written", f"writing to {self._sink.path} failed", error)
            return False

    def _lose(self, counter: str, what: str, error: Exception) -> None:
        """Counts and tells it, unless it is the program's own error: that is raised on."""
        self._losses[counter] += 1
        let_signals_through(error)
        problem = f"{what} ({problem_text(error)})"
        warn_once(f"{counter}:{self.session.id}", f"Retrace: {problem}. Training goes on; the loss is counted.")


def _passed(o: Observation) -> Passed | None:
    """What the function was traced with; not of a partial's, nor where what is around it may pass something else."""
    traced = o.traced
    outer = getattr(traced.outer, "__func__", traced.outer)
    if outer is not traced.python or traced.partials or traced.structured is not None:
        return None
    return functools.partial(tf_seam.known_of_arguments, o.function_type)


def _without_sources(stack: pb.Stack) -> pb.Stack:
    """A line of source holds what is passed where it is written out."""
    copy = pb.Stack()
    copy.CopyFrom(stack)
    for frame in copy.frames:
        frame.source = ""
    return copy
