"""One difference between two signatures."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Change:
    """`cause`: a word of `vocabulary.CAUSES`; `old` and `new`: short texts, "" if there is none.

    `parts`: of a change that stands for several of a composite's parts, their causes; of a variable, ("variable",). It
    is not recorded.
    """

    cause: str
    path: str
    old: str = ""
    new: str = ""
    parts: tuple[str, ...] = field(default=(), compare=False)
