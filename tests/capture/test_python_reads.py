"""What a function's code reads where it assigns an attribute of the name of a parameter that its tests ask."""

from __future__ import annotations

from collections.abc import Collection
from types import SimpleNamespace
from typing import Any

import pytest

from tb_retrace_plugin.capture.python_state.python_reads import reads_of

RATE = 1.0


class Model:
    def __init__(self) -> None:
        self.rate, self.warm_rate, self.training = 0.5, 0.1, True

    def keeps_what_it_is_passed(self, x: Any, training: Any) -> Any:
        self.training = training
        if training:
            return x * self.rate
        return x * RATE

    def asks_what_it_has_set(self, x: Any, training: Any) -> Any:
        self.training = training
        if self.training:
            return x * self.rate
        return x * RATE

    def asks_an_attribute_of_an_argument(self, x: Any, options: Any) -> Any:
        options.warm = False
        if options.warm:
            return x * self.warm_rate
        return x * self.rate


@pytest.mark.parametrize(
    ("function", "values", "read"),
    [
        (Model.keeps_what_it_is_passed, {"training": True}, {"self.rate"}),
        (Model.keeps_what_it_is_passed, {"training": False}, {"RATE"}),
        # what it is when it is asked is not known
        (Model.asks_what_it_has_set, {"training": True}, {"self.rate", "RATE"}),
        (Model.asks_an_attribute_of_an_argument, {"options.warm": True}, {"self.rate", "self.warm_rate"}),
    ],
)
def test_a_parameter_is_no_attribute_of_its_name(function: Any, values: dict[str, Any], read: set[str]) -> None:
    """It was gone through again and again, until Python allowed no more."""

    def passed(names: Collection[str]) -> dict[str, Any]:
        return {name: value for name, value in values.items() if name in names}

    options = {"options": SimpleNamespace(warm=True)}
    found = reads_of(function, Model(), "self", options, is_told=lambda value: False, passed=passed)
    assert {one.read.name.text for one in found} - {"self.training", "options.warm"} == read
