"""Graphs of traces, decoded, with the latest kept."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable

from tb_retrace_plugin.analysis.sessions.session import TraceEvent
from tb_retrace_plugin.analysis.sessions.store import MAX_SMALL_GRAPHS_BYTES
from tb_retrace_plugin.graphs.read_graph import GraphFunction, read_graph
from tb_retrace_plugin.graphs.stored import MAX_CONTENT_BYTES, GraphError, decode
from tb_retrace_plugin.schema import retrace_pb2 as pb

#: Decoded graphs are kept up to so many bytes of their definitions; in memory they take a few times as much.
MAX_KEPT_BYTES = 128 << 20


class GraphSource:
    """Thread-safe. `blob_of(hash)` gives a graph that was stored by itself, None if there is none."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, tuple[list[GraphFunction], int]] = OrderedDict()
        self._bytes = 0

    def graph(self, event: TraceEvent, blob_of: Callable[[str], bytes | None]) -> list[GraphFunction]:
        """The traced function, then its library.

        Raises:
          GraphError: it was not stored, or cannot be read; the text says why and what to do.
        """
        trace = event.record
        sha256 = trace.graph_sha256
        if not sha256:
            raise GraphError(_why_not(trace))
        with self._lock:
            if sha256 in self._kept:
                self._kept.move_to_end(sha256)
                return self._kept[sha256][0]
        try:
            content = _content(event, blob_of, MAX_CONTENT_BYTES)
            functions = read_graph(content)
        except GraphError as error:
            raise GraphError(f"The graph of trace {trace.n} cannot be read: {error}.") from error
        with self._lock:
            if sha256 not in self._kept:
                self._kept[sha256] = functions, len(content)
                self._bytes += len(content)
            while self._bytes > MAX_KEPT_BYTES and len(self._kept) > 2:  # two are compared
                self._bytes -= self._kept.popitem(last=False)[1][1]
        return functions


def read_graph_of(event: TraceEvent, blob_of: Callable[[str], bytes | None], *, most_bytes: int) -> list[GraphFunction]:
    """The traced function, then its library. Raises GraphError, and what `blob_of` raises."""
    return read_graph(_content(event, blob_of, most_bytes))


def _content(event: TraceEvent, blob_of: Callable[[str], bytes | None], most_bytes: int) -> bytes:
    content = event.small_graph
    if content is not None:
        if not content:
            limit = MAX_SMALL_GRAPHS_BYTES >> 20
            raise GraphError(f"{limit} MiB of small graphs, which is all that is kept, came before")
        return content
    sha256 = event.record.graph_sha256
    blob = blob_of(sha256)
    if blob is None:
        raise GraphError("it is not in the logdir any more, or was not written yet")
    return decode(sha256, blob, blob_of, most_bytes)


def _why_not(trace: pb.Trace) -> str:
    if trace.failed:
        return "This trace failed: there is no graph of it."
    if trace.graph_omitted == "recorded with graphs=False":
        return "The recording was made with graphs=False. Record again without it to see graphs."
    reason = f": {trace.graph_omitted}" if trace.graph_omitted else ""
    return f"The graph of trace {trace.n} was not stored{reason}."
