"""Where code asks of what type an argument is: read from its source, recorded with each trace, told in the advice."""

from __future__ import annotations

import ast
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from tb_retrace_plugin.capture.code import type_questions as module
from tb_retrace_plugin.capture.code.python_uses import python_uses
from tb_retrace_plugin.capture.code.type_questions import type_questions
from tests.capture.conftest import RecordFixture, numbers_of_one_code


def asks(x: Any, k: Any, *, mode: Any = None) -> Any:
    if isinstance(k, int) and not isinstance(k, bool):
        return x * k
    return x if type(mode) is str or tf.is_tensor(x) or np.isscalar(k) else k


def of_others(x: Any, k: Any) -> Any:
    values = [x, k]
    if isinstance(values, list) and isinstance(x.shape, tuple) and len(values) == 2:
        return type("Made", (), {})
    return callable(x)


def within(x: Any, k: Any) -> Any:
    def inner() -> bool:
        return isinstance(k, int)

    return inner()


def of_parts(x: Any, cfg: Any, *args: Any, **kwargs: Any) -> Any:
    rate = cfg["rate"]
    _, name = args
    if isinstance(rate, float) or isinstance(kwargs["k"], int):
        return x
    return type(name) is str or np.isscalar(cfg.step)


def of_a_closure(scale: Any) -> Any:
    def scaled(x: Any) -> Any:
        return x * scale if isinstance(scale, int) and isinstance(tf, object) else x

    return scaled


def which(x: Any, a: Any, b: Any, mode: Any = None) -> Any:
    if a is b or b is not DEFAULT or mode is None or x is True:
        return x
    return mode is not None


DEFAULT = object()


def in_some_other_function(x: Any) -> Any:
    return isinstance


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (asks, ["isinstance(k, …)", "np.isscalar(k)", "tf.is_tensor(x)", "type(mode)"]),
        (of_others, []),
        (within, ["isinstance(k, …)"]),
        (which, ["a is b", "b is DEFAULT"]),
        (of_a_closure(2), ["isinstance(scale, …)"]),
        (
            of_parts,
            ["isinstance(cfg['rate'], …)", "isinstance(kwargs['k'], …)", "np.isscalar(cfg.step)", "type(args[1])"],
        ),
        (in_some_other_function, []),
        (lambda k: isinstance(k, int), ["isinstance(k, …)"]),
        (tf.reduce_sum, []),
    ],
)
def test_what_is_asked(function: Callable[..., Any], expected: list[str]) -> None:
    assert isinstance(function, FunctionType)
    assert sorted(type_questions(function.__code__)) == expected


def test_without_source_nothing_is_known() -> None:
    scope: dict[str, Any] = {}
    exec("def made(k): return isinstance(k, int)", scope)
    assert type_questions(scope["made"].__code__) == []


def test_what_several_read_is_parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed = []
    parse = ast.parse
    monkeypatch.setattr(ast, "parse", lambda text: parsed.append(text) or parse(text))

    def asked(x: Any) -> Any:
        return round(x) if isinstance(x, float) else x

    assert type_questions(asked.__code__) == ["isinstance(x, …)"]
    assert python_uses(asked.__code__, asked) == ["round(x)"]
    assert len(parsed) == 1


def test_functions_of_one_code_are_read_once(monkeypatch: pytest.MonkeyPatch, recording: RecordFixture) -> None:
    read = []
    source_tree = module.source_tree
    monkeypatch.setattr(module, "source_tree", lambda code: read.append(code.co_name) or source_tree(code))

    def made() -> Any:
        @tf.function
        def scaled(x: Any, k: Any) -> Any:
            return x * float(k) if isinstance(k, int) else x - k

        return scaled

    recorded = numbers_of_one_code(made, recording)
    assert read == ["scaled"]
    assert [list(t.function.type_questions) for t in recorded.of("scaled")] == [["isinstance(k, …)"]] * 3


def test_what_cannot_be_read_is_told_and_the_trace_is_recorded(
    monkeypatch: pytest.MonkeyPatch, recording: RecordFixture, caplog: pytest.LogCaptureFixture
) -> None:
    def fails(*_: object) -> ast.AST:
        raise AttributeError("a kind of source that nobody has seen")

    monkeypatch.setattr(module, "by_parameters", fails)
    with recording() as recorded:

        @tf.function
        def scaled(x: Any, k: Any) -> Any:
            return x * (k if isinstance(k, float) else 2.0)

        scaled(tf.ones([2]), 3.0)
        scaled(tf.ones([2]), 4.0)
    assert [trace.n for trace in recorded.traces] == [1, 2]
    said = [record.getMessage() for record in caplog.records if record.name == "tb_retrace_plugin"]
    assert len([text for text in said if "type_questions of scaled" in text and "nobody has seen" in text]) == 1
