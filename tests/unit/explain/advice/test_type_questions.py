"""A Python value becomes a tensor, and the code asks of what type it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from tb_retrace_plugin.explain.advice.advise import advise
from tb_retrace_plugin.explain.advice.evidence.facts import FunctionFacts
from tests.unit.explain.advice.test_advice_rules import history, number, tensor

TOLD = "This may change results: the code asks of what type an argument is ("


def texts(questions: Sequence[str], *calls: dict[str, Any]) -> list[str]:
    return [found.in_one for found in advise(FunctionFacts("step", history(*calls), type_questions=questions))]


def numbers(count: int = 3) -> list[dict[str, Any]]:
    return [{"x": tensor(2), "k": number(value)} for value in range(count)]


def test_it_is_said_first() -> None:
    (text,) = texts(["isinstance(k, …)", "type(k)"], *numbers())
    assert text.startswith(f"{TOLD}`isinstance(k, …)` and `type(k)`), and a tensor is of another. `step` is traced for")


@pytest.mark.parametrize(
    "questions",
    [[], ["isinstance(x, …)"], ["tf.is_tensor(kk)"], ["isinstance(k['a'], …)"], ["(", "isinstance", "type()"]],
)
def test_of_what_stays_what_it_is_nothing_is_said(questions: list[str]) -> None:
    (text,) = texts(questions, *numbers())
    assert TOLD not in text


def test_of_shapes_nothing_is_said() -> None:
    told = texts(["tf.is_tensor(x)"], *({"x": tensor(size)} for size in (2, 3, 4)))
    assert told
    assert not any(TOLD in text for text in told)
