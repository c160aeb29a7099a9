"""What was recorded, as objects: sessions, the functions traced in them, and each trace."""

from __future__ import annotations

import sys
from bisect import insort
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from tb_retrace_plugin.schema import retrace_pb2 as pb
from tb_retrace_plugin.schema.vocabulary import CHOSEN, CHOSEN_GLOBAL

#: Kinds of a trace that was made although the code had been traced before.
RETRACE_KINDS = frozenset({"retrace", "recreated"})
#: A nested trace takes dozens of Python's frames, of which there are a thousand.
_MAX_NESTING = 100


@dataclass(eq=False, slots=True)
class TraceEvent:
    """One trace. `revision`: of the store, when this trace last changed.

    What every overview asks for is read from the record once. `trace_ns` is with the traces nested in it, `own_ns`
    without; `lookup_ns` is in neither. `reason`: cause and path of the first change, `other_paths` of the further ones.
    """

    record: pb.Trace
    session: Session
    function: FunctionGroup
    revision: int
    seq: int = field(init=False)
    kind: str = field(init=False)
    failed: bool = field(init=False)
    is_retrace: bool = field(init=False)
    avoidable: bool = field(init=False)
    trace_ns: int = field(init=False)
    own_ns: int = field(init=False)
    lookup_ns: int = field(init=False)
    parent_seq: int = field(init=False)
    reason: tuple[str, str] | None = field(init=False)
    other_paths: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        record = self.record
        self.seq = record.seq
        self.kind = sys.intern(record.kind)
        self.failed = record.failed
        self.is_retrace = self.kind in RETRACE_KINDS
        self.avoidable = record.verdict == "avoidable"
        self.trace_ns = max(0, record.trace_duration_ns)
        self.own_ns = max(0, self.trace_ns - max(0, record.nested_duration_ns))
        self.lookup_ns = max(0, record.lookup_duration_ns)
        self.parent_seq = record.parent_seq
        changes = record.changes
        self.reason = (sys.intern(changes[0].cause), sys.intern(changes[0].path)) if changes else None
        self.other_paths = tuple([sys.intern(c.path) for c in changes[1:] if c.path]) if len(changes) > 1 else ()

    @property
    def first_call_ns(self) -> int | None:
        """None: the traced function was not called directly, or not yet."""
        call = self.session.first_calls.get(self.seq)
        return None if call is None else max(0, call.duration_ns)

    @property
    def parent(self) -> TraceEvent | None:
        """The trace that this one happened in, if it is recorded."""
        number = self.parent_seq
        # A parent starts before its children; anything else would be a loop in a damaged recording.
        return self.session.events.get(number) if 0 < number < self.seq else None

    @property
    def ancestors(self) -> Iterator[TraceEvent]:
        """The innermost first; no deeper than any program nests."""
        parent = self.parent
        for _ in range(_MAX_NESTING):
            if parent is None:
                return
            yield parent
            parent = parent.parent

    @property
    def small_graph(self) -> bytes | None:
        """The serialized GraphContent, if the trace's own record held it; empty if there was no room to keep it."""
        return self.session.small_graphs.get(self.record.graph_sha256)

    @property
    def closest(self) -> TraceEvent | None:
        """The earlier trace that the changes compare with, if it is recorded."""
        return self.session.events.get(self.record.closest_seq) if self.record.closest_seq else None

    @property
    def compilations(self) -> Compilations:
        """By XLA."""
        return self.session.compilations.get(self.seq, _NO_COMPILATIONS)

    @property
    def recompilations(self) -> list[Compilation]:
        """Those without a trace, failed ones too, in their order."""
        return self.compilations.recompilations

    @property
    def stale_values(self) -> list[pb.StaleValue]:
        """Python values that this trace's graph still holds, by name; what changed back is none.

        Not of the graph that made a first call's variables: the one that was traced after it is called in its place;
        and not where the program is known to have a graph for each of the values.
        """
        is_called = self.seq not in self.session.made_variables
        return (
            [value for value in self.changed_values if value.kind not in (CHOSEN, CHOSEN_GLOBAL)] if is_called else []
        )

    @property
    def changed_values(self) -> list[pb.StaleValue]:
        """The same of any trace, whether its graph is called or not: what it read is another value now."""
        latest = self.session.stale_values.get(self.seq)
        if not latest:
            return []
        return [value for _, (_, value) in sorted(latest.items()) if value.now != value.traced]

    def once_stale(self, name: str) -> str:
        """The value that it read, if that was another one for a while; "" if not."""
        _, value = self.session.stale_values.get(self.seq, {}).get(name, (0, None))
        return value.traced if value is not None else ""

    def has_not_read(self, name: str) -> bool:
        """What is stale in other traces of its code, where that is known."""
        _, value = self.session.stale_values.get(self.seq, {}).get(name, (0, None))
        return value is not None and not value.traced


