"""Whether two functions that were passed as arguments would do the same, by their numbers in signatures."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Sequence
from types import FunctionType, MethodType
from typing import Any

from tb_retrace_plugin.capture import tf_seam
from tb_retrace_plugin.capture.failure import let_signals_through
from tb_retrace_plugin.capture.python_state.closure import ClosureReader
from tb_retrace_plugin.capture.values.of_type import is_a
from tb_retrace_plugin.explain.differences.change import Change
from tb_retrace_plugin.explain.differences.closure import ClosureChange, Passed, diff_passed, distance
from tb_retrace_plugin.explain.earlier_traces.history import MAX_ENTRIES, Entry
from tb_retrace_plugin.explain.verdict.asked_in_python import asked_in_python
from tb_retrace_plugin.explain.verdict.evidence import told_of_asked

#: A tf.function and a plain one are of two types.
_OF_OBJECTS = ("object_identity", "python_type")


class PassedFunctions:
    """Of one session. Nothing keeps them alive: what they were is noted. Not thread-safe."""

    def __init__(self, closures: ClosureReader) -> None:
        self._closures = closures
        self._known: dict[int, Passed] = {}

    def note(self, number: int, function: Any) -> None:
        """When it is passed for the first time: it may be gone the next. Nothing of what is no function."""
        if number in self._known:
            return
        try:
            function = tf_seam.plain_function(function)
            if is_a(function, FunctionType | MethodType | functools.partial):
                if len(self._known) >= MAX_ENTRIES:  # oldest first
                    del self._known[next(iter(self._known))]
                self._known[number] = self._closures.passed(function)
        except Exception as error:  # what it closes over is the user's: then it is not known
            let_signals_through(error)

    def numbers_of(self, number: int) -> dict[str, str]:
        """What a function, by its number in signatures, has of plain numbers from around it: by name, as texts."""
        known = self._known.get(number)
        values = known.closure if known is not None else ()
        return {value.name: value.text for value in values if value.is_number and value.text[:1] not in ("[", "(")}

    def compare(self, changes: Sequence[Change]) -> tuple[dict[str, tuple[ClosureChange, ...]], dict[str, bool]]:
        """By path of another object: what a function of the same code closes over otherwise, as far as it does; whether
        it is of the same code and closes over, or binds, the same. Paths are left out where that is not known."""
        otherwise: dict[str, tuple[ClosureChange, ...]] = {}
        same: dict[str, bool] = {}
        for change in changes:
            pair = self._both(change)
            if pair is None:
                continue
            old, new = pair
            same[change.path] = old.identity == new.identity
            if differs := diff_passed(old, new):
                otherwise[change.path] = differs
        return otherwise, same

    def asked_in_python(self, changes: Sequence[Change]) -> dict[str, str]:
        """By path of a function that has other numbers of its own: what is said of one that it passes to what asks it
        in Python."""
        found = {}
        for change in changes:
            pair = self._both(change)
            for one in diff_passed(*pair) if pair is not None and pair[1].asked else ():
                if asked := asked_in_python(pair[1].asked, one.name) if pair is not None else "":
                    found[change.path] = told_of_asked(one.name, asked)
        return found

    def of_other_code(self, changes: Sequence[Change]) -> frozenset[str]:
        """Paths of functions in place of such of other code."""
        return frozenset(
            c.path
            for c in changes
            if (pair := self._both(c)) and 0 not in (pair[0].code, pair[1].code) and pair[0].code != pair[1].code
        )

    def are_of(self, changes: Sequence[Change], tensors: Sequence[Any]) -> bool:
        """Whether all of them are tensors that functions which are others now close over or read."""
        closures = [part for c in changes if (pair := self._both(c)) is not None for part in pair[1].closure]
        return self._closures.are_of(closures, tensors)

    def nearest(
        self, changes: Sequence[Change], others: Iterable[tuple[Entry, list[Change]]]
    ) -> tuple[Entry, list[Change]] | None:
        """Where functions are passed in place of such of other code: of the others, traces with the same differences,
        the one that was passed functions of the same code, with most of the same values; None if there is none."""
        if not any(self._are_of_other_code(change) for change in changes):
            return None
        found, least = None, math.inf
        for entry, differing in others:
            if any(self._are_of_other_code(change) for change in differing):
                continue
            pairs = [self._both(change) for change in differing]
            far = sum([distance(pair[0].closure, pair[1].closure) for pair in pairs if pair is not None])
            if far < least:
                found, least = (entry, differing), far
        return found

    def _are_of_other_code(self, change: Change) -> bool:
        pair = self._both(change)
        return pair is not None and pair[0].identity != pair[1].identity and not pair[0].code == pair[1].code != 0

    def _both(self, change: Change) -> tuple[Passed, Passed] | None:
        """Before and now, of functions that are known."""
        if change.cause not in _OF_OBJECTS:
            return None
        old, new = self._named(change.old), self._named(change.new)
        return None if old is None or new is None else (old, new)

    def _named(self, text: str) -> Passed | None:
        """Which a change names: `function f #3`."""
        number = text.rpartition(" #")[2]
        return self._known.get(int(number)) if number.isdecimal() else None
