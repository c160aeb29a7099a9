"""`graphs_tab=`: graphs of chosen traces for TensorBoard's own Graphs tab, written when they are traced."""

from __future__ import annotations

import os
import socket
import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from tb_retrace_plugin.capture import tf_seam
from tb_retrace_plugin.events import encode
from tb_retrace_plugin.events.graphs_tab import FILE_SUFFIX, encode_for_graphs_tab, run_of_graphs, tag_of
from tb_retrace_plugin.graphs.read_graph import read_graph, to_graph_def
from tb_retrace_plugin.graphs.slim import slim_graph
from tb_retrace_plugin.schema import retrace_pb2 as pb

#: "retraces", "all", or names of functions.
Choice = str | Sequence[str] | None
#: TensorBoard holds all of them in memory, and the Graphs tab lists all of them in one menu.
MAX_GRAPHS_OF_A_FUNCTION = 20
MAX_BYTES = 128 << 20
MAX_NODES = 200_000


def check_choice(choice: Any) -> None:
    """Raises TypeError if it is none."""
    names = [choice] if isinstance(choice, str) else choice
    if choice is not None and (
        not isinstance(names, Sequence) or not names or not all(isinstance(name, str) and name for name in names)
    ):
        raise TypeError(f'graphs_tab must be "retraces", "all", or names of functions, not {choice!r}')


class GraphsTab:
    """Of one session, whose records lie in `directory`. Never raises, once it is made.

    `lose` takes a counter's name, what happened and the error, `count_loss` the name alone.
    """

    def __init__(
        self,
        choice: Choice,
        log_dir: str,
        directory: str,
        session: pb.SessionStart,
        count_loss: Callable[[str], None],
        lose: Callable[[str, str, Exception], None],
    ) -> None:
        self._choice = choice
        self._session = session.id
        run = os.path.relpath(directory, log_dir).replace(os.sep, "/")
        self._directory = os.path.join(log_dir, run_of_graphs(run, session.id, session.started_ns))
        self._count_loss = count_loss
        self._lose = lose
        self._of_function: Counter[tuple[str, int, str, str]] = Counter()
        self._tags: set[str] = set()
        self._bytes = 0
        self._writer: Any = None
        self._cannot_write = False

    def write(self, trace: pb.Trace, concrete_function: Any) -> None:
        """Writes the graph if it is one of those chosen."""
        if trace.failed or not self._is_chosen(trace) or self._cannot_write:
            return
        function = trace.function
        key = function.file, function.line, function.qualname, function.variant
        many = self._of_function[key] >= MAX_GRAPHS_OF_A_FUNCTION
        if many or self._bytes > MAX_BYTES or trace.nodes > MAX_NODES:
            self._count_loss("graphs_tab_over_budget")
            return
        tag = tag_of(trace, self._tags)
        try:
            content = slim_graph(tf_seam.function_graphs(tf_seam.traced_graph(concrete_function))).content
            event = encode_for_graphs_tab(tag, to_graph_def(read_graph(content)), self._session, trace)
        except Exception as error:
            self._lose("graphs_tab_not_written", "a graph for the Graphs tab failed", error)
            return
        try:
            if self._writer is None:
                self._open()
            self._writer.write(event)
            self._writer.flush()
        except Exception as error:
            self._cannot_write = True
            self._lose("graphs_tab_not_written", f"writing to {self._directory} failed", error)
            return
        self._of_function[key] += 1
        self._tags.add(tag)
        self._bytes += len(event)

    def close(self) -> None:
        """May be written to again: that opens another file."""
        writer, self._writer = self._writer, None
        try:
            if writer is not None:
                writer.close()
        except Exception as error:
            self._lose("close_failed", f"closing the event file in {self._directory} failed", error)

    def _is_chosen(self, trace: pb.Trace) -> bool:
        if self._choice == "all":
            return True
        if self._choice == "retraces":
            return trace.kind in ("retrace", "recreated")
        names = (self._choice,) if isinstance(self._choice, str) else self._choice or ()
        return trace.function.name in names or trace.function.qualname in names

    def _open(self) -> None:
        import tensorflow as tf

        now = time.time()
        name = encode.event_file_name(now, socket.gethostname(), os.getpid()).removesuffix(encode.FILE_SUFFIX)
        tf.io.gfile.makedirs(self._directory)
        self._writer = tf.io.TFRecordWriter(os.path.join(self._directory, name + FILE_SUFFIX))
        self._writer.write(encode.encode_file_version(now))
