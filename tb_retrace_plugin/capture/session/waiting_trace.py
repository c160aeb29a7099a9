"""A trace that is yet to be described, mostly to be read too: beside the first execution of its graph, in one call."""

from __future__ import annotations

from typing import Any, NamedTuple

from tb_retrace_plugin.capture import tf_seam
from tb_retrace_plugin.capture.failure import let_signals_through
from tb_retrace_plugin.capture.record.read_trace import ReadTrace
from tb_retrace_plugin.capture.watch.observation import Observation

#: Graphs above this are exported where they are traced: that takes a second.
_MAX_NODES = 100_000


class WaitingTrace(NamedTuple):
    """What it holds of the program's is held until its first call is over. `trace`: None where that may wait too."""

    seq: int
    trace: ReadTrace | None
    observation: Observation
    result: Any
    instance: Any
    graph: list[tf_seam.TracedFunctionGraph]


def may_wait(o: Observation) -> bool:
    """Whether a graph is executed next. Under a tape Python's work follows.

    Another recorder would let go of what the one that waits holds.
    """
    return (
        o.result is not None
        and o.parent is None
        and len(o.seqs) == 1
        and o.lookup is not None
        and o.lookup.is_called
        and not o.span.is_open
        and not tf_seam.jit_compile_of(o.options)
        and not tf_seam.a_tape_is_open()
        and tf_seam.executing_eagerly()
    )


def waiting_trace(seq: int, trace: ReadTrace | None, o: Observation) -> WaitingTrace | None:
    """Of what may wait. None of what would take long: then everybody would wait for it."""
    try:
        graph = tf_seam.traced_graph(o.result)
        if graph[0].nodes > _MAX_NODES:
            return None
        graph = tf_seam.lasting(graph)
    except Exception as error:  # it will be said where the graph is stored
        let_signals_through(error)
        return None
    return WaitingTrace(seq, trace, o, o.result, o.instance, graph)
