"""Values that a function only asks for in tests: as long as these give what they gave, the graph is as it would be."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tb_retrace_plugin.capture.code.compiled_tests import UNKNOWN
from tb_retrace_plugin.capture.code.unreached import Question, only_asked_by
from tb_retrace_plugin.capture.python_state.found_reads import Read


def decides_alike(reads: Sequence[Read], traced: Sequence[Any], place: int, now: Callable[[Read], Any]) -> bool:
    """Whether nothing but tests asks for what was read at `place`, and all of them give the same `now`."""
    read = reads[place]
    function = read.function() if read.is_only_asked else None
    questions = only_asked_by(function.__code__, read.name.text) if function is not None else ()
    if not questions:
        return False
    of_it = [(one, value) for one, value in zip(reads, traced, strict=True) if one.function() is function]
    before = {one.name.text: value for one, value in of_it}
    after = {one.name.text: now(one) for one, _ in of_it}
    return all(_are_alike(one, before, after) for one in questions)


def _are_alike(question: Question, before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    one, other = question.test(before), question.test(after)
    if question.is_value:
        return one is not UNKNOWN and type(one) is type(other) and bool(one == other)
    return one is not UNKNOWN and other is not UNKNOWN and bool(one) == bool(other)
