"""Trace types that only they themselves can compare."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from tb_retrace_plugin.capture.record.signatures import SignatureReader


class Tagged(tf.types.experimental.TraceType):  # type: ignore[misc]
    def __init__(self, tag: object) -> None:
        self.tag = tag

    def is_subtype_of(self, other: Any) -> bool:
        return type(other) is Tagged and other.tag == self.tag

    def most_specific_common_supertype(self, others: Any) -> Any:
        return self if all(self.is_subtype_of(other) for other in others) else None

    def placeholder_value(self, placeholder_context: Any) -> Any:
        return self.tag

    def __eq__(self, other: object) -> bool:
        return self.is_subtype_of(other)

    def __hash__(self) -> int:
        return hash(self.tag)


def test_equal_ones_have_one_number_and_others_another_however_many_there_are() -> None:
    reader = SignatureReader()
    kinds = [Tagged(tag) for tag in range(1200)]
    numbers = [reader._custom(kind).identity for kind in kinds]
    assert len(set(numbers)) == len(kinds)
    assert reader._custom(Tagged(1199)).identity == numbers[1199]
    # the oldest are forgotten: a number of their own again, and none that another has
    assert reader._custom(Tagged(0)).identity not in numbers[1:]


def test_one_that_is_gone_gives_its_number_to_nobody() -> None:
    reader = SignatureReader()
    first = reader._custom(Tagged("a")).identity
    second = reader._custom(Tagged("b")).identity
    assert first != second


def test_objects_are_told_by_numbers_and_not_by_addresses() -> None:
    class Shown(Tagged):
        def __repr__(self) -> str:
            return f"Shown({self.tag!r})"

    reader = SignatureReader()
    kinds = [Shown(object()), Shown(object())]
    assert [reader._custom(kind).value for kind in kinds] == ["Shown(<object object>) #1", "Shown(<object object>) #2"]
    assert reader._custom(Shown(3)).value == "Shown(3)"
