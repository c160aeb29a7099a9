"""Which attributes of its arguments functions that a function calls read."""

from __future__ import annotations

from typing import Any

import pytest

from tb_retrace_plugin.capture.code.read_by_helpers import read_by_helpers


def decayed(settings: Any, x: Any) -> Any:
    return x * settings.rate + settings.inner.steps


def replaced(settings: Any) -> Any:
    settings = settings.more
    return settings.rate


def named(x: Any, cfg: Any) -> Any:
    return x * cfg.scale


def by_place(x: Any, cfg: Any) -> Any:
    return decayed(cfg, x)


def by_name(x: Any, cfg: Any) -> Any:
    return decayed(x=x, settings=cfg)


def by_another_name(x: Any, cfg: Any) -> Any:
    local = cfg
    return decayed(local, x)


def of_a_part(x: Any, cfg: Any) -> Any:
    return decayed(cfg.model, x)


def of_what_is_replaced(x: Any, cfg: Any) -> Any:
    return x * replaced(cfg)


def of_what_is_replaced_before(x: Any, cfg: Any) -> Any:
    cfg = cfg.more
    return named(x, cfg)


def counted(cfg: Any) -> Any:
    cfg.calls += 1
    return cfg.rate + cfg.calls


def of_what_is_counted(x: Any, cfg: Any) -> Any:
    return x * counted(cfg)


def of_the_same_name(x: Any, cfg: Any) -> Any:
    return named(x, x)


def of_something_else(x: Any, cfg: Any) -> Any:
    return decayed(make(cfg), x)


def make(cfg: Any) -> Any:
    return cfg


def handed_on(x: Any, cfg: Any) -> Any:
    return by_place(x, cfg.model)


def handed_on_under_the_other_name(settings: Any, cfg: Any) -> Any:
    return handed_on(cfg, settings)


class Trainer:
    def scaled(self, x: Any, settings: Any) -> Any:
        return self.of_settings(settings) * x

    def of_settings(self, more: Any) -> Any:
        return more.scale

    def step(self, x: Any, cfg: Any) -> Any:
        return self.scaled(x, cfg)


@pytest.mark.parametrize(
    ("function", "read"),
    [
        (by_place, {"cfg.rate", "cfg.inner.steps", "cfg.inner"}),
        (by_name, {"cfg.rate", "cfg.inner.steps", "cfg.inner"}),
        (by_another_name, {"cfg.rate", "cfg.inner.steps", "cfg.inner"}),
        (of_a_part, {"cfg.model.rate", "cfg.model.inner.steps", "cfg.model.inner", "cfg.model"}),
        (of_what_is_replaced, set()),
        (of_what_is_replaced_before, set()),
        (of_what_is_counted, {"cfg.rate"}),
        (of_the_same_name, {"x.scale"}),
        (of_something_else, set()),
        (handed_on, {"cfg.model.rate", "cfg.model.inner.steps", "cfg.model.inner", "cfg.model"}),
        (
            handed_on_under_the_other_name,
            {"settings.model.rate", "settings.model.inner.steps", "settings.model.inner", "settings.model"},
        ),
        (Trainer.step, {"cfg.scale"}),
    ],
)
def test_it_is_told_by_the_callers_names(function: Any, read: set[str]) -> None:
    assert set(read_by_helpers(function.__code__, function)) == read
