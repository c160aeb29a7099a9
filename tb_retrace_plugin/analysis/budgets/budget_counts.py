"""What a budget limits, counted over functions: of traces recorded one by one, and of those that were counted only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from tb_retrace_plugin.analysis.sessions.cost import total_cost
from tb_retrace_plugin.analysis.sessions.session import RETRACE_KINDS, FunctionGroup, TraceEvent
from tb_retrace_plugin.analysis.sessions.tally import around_ns_of, own_ns_of
from tb_retrace_plugin.schema import retrace_pb2 as pb

_WITHOUT_DIMENSIONS = frozenset({pb.TypeNode.COMPOSITE, pb.TypeNode.CUSTOM, pb.TypeNode.CUSTOM_NEST})


@dataclass(slots=True)
class BudgetCounts:
    """`traces`, `retraces`, `recompilations`: successful ones. `causes`: how many retraces have each.

    `more_causes`: some retraces were counted by the first of their causes only.
    """

    traces: int = 0
    failed: int = 0
    retraces: int = 0
    recompilations: int = 0
    avoidable_ns: int = 0
    causes: Counter[str] = field(default_factory=Counter)
    more_causes: bool = False

    @property
    def avoidable_seconds(self) -> float:
        return self.avoidable_ns / 1e9


def counts(event: TraceEvent, warm_up_steps: int) -> bool:
    """Whether it is past the warm-up. A trace without a step is."""
    return _is_past(event.record, warm_up_steps)


def _is_past(record: pb.Trace | pb.XlaCompilation, warm_up_steps: int) -> bool:
    return not (record.HasField("step") and record.step < warm_up_steps)


def budget_counts(groups: Iterable[FunctionGroup], warm_up_steps: int, *, omitted: bool) -> BudgetCounts:
    """`omitted`: with the traces that were counted only, of which no step is known."""
    found = BudgetCounts()
    for group in groups:
        events = [event for event in group.events if counts(event, warm_up_steps)]
        _add_recorded(found, events, warm_up_steps)
        if omitted and group.omitted:
            several = {e.reason for e in events if e.is_retrace and len({c.cause for c in e.record.changes}) > 1}
            for sums in group.omitted:
                _add_omitted(found, sums, several)
    return found


def _add_recorded(found: BudgetCounts, events: list[TraceEvent], warm_up_steps: int) -> None:
    failed = sum(event.failed for event in events)
    compiled = (c for event in events for c in event.recompilations if not c.failed)
    found.failed += failed
    found.traces += len(events) - failed
    found.retraces += sum(event.is_retrace and not event.failed for event in events)
    found.recompilations += sum(_is_past(c.record, warm_up_steps) for c in compiled)
    found.avoidable_ns += total_cost(events).avoidable_ns
    found.causes.update(c for e in events if e.is_retrace for c in {change.cause for change in e.record.changes})


def _add_omitted(found: BudgetCounts, sums: pb.OmittedTraces, several: set[tuple[str, str] | None]) -> None:
    """The first of its kind is among the recorded ones, so that no cause is new."""
    is_retrace = sums.kind in RETRACE_KINDS
    if sums.failed:
        found.failed += sums.traces
    else:
        found.traces += sums.traces
        found.retraces += sums.traces if is_retrace else 0
    if sums.verdict == "avoidable":
        found.avoidable_ns += own_ns_of(sums) + around_ns_of(sums)
    if is_retrace:
        if sums.cause:
            found.causes[sums.cause] += sums.traces
        found.more_causes |= not sums.cause or (sums.cause, sums.path) in several


def may_be_compiled_unseen(group: FunctionGroup) -> bool:
    """Whether XLA may have compiled traces again that were counted only: nothing is recorded of those."""
    if not group.omitted:
        return False
    signatures = (
        e.record.traced_signature if e.record.generalized else e.record.signature
        for e in group.events
        if e.record.jit_compile
    )
    return any(_has_unknown_dimensions(a.type) for s in signatures for a in (*s.arguments, *s.captures))


def _has_unknown_dimensions(node: pb.TypeNode) -> bool:
    return (
        node.unknown_rank
        or node.kind in _WITHOUT_DIMENSIONS
        or any(size < 0 for size in node.shape)
        or any(map(_has_unknown_dimensions, node.children))
    )
