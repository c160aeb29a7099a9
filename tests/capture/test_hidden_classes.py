"""Objects that answer with another class when they are asked, as lazy proxies do: recording asks none of them."""

from __future__ import annotations

from typing import Any

import pytest
import tensorflow as tf

from tests.capture.conftest import RecordFixture

pytestmark = pytest.mark.newest  # lines and classes of Python's: TensorFlow has no part in it


class Lazy:
    """Counts who asks it what it is."""

    asked = 0

    @property
    def __class__(self) -> Any:
        Lazy.asked += 1
        return dict

    def __call__(self, x: Any) -> Any:
        return x


one: Any = Lazy()
items: Any = [Lazy(), 1.0]
options: Any = {"a": Lazy(), "b": 2.0}


class Model:
    lazy_of_the_class: Any = Lazy()

    def __init__(self) -> None:
        self.lazy = Lazy()
        self.items = [Lazy()]

    def helper(self, x: Any, handed: Any) -> Any:
        return x if handed is not None and self.lazy is not None else -x

    @tf.function
    def step(self, x: Any, rate: float) -> Any:
        return self.helper(x, self.items) * rate + (0.0 if self.lazy_of_the_class is None else 1.0)


class Hidden(Lazy):
    """One whose own method is traced, and which is gone before recording ends."""

    def __init__(self, rate: float) -> None:
        self.rate = rate

    @tf.function
    def step(self, x: Any) -> Any:
        return x * self.rate


def use() -> None:
    global one
    closed_over = Lazy()
    model = Model()

    @tf.function
    def train(x: Any, model: Any, lazy: Any = None) -> Any:
        if one is None or closed_over is None or items[0] is None or options.get("a") is None:
            return x
        return model.helper(x, one) + model.helper(x, closed_over) + items[1] * options["b"]

    for rate in (1.0, 2.0):
        model.step(tf.ones([2]), rate)
        train(tf.ones([int(rate)]), model)
        one, model.lazy, items[0] = Lazy(), Lazy(), Lazy()
    hidden = Hidden(1.0)
    hidden.step(tf.ones([2]))
    hidden.rate = 2.0


def test_none_is_asked_more_often_than_without(recording: RecordFixture) -> None:
    counts = []
    for recorded in (False, True, False):
        Lazy.asked = 0
        if recorded:
            with recording() as r:
                use()
            assert len(r.traces) == 5
        else:
            use()
        counts.append(Lazy.asked)
    assert counts[1] == counts[0] == counts[2]
