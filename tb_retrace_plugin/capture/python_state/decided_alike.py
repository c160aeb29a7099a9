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
    asked = [(one(), text) for one, text in read.asked_by]
    if not asked or any(function is None for function, _ in asked):
        return False
    of_it = [
        (one.asked_by[0][1] if one.asked_by else one.name.text, one, value)
        for one, value in zip(reads, traced, strict=True)
        if one.instance is read.instance
    ]
    of_it.sort(key=lambda one: any(one[1].function() is function for function, _ in asked))  # its own names hide others
    before = {text: value for text, _, value in of_it}
    after = {text: now(one) for text, one, _ in of_it}
    several = [only_asked_by(function.__code__, text) for function, text in asked if function is not None]
    return all(several) and all(_are_alike(one, before, after) for questions in several for one in questions)


def _are_alike(question: Question, before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    one, other = question.test(before), question.test(after)
    if question.is_value:
        return one is not UNKNOWN and type(one) is type(other) and bool(one == other)
    return one is not UNKNOWN and other is not UNKNOWN and bool(one) == bool(other)
