"""Objects that lines of their own pass, where each of several tf.function objects has its own."""

from __future__ import annotations

import pytest

from tb_retrace_plugin.explain.advice.shapes.objects_beside import are_those_of_each


@pytest.mark.parametrize(
    ("asking", "expected"),
    [
        ([(1, "a"), (2, "a")], True),
        ([(1, "step(x)"), (2, "other(x)")], True),
        ([(1, "a"), (1, "b"), (2, "a"), (2, "b")], True),
        ([(1, "a"), (1, "b"), (2, "a")], False),
        ([(1, "model"), (1, "model"), (2, "model"), (2, "model")], False),
    ],
)
def test_each_function_object_is_asked_for_all_of_it_or_for_one(asking: list[tuple[int, str]], expected: bool) -> None:
    assert are_those_of_each(asking) is expected
