"""Everything read so far, growing by batches. One store serves the tab and the command line alike."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Mapping

from tb_retrace_plugin.analysis.sessions.session import Compilation, Compilations, FunctionGroup, Session, TraceEvent
from tb_retrace_plugin.events.records import Problem, Record
from tb_retrace_plugin.schema import retrace_pb2 as pb

#: Counters of a session that are kept, and their length and size: there are a dozen, counted one by one.
_MAX_COUNTERS = 50
_MAX_COUNTER_NAME = 100
_MAX_COUNT = 2**53 - 1
#: Graphs that lie in the records of their traces are kept in memory, up to so many bytes.
MAX_SMALL_GRAPHS_BYTES = 64 << 20


class Store:
    """Sessions and functions keep their index for the store's life; what vanishes needs a new store.

    `generation` names this store; `revision` rises with each batch that changed anything. `blob_of`: see `Session`.
    """

    def __init__(self, blob_of: Callable[[str], bytes | None] = lambda sha256: None) -> None:
        self._blob_of = blob_of
        self.generation = secrets.token_hex(6)
        self.revision = 0
        self.sessions: list[Session] = []
        self.functions: list[FunctionGroup] = []
        self.problems: list[Problem] = []
        self._by_id: dict[str, Session] = {}
        self._told: set[object] = set()
        self._changed = False
        self._moved: dict[str, Session] = {}
        self._room_for_graphs = MAX_SMALL_GRAPHS_BYTES

    def session(self, session_id: str) -> Session | None:
        return self._by_id.get(session_id)

    def add(self, items: Iterable[Record | Problem]) -> None:
        """Takes in a batch; adding the same record twice changes nothing."""
        self._changed = False
        self._moved.clear()
        self.revision += 1
        for item in items:
            if isinstance(item, Problem):
                self._problem(item, item)
            else:
                before, self._changed = self._changed, False
                session = self._add_record(item)
                if self._changed:
                    session.revision = self.revision
                self._changed |= before
        for session in self._moved.values():
            self._touch_all(session)
        if not self._changed:
            self.revision -= 1

    def _add_record(self, record: Record) -> Session:
        session = self._by_id.get(record.tag.session)
        if session is None:
            session = Session(record.tag.session, record.run, len(self.sessions), blob_of=self._blob_of)
            self._by_id[session.id] = session
            self.sessions.append(session)
        if session.run != record.run:
            self._problem(
                (session.id, record.run),
                Problem(
                    "warning",
                    f"{record.run} holds a copy of a recording that also lies in {session.run}; it is counted once.",
                ),
            )
            return session
        message = record.message
        if isinstance(message, pb.SessionStart):
            self._add_start(session, message)
        elif isinstance(message, pb.Trace):
            self._add_trace(session, message)
            if record.graph:
                self._add_small_graph(session, message.graph_sha256, record.graph)
        elif isinstance(message, pb.Stack):
            if record.tag.key not in session.stacks:
                session.stacks[record.tag.key] = message
                self._changed = True
        elif isinstance(message, pb.FirstCalls):
            self._add_first_calls(session, message.calls)
        elif isinstance(message, pb.XlaCompilation):
            self._add_compilation(session, message)
        elif isinstance(message, pb.StaleValue):
            self._add_stale_value(session, int(record.tag.key), message)
        elif isinstance(message, pb.Omitted):
            self._add_omitted(session, int(record.tag.key), message)
        elif isinstance(message, pb.SessionEnd):
            self._add_end(session, int(record.tag.key), message)
        session.last_sign_ns = max(session.last_sign_ns, _nanoseconds(record.wall_time))
        return session

    def _add_start(self, session: Session, start: pb.SessionStart) -> None:
        if session.start is not None:
            return
        session.start = start
        self._changed = True
        self._moved[session.id] = session

    def _touch_all(self, session: Session) -> None:
        """Times since the session's start are others now."""
        for event in session.events.values():
            event.revision = self.revision
        for compilations in session.compilations.values():
            for compilation in compilations.by_k.values():
                compilation.revision = self.revision

    def _add_trace(self, session: Session, trace: pb.Trace) -> None:
        known = session.events.get(trace.seq)
        if known is not None:
            if known.record != trace:
                text = f"{session.run}: trace {trace.seq} was recorded twice; the first record is shown."
                self._problem((session.id, trace.seq), Problem("warning", text))
            return
        self._changed = True
        key = (trace.function.file, trace.function.line, trace.function.qualname, trace.function.variant)
        group = session.functions.get(key)
        if group is None:
            group = FunctionGroup(session, len(self.functions), trace.function)
            session.functions[key] = group
            self.functions.append(group)
        elif trace.function.name != group.function.name:
            group.take_the_name_of_its_def()
        session.add_event(TraceEvent(trace, session, group, self.revision))
        group.revision = self.revision
        for compilation in session.events[trace.seq].compilations.by_k.values():  # read before: shown from now on
            compilation.revision = self.revision
        self._add_first_calls(session, trace.first_calls)
        _raise_losses(session, trace.losses)
        if trace.time_ns > 0:
            if session.start is None and (session.earliest_ns == 0 or trace.time_ns < session.earliest_ns):
                self._moved[session.id] = session
            if session.earliest_ns == 0 or trace.time_ns < session.earliest_ns:
                session.earliest_ns = trace.time_ns
            session.last_sign_ns = max(session.last_sign_ns, trace.time_ns + max(0, trace.trace_duration_ns))

    def _add_small_graph(self, session: Session, sha256: str, content: bytes) -> None:
        if sha256 not in session.small_graphs:
            if len(content) > self._room_for_graphs:
                content = b""
            self._room_for_graphs -= len(content)
            session.small_graphs[sha256] = content

    def _add_first_calls(self, session: Session, calls: Iterable[pb.FirstCall]) -> None:
        for call in calls:
            if call.seq in session.first_calls:
                continue
            session.first_calls[call.seq] = call
            self._changed = True
            if event := session.events.get(call.seq):
                event.revision = event.function.revision = self.revision

    def _add_compilation(self, session: Session, compilation: pb.XlaCompilation) -> None:
        compilations = session.compilations.setdefault(compilation.seq, Compilations())
        known = compilations.by_k.get(compilation.k)
        if known is not None:
            if known.record != compilation:
                where = f"compilation {compilation.k} of trace {compilation.seq}"
                text = f"{session.run}: {where} was recorded twice; the first record is shown."
                self._problem((session.id, compilation.seq, compilation.k), Problem("warning", text))
            return
        compilations.add(Compilation(compilation, self.revision))
        self._touch(session, compilation.seq)

    def _add_stale_value(self, session: Session, number: int, value: pb.StaleValue) -> None:
        values = session.stale_values.setdefault(value.seq, {})
        if value.name in values and values[value.name][0] >= number:
            return
        values[value.name] = number, value
        self._touch(session, value.seq)

    def _touch(self, session: Session, seq: int) -> None:
        self._changed = True
        if event := session.events.get(seq):
            event.revision = event.function.revision = self.revision

    def _add_omitted(self, session: Session, number: int, omitted: pb.Omitted) -> None:
        if number <= session.omitted_number:
            return
        session.omitted_number = number
        found: dict[tuple[str, int, str, str], list[pb.OmittedTraces]] = {}
        for sums in omitted.kinds:
            function = sums.function
            key = function.file, function.line, function.qualname, function.variant
            found.setdefault(key, []).append(sums)
            group = session.functions.get(key)
            if group is not None and group.events:  # what an overview says of a function is new if a trace of it is
                group.revision = group.events[-1].revision = self.revision
        session.omitted = found  # at once: exports read it while this goes on
        session.parents_revision = self.revision  # all is counted anew
        self._changed = True

    def _add_end(self, session: Session, number: int, end: pb.SessionEnd) -> None:
        self._add_first_calls(session, end.first_calls)
        if number > session.end_number:
            session.end_number = number
            session.end = end
            self._changed = True
        if end.functions_run_eagerly and not session.ran_eagerly:
            session.ran_eagerly = True
            self._changed = True
        _raise_losses(session, end.losses)

    def _problem(self, key: object, problem: Problem) -> None:
        if key not in self._told:
            self._told.add(key)
            self.problems.append(problem)
            self._changed = True


def _raise_losses(session: Session, losses: Mapping[str, int]) -> None:
    """Counters only rise, whatever the order of reading."""
    for name, count in losses.items():
        known = session.losses.get(name)
        if known is None and (len(session.losses) >= _MAX_COUNTERS or len(name) > _MAX_COUNTER_NAME):
            continue
        if 0 <= count <= _MAX_COUNT:
            session.losses[name] = max(known or 0, count)


def _nanoseconds(wall_time: float) -> int:
    return int(wall_time * 1e9) if 0 < wall_time < 9e9 else 0
