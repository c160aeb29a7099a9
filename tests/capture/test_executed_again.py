"""Code that is executed again: a notebook's cell that is run once more, a module that is reloaded, edited or not."""

from __future__ import annotations

import importlib
import linecache
import sys
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

from tb_retrace_plugin.capture.code import executed_again
from tests.capture.conftest import RecordFixture

CELL = """
@tf.function
def step(x):
    return tf.add_n([x * rate for rate in (0.5, 2.0)])
"""
EDITED = CELL.replace("2.0", "3.0")


def run_cell(source: str, name: str) -> Any:
    """As IPython runs a cell: its lines are in `linecache`, and no file has its name."""
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    scope: dict[str, Any] = {"tf": tf}
    exec(compile(source, name, "exec"), scope)
    return scope["step"]


@pytest.mark.parametrize("name", ["<ipython-input-{}-5cef90a866fb>", "/tmp/ipython-input-{}-3612804845.py"])
def test_a_cell_that_is_run_again_is_the_same_function(recording: RecordFixture, name: str) -> None:
    """IPython and Colab count each run of a cell in its name."""
    with recording() as r:
        for run in (3, 5):
            run_cell(CELL, name.format(run))(tf.ones([2]))
    first, again = r.of("step")
    assert first.function.file == again.function.file == name.format(3)
    assert (again.kind, again.verdict) == ("recreated", "avoidable")


def test_a_line_of_a_cell_that_is_run_again_is_the_same_place(recording: RecordFixture) -> None:
    """What is advised for each line that builds a dataset is for one."""
    cell = "step = list(tf.data.Dataset.range(4).map(lambda v: v * 2))\n"
    with recording() as r:
        for run in (4, 8):
            run_cell(cell, f"/tmp/ipython-input-{run}-784097164.py")
    first, again = r.of("<lambda>")
    assert first.stack_id == again.stack_id
    assert any(frame.source == cell.strip() for frame in r.stacks[again.stack_id].frames)


def test_code_that_was_edited_is_another_function(recording: RecordFixture) -> None:
    """`%%time` runs all cells under one name."""
    with recording() as r:
        for source, size in ((CELL, 2), (EDITED, 3), (CELL, 2), (EDITED, 3), ("# a comment\n" + CELL[1:], 2)):
            run_cell(source, "<timed exec>")(tf.ones([size]))
    assert [(t.kind, t.verdict) for t in r.of("step")] == [
        ("first", "needed"), ("first", "needed"), *[("recreated", "avoidable")] * 3,
    ]  # fmt: skip
    assert len({t.function.variant for t in r.of("step")}) == 2


def test_a_module_that_was_edited_and_reloaded(
    recording: RecordFixture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "steps_that_are_edited.py"
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    path.write_text("import tensorflow as tf\n" + CELL)
    module = importlib.import_module(path.stem)
    with recording() as r:
        module.step(tf.ones([2]))
        importlib.reload(module).step(tf.ones([2]))
        path.write_text("import tensorflow as tf\n" + EDITED)
        importlib.reload(module).step(tf.ones([5]))
    assert [(t.kind, t.verdict) for t in r.of("step")] == [
        ("first", "needed"), ("recreated", "avoidable"), ("first", "needed"),
    ]  # fmt: skip
    assert r.of("step")[1].function.variant == "" != r.of("step")[2].function.variant
    assert "3.0" in linecache.getline(str(path), 5)
    assert [t.function.loaded_again for t in r.of("step")] == [False, True, False]


def test_what_a_loop_makes_again_was_loaded_once(recording: RecordFixture) -> None:
    loop = compile(f"for _ in range(2):{CELL}".replace("\n", "\n    ") + "step(tf.ones([2]))", "a_loop.py", "exec")
    with recording() as r:
        exec(loop, {"tf": tf})
    assert [(t.kind, t.function.loaded_again) for t in r.of("step")] == [("first", False), ("recreated", False)]


def test_what_tells_code_apart() -> None:
    def code(source: str) -> Any:
        return compile(source, "generated.py", "exec")

    def told(source: str) -> str:
        return executed_again.edited("generated.py", 1, "f", "", code(source))

    assert told("x in {'a', 'b', 'c'}") == told("x in {'c', 'b', 'a'}") == ""
    others = {told(other) for other in ("x in {'a', 'b'}", "y = 1", "y = 1.0", "lambda: 1", "lambda: True", "y")}
    assert len(others) == 6
    assert "" not in others


def test_of_endless_generated_code_no_more_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executed_again, "_MAX_KNOWN", 0)
    assert executed_again.first_file("<ipython-input-7-0123456789ab>") == "<ipython-input-7-0123456789ab>"
    assert executed_again.edited("never_seen.py", 1, "f", "", compile("1", "never_seen.py", "exec")) == ""
    assert "0123456789ab" not in executed_again._cells


def test_what_exec_makes_of_other_text_is_another_function(recording: RecordFixture) -> None:
    """All that it is given as text has the place `<string>:1`."""
    with recording() as r:
        for width in (1, 2, 1):
            scope: dict[str, Any] = {"tf": tf}
            exec(f"@tf.function\ndef shifted(x):\n    return x + {width}\n", scope)
            scope["shifted"](tf.ones([2]))
    assert [(t.kind, t.verdict) for t in r.of("shifted")] == [
        ("first", "needed"), ("first", "needed"), ("recreated", "avoidable"),
    ]  # fmt: skip
