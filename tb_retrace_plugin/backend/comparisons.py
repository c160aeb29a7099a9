"""Comparisons of graphs as the routes give them: read, compared and kept, outside the store's lock."""

from __future__ import annotations

import contextlib
import gc
import threading
from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

from tb_retrace_plugin.analysis.for_advice.graph_source import GraphSource
from tb_retrace_plugin.analysis.pages.comparison import Comparison, compare_traces
from tb_retrace_plugin.analysis.sessions.session import TraceEvent
from tb_retrace_plugin.events.graph_blobs import ProviderGraphs

#: The latest are kept for single nodes to be asked for, while their graphs have so many nodes in all.
_MAX_KEPT_NODES = 600_000


class Comparisons:
    """Thread-safe. Raises GraphError, and whatever the data provider raises if it cannot be read."""

    def __init__(self, provider: Any) -> None:
        self._provider = provider
        self._source = GraphSource()
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[str, str, int, str, int], Comparison] = OrderedDict()

    def of(self, context: Any, experiment_id: str, a: TraceEvent, b: TraceEvent) -> Comparison:
        key = experiment_id, a.session.id, a.seq, b.session.id, b.seq
        with self._lock:  # one at a time: each takes a processor for a second or more
            if (known := self._kept.get(key)) is not None:
                self._kept.move_to_end(key)
                return known
            graphs = ProviderGraphs(self._provider, experiment_id)
            left, right = (self._source.graph(e, lambda sha: graphs.blob(context, sha)) for e in (a, b))
            with _no_collections():
                comparison = self._kept[key] = compare_traces(a, b, left, right)
            while len(self._kept) > 1 and sum(map(_nodes, self._kept.values())) > _MAX_KEPT_NODES:
                self._kept.popitem(last=False)
            return comparison


@contextlib.contextmanager
def _no_collections() -> Iterator[None]:
    """Looking through a million new objects again and again takes a fifth of the time; none of them is garbage."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _nodes(comparison: Comparison) -> int:
    return sum(len(graph.flags) for graph in comparison.difference.graphs)
