"""Paths of arguments, as text."""

from __future__ import annotations

import re


def sequence_of(path: str) -> str:
    """`x` of `x[1][0]`."""
    return re.sub(r"(\[\d+\])+$", "", path)
