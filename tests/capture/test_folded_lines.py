"""AutoGraph takes lines that end with a backslash for one: what is told of those below is told of the right ones."""

from __future__ import annotations

import linecache
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import tensorflow as tf

from tb_retrace_plugin.capture.code import call_site
from tb_retrace_plugin.capture.code.call_site import statement
from tests.capture.conftest import RecordFixture


@tf.function
def scaled(x: Any) -> Any:
    return x * 2.0


# fmt: off
def many(x: Any) -> Callable[..., Any]:
    total = x + \
        1.0 + \
        2.0

    @tf.function
    def inner(y: Any) -> Any:
        return y + total

    return inner


@tf.function
def step(x: Any) -> Any:
    both = x + \
        1.0 - \
        1.0
    first = scaled(x)
    with tf.name_scope("second"):
        second = scaled(tf.stack([x, x])) + \
            scaled(tf.stack([x, x, x]))[0]
    if first > 100.0:
        first = scaled(tf.stack([[x]]))[0, 0]
    return first + second[0] + many(x)(both)


def calls_eagerly(x: Any) -> Any:
    return scaled(tf.stack([[x, x]])) + \
        scaled(tf.stack([[x, x, x]]))[:, :1]
# fmt: on


def test_lines_of_converted_code_are_those_of_the_file(recording: RecordFixture) -> None:
    with recording() as r:
        step(tf.constant(1.0))
        calls_eagerly(tf.constant(1.0))
    found = [(t.function.name, *_called_from(r.stacks[t.stack_id])) for t in r.traces if t.function.name != "step"]
    both = "second = scaled(tf.stack([x, x])) + scaled(tf.stack([x, x, x]))[0]"
    eager = "return scaled(tf.stack([[x, x]])) + scaled(tf.stack([[x, x, x]]))[:, :1]"
    assert found == [
        ("scaled", _line("first = scaled(x)"), "first = scaled(x)"),
        *[("scaled", _line("second = "), both)] * 2,
        ("scaled", _line("first = scaled(tf.s"), "first = scaled(tf.stack([[x]]))[0, 0]"),
        ("inner", _line("return first + second"), "return first + second[0] + many(x)(both)"),
        ("scaled", _line("return scaled(tf.stack([[x, x]]))"), eager),
        ("scaled", _line("return scaled(tf.stack([[x, x]]))") + 1, eager),
    ]
    (inner,) = {t.function.line for t in r.traces if t.function.name == "inner"}
    assert inner in (_line("def inner"), _line("def inner") - 1)  # AutoGraph leaves the decorator out


def test_what_a_backslash_joins_is_one_statement(tmp_path: Path) -> None:
    path = tmp_path / "joined.py"
    path.write_text("a = 1\nb = f(1) + \\\n    g(2) + \\\n    h(3)\nc = '\\\\'\n", "utf-8")
    linecache.checkcache(str(path))
    whole = "b = f(1) + g(2) + h(3)"
    assert [statement(str(path), n) for n in range(1, 6)] == ["a = 1", whole, whole, whole, "c = '\\\\'"]


def _called_from(stack: Any) -> tuple[int, str]:
    frame = next((f for f in stack.frames if f.user), SimpleNamespace(line=0, source=""))
    return frame.line, frame.source


def _line(beginning: str) -> int:
    lines = Path(__file__).read_text("utf-8").splitlines()
    (found,) = [number for number, text in enumerate(lines, 1) if text.strip().startswith(beginning)][:1]
    return found


def test_where_an_instruction_begins_is_known_of_its_caches_as_well() -> None:
    """Python 3.12 tells of a property that is got again where the caches of that instruction end."""
    code = SimpleNamespace(co_code=bytes([106, 0, 0, 0, 0, 0, 106, 1]))
    frames: list[Any] = [SimpleNamespace(f_code=code, f_lasti=at) for at in (0, 2, 4, 6)]
    assert [call_site._instruction(frame) for frame in frames] == [0, 0, 0, 6]


def test_a_call_of_a_builtin_is_one_place_however_often_it_was_made() -> None:
    """Python 3.11 tells another instruction of it once it has been made a few times."""
    places: list[int] = []

    class Dataset:
        def __iter__(self) -> Any:
            places.append(call_site._instruction(sys._getframe(1)))
            return iter(())

    for _ in range(20):
        iter(Dataset())
    assert len(places) == 20
    assert len(set(places)) == 1
