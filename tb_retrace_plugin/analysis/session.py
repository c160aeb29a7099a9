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
    functions: dict[tuple[str, int, str], FunctionGroup] = field(default_factory=dict)
    stacks: dict[str, pb.Stack] = field(default_factory=dict)
    first_calls: dict[int, pb.FirstCall] = field(default_factory=dict)
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
