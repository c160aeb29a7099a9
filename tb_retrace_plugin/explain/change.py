"""One difference between two signatures."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Change:
    """`cause`: a word of `vocabulary.CAUSES`; `old` and `new`: short texts, "" if there is none."""

    cause: str
    path: str
    old: str = ""
    new: str = ""
