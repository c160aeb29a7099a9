"""One decoded datum, and what is said when a datum cannot be decoded. Everything here is untrusted input."""

from __future__ import annotations

from dataclasses import dataclass

from google.protobuf.message import DecodeError, Message

from tb_retrace_plugin.schema import retrace_pb2 as pb
from tb_retrace_plugin.schema import tags

#: No record of ours comes near this; anything larger is refused before it is parsed.
MAX_RECORD_BYTES = 32 * 1024 * 1024
#: Largest number that every JSON reader takes as it is.
_MAX_INTEGER = 2**53 - 1
_MAX_SESSION_ID = 64
#: Kinds of records whose key is a number that says nothing but their order.
_NUMBERED = frozenset({"first_calls", "xla", "stale", "end"})

_MESSAGES: dict[str, type[Message]] = {
    "session": pb.SessionStart,
    "trace": pb.Trace,
    "stack": pb.Stack,
    "first_calls": pb.FirstCalls,
    "xla": pb.XlaCompilation,
    "stale": pb.StaleValue,
    "end": pb.SessionEnd,
}


@dataclass(frozen=True, slots=True)
class Record:
    """`run` is the directory relative to the logdir ("." for the logdir itself); `wall_time` in unix seconds."""

    run: str
    tag: tags.Tag
    message: Message
    wall_time: float


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that could not be read, in words for the user. `severity`: "warning" or "error"."""

    severity: str
    text: str


def decode_record(run: str, tag_text: str, payload: object, wall_time: float) -> Record | Problem | None:
    """Decodes one datum of our plugin; None if its tag is none of those that hold messages."""
    tag = tags.parse_tag(tag_text)
    if tag is None or tag.kind not in _MESSAGES:
        return None
    where = f"{run}: record {tag_text[:200]!r}"
    if not _valid_session(tag.session):
        return Problem("warning", f"{where} names an impossible session; it was left out.")
    if not isinstance(payload, bytes):
        return Problem("warning", f"{where} is not one of Retrace's (no message in it); it was left out.")
    if len(payload) > MAX_RECORD_BYTES:
        return Problem("warning", f"{where} is larger than {MAX_RECORD_BYTES >> 20} MiB; it was left out.")
    message = _MESSAGES[tag.kind]()
    try:
        message.ParseFromString(payload)
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
    return Record(run, tag, message, wall_time)


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
