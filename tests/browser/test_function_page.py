"""A function's page in a real TensorBoard and a real browser: on what TensorFlow traced, and on made-up recordings."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.tab import PATIENCE_MS, Tab
from tests.support.logdirs import EventFile, Recording, write_recording
from tests.support.tensorboard_process import TensorBoard

pytestmark = pytest.mark.alone

Serve = Callable[..., TensorBoard]
OpenTab = Callable[..., Tab]

#: Three batch sizes, and a Python counter: six calls, each traced.
PROGRAM = """
    import tensorflow as tf
    from tb_retrace_plugin import record

    @tf.function
    def train_step(x, step, scale=1.0):
        return tf.reduce_sum(x) * scale + step

    with record(LOGDIR):
        for step in range(6):
            train_step(tf.zeros([(4, 4, 7)[step % 3], 10]), step)
"""


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    logdir = tmp_path_factory.mktemp("real")
    code = textwrap.dedent(PROGRAM).replace("LOGDIR", repr(str(logdir)))
    program = logdir / "train.py"
    program.write_text(code)
    root = Path(__file__).resolve().parent.parent.parent
    settings = {**os.environ, "CUDA_VISIBLE_DEVICES": "-1", "PYTHONPATH": str(root)}
    done = subprocess.run([sys.executable, str(program)], env=settings, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return logdir


def cells(row: Locator) -> list[str]:
    return [" ".join(text.split()) for text in row.get_by_role("gridcell").all_inner_texts()]


def column(tab: Tab, name: str) -> list[str]:
    """The cells of one column, top to bottom."""
    heads = [head.strip() for head in tab.frame.get_by_role("columnheader").all_inner_texts()]
    place = heads.index(name)
    return [cells(row)[place] for row in tab.by_id("function-row").all()]


def test_what_tensorflow_traced_and_what_a_change_would_do(recorded: Path, serve: Serve, open_tab: OpenTab) -> None:
    tensorboard = serve(recorded)
    tensorboard.wait_for_digest(lambda digest: any(session["ended"] for session in digest["sessions"]))
    tab = open_tab(tensorboard, width=1920, height=1080)
    tab.settle()
    tab.frame.locator("[data-testid='timeline-open'][data-function='train_step']").click()
    expect(tab.by_id("function-answer")).to_contain_text("train_step was traced 6 times")
    tab.settle()
    expect(tab.by_id("function-answer")).to_contain_text("step (6 values)")
    assert column(tab, "step") == ["0", *(f"≠ differs: {step}" for step in range(1, 6))]
    sizes = column(tab, "x")
    assert [size.replace("≠ differs: ", "") for size in sizes] == [
        "float32 (4, 10)",
        "float32 (4, 10)",
        "float32 (7, 10)",
    ] * 2
    expect(tab.by_id("the-same")).to_contain_text("scale 1.0")

    # the counter as a tensor leaves a trace a batch size
    step = tab.frame.locator("[data-testid='leaf-editor'][data-path='step']")
    step.get_by_role("button", name="step as a tensor").click()
    answer = tab.by_id("what-if-answer")
    expect(answer).to_contain_text("6 traces → 2")
    tab.settle()
    assert column(tab, "What if") == ["stays", "gone", "stays", "gone", "gone", "gone"]

    # with the batch of unknown size, one; and its declaration
    x = tab.frame.locator("[data-testid='leaf-editor'][data-path='x']")
    x.get_by_role("button", name="x, dimension 0, 4…7: None").click()
    expect(answer).to_contain_text("6 traces → 1,")
    tab.settle()
    assert column(tab, "What if") == ["stays", *["gone"] * 5]
    expect(answer.locator(".caveat, .evidence").first).to_contain_text("sees None while it is traced")

    # the question is in the URL, and survives a reload
    assert "p.retrace.any=x%5B0%5D" in tab.page.url
    assert "p.retrace.tensor=step" in tab.page.url
    tab.page.reload()
    tab.settle()
    expect(tab.by_id("what-if-answer")).to_contain_text("6 traces → 1,")
    tab.by_id("what-if-clear").click()
    tab.settle()
    expect(tab.by_id("what-if-answer")).to_have_text("")
    assert "p.retrace.any" not in tab.page.url

    # an input signature alone, right and wrong
    tab.frame.get_by_text("Or a whole input_signature").click()
    declared = tab.by_id("what-if-declare")
    declared.fill("[tf.TensorSpec([4, 10]), tf.TensorSpec([], tf.int32)]")
    expect(tab.by_id("what-if-answer")).to_contain_text("2 recorded calls would not fit")
    tab.settle()
    assert column(tab, "What if") == ["stays", "gone", "error", "gone", "gone", "error"]
    declared.fill("[tf.TensorSpec([4, 10])")
    expect(tab.by_id("what-if-answer")).to_contain_text("is not Python")
    tab.expect_complaints("what_if")
    assert tab.expected


def test_the_page_is_reached_and_left_by_keys_alone(tmp_path: Path, serve: Serve, open_tab: OpenTab) -> None:
    write_recording(tmp_path / "fit", 9, functions=1)
    tensorboard = serve(tmp_path)
    tensorboard.wait_for_traces(9)
    tab = open_tab(tensorboard)
    tab.settle(9)
    tab.by_id("trace-list").press("End")  # the avoidable first: the last one is #1
    tab.by_id("trace-list").press("ArrowUp")
    tab.settle()
    tab.page.keyboard.press("o")
    table = tab.by_id("function-table")
    expect(table).to_be_visible()
    tab.settle()
    expect(tab.by_id("function-side")).to_be_visible()
    expect(tab.by_id("called-from")).to_have_text("called at train.py:57")
    table.press("Home")
    tab.settle()
    expect(tab.by_id("trace-detail")).to_contain_text("step_0 #1")
    table.press("ArrowDown")
    tab.settle()
    expect(tab.by_id("trace-detail")).to_contain_text("step_0 #2")
    tab.page.keyboard.press("Escape")
    expect(tab.by_id("trace-detail")).to_have_count(0)
    expect(table).to_be_visible()
    tab.page.keyboard.press("?")
    expect(tab.by_id("help")).to_contain_text("then back to the traces")
    tab.page.keyboard.press("Escape")
    tab.page.keyboard.press("Escape")
    expect(tab.by_id("function-page")).to_have_count(0)
    expect(tab.by_id("trace-detail")).to_contain_text("step_0 #9")  # where it was opened from
    tab.by_id("trace-detail").get_by_test_id("open-function").press("Enter")
    expect(table).to_be_visible()
    tab.by_id("close-function").click()
    tab.by_id("trace-row").first.get_by_test_id("function-name").click()
    expect(table).to_be_visible()


def test_ten_thousand_traces_with_hundreds_of_leaves_stay_few_cells(
    tmp_path: Path, serve: Serve, open_tab: OpenTab
) -> None:
    recording = Recording(EventFile(tmp_path / "fit"))
    for number in range(10_000):
        trace = recording.trace(shape=(number + 1, 10), write=False)
        if number % 500 == 0:  # these differ in everything
            for leaf in range(200):
                argument = trace.signature.arguments.add(path=f"weights[{leaf}]")
                argument.type.CopyFrom(trace.signature.arguments[0].type)
        recording.write(trace)
    recording.end(60)
    tensorboard = serve(tmp_path)
    tensorboard.wait_for_traces(10_000)
    tab = open_tab(tensorboard, fragment="retrace&p.retrace.function=session-1/7")
    table = tab.by_id("function-table")
    expect(table).to_have_attribute("aria-rowcount", "10001", timeout=PATIENCE_MS)
    tab.settle(10_000)
    drawn = tab.frame.locator("[data-testid='function-table'] [role='gridcell']")
    assert 0 < drawn.count() < 1_000
    expect(tab.by_id("function-page")).to_contain_text("more arguments varied")  # the bound on cells, declared
    table.press("End")
    tab.settle()
    expect(tab.frame.locator("[data-testid='function-row'][data-seq='10000']")).to_be_visible()
    table.evaluate("table => (table.scrollLeft = table.scrollWidth)")
    tab.settle()
    expect(tab.frame.get_by_role("columnheader", name="First run")).to_be_in_viewport()
    assert 0 < drawn.count() < 1_000


def test_new_traces_come_into_an_open_page(tmp_path: Path, serve: Serve, open_tab: OpenTab) -> None:
    recording = Recording(EventFile(tmp_path / "fit"))
    recording.trace()
    tensorboard = serve(tmp_path)
    tensorboard.wait_for_traces(1)
    tab = open_tab(tensorboard, fragment="retrace&p.retrace.function=session-1/1")
    tab.settle(1)
    expect(tab.by_id("function-answer")).to_contain_text("was traced once")
    recording.trace(shape=(9, 10))
    expect(tab.by_id("function-row")).to_have_count(2, timeout=PATIENCE_MS)
    expect(tab.by_id("function-answer")).to_contain_text("was traced twice")
    expect(tab.by_id("varied")).to_contain_text("x")


def test_a_function_that_is_not_there_says_so_and_leads_back(tmp_path: Path, serve: Serve, open_tab: OpenTab) -> None:
    write_recording(tmp_path / "fit", 3)
    tensorboard = serve(tmp_path)
    tensorboard.wait_for_traces(3)
    tab = open_tab(tensorboard, fragment="retrace&p.retrace.function=session-1/77")
    tab.settle(3)
    expect(tab.by_id("function-error")).to_contain_text("No trace 77 in this recording")
    tab.expect_complaints("404")
    assert tab.expected
    tab.page.keyboard.press("Escape")
    expect(tab.by_id("trace-list")).to_be_visible()


def test_clicks_on_the_heads_change_the_order(tmp_path: Path, serve: Serve, open_tab: OpenTab) -> None:
    recording = Recording(EventFile(tmp_path / "fit"))
    for rows, seconds in ((1, 3), (2, 9), (3, 1)):
        recording.trace(shape=(rows, 1), trace_duration_ns=seconds * 10**8)
    recording.end(60)
    tensorboard = serve(tmp_path)
    tensorboard.wait_for_traces(3)
    tab = open_tab(tensorboard, fragment="retrace&p.retrace.function=session-1/1")
    tab.settle(3)
    rows = tab.by_id("function-row")

    def order() -> list[str | None]:
        tab.settle()
        return [row.get_attribute("data-seq") for row in rows.all()]

    assert order() == ["1", "2", "3"]
    tab.by_id("order-total").click()
    assert order() == ["2", "1", "3"]
    tab.by_id("order-total").click()
    assert order() == ["3", "1", "2"]
    assert "p.retrace.order=total" in tab.page.url
