"""What was recorded, as objects: sessions, the functions traced in them, and each trace."""

from __future__ import annotations

from bisect import insort
from dataclasses import dataclass, field

from tb_retrace_plugin.schema import retrace_pb2 as pb

#: Kinds of a trace that was made although the code had been traced before.
RETRACE_KINDS = frozenset({"retrace", "recreated"})


@dataclass(eq=False, slots=True)
class TraceEvent:
    """One trace. `revision`: of the store, when this trace last changed.

    What every overview asks for is read from the record once. `trace_ns` is with the traces nested in it, `own_ns`
    without.
    """

    record: pb.Trace
    session: Session
    function: FunctionGroup
    revision: int
    seq: int = field(init=False)
    is_retrace: bool = field(init=False)
    trace_ns: int = field(init=False)
    own_ns: int = field(init=False)

    def __post_init__(self) -> None:
        record = self.record
        self.seq = record.seq
        self.is_retrace = record.kind in RETRACE_KINDS
        self.trace_ns = max(0, record.trace_duration_ns)
        self.own_ns = max(0, self.trace_ns - max(0, record.nested_duration_ns))

    @property
    def first_call_ns(self) -> int | None:
        """None: the traced function was not called directly, or not yet."""
        call = self.session.first_calls.get(self.seq)
        return None if call is None else max(0, call.duration_ns)

    @property
    def parent(self) -> TraceEvent | None:
        """The trace that this one happened in, if it is recorded."""
        number = self.record.parent_seq
        # A parent starts before its children; anything else would be a loop in a damaged recording.
        return self.session.events.get(number) if 0 < number < self.seq else None

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
        """Python values that this trace's graph still holds, by name; what changed back is none."""
        latest = self.session.stale_values.get(self.seq)
        if not latest:
            return []
        return [value for _, (_, value) in sorted(latest.items()) if value.now != value.traced]


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
        #: Arguments whose shapes are new.
        self.paths = tuple(change.path for change in record.changes)
        #: Made for new shapes, without a trace. The first one is part of its trace's first call; what has no change is
        #: the forward pass for a gradient (or the one without), compiled once apart for shapes that were there before.
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
    """The code of one `def` in one session. Two groups are the same code if file, line and qualname are equal."""

    session: Session
    index: int  # among all functions of the store
    function: pb.Function
    events: list[TraceEvent] = field(default_factory=list)  # by seq

    @property
    def successful(self) -> list[TraceEvent]:
        return [event for event in self.events if not event.record.failed]

    @property
    def objects(self) -> int:
        """How many tf.function objects of this code were traced."""
        return len({event.record.object for event in self.events})

    @property
    def recompilations(self) -> list[Compilation]:
        """By XLA without a trace, over all its traces; failed ones too."""
        return [compilation for event in self.events for compilation in event.recompilations]

    @property
    def xla_compilations(self) -> int | None:
        """How many succeeded; None if that is not known, or XLA is not asked for.

        Calls of a function inside another function's graph are not seen: none recorded then means nothing.
        """
        if self._any_compilation:
            return sum(event.compilations.successful for event in self.events)
        if self.hidden_compilations or not any(event.record.jit_compile for event in self.events):
            return None
        return 0

    @property
    def hidden_compilations(self) -> bool:
        """Whether XLA may have compiled it inside another function's graph, which cannot be seen."""
        hidden = any(e.record.jit_compile and e.record.nested and not e.record.failed for e in self.events)
        return hidden and not self._any_compilation

    @property
    def _any_compilation(self) -> bool:
        return any(event.seq in self.session.compilations for event in self.events)


@dataclass(eq=False, slots=True)
class Session:
    """One recording of one process. `last_sign_ns`: unix time of the last thing known of it."""

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
    ran_eagerly: bool = False  # at some time while recording
    losses: dict[str, int] = field(default_factory=dict)
    last_sign_ns: int = 0
    earliest_ns: int = 0  # start of the earliest trace; 0: none yet

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
        return max(0, max(self.end.traces, max(self.events, default=0)) - len(self.events))

    def add_event(self, event: TraceEvent) -> None:
        self.events[event.seq] = event
        insort(event.function.events, event, key=lambda e: e.seq)


def is_initializer(event: TraceEvent) -> bool:
    """TensorFlow's own helper that initializes the variables of a first call."""
    function = event.record.function
    return event.record.kind == "variable_creation" and function.name == "initialize_variables" and function.library
