"""What a graph captures otherwise than an earlier one, by the keys of both."""

from __future__ import annotations

import pytest
import tensorflow as tf

from tb_retrace_plugin.capture.record.other_captures import differs_in_tensors_alone


@pytest.mark.parametrize(
    ("before", "now", "alone"),
    [
        ("ab:1:", "ab:2:", True),
        ("ab:1:dict('a': )", "ab:2:dict('a': )", True),
        ("ab:1:dict('a': )", "ab:2:dict('b': )", False),  # one graph would return the other's keys
        ("ab:1:", "cd:2:", False),
        ("ab:1:", "ab:1:", False),
        ("", "ab:2:", False),
    ],
)
def test_nothing_but_other_tensors(before: str, now: str, alone: bool) -> None:
    mean = tf.constant([1.0])
    graph = tf.function(lambda x: x * mean).get_concrete_function(tf.TensorSpec([1]))
    assert differs_in_tensors_alone(before, now, graph) is alone


def test_a_variable_is_no_tensor() -> None:
    mean = tf.Variable([1.0])
    graph = tf.function(lambda x: x * mean).get_concrete_function(tf.TensorSpec([1]))
    assert not differs_in_tensors_alone("ab:1:", "ab:2:", graph)
