"""One decoded datum, and what is said when a datum cannot be decoded. Everything here is untrusted input."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

from google.protobuf.message import DecodeError, Message

from tb_retrace_plugin.events.packed import NoBaseError, PackError, Unpacker
from tb_retrace_plugin.schema import retrace_pb2 as pb
from tb_retrace_plugin.schema import tags

#: No record of ours comes near this; anything larger is refused before it is parsed.
MAX_RECORD_BYTES = 8 * 1024 * 1024
#: No text of ours comes near this; a longer one is cut.
MAX_TEXT = 20_000
#: Largest number that every JSON reader takes as it is.
_MAX_INTEGER = 2**53 - 1
#: Unix nanoseconds, in the year 2255: times since a start then fit in microseconds.
_MAX_TIME_NS = 9 * 10**18
_MAX_SESSION_ID = 64
_MAX_DEPTH = 100
#: Kinds of records whose key is a number that says nothing but their order.
_NUMBERED = frozenset({"first_calls", "xla", "stale", "omitted", "end"})

MESSAGES: dict[str, type[Message]] = {
    "session": pb.SessionStart,
    "trace": pb.Trace,
    "stack": pb.Stack,
    "first_calls": pb.FirstCalls,
    "xla": pb.XlaCompilation,
    "stale": pb.StaleValue,
    "omitted": pb.Omitted,
    "end": pb.SessionEnd,
}
#: Counts, sizes and durations: what is negative or too large is not known.
_COUNTS: dict[type[Message], tuple[str, ...]] = {
    pb.SessionStart: ("pid", "workers"),
    pb.Trace: (
        "n", "object", "parent_seq", "closest_seq", "closest_n", "trace_duration_ns", "nested_duration_ns",
        "lookup_duration_ns", "nodes", "graph_bytes", "memory_before_bytes", "memory_after_bytes", "cached_before",
        "graph_attributes_dropped", "collective_tasks",
    ),
    pb.Stack: ("frames_left_out",),
    pb.XlaCompilation: ("duration_ns",),
    pb.SessionEnd: ("traces",),
    pb.OmittedTraces: (
        "traces", "trace_duration_ns", "nested_duration_ns", "first_calls", "first_call_duration_ns", "latest_seq",
        "lookup_duration_ns",
    ),
}  # fmt: skip
#: Counts that are added up over records, and the most that one can be: a thousand years of tracing.
_SUMMED = frozenset({"traces", "first_calls"})
_MAX_TRACES = 10**12
_TIMES: dict[type[Message], str] = {
    pb.SessionStart: "started_ns",
    pb.Trace: "time_ns",
    pb.XlaCompilation: "time_ns",
    pb.StaleValue: "time_ns",
    pb.Omitted: "time_ns",
    pb.SessionEnd: "time_ns",
}


@dataclass(frozen=True, slots=True)
class Record:
    """`run` is the directory relative to the logdir ("." for the logdir itself); `wall_time` in unix seconds.

    `graph`: the serialized GraphContent of a trace with a small one, whose hash `message` names; else empty.
    """

    run: str
    tag: tags.Tag
    message: Message
    wall_time: float
    graph: bytes = b""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that could not be read, in words for the user. `severity`: "warning" or "error"."""

    severity: str
    text: str


@dataclass(frozen=True, slots=True)
class AwaitsAnother(Problem):
    """It is stored against a record that was not read; it can be read if that one comes."""