class Compilation:
    """One compilation by XLA. `revision`: of the store, when it was read, or its trace changed its place in time.

    What every overview asks for is read from the record once: a long run has thousands.
    """

    __slots__ = ("duration_ns", "failed", "is_recompilation", "k", "paths", "record", "revision")

    def __init__(self, record: pb.XlaCompilation, revision: int) -> None:
        self.record = record
        self.revision = revision
        self.k: int = record.k
        self.failed: bool = record.failed
        self.duration_ns: int = max(0, record.duration_ns)
        #: Arguments whose shapes or values are new.
        self.paths = tuple(change.path for change in record.changes)
        #: Made for these, without a trace. The first one is part of its trace's first call; what has no change is the
        #: forward pass for a gradient (or the one without), or the backward pass, compiled once apart for shapes that
        #: were there before.
        self.is_recompilation = self.k > 1 and len(self.paths) > 0


@dataclass(eq=False, slots=True)
class Compilations:
    """Those of one trace."""

    by_k: dict[int, Compilation] = field(default_factory=dict)
    recompilations: list[Compilation] = field(default_factory=list)  # by k
    successful: int = 0
    successful_recompilations: int = 0
    recompilation_ns: int = 0

    def add(self, compilation: Compilation) -> None:
        self.by_k[compilation.k] = compilation
        self.successful += not compilation.failed
        if compilation.is_recompilation:
            insort(self.recompilations, compilation, key=lambda c: c.k)
            self.successful_recompilations += not compilation.failed
            self.recompilation_ns += compilation.duration_ns

    @property
    def ordered(self) -> list[Compilation]:
        return sorted(self.by_k.values(), key=lambda c: c.k)


_NO_COMPILATIONS = Compilations()


@dataclass(eq=False, slots=True)
class FunctionGroup:
    """The code of one `def` in one session. Two groups are the same code if file, line and qualname are equal.

    `revision`: of the store, when one of its traces last changed.
    """

    session: Session
    index: int  # among all functions of the store
    function: pb.Function
    events: list[TraceEvent] = field(default_factory=list)  # by seq
    by_reason: dict[tuple[str, str], list[int]] = field(default_factory=dict)  # seqs, in order
    revision: int = 0
    tally: tuple[tuple[int, int], Any] | None = None  # as tally.py counted it, and in what state

    @property
    def state(self) -> tuple[int, int]:
        """Another one if anything that is counted of it may be another."""
        return self.revision, self.session.parents_revision

    def take_the_name_of_its_def(self) -> None:
        """Where functions of one code were given several names (`wrapper.__name__ = function.__name__`): each trace is
        told by its own, and none of them is all of the code's."""
        name = self.function.qualname.rpartition(".")[2]
        if name and name != self.function.name:
            self.function, known = pb.Function(), self.function
            self.function.CopyFrom(known)
            self.function.name = name

    @property
    def omitted(self) -> Sequence[pb.OmittedTraces]:
        """Traces of it that were counted and not recorded one by one."""
        function = self.function
        return self.session.omitted.get((function.file, function.line, function.qualname, function.variant), ())

    @property
    def successful(self) -> list[TraceEvent]:
        return [event for event in self.events if not event.failed]

    @property
    def omitted_traces(self) -> int:
        """How many those are, failed ones too."""
        return sum(sums.traces for sums in self.omitted)

    @property
    def objects(self) -> int:
        """How many tf.function objects of this code were traced; at least, where traces were counted only.

        The recorder numbers them from 1, so that the highest number tells of those whose traces are not recorded.
        """
        numbers = {event.record.object for event in self.events}
        omitted = self.omitted_traces
        return min(max(numbers), len(numbers) + omitted) if omitted and numbers else len(numbers)

    @property
    def recompilations(self) -> list[Compilation]:
        """By XLA without a trace, over all its traces; failed ones too."""
        return [compilation for event in self.events for compilation in event.recompilations]

    @property
    def xla_compilations(self) -> int | None:
        """How many succeeded; None if that is not known, or XLA is not asked for.

        Calls of a function inside another function's graph are not seen: none recorded then means nothing.
        """
        if self.any_compilation:
            return sum(event.compilations.successful for event in self.events)
        compiled = [event.record for event in self.events if event.record.jit_compile]
        return None if not compiled or any(r.nested and not r.failed for r in compiled) else 0

    @property
    def hidden_compilations(self) -> bool:
        """Whether XLA may have compiled it inside another function's graph, which cannot be seen.

        Inside one that XLA compiles it is a part of that.
        """
        return any(
            event.record.jit_compile and event.record.nested and not event.record.failed and not self._is_part(event)
            for event in self.events
        )

    def _is_part(self, event: TraceEvent) -> bool:
        around, seen = event, {event.seq}
        while (found := self.session.events.get(around.record.parent_seq)) is not None and found.seq not in seen:
            if found.record.jit_compile:
                return True
            seen.add(found.seq)
            around = found
        return False

    @property
    def any_compilation(self) -> bool:
        """Whether a compilation of any of its graphs is recorded."""
        return bool(self.session.compilations) and any(event.seq in self.session.compilations for event in self.events)


