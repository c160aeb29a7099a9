"""Text for a terminal: emphasis where it is one, and nothing from a recording that could steer it."""

from __future__ import annotations

import io
import os
import re
from dataclasses import dataclass
from typing import TextIO

#: Control characters (C0, DEL, C1) and what reorders text around it.
_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_CODE = re.compile("`([^`]*)`")


def plain(text: str) -> str:
    """`text` on one line, control characters as `\\x1b`."""
    return _UNSAFE.sub(lambda found: found.group().encode("unicode_escape").decode("ascii"), text)


def make_printable(stream: TextIO) -> None:
    """A terminal that lacks an arrow gets a `?` instead of a traceback."""
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors="replace")


@dataclass(frozen=True, slots=True)
class Style:
    """Emphasis; without colour every method gives its text back."""

    colour: bool

    @classmethod
    def of(cls, stream: TextIO) -> Style:
        """Colours only on a terminal, and not against the user's wish (NO_COLOR)."""
        return cls(stream.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb")

    def bold(self, text: str) -> str:
        return self._wrap("1", text)

    def dim(self, text: str) -> str:
        return self._wrap("2", text)

    def warn(self, text: str) -> str:
        return self._wrap("33", text)

    def code(self, text: str) -> str:
        """Text between backticks in bold, without the backticks; with them where there is no colour."""
        return _CODE.sub(lambda found: f"\x1b[1m{found.group(1)}\x1b[22m", text) if self.colour else text

    def _wrap(self, codes: str, text: str) -> str:
        return f"\x1b[{codes}m{text}\x1b[0m" if self.colour else text
