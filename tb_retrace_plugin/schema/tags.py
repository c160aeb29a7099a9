"""The names under which records lie in event files: one datum per tag, so that no loader's sampling drops one.

| tag | data class | content |
|---|---|---|
| `retrace/session/<session>` | TENSOR, rank 0 | `SessionStart` |
| `retrace/trace/<session>/<seq>` | TENSOR, rank 0 | `Trace`, packed; what it is packed against comes before it |
| `retrace/stack/<session>/<stack_id>` | TENSOR, rank 0 | `Stack`, before the first trace that names it |
| `retrace/first_calls/<session>/<k>` | TENSOR, rank 0 | `FirstCalls` |
| `retrace/xla/<session>/<k>` | TENSOR, rank 0 | `XlaCompilation` |
| `retrace/stale/<session>/<k>` | TENSOR, rank 0 | `StaleValue` |
| `retrace/omitted/<session>/<k>` | TENSOR, rank 0 | `Omitted`; the highest k counts |
| `retrace/end/<session>/<k>` | TENSOR, rank 0 | `SessionEnd`; the highest k counts |
| `retrace/graph/<sha256>` | BLOB_SEQUENCE, rank 1 | one `StoredGraph` |
"""

from __future__ import annotations

from typing import NamedTuple

#: The plugin's name in summary metadata and in URLs (`data/plugin/retrace/`).
PLUGIN_NAME = "retrace"
#: Version of the records; also `plugin_data.content`, as decimal digits.
SCHEMA_VERSION = 2
#: Session ids are made of these and nothing else: they appear in tags and URLs.
SESSION_ID_CHARACTERS = "0123456789abcdefghijklmnopqrstuvwxyz-"

_PREFIX = "retrace/"


class Tag(NamedTuple):
    """A parsed tag. `kind` is the word after `retrace/`; `session` is "" for graphs; `key` the last part."""

    kind: str
    session: str
    key: str


def session_tag(session: str) -> str:
    return f"{_PREFIX}session/{session}"


def trace_tag(session: str, seq: int) -> str:
    return f"{_PREFIX}trace/{session}/{seq}"


def stack_tag(session: str, stack_id: str) -> str:
    return f"{_PREFIX}stack/{session}/{stack_id}"


def first_calls_tag(session: str, k: int) -> str:
    return f"{_PREFIX}first_calls/{session}/{k}"


def xla_tag(session: str, k: int) -> str:
    return f"{_PREFIX}xla/{session}/{k}"


def stale_tag(session: str, k: int) -> str:
    return f"{_PREFIX}stale/{session}/{k}"


def omitted_tag(session: str, k: int) -> str:
    return f"{_PREFIX}omitted/{session}/{k}"


def end_tag(session: str, k: int) -> str:
    return f"{_PREFIX}end/{session}/{k}"


def graph_tag(sha256: str) -> str:
    return f"{_PREFIX}graph/{sha256}"


def parse_tag(tag: str) -> Tag | None:
    """Splits a tag; None if it is none of ours (a logdir may hold anything)."""
    if not tag.startswith(_PREFIX):
        return None
    parts = tag[len(_PREFIX) :].split("/")
    if len(parts) == 2 and parts[0] == "session":
        return Tag("session", parts[1], "")
    if len(parts) == 2 and parts[0] == "graph":
        return Tag("graph", "", parts[1])
    if len(parts) == 3 and parts[0] in ("trace", "stack", "first_calls", "xla", "stale", "omitted", "end"):
        return Tag(parts[0], parts[1], parts[2])
    return None
