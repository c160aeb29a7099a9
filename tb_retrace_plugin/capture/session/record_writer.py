"""Writes one session's records to its event file, and what they refer to again where another file was begun."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from google.protobuf.message import Message

from tb_retrace_plugin.capture.code.call_site import CallSite
from tb_retrace_plugin.capture.failure import let_signals_through
from tb_retrace_plugin.capture.session.losses import Losses
from tb_retrace_plugin.schema import retrace_pb2 as pb
from tb_retrace_plugin.schema import tags

#: Stacks that are known to be written; of more, some are written again.
_MAX_STACKS = 20_000


class Sink(Protocol):
    """What is recorded goes here. All but the counters raise whatever keeps them from it.

    `ready`: how many-th file is written now. `files_lost`: how many are gone. `bytes_written`: of records.
    """

    path: str
    files_lost: int
    bytes_written: int

    def ready(self) -> int: ...
    def write_record(self, tag: str, message: Message) -> None: ...
    def write_graph(self, sha256: str, data: bytes) -> None: ...
    def flush(self) -> None: ...
    def close(self) -> None: ...


class RecordWriter:
    """Of one session, whose `losses` it counts in. `with_sources`: whether lines of source are written.

    Raises only the program's own errors.
    """

    def __init__(self, sink: Sink, session_id: str, losses: Losses, *, with_sources: bool) -> None:
        self._sink = sink
        self.session_id = session_id
        self.losses = losses
        self._with_sources = with_sources
        self._stacks_written: set[str] = set()
        self._file = self._files_lost = 0

    def goes_on_in(self, sink: Sink) -> None:
        """In the same directory, where what was written before lies beside it."""
        self._sink = sink
        self._file = self._files_lost = 0

    def see_to_the_file(self, forget: Callable[[], None]) -> None:
        """In a new file what later records refer to is written again; `forget`: what else is known to be there."""
        try:
            file = self._sink.ready()
        except Exception as error:  # the write itself will say it, and count
            let_signals_through(error)
            return
        if file == self._file:
            return
        if self._file:
            self._stacks_written.clear()
            forget()
        self._file = file
        self.losses.count("event_files_lost", self._sink.files_lost - self._files_lost)
        self._files_lost = self._sink.files_lost

    def write(self, tag: str, message: Any) -> bool:
        """Whether it is written; else it is counted as lost."""
        try:
            self._sink.write_record(tag, message)
            return True
        except Exception as error:
            self.losses.lose("records_not_written", f"writing to {self._sink.path} failed", error)
            return False

    def write_stack(self, site: CallSite) -> None:
        if site.stack_id in self._stacks_written:
            return
        stack = site.stack if self._with_sources else _without_sources(site.stack)
        if self.write(tags.stack_tag(self.session_id, site.stack_id), stack):
            if len(self._stacks_written) >= _MAX_STACKS:
                self._stacks_written.clear()
            self._stacks_written.add(site.stack_id)


def _without_sources(stack: pb.Stack) -> pb.Stack:
    """A line of source holds what is passed where it is written out."""
    copy = pb.Stack()
    copy.CopyFrom(stack)
    for frame in copy.frames:
        frame.source = ""
    return copy
