"""A trace whose Python values are watched: what it read, and whether anything can run its graph."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

from tb_retrace_plugin.capture.code.code_names import Name
from tb_retrace_plugin.capture.python_state.decided_alike import decides_alike
from tb_retrace_plugin.capture.python_state.found_reads import Read
from tb_retrace_plugin.capture.python_state.keras_steps import KerasStep


class Watched:
    """One trace: what it read, with the values. `told`: index of a read -> the value that was last told of, and whether
    as chosen; `unread`: names that it was told of that it has not read; `alike`: indices of what has
    changed and decides alike, where that was told.

    `owner`: number of the tf.function object; others of its code may be made later. `step`: what it is a part of, of a
    function of Keras'. `graph`: of what runs the graph, or of the graph itself, where other graphs may hold it; None:
    not known. `passed`: objects, of which TensorFlow compares which they are. `chosen_by`: alike for graphs that the
    same calls may find; None where none of it is whether a layer is trained.
    """

    __slots__ = (
        "alike",
        "chosen_by",
        "ended",
        "graph",
        "owner",
        "passed",
        "reads",
        "seq",
        "step",
        "told",
        "unread",
        "values",
    )

    def __init__(
        self, seq: int, owner: int, reads: list[Read], values: list[Any], step: KerasStep | None, chosen_by: Any
    ) -> None:
        self.chosen_by = chosen_by
        self.owner = owner
        self.seq = seq
        self.step = step
        self.graph: weakref.ReferenceType[Any] | None = None
        self.passed: tuple[weakref.ReferenceType[Any], ...] = ()
        self.reads = reads
        self.values = values
        self.told: dict[int, tuple[str, bool]] = {}
        self.ended: set[int] = set()
        self.unread: set[Name] = set()
        self.alike: set[int] = set()

    @property
    def is_gone(self) -> bool:
        """Whether nothing can run the graph any more, as far as Python has collected what runs it, or what each call of
        it would be passed."""
        return self.is_gone_but_for(None)

    @property
    def is_kept(self) -> bool:
        """Whether TensorFlow has the graph, whatever may run it."""
        return self.graph is not None and self.graph() is not None

    def is_gone_but_for(self, reference: weakref.ReferenceType[Any] | None) -> bool:
        """Whether it was before what `reference` was of went."""
        if self.graph is None:
            return False
        return self.graph() is None or any(one() is None for one in self.passed if one is not reference)

    def decides_alike(self, place: int, now: Callable[[Read], Any]) -> bool:
        return decides_alike(self.reads, self.values, place, now)
