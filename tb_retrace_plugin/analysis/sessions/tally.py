"""What the overview says of one function, counted anew only when one of its traces has changed."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import islice

from tb_retrace_plugin.analysis.sessions.cost import Cost, lost_ns, retrace_ns, total_cost
from tb_retrace_plugin.analysis.sessions.judged_reason import JudgedReasons
from tb_retrace_plugin.analysis.sessions.session import RETRACE_KINDS, FunctionGroup, TraceEvent, is_initializer
from tb_retrace_plugin.analysis.sessions.stale import StaleName, stale_names
from tb_retrace_plugin.explain.words.made_by_libraries import LAMBDA, OF_A_DATASET, MadeBy, made_by
from tb_retrace_plugin.explain.words.place import user_frame
from tb_retrace_plugin.schema import retrace_pb2 as pb

_NO_REASON = ("unknown", "")
#: Verdicts on traces that no change is asked for.
_COME_ONCE = frozenset({"needed", "bounded"})
#: By which it is told what a library's function is.
_MOST_STACKS = 50


@dataclass(slots=True)
class Reason:
    """Retraces that one cause and path is blamed for. `along`: what else changed in them."""

    lost_ns: int = 0
    along: dict[str, None] = field(default_factory=dict)


@dataclass(slots=True)
class Tally:
    """`retraces`, `recompilations`: successful ones. `bounded`: retraces that come once each. `failed_ns`: tracing of
    the failed ones; `failed_lost_ns`: what they lost. `created`: a first call created variables, initializers apart.
    `nested_ns`: of other functions' traces within its own; other functions count them, too. `callers`: retraces of a
    library's function by the user's line (file, line) that they come from. `made_by`: of one that Keras or TensorFlow
    made."""

    cost: Cost
    judged: JudgedReasons
    traces: int = 0
    failed: int = 0
    retraces: int = 0
    bounded: int = 0
    recompilations: int = 0
    failed_ns: int = 0
    failed_lost_ns: int = 0
    nested_ns: int = 0
    created: bool = False
    failed_creation: bool = False
    objects: int = 0
    first_causes: Counter[str] = field(default_factory=Counter)
    reasons: dict[tuple[str, str], Reason] = field(default_factory=dict)
    recompiled_for: Counter[tuple[str, str]] = field(default_factory=Counter)  # cause, path
    stale: list[StaleName] = field(default_factory=list)
    callers: Counter[tuple[str, int]] = field(default_factory=Counter)
    made_by: MadeBy | None = None

    @property
    def role(self) -> str:
        """What it is in words of the user's program; "" of what its user wrote, and may know by its name."""
        return self.made_by.role if self.made_by is not None else ""


def tally_of(group: FunctionGroup) -> Tally:
    """Kept with the function."""
    state = group.state
    kept = group.tally
    if kept is None or kept[0] != state:
        kept = group.tally = state, _count(group, kept[1].judged if kept is not None else JudgedReasons())
    tally: Tally = kept[1]
    return tally


def _count(group: FunctionGroup, judged: JudgedReasons) -> Tally:
    tally = Tally(total_cost(group.events), judged)
    for event in group.events:
        blamed, along = judged.of(event)
        creates = event.kind == "variable_creation"
        if event.reason is not None:
            tally.first_causes[event.reason[0]] += 1
        if event.failed:
            tally.failed += 1
            tally.failed_ns += event.trace_ns
            tally.failed_lost_ns += lost_ns(event)
            tally.failed_creation |= creates
        elif event.is_retrace:
            tally.retraces += 1
            tally.bounded += event.record.verdict in _COME_ONCE
            key = blamed or _NO_REASON
            reason = tally.reasons.get(key)
            if reason is None:
                reason = tally.reasons[key] = Reason()
            reason.lost_ns += retrace_ns(event)
            if group.function.library and (frame := user_frame(group.session.stacks.get(event.record.stack_id))):
                tally.callers[frame.file, frame.line] += 1
            for path in along:
                reason.along[path] = None
        if creates and not tally.created:
            tally.created = not is_initializer(event)
    if group.function.library or group.function.name == LAMBDA or group.function.variant.startswith(OF_A_DATASET):
        stacks = islice(dict.fromkeys(event.record.stack_id for event in group.events), _MOST_STACKS)
        tally.made_by = made_by(group.function, map(group.session.stacks.get, stacks))
    tally.traces = len(group.events) - tally.failed
    tally.nested_ns = _nested_ns(group, tally.cost)
    for sums in group.omitted:
        _add_omitted(tally, sums)
    tally.objects = group.objects
    if group.any_compilation:
        for compilation in group.recompilations:
            if not compilation.failed:
                tally.recompilations += 1
                changes = compilation.record.changes
                tally.recompiled_for.update((change.cause, change.path) for change in changes)
                cause = "recompilation_value" if changes[0].cause == "value" else "recompilation"
                reason = tally.reasons.setdefault((cause, compilation.paths[0]), Reason())
                reason.lost_ns += compilation.duration_ns
    if group.session.stale_values:
        tally.stale = stale_names(group.events)
    return tally


def _nested_ns(group: FunctionGroup, cost: Cost) -> int:
    # a function may be nested in itself: the time of a trace holds that of the ones within
    with_nested = sum(event.trace_ns for event in group.events if not event.parent_seq or not _is_within(event, group))
    return max(0, with_nested - cost.trace_ns)


def _is_within(event: TraceEvent, group: FunctionGroup) -> bool:
    return any(ancestor.function.function is group.function for ancestor in event.ancestors)


def _add_omitted(tally: Tally, sums: pb.OmittedTraces) -> None:
    """As if each of them were there."""
    own_ns = own_ns_of(sums)
    is_retrace = sums.kind in RETRACE_KINDS
    lost = lost_ns_of(sums)
    tally.cost.trace_ns += own_ns
    tally.nested_ns += sums.trace_duration_ns - own_ns
    tally.cost.first_call_ns += sums.first_call_duration_ns
    tally.cost.lookup_ns += sums.lookup_duration_ns
    tally.cost.lost_ns += lost
    if sums.verdict == "avoidable":
        tally.cost.avoidable_ns += own_ns + around_ns_of(sums)
    if sums.cause:
        tally.first_causes[sums.cause] += sums.traces
    if sums.failed:
        tally.failed += sums.traces
        tally.failed_ns += sums.trace_duration_ns
        tally.failed_lost_ns += lost
        return
    tally.traces += sums.traces
    if is_retrace:
        tally.retraces += sums.traces
        tally.bounded += sums.traces if sums.verdict in _COME_ONCE else 0
        reason = tally.reasons.setdefault((sums.cause, sums.path) if sums.cause else _NO_REASON, Reason())
        reason.lost_ns += lost


def own_ns_of(sums: pb.OmittedTraces) -> int:
    """Without what was nested in them."""
    return max(0, sums.trace_duration_ns - sums.nested_duration_ns)


def lost_ns_of(sums: pb.OmittedTraces) -> int:
    """What they lost by being made; what is nested is in the time of the trace around it."""
    if sums.kind not in RETRACE_KINDS:
        return 0
    return around_ns_of(sums) + (0 if sums.nested else sums.trace_duration_ns)


def around_ns_of(sums: pb.OmittedTraces) -> int:
    """Their lookups and first executions."""
    return sums.lookup_duration_ns + sums.first_call_duration_ns
