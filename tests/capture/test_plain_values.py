"""Texts and identities of values that none of a user's code runs for."""

from __future__ import annotations

import csv
import datetime
import decimal
import enum
import fractions
import itertools
import pathlib
import uuid
from typing import Any

import numpy as np
import pytest

from tb_retrace_plugin.capture.values.plain_values import (
    is_number,
    is_plain,
    key_text,
    member_text,
    plain_identity,
    value_text,
)

NUMBERS = [1, 1.5, 2j, np.float32(1), np.float64(1), np.int32(1), np.uint8(1), np.complex64(1j), np.float16(1)]
OTHERS = [
    None, True, "a", b"a", decimal.Decimal("0.1"), fractions.Fraction(1, 3), datetime.date(2020, 1, 1),
    datetime.timedelta(1), uuid.UUID(int=1), pathlib.PurePosixPath("a"), np.bool_(True), np.str_("a"),
]  # fmt: skip


class Shout(int):
    def __repr__(self) -> str:
        raise AssertionError("a user's __repr__ was run")

    __eq__ = __hash__ = __repr__  # type: ignore[assignment]


@pytest.mark.parametrize("value", [*NUMBERS, *OTHERS], ids=repr)
def test_equal_values_made_anew_have_one_identity_and_no_other_has_it(value: Any) -> None:
    import copy

    assert is_plain(value)
    assert is_number(value) == any(value is number for number in NUMBERS)
    assert plain_identity(copy.deepcopy(value)) == plain_identity(value)
    same = [other for other in [*NUMBERS, *OTHERS] if plain_identity(other) == plain_identity(value)]
    assert len(same) == 1
    assert "value" not in value_text(value, 100)


def test_of_a_users_class_only_its_name_is_told() -> None:
    assert not is_plain(Shout(1))
    assert value_text(Shout(1), 100) == "Shout value"


class Level(enum.IntEnum):
    LOW = 1


class Opt(enum.IntFlag):
    A = 1
    B = 2


class Mode(enum.Enum):
    SUM = 1


def test_members_are_told_by_name() -> None:
    assert [value_text(member, 100) for member in (Level.LOW, Mode.SUM, Opt.A, Opt.A | Opt.B)] == [
        "Level.LOW", "Mode.SUM", "Opt.A", "Opt.A|B",
    ]  # fmt: skip


def test_what_a_tuple_holds_is_told() -> None:
    assert value_text((1, "a", (Mode.SUM,), [Shout(1)]), 100) == "(1, 'a', (Mode.SUM,), [Shout value])"
    assert value_text(("x" * 100,), 20) == "('xxxxxxxxxxxxxxxxx…"


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        ((0, False, 0.0, np.int64(0), np.bool_(False)), "0"),
        ((1, True, 1.0, Level.LOW, np.float32(1)), "1"),
        ((0.5, np.float64(0.5)), "0.5"),
        (("a", np.str_("a")), "'a'"),
        (((0, "a"), (np.int64(0), "a")), "(0, 'a')"),
        ((Mode.SUM,), "Mode.SUM"),
        ((b"a",), "b'a'"),
        ((None,), "None"),
    ],
)
def test_equal_keys_have_one_text(keys: tuple[Any, ...], text: str) -> None:
    assert len({*keys}) == 1
    assert {key_text(key, 100) for key in keys} == {text}


def test_a_datetime_runs_its_time_zones_code_so_it_is_none_of_them() -> None:
    assert not is_plain(datetime.datetime(2020, 1, 1))


def test_texts_are_short_whatever_the_value() -> None:
    assert value_text("x" * 1000, 50) == "'" + "x" * 48 + "…"
    assert len(value_text(10**5000, 50)) <= 50
    assert value_text(np.float32(0.5), 50) == "np.float32(0.5)"


def test_the_text_of_a_key_runs_nothing_of_its_class() -> None:
    def fail(*_: Any) -> Any:
        raise AssertionError("a user's method was run")

    for kind, key, text in (
        (str, "a", "'a'"),
        (bytes, b"a", "b'a'"),
        (int, 3, "3"),
        (float, 2.0, "2"),
        (float, 0.5, "0.5"),
    ):
        names = ("__getitem__", "__repr__", "__int__", "__index__", "__trunc__", "__float__", "is_integer")
        hostile = type("Hostile", (kind,), dict.fromkeys(names, fail))
        assert key_text(hostile(key), 100) == text


def test_long_keys_that_differ_anywhere_have_texts_of_their_own() -> None:
    """A trace that differs in nothing else would have no cause."""
    keys = [f"{'a' * before}{letter}{'a' * (399 - before)}" for before in (0, 200, 399) for letter in "xyz"]
    texts = [key_text(key, 120) for key in [*keys, *map(str.encode, keys)]]
    assert len(set(texts)) == len(texts)
    assert {len(text) for text in texts} == {120}
    assert key_text("/runs/" * 40 + "step-1000", 120).endswith("/runs/step-1000'")


def test_iterators_of_libraries_are_told() -> None:
    """Tracing uses them up, as it does Python's own, which are known by name."""
    assert value_text(itertools.islice([1], 1), 60) == "islice iterator"
    assert value_text(csv.reader([]), 60) == "reader iterator"
    assert value_text(enumerate([]), 60) == "enumerate value"
    assert value_text(object(), 60) == "object value"


def test_a_combination_of_no_flags_is_told_by_its_value() -> None:
    assert member_text(Opt(0)) == "Opt.0"
    assert member_text(Opt.A | Opt.B) == "Opt.A|B"
