"""Functions that are defined in one which AutoGraph has converted are of the code that the user wrote."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from tb_retrace_plugin.capture.code import before_autograph
from tb_retrace_plugin.explain.verdict.evidence import CLOSES_OVER_THE_SAME
from tests.capture.conftest import RecordFixture


class Learner:
    def __init__(self) -> None:
        self.scale = tf.constant(2.0)

    def loss_of(self, kind: str) -> Callable[..., Any]:
        @tf.function
        def loss(x: Any) -> Any:
            return x * self.scale

        return loss

    @tf.function
    def step(self, x: Any) -> Any:
        return self.loss_of("train")(x) + self.loss_of("val")(x)


def test_what_methods_make_within_a_trace_and_outside_is_one_code(recording: RecordFixture) -> None:
    learner = Learner()
    with recording() as r:
        learner.step(tf.constant(1.0))
        learner.loss_of("val")(tf.constant(1.0))
    losses = [trace for trace in r.traces if trace.function.name == "loss"]
    assert {trace.function.qualname for trace in losses} == {"Learner.loss_of.<locals>.loss"}
    assert {trace.function.line for trace in losses} == {Learner.loss_of.__code__.co_firstlineno + 1}
    assert [(trace.kind, trace.n) for trace in losses] == [("first", 1), ("recreated", 2), ("recreated", 3)]


def test_what_functions_within_functions_make_is(recording: RecordFixture) -> None:
    def make(scale: float) -> Callable[..., Any]:
        @tf.function
        def scaled(x: Any) -> Any:
            return x * scale

        return scaled

    @tf.function
    def step(x: Any) -> Any:
        return make(2.0)(x)

    with recording() as r:
        step(tf.constant(1.0))
        make(2.0)(tf.constant(1.0))
    names = [trace.function.qualname for trace in r.traces if trace.function.name == "scaled"]
    assert names == [f"{make.__qualname__}.<locals>.scaled"] * 2


@pytest.mark.newest
@pytest.mark.skipif(sys.version_info < (3, 11), reason="code does not know its qualified name")
def test_names_that_are_read_from_the_source_are_those_that_python_gives() -> None:
    def codes(code: CodeType) -> Iterator[CodeType]:
        for one in code.co_consts:
            if isinstance(one, CodeType):
                yield one
                yield from codes(one)

    file = Path(__file__)
    found = before_autograph._defined_in(str(file))
    known = {
        (one.co_firstlineno, one.co_name): one.co_qualname
        for one in codes(compile(file.read_text("utf-8"), str(file), "exec"))
        if not one.co_name.startswith("<")
    }
    assert known
    assert found == known


class Sampler:
    def __init__(self) -> None:
        self.rows, self.scale = 3, 2.0

    def part(self, x: Any, columns: int) -> Any:
        return tf.reshape(x, (self.rows, columns)) * self.scale

    def made(self, columns: int) -> Callable[..., Any]:
        @tf.function
        def summed(x: Any) -> Any:
            noise = np.random.normal() if columns < 0 else 0.0
            return tf.reduce_sum(self.part(x, columns)) * (noise + 1.0 / x.shape[0])

        return summed

    @tf.function
    def step(self, x: Any) -> Any:
        return self.made(2)(x)


def test_what_it_reads_by_names_is_read_of_the_users_code(recording: RecordFixture) -> None:
    sampler = Sampler()
    with recording() as r:
        sampler.step(tf.ones([6]))
        sampler.made(4)(tf.ones([12]))
    within, outside = (trace for trace in r.traces if trace.function.name == "summed")
    assert (within.nested, outside.nested) == (True, False)
    assert "closes over `columns`: 2 → 4." in outside.evidence
    assert "not set" not in outside.evidence
    assert [*within.function.drawn] == ["np.random.normal()"]
    assert "x.shape[0]" in within.function.python_uses


def nested(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def mapped(*args: Any) -> Any:
        return tf.nest.map_structure(function, *args)

    return mapped


class Solver:
    def __init__(self) -> None:
        self.rate = 0.5

    def made(self) -> Callable[..., Any]:
        def error(x: Any) -> Any:
            return x * self.rate

        @tf.function
        @nested
        def change(x: Any) -> Any:
            return x - self.rate

        @tf.function
        def forward(x: Any) -> Any:
            return change(x) + error(x)

        return forward

    @tf.function
    def step(self, x: Any) -> Any:
        return self.made()(x)


def test_helpers_that_a_converted_function_defines_are_those_of_outside(recording: RecordFixture) -> None:
    solver = Solver()
    with recording() as r:
        solver.made()(tf.ones([2]))
        solver.step(tf.ones([3]))
    forward = [trace for trace in r.traces if trace.function.name == "forward"]
    assert [(trace.n, trace.evidence) for trace in forward[1:]] == [(2, CLOSES_OVER_THE_SAME)]
    names = {trace.function.qualname for trace in r.traces if trace.function.name == "change"}
    assert names == {"Solver.made.<locals>.change"}


def test_where_the_users_code_is_not_found_it_is_read_as_it_is(
    recording: RecordFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tb_retrace_plugin.capture.tf_seam.converted_code", lambda file: None)
    sampler = Sampler()
    with recording() as r:
        sampler.step(tf.ones([6]))
    assert [trace.function.name for trace in r.traces if trace.nested] == ["summed"]
