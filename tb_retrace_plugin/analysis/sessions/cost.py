"""What tracing cost, and what of it was lost. All in nanoseconds.

The time of a trace holds the traces nested in it, and a first trace is needed whatever the program does. So:

- **tracing** of a function: its traces' own time, without the traces nested in them. Summed over functions it counts
  nothing twice.
- **first calls** of a function: the first execution of each of its traces (instantiation, optimisation, XLA, and
  that run itself), measured apart from tracing.
- **lookups** of a function: TensorFlow's looks through its cached signatures that found none, so that it traced. They
  are not in tracing; that before a nested trace is in the time of the one around it. Known of 64 signatures and more.
- **recompilations** of a function: the calls in which XLA compiled one of its graphs again, for other shapes of unknown
  dimensions and without a trace. Like a first call, such a call is measured whole: compilation and that run itself. A
  trace's first compilation is not among them: it is in the trace's first call. Nor is the first of a pass
  (forward for a gradient, backward), which XLA compiles apart.
- **lost**: what retraces cost (kinds `retrace` and `recreated`, failed ones too). The time of a retrace counts with
  everything nested in it, because none of it would have happened without it; a retrace nested in another retrace
  is in that one's time already and adds none of its own. Every retrace adds its lookup and its first call. Every
  trace, a first one too, adds its recompilations (failed ones too): they happen during the run, as retraces do, for
  new shapes alone.
- **avoidable**: lookup, own time and first call of every trace whose verdict is `avoidable`: a part of the above.
  Recompilations are not in it: they have no verdict.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tb_retrace_plugin.analysis.sessions.session import TraceEvent


@dataclass(slots=True)
class Cost:
    trace_ns: int = 0
    first_call_ns: int = 0
    lookup_ns: int = 0
    recompilation_ns: int = 0
    lost_ns: int = 0
    avoidable_ns: int = 0


def total_cost(events: Iterable[TraceEvent]) -> Cost:
    """Sums over any set of traces: of one function, one session, or all."""
    cost = Cost()
    for event in events:
        first_call = event.first_call_ns or 0
        cost.trace_ns += event.own_ns
        cost.first_call_ns += first_call
        cost.lookup_ns += event.lookup_ns
        around = event.lookup_ns + first_call
        cost.recompilation_ns += (recompilation := recompilation_ns(event))
        if event.is_retrace:
            cost.lost_ns += around if event.parent_seq and _within_retrace(event) else event.trace_ns + around
        cost.lost_ns += recompilation
        if event.avoidable:
            cost.avoidable_ns += event.own_ns + around
    return cost


def lost_ns(event: TraceEvent) -> int:
    """What this one trace adds to the time lost."""
    return retrace_ns(event) + recompilation_ns(event)


def recompilation_ns(event: TraceEvent) -> int:
    """What XLA's recompilations of this trace's graph cost."""
    return event.compilations.recompilation_ns


def retrace_ns(event: TraceEvent) -> int:
    """What this one trace lost by being made; 0 if it is not a retrace."""
    if not event.is_retrace:
        return 0
    around = event.lookup_ns + (event.first_call_ns or 0)
    return around if _within_retrace(event) else event.trace_ns + around


def _within_retrace(event: TraceEvent) -> bool:
    outer = event
    for outer in event.ancestors:
        if outer.is_retrace:
            return True
    # a trace around it that was counted only has its time, as a repetitive one is a retrace
    return outer.parent_seq > 0 and outer.parent is None and bool(event.session.omitted)
