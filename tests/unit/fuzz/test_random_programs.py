"""Programs that are made up at random can be run, and are the same for the same number."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.support.random_agent_programs import random_agent_program
from tests.support.random_compile_programs import random_compile_program
from tests.support.random_handed_programs import random_handed_program
from tests.support.random_kept_programs import random_kept_program
from tests.support.random_keras_programs import random_keras_program
from tests.support.random_object_programs import random_object_program


@pytest.mark.parametrize(
    "make",
    [
        random_agent_program,
        random_compile_program,
        random_handed_program,
        random_kept_program,
        random_keras_program,
        random_object_program,
    ],
)
def test_programs_are_of_python(make: Callable[[int], str]) -> None:
    for seed in range(100):
        compile(make(seed), f"p{seed}", "exec")
    assert make(1) == make(1)
    assert len({make(seed) for seed in range(100)}) > 90