def decode_record(
    run: str, tag_text: str, payload: object, wall_time: float, unpacker: Unpacker | None = None
) -> Record | Problem | None:
    """Decodes one datum of our plugin; None if its tag is none of those that hold messages.

    `unpacker` has seen the earlier records of the run. Numbers and times that cannot be are cleared, and texts of more
    than MAX_TEXT characters cut.
    """
    tag = tags.parse_tag(tag_text)
    if tag is None or tag.kind not in MESSAGES:
        return None
    where = f"{run}: record {tag_text[:200]!r}"
    if not _valid_session(tag.session):
        return Problem("warning", f"{where} names an impossible session; it was left out.")
    if not isinstance(payload, bytes):
        return Problem("warning", f"{where} is not one of Retrace's (no message in it); it was left out.")
    if len(payload) > MAX_RECORD_BYTES:
        return Problem("warning", f"{where} is larger than {MAX_RECORD_BYTES >> 20} MiB; it was left out.")
    message = MESSAGES[tag.kind]()
    try:
        message.ParseFromString(payload)
        if isinstance(message, pb.Trace) and message.packed:
            payload = (unpacker or Unpacker()).unpack(tag.session, tag.key, message)
            message.ParseFromString(payload)
            message.ClearField("packed")  # one in another is none of ours
    except PackError as error:
        kind = AwaitsAnother if isinstance(error, NoBaseError) else Problem
        return kind("warning", f"{where} cannot be unpacked: {error}. It was left out.")
    except (DecodeError, ValueError, RecursionError):
        return Problem("warning", f"{where} is damaged; it was left out.")
    if isinstance(message, pb.XlaCompilation) and not 0 < message.k <= _MAX_INTEGER:
        return Problem("warning", f"{where} is an impossible compilation ({message.k}); it was left out.")
    if isinstance(message, (pb.Trace, pb.XlaCompilation, pb.StaleValue)):
        if not 0 < message.seq <= _MAX_INTEGER or (tag.kind == "trace" and str(message.seq) != tag.key):
            return Problem("warning", f"{where} holds trace {message.seq}, not what its name says; it was left out.")
        if message.HasField("step") and abs(message.step) > _MAX_INTEGER:
            message.ClearField("step")
    # Python refuses to make a number of thousands of digits.
    if tag.kind in _NUMBERED and not (tag.key.isascii() and tag.key.isdecimal() and len(tag.key) < 19):
        return Problem("warning", f"{where} has no number; it was left out.")
    _clear_impossible(message)
    if len(payload) > MAX_TEXT:
        _cut_texts(message)
    return Record(run, tag, message, wall_time, _take_graph(message))


def _take_graph(message: Message) -> bytes:
    """The graph that a trace's record holds, taken out of it and named by its hash there."""
    if not isinstance(message, pb.Trace) or not (content := message.graph_content):
        return b""
    message.ClearField("graph_content")
    message.graph_sha256 = hashlib.sha256(content).hexdigest()
    return content


def _clear_impossible(message: Any) -> None:
    kind = type(message)
    for name in _COUNTS.get(kind, ()):
        if not 0 <= getattr(message, name) <= (_MAX_TRACES if name in _SUMMED else _MAX_INTEGER):
            message.ClearField(name)
    time = _TIMES.get(kind)
    if time is not None and not 0 <= getattr(message, time) <= _MAX_TIME_NS:
        message.ClearField(time)
    if kind is pb.Omitted:
        for sums in message.kinds:
            _clear_impossible(sums)
    if kind in (pb.Trace, pb.SessionEnd, pb.FirstCalls):
        for call in message.calls if kind is pb.FirstCalls else message.first_calls:
            if not 0 <= call.duration_ns <= _MAX_INTEGER:
                call.ClearField("duration_ns")


def _cut_texts(message: Message, depth: int = 0) -> None:
    """In a record that is large enough to hold a long one."""
    if depth > _MAX_DEPTH:
        return
    for field, value in message.ListFields():
        if field.message_type is not None and field.message_type.GetOptions().map_entry:
            _cut_map(value)
        elif field.message_type is not None:
            for child in [value] if isinstance(value, Message) else value:
                _cut_texts(child, depth + 1)
        elif isinstance(value, str):
            if len(value) > MAX_TEXT:
                setattr(message, field.name, _cut(value))
        elif field.type == field.TYPE_STRING:
            for place, text in enumerate(value):
                if len(text) > MAX_TEXT:
                    value[place] = _cut(text)


def _cut_map(values: Any) -> None:
    for key, value in list(values.items()):
        if len(key) > MAX_TEXT:
            del values[key]
        if isinstance(value, str) or len(key) > MAX_TEXT:
            values[_cut(key)] = _cut(value) if isinstance(value, str) else value


def _cut(text: str) -> str:
    return text if len(text) <= MAX_TEXT else text[: MAX_TEXT - 1] + "…"


def newer_schema_problem(run: str, content: bytes) -> Problem | None:
    """A notice if `content` (plugin data of a datum) names a later version of the records than this program reads."""
    version = content.decode("ascii", "replace")
    if not (version.isdecimal() and len(version) < 9 and int(version) > tags.SCHEMA_VERSION):
        return None
    return Problem(
        "warning",
        f"{run} was recorded by a newer Retrace (records of version {version}; this one reads {tags.SCHEMA_VERSION}). "
        "What it can read is shown; update tensorboard-plugin-retrace here to see all of it.",
    )


def _valid_session(session: str) -> bool:
    return 0 < len(session) <= _MAX_SESSION_ID and all(c in tags.SESSION_ID_CHARACTERS for c in session)
