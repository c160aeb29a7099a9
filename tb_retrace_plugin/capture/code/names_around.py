"""What a function has around it: its globals, and what it closes over. Nothing is run."""

from __future__ import annotations

from types import CodeType
from typing import Any


def around(function: Any, code: CodeType) -> dict[str, Any]:
    """What it closes over and reads as globals, by name; held by the caller's frame alone."""
    known = getattr(function, "__globals__", None)
    known = known if type(known) is dict else {}
    found = {name: known[name] for name in code.co_names if name in known}
    for name, cell in zip(code.co_freevars, getattr(function, "__closure__", None) or (), strict=False):
        try:
            found[name] = cell.cell_contents
        except ValueError:  # not filled yet
            continue
    return found
