"""The class that a function was written in as a method. Nothing is run."""

from __future__ import annotations

from typing import Any

from tb_retrace_plugin.capture.values.static_attribute import in_class


def owner_of(function: Any) -> type | None:
    """The class that a method was written in, found by its name."""
    path = str(getattr(function, "__qualname__", "")).split(".")[:-1]
    found: Any = getattr(function, "__globals__", {}).get(path[0]) if path else None
    for name in path[1:]:
        found = in_class(found, name) if isinstance(found, type) else None
    return found if isinstance(found, type) else None
