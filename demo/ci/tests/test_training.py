"""What the model learns, and what it costs: a retrace is a failure here, with its reason."""

from __future__ import annotations

import pytest
import tensorflow as tf
import training

from tb_retrace_plugin import assert_max_traces


@pytest.mark.max_traces(1, function="train_step")
def test_the_loss_falls() -> None:
    losses = training.train(40)
    assert losses[-1] < 0.01 * losses[0]


def test_after_the_first_step_nothing_is_traced() -> None:
    training.train(1)
    with assert_max_traces(0):
        training.train_step(tf.zeros([100]), tf.zeros([100]), 50)
