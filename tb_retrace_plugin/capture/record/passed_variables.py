"""Variables that were passed to traced functions: whether one that a trace was made for still exists."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Mapping
from typing import Any

from tb_retrace_plugin.explain.differences.change import Change
from tb_retrace_plugin.explain.differences.nearness import node_at
from tb_retrace_plugin.schema.signature import Signature

#: More are forgotten, the oldest first: of these it is not known then whether they exist.
_MAX_KNOWN = 10_000


class PassedVariables:
    """Keeps none of them alive."""

    def __init__(self) -> None:
        self._known: dict[int, weakref.ReferenceType[Any]] = {}

    def note(self, variables: Mapping[int, weakref.ReferenceType[Any]]) -> None:
        """`variables`: by their ids in the process."""
        self._known |= variables
        while len(self._known) > _MAX_KNOWN:
            del self._known[next(iter(self._known))]

    def are_gone(self, changes: Iterable[Change], earlier: Signature) -> bool:
        """Whether of the variables that differ, each that the earlier trace was made for no longer exists."""
        paths = {change.path for change in changes if "variable" in change.parts and change.cause != "structure"}
        nodes = [node_at(earlier, path) for path in paths]
        known = [self._known.get(node.identity) if node is not None else None for node in nodes]
        return bool(known) and all(reference is not None and reference() is None for reference in known)
