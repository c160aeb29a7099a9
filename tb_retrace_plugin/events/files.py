"""Reads recordings from a directory on disk, for the command line (the tab reads through TensorBoard instead)."""

from __future__ import annotations

import os
from collections.abc import Iterator

from google.protobuf.message import DecodeError
from tensorboard.compat.proto import event_pb2, types_pb2

from tb_retrace_plugin.events.encode import FILE_SUFFIX
from tb_retrace_plugin.events.framing import Damaged, Truncated, read_frames
from tb_retrace_plugin.events.packed import Unpacker
from tb_retrace_plugin.events.records import MAX_RECORD_BYTES, Problem, Record, decode_record, newer_schema_problem
from tb_retrace_plugin.schema import tags

_GRAPH_TAG_PREFIX = tags.graph_tag("")
#: A record with what is around it.
_MAX_EVENT_BYTES = MAX_RECORD_BYTES + (1 << 16)


def find_event_files(logdir: str) -> Iterator[tuple[str, str] | Problem]:
    """Yields (run, path) of each event file of ours under `logdir`, sorted, symbolic links followed once.

    `run` is the directory relative to `logdir`, as TensorBoard names it. What cannot be listed is a problem.
    """
    problems: list[Problem] = []

    def unlistable(error: OSError) -> None:
        problems.append(_unreadable(error.filename or logdir, error))

    visited: set[tuple[int, int]] = set()
    for directory, subdirectories, names in os.walk(logdir, onerror=unlistable, followlinks=True):
        yield from problems
        problems.clear()
        try:
            status = os.stat(directory)
        except OSError as error:
            yield _unreadable(directory, error)
            subdirectories.clear()
            continue
        if (status.st_dev, status.st_ino) in visited:
            subdirectories.clear()
            continue
        visited.add((status.st_dev, status.st_ino))
        subdirectories.sort()
        run = os.path.relpath(directory, logdir).replace(os.sep, "/")
        for name in sorted(names):
            if name.endswith(FILE_SUFFIX) and "tfevents" in name:
                yield run, os.path.join(directory, name)
    yield from problems


def read_logdir(logdir: str) -> Iterator[Record | Problem]:
    """Yields every record under `logdir` (or of one event file), and a problem for whatever could not be read."""
    if os.path.isfile(logdir):
        yield from read_event_file(".", logdir)
        return
    for found in find_event_files(logdir):
        if isinstance(found, Problem):
            yield found
        else:
            yield from read_event_file(*found)


def read_event_file(run: str, path: str) -> Iterator[Record | Problem]:
    """Yields the records of one event file in the order of writing; everything before and, where possible, after
    a damaged record is kept."""
    newer_told = False
    read_any = False
    unpacker = Unpacker()
    try:
        with open(path, "rb") as file:
            for frame in read_frames(file):
                if isinstance(frame, Truncated):
                    yield Problem(
                        "warning",
                        f"{path}: the record at byte {frame.offset} is cut off: its writer was killed or is still "
                        "writing. Everything before it was read.",
                    )
                    return
                if isinstance(frame, Damaged):
                    yield Problem(
                        "error",
                        f"{path}: damaged at byte {frame.offset}; everything before it was read, what follows cannot "
                        "be found. Record again if you need it.",
                    )
                    return
                event = event_pb2.Event()
                try:
                    event.ParseFromString(frame.data)
                    parsed = True
                except (DecodeError, ValueError):
                    parsed = False
                is_graph = parsed and any(v.tag.startswith(_GRAPH_TAG_PREFIX) for v in event.summary.value)
                if not is_graph and len(frame.data) > _MAX_EVENT_BYTES:  # its checksum alone would take minutes
                    size = f"{len(frame.data) >> 20} MiB"
                    yield Problem("warning", f"{path}: the record at byte {frame.offset} has {size}; it was left out.")
                    continue
                # Graphs are megabytes and carry their own hash in the tag.
                if not parsed or not (is_graph or frame.intact()):
                    yield Problem("warning", f"{path}: the record at byte {frame.offset} is damaged; it was left out.")
                    continue
                read_any = True
                for value in event.summary.value:
                    plugin_data = value.metadata.plugin_data
                    if plugin_data.plugin_name != tags.PLUGIN_NAME:
                        continue
                    if not newer_told and (problem := newer_schema_problem(run, plugin_data.content)):
                        newer_told = True
                        yield problem
                    tensor = value.tensor
                    is_text = tensor.dtype == types_pb2.DT_STRING and len(tensor.string_val) == 1
                    payload = tensor.string_val[0] if is_text else None
                    decoded = decode_record(run, value.tag, payload, event.wall_time, unpacker)
                    if decoded is not None:
                        yield decoded
    except OSError as error:
        yield _unreadable(path, error)
        return
    if not read_any:
        yield Problem("warning", f"{path}: the file is empty: its recording ended before anything was written.")


def _unreadable(path: str, error: OSError) -> Problem:
    reason = error.strerror or type(error).__name__
    return Problem("error", f"{path}: cannot be read ({reason}). Check that it exists and that you may read it.")
