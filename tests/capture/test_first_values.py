"""What a parameter decides before the code gives it another value: `rate = self.rate if rate is None else rate`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import tensorflow as tf

from tests.capture.conftest import RecordFixture
from tests.capture.test_stale_values import stale


class Settings:
    def __init__(self) -> None:
        self.rate, self.on = 1.0, True


settings = Settings()


def by_or(x: Any, rate: Any = None) -> Any:
    rate = rate or settings.rate
    return x * rate


def by_if(x: Any, rate: Any = None) -> Any:
    if rate is None:
        rate = settings.rate
    return x * rate


def by_a_choice(x: Any, *, rate: Any = None) -> Any:
    rate = settings.rate if rate is None else rate
    return x * rate


def in_a_helper(x: Any, rate: Any = None) -> Any:
    return by_a_choice(x, rate=rate)


def in_a_loop(x: Any, rate: Any = None) -> Any:
    for _ in range(2):
        x = x + (settings.rate if rate is None else 1.0)
        rate = None
    return x


def after_another_value(x: Any, rate: Any = None) -> Any:
    given, rate = rate, None
    return x * (settings.rate if rate is None else rate) if given else x


def of_its_shape(x: Any, rate: Any = None) -> Any:
    if len(x.shape) < 3:
        x = x + (0.0 if rate else settings.rate)
    x = tf.reduce_sum(x)
    return x * 2.0


@pytest.mark.parametrize("function", [by_or, by_if, by_a_choice, in_a_helper, of_its_shape])
def test_what_is_passed_leaves_out_what_it_replaces(function: Callable[..., Any], recording: RecordFixture) -> None:
    assert told(function, recording) == [(1, "settings.rate")]


def test_not_where_it_may_be_another_value_by_then(recording: RecordFixture) -> None:
    assert told(in_a_loop, recording) == [(1, "settings.rate"), (2, "settings.rate")]
    assert (4, "settings.rate") in told(after_another_value, recording, first=3)


def told(function: Callable[..., Any], recording: RecordFixture, first: int = 1) -> list[tuple[int, str]]:
    step = tf.function(function)
    settings.rate = 1.0
    with recording() as r:
        step(tf.ones([1]))
        step(tf.ones([1]), rate=4.0)
        settings.rate = 2.0
    return [(seq + first - 1, name) for seq, name, _, traced, now in stale(r) if traced != now]
