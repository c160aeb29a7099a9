"""Which training step it is: the Keras callback's, else TensorFlow's summary step, else the program's own."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

_keras_step: int | None = None
_program_step: int | None = None
_at_steps: tuple[Callable[[], None], ...] = ()


def set_step(step: int | None) -> None:
    """Says which step a custom training loop is at; None takes it back. Steps are any integers.

    Raises TypeError for anything but an integer, and what `on_retrace` of a recording asks for. Not needed inside Keras
    `fit`, nor where the program calls `tf.summary.experimental.set_step`.
    """
    global _program_step
    if step is not None and (isinstance(step, bool) or not hasattr(step, "__index__")):
        raise TypeError(f"set_step takes an integer or None, not {type(step).__name__}")
    _program_step = None if step is None else step.__index__()
    for call in _at_steps:
        call()


def at_each_step(call: Callable[[], None]) -> None:
    """From now on `set_step` calls it; what it raises goes through."""
    global _at_steps
    _at_steps = (*_at_steps, call)


def no_longer_at_each_step(call: Callable[[], None]) -> None:
    global _at_steps
    _at_steps = tuple(other for other in _at_steps if other != call)


def set_keras_step(step: int | None) -> None:
    global _keras_step
    _keras_step = step


def current_step() -> int | None:
    """The step to record now; never raises, never adds an op to a graph that is being built."""
    if _keras_step is not None:
        return _keras_step
    try:
        step: Any = sys.modules["tensorflow"].summary.experimental.get_step()
        if step is not None and (step := _number(step)) is not None and -(2**63) <= step < 2**63:
            return step
    except Exception:  # the program's, of a class of its own: it has no step to tell
        return _program_step
    return _program_step


def _number(step: Any) -> int | None:
    if isinstance(step, int):
        return step
    tf: Any = sys.modules["tensorflow"]
    with tf.init_scope():  # the value, not an op of the user's graph
        return int(step.numpy()) if tf.executing_eagerly() else None
