"""Values that a function only asks for in tests: as long as these give what they gave, the graph is as it would be."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tb_retrace_plugin.capture.code.compiled_tests import UNKNOWN
from tb_retrace_plugin.capture.code.unreached import Question, only_asked_by
from tb_retrace_plugin.capture.python_state.contents import Member
from tb_retrace_plugin.capture.python_state.found_reads import Read


def decides_alike(reads: Sequence[Read], traced: Sequence[Any], place: int, now: Callable[[Read], Any]) -> bool:
    """Whether nothing but tests asks for what was read at `place`, and all of them give the same `now`."""
    read = reads[place]
    asked = [(by.function(), by) for by in read.asked_by]
    if not asked or any(function is None for function, _ in asked):
        return False
    of_it = [
        (text, one, value)
        for one, value in zip(reads, traced, strict=True)
        if one.instance is read.instance
        for text in (one.name.text, *(by.written for by in one.asked_by[:1]))  # `self.kind`, `self.kind.startswith`
    ]
    of_it.sort(key=lambda one: any(one[1].function() is function for function, _ in asked))  # its own names hide others
    before = {text: _answering(value) for text, _, value in of_it}
    after = {text: _answering(now(one)) for text, one, _ in of_it}
    for function, by in asked:
        questions = only_asked_by(function.__code__, by.written) if function is not None else ()
        passed = dict(by.passed)
        if not questions or not all(_are_alike(one, before | passed, after | passed) for one in questions):
            return False
    return True


def _answering(value: Any) -> Any:
    """Of an Enum's member, which is not kept itself, what compares as it does."""
    is_one = type(value) is Member and value.is_itself
    return sys.intern(f"{value.type_name} {value.text}") if is_one else value


def _are_alike(question: Question, before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    one, other = question.test(before), question.test(after)
    if question.is_value:
        return one is not UNKNOWN and type(one) is type(other) and bool(one == other)
    return one is not UNKNOWN and other is not UNKNOWN and bool(one) == bool(other)
