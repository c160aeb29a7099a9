"""Stored graphs by their hash, read when they are asked for: from files, or through TensorBoard's data provider."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from typing import Any

from google.protobuf.message import DecodeError
from tensorboard.compat.proto import event_pb2
from tensorboard.data import provider as provider_lib

from tb_retrace_plugin.events.files import find_event_files
from tb_retrace_plugin.events.framing import Frame, read_frames
from tb_retrace_plugin.events.records import Problem
from tb_retrace_plugin.schema import tags

#: A record with a graph is at least this large; smaller ones are not looked into.
_LEAST_BYTES = 100
#: What a data provider gave last is kept, up to so many bytes: most graphs of a function need its first one to be read.
_KEPT_BYTES = 8 << 20


class FileGraphs:
    """Of a logdir on this machine. The files are gone through once, for where each graph lies."""

    def __init__(self, logdir: str) -> None:
        self._logdir = logdir
        self._places: dict[str, tuple[str, int]] | None = None

    def blob(self, sha256: str) -> bytes | None:
        """A serialized StoredGraph; None if it is not there or cannot be read."""
        if self._places is None:
            self._places = self._find_all()
        if sha256 not in self._places:
            return None
        path, offset = self._places[sha256]
        try:
            with open(path, "rb") as file:
                file.seek(offset)
                for frame in read_frames(file):
                    return dict(_graphs_in(frame)).get(sha256) if isinstance(frame, Frame) else None
        except OSError:
            return None
        return None

    def _find_all(self) -> dict[str, tuple[str, int]]:
        places: dict[str, tuple[str, int]] = {}
        files = [(".", self._logdir)] if os.path.isfile(self._logdir) else find_event_files(self._logdir)
        for found in files:
            if isinstance(found, Problem):
                continue
            _, path = found
            try:
                with open(path, "rb") as file:
                    for frame in read_frames(file):
                        if isinstance(frame, Frame):
                            for sha256, _ in _graphs_in(frame):
                                places.setdefault(sha256, (path, frame.offset))
            except OSError:
                continue
        return places


class ProviderGraphs:
    """Of one experiment. `blob` raises what the data provider raises if it cannot answer at all. Thread-safe.

    The data server goes through all tags to find one: 50 ms where there are 100,000.
    """

    def __init__(self, provider: Any, experiment_id: str) -> None:
        self._provider = provider
        self._experiment_id = experiment_id
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, bytes] = OrderedDict()
        self._kept_bytes = 0

    def blob(self, context: Any, sha256: str) -> bytes | None:
        """A serialized StoredGraph; None if no run has it. The same hash is the same graph, whichever run has it."""
        with self._lock:
            if sha256 in self._kept:
                self._kept.move_to_end(sha256)
                return self._kept[sha256]
        blob = self._read(context, sha256)
        if blob is not None and len(blob) <= _KEPT_BYTES:
            self._keep(sha256, blob)
        return blob

    def _keep(self, sha256: str, blob: bytes) -> None:
        with self._lock:
            if sha256 not in self._kept:
                self._kept[sha256] = blob
                self._kept_bytes += len(blob)
            while self._kept_bytes > _KEPT_BYTES:
                self._kept_bytes -= len(self._kept.popitem(last=False)[1])

    def _read(self, context: Any, sha256: str) -> bytes | None:
        tag = tags.graph_tag(sha256)
        runs = self._provider.read_blob_sequences(
            context,
            experiment_id=self._experiment_id,
            plugin_name=tags.PLUGIN_NAME,
            downsample=1,
            run_tag_filter=provider_lib.RunTagFilter(tags=[tag]),
        )
        for run in sorted(runs):
            for datum in runs[run].get(tag, ()):
                if datum.values:
                    key = datum.values[0].blob_key
                    return bytes(self._provider.read_blob(context, blob_key=key))
        return None


def _graphs_in(frame: Frame) -> list[tuple[str, bytes]]:
    """(hash, blob) of the graphs in one record. A graph's own hash tells whether it is whole."""
    if len(frame.data) < _LEAST_BYTES or tags.graph_tag("").encode() not in frame.data[:400]:
        return []
    event = event_pb2.Event()
    try:
        event.ParseFromString(frame.data)
    except (DecodeError, ValueError):
        return []
    found = []
    for value in event.summary.value:
        tag = tags.parse_tag(value.tag)
        if tag is not None and tag.kind == "graph" and len(value.tensor.string_val) == 1:
            found.append((tag.key, value.tensor.string_val[0]))
    return found
