"""Python iterators as arguments: tracing uses them up, so that one of them cannot serve two calls."""

from __future__ import annotations

from tb_retrace_plugin.schema.signature import ANOTHER, DELETED

_TYPES = frozenset({"generator", "enumerate", "zip", "map", "filter", "reversed"})


def is_iterator(text: str) -> bool:
    """Of a value as a change names it: `generator object #2`, `enumerate value`, `Rows iterator #3` (a user's)."""
    type_name, _, rest = text.removeprefix(f"{ANOTHER} ").removeprefix(f"{DELETED} ").partition(" ")
    if rest.startswith("iterator #"):
        return True
    return rest.startswith(("object", "value")) and (type_name in _TYPES or type_name.endswith("_iterator"))