@dataclass(eq=False, slots=True)
class Session:
    """One recording of one process. `last_sign_ns`: unix time of the last thing known of it.

    `blob_of`: a graph that is stored by itself, by its hash; None if it is not there.
    """

    id: str
    run: str
    index: int  # among all sessions of the store
    start: pb.SessionStart | None = None
    end: pb.SessionEnd | None = None
    end_number: int = -1
    events: dict[int, TraceEvent] = field(default_factory=dict)
    functions: dict[tuple[str, int, str, str], FunctionGroup] = field(default_factory=dict)
    stacks: dict[str, pb.Stack] = field(default_factory=dict)
    first_calls: dict[int, pb.FirstCall] = field(default_factory=dict)
    compilations: dict[int, Compilations] = field(default_factory=dict)  # by seq of the trace
    stale_values: dict[int, dict[str, tuple[int, pb.StaleValue]]] = field(default_factory=dict)  # by seq, then by name
    made_variables: set[int] = field(default_factory=set)  # seqs of traces of first calls that others were made after
    threads: set[str] = field(default_factory=set)  # names of those that traced
    counted_twice: tuple[int, int] | None = None  # as at_once.py counted it, and at what revision
    ran_eagerly: bool = False  # at some time while recording
    losses: dict[str, int] = field(default_factory=dict)
    small_graphs: dict[str, bytes] = field(default_factory=dict)  # serialized GraphContent by hash
    blob_of: Callable[[str], bytes | None] = lambda sha256: None
    omitted: dict[tuple[str, int, str, str], list[pb.OmittedTraces]] = field(default_factory=dict)  # by function
    omitted_number: int = -1
    last_sign_ns: int = 0
    earliest_ns: int = 0  # start of the earliest trace; 0: none yet
    highest_seq: int = 0
    revision: int = 0  # of the store, when anything of it last changed
    parents_revision: int = 0  # when a trace last came that others, which came before, may be nested in

    @property
    def started_ns(self) -> int:
        """Unix time; of the earliest trace if the start itself was not recorded."""
        return self.start.started_ns if self.start is not None else self.earliest_ns

    @property
    def last_ns(self) -> int:
        """Unix time of the end, or of the last sign of life."""
        return max(self.started_ns, self.end.time_ns if self.end is not None else self.last_sign_ns)

    @property
    def run_seconds(self) -> float | None:
        """How long the recording lasted (so far); None if that is not known."""
        length = self.last_ns - self.started_ns
        return length / 1e9 if self.started_ns > 0 and length > 0 else None

    @property
    def missing(self) -> int:
        """How many traces an ended recording counted and the logdir does not hold; 0 while it runs."""
        if self.end is None:
            return 0
        return max(0, max(self.end.traces, self.highest_seq) - len(self.events) - self.omitted_traces)

    @property
    def omitted_traces(self) -> int:
        """How many were counted and not recorded one by one."""
        return sum(sums.traces for kinds in self.omitted.values() for sums in kinds)

    def add_event(self, event: TraceEvent) -> None:
        self.events[event.seq] = event
        self.threads.add(event.record.thread)
        if event.kind == "variable_creation" and not event.failed and event.record.closest_seq:
            self.made_variables.add(event.record.closest_seq)
        if event.seq < self.highest_seq:  # a parent is written after its children
            self.parents_revision = event.revision
        self.highest_seq = max(self.highest_seq, event.seq)
        insort(event.function.events, event, key=lambda e: e.seq)
        if event.reason is not None:
            insort(event.function.by_reason.setdefault(event.reason, []), event.seq)


def is_initializer(event: TraceEvent) -> bool:
    """TensorFlow's own helper that initializes the variables of a first call."""
    function = event.record.function
    return event.record.kind == "variable_creation" and function.name == "initialize_variables" and function.library
