"""What was recorded, as objects: sessions, the functions traced in them, and each trace."""

from __future__ import annotations

from bisect import insort
from dataclasses import dataclass, field

from tb_retrace_plugin.schema import retrace_pb2 as pb

#: Kinds of a trace that was made although the code had been traced before.
RETRACE_KINDS = frozenset({"retrace", "recreated"})


@dataclass(eq=False, slots=True)
class TraceEvent:
    """One trace. `revision`: of the store, when this trace last changed."""

    record: pb.Trace
    session: Session
    function: FunctionGroup
    revision: int

    @property
    def seq(self) -> int:
        return self.record.seq

    @property
    def is_retrace(self) -> bool:
        return self.record.kind in RETRACE_KINDS

    @property
    def trace_ns(self) -> int:
        """With the traces nested in it."""
        return max(0, self.record.trace_duration_ns)

    @property
    def own_ns(self) -> int:
        """Without the traces nested in it."""
        return max(0, self.trace_ns - max(0, self.record.nested_duration_ns))

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
    def compilations(self) -> list[Compilation]:
        """By XLA, in their order."""
        return sorted(self.session.compilations.get(self.seq, {}).values(), key=lambda c: c.record.k)

    @property
    def recompilations(self) -> list[Compilation]:
        """Those without a trace, failed ones too, in their order."""
        return [compilation for compilation in self.compilations if compilation.is_recompilation]

    @property
    def stale_values(self) -> list[pb.StaleValue]:
        """Python values that this trace's graph still holds, by name; what changed back is none."""
        latest = self.session.stale_values.get(self.seq, {})
        return [value for _, (_, value) in sorted(latest.items()) if value.now != value.traced]


@dataclass(eq=False, slots=True)
class Compilation:
    """One compilation by XLA. `revision`: of the store, when it was read, or its trace changed its place in time."""

    record: pb.XlaCompilation
    revision: int

    @property
    def duration_ns(self) -> int:
        return max(0, self.record.duration_ns)

    @property
    def is_recompilation(self) -> bool:
        """Made for new shapes, without a trace. The first (k = 1) is part of its trace's first call; what has no change
        is the forward pass for a gradient, compiled once apart for shapes that were there before."""
        return self.record.k > 1 and len(self.record.changes) > 0


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
        compilations = [c for event in self.events for c in event.compilations]
        if not compilations and (self.hidden_compilations or not any(e.record.jit_compile for e in self.events)):
            return None
        return sum(not compilation.record.failed for compilation in compilations)

    @property
    def hidden_compilations(self) -> bool:
        """Whether XLA may have compiled it inside another function's graph, which cannot be seen."""
        return any(e.record.jit_compile and e.record.nested and not e.record.failed for e in self.events) and not any(
            e.compilations for e in self.events
        )


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
    compilations: dict[int, dict[int, Compilation]] = field(default_factory=dict)  # by seq of the trace, then by k
    stale_values: dict[int, dict[str, tuple[int, pb.StaleValue]]] = field(default_factory=dict)  # by seq, then by name
    ran_eagerly: bool = False  # tf.config.run_functions_eagerly(True) was on at some time
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
