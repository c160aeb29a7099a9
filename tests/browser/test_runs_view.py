"""Two recordings side by side in a real TensorBoard: before and after a change, and where nothing can be compared."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tb_retrace_plugin.schema import retrace_pb2 as pb
from tests.browser.axe import run_axe
from tests.browser.tab import PATIENCE_MS, Tab
from tests.support.logdirs import SECOND, STARTED_NS, EventFile, Recording
from tests.support.tensorboard_process import TensorBoard

pytestmark = pytest.mark.alone

Serve = Callable[..., TensorBoard]
OpenTab = Callable[..., Tab]
HOSTILE = "<img src=x onerror=alert(1)>"
LATER_NS = STARTED_NS + 3600 * SECOND


def begin(logdir: Path, run: str, started_ns: int = STARTED_NS, **start: Any) -> Recording:
    return Recording(EventFile(logdir / run, started_ns=started_ns), f"session-{run}", started_ns).start(**start)


def write_pair(logdir: Path) -> None:
    """`train_step` 5 → 1 traces, `evaluate` 1 → 2, `predict` once in both, `old` and `new` in one each."""
    before = begin(logdir, "before")
    for number in range(5):
        before.trace(shape=(number + 1, 10))
    for name in ("evaluate", "predict", "old"):
        before.trace(name)
    before.end(60)
    after = begin(logdir, "after", LATER_NS)
    after.trace()
    after.trace("evaluate")
    after.trace("evaluate", changes=[pb.Change(cause="dtype", path="y", old="float32", new="float64")])
    after.trace("predict")
    after.trace("new")
    after.end(60)


def open_runs(serve: Serve, open_tab: OpenTab, logdir: Path, traces: int, **options: Any) -> Tab:
    tensorboard = serve(logdir)
    tensorboard.wait_for_traces(traces)
    tab = open_tab(tensorboard, **options)
    tab.settle(traces)
    return tab


def cells(tab: Tab, function: str) -> list[str]:
    row = tab.frame.locator(f"[data-testid='runs-row'][data-function='{function}']")
    return [" ".join(text.split()) for text in row.locator("th, td").all_inner_texts()]


def test_before_and_after_a_fix(tmp_path: Path, serve: Serve, open_tab: OpenTab) -> None:
    write_pair(tmp_path)
    tab = open_runs(serve, open_tab, tmp_path, 13)
    tab.by_id("compare-runs").click()
    tab.settle()
    # the older one is on the left, without being asked
    expect(tab.by_id("pick-run-a")).to_have_value("session-before")
    expect(tab.by_id("pick-run-b")).to_have_value("session-after")
    answer = tab.by_id("runs-answer")
    expect(answer.locator("h1")).to_have_text(
        "evaluate was traced once and is now traced twice; 1 function less often: "
        "800 ms lost to retraces before, 200 ms after."
    )
    detail = "No longer a cause of retraces: shape. A new cause of retraces: dtype."
    expect(tab.by_id("runs-detail")).to_have_text(detail)
    expect(tab.by_id("runs-totals").locator("dd").first).to_have_text("before: 8 → , after: 5")
    expect(tab.by_id("runs-worse")).to_contain_text("evaluate")
    expect(tab.by_id("runs-better")).to_contain_text("train_step")
    expect(tab.by_id("runs-new")).to_contain_text("new")
    expect(tab.by_id("runs-gone")).to_contain_text("old")
    assert cells(tab, "train_step")[2:] == ["5 → 1", "800 ms → 0 s", "1.00 s → 200 ms", "S shape 4 → 0 gone"]
    assert cells(tab, "evaluate")[2:] == ["1 → 2", "0 s → 200 ms", "200 ms → 400 ms", "D dtype 0 → 1 new"]
    assert cells(tab, "old")[2:4] == ["1 → –", "0 s → –"]
    # what is the same is folded away, until it is asked for: the URL keeps that
    assert cells(tab, "predict") == []
    tab.by_id("toggle-same").click()
    tab.by_id("bars-seconds").click()
    assert cells(tab, "predict")[2] == "1 → 1"
    tab.settle()
    tab.page.wait_for_function("location.hash.includes('p.retrace.bars=seconds')")
    tab.page.reload()
    tab.settle()
    assert cells(tab, "predict")[2] == "1 → 1"
    expect(tab.by_id("bars-seconds")).to_have_attribute("aria-pressed", "true")


def test_bars_are_to_a_common_scale_and_differ_in_more_than_colour(
    tmp_path: Path, serve: Serve, open_tab: OpenTab
) -> None:
    write_pair(tmp_path)
    tab = open_runs(serve, open_tab, tmp_path, 13, fragment="retrace&p.retrace.runs=session-before..session-after")
    expect(tab.by_id("runs-table")).to_be_visible()

    def bars(function: str) -> list[float]:
        row = tab.frame.locator(f"[data-testid='runs-row'][data-function='{function}']")
        widths: list[float] = row.locator(".paired-bars i").evaluate_all(
            "bars => bars.map(bar => bar.getBoundingClientRect().width / bar.parentElement.clientWidth)"
        )
        return widths

    assert bars("train_step") == pytest.approx([1, 1 / 5], abs=0.01)
    assert bars("evaluate") == pytest.approx([1 / 5, 2 / 5], abs=0.01)
    assert bars("old") == pytest.approx([1 / 5, 0], abs=0.01)
    tab.by_id("bars-seconds").click()
    tab.settle()
    assert bars("train_step") == pytest.approx([1, 0], abs=0.01)
    assert bars("evaluate") == pytest.approx([0, 1 / 4], abs=0.01)
    fills = tab.frame.locator("[data-function='train_step'] .paired-bars i").evaluate_all(
        "bars => bars.map(bar => getComputedStyle(bar).backgroundImage.split('(')[0])"
    )
    assert fills == ["repeating-linear-gradient", "none"]


def test_from_a_number_to_its_traces_and_back(tmp_path: Path, serve: Serve, open_tab: OpenTab) -> None:
    write_pair(tmp_path)
    tab = open_runs(serve, open_tab, tmp_path, 13)
    tab.by_id("compare-runs").click()
    tab.settle()
    tab.frame.locator("[data-function='train_step']").get_by_test_id("traces-a").click()
    tab.settle()
    expect(tab.by_id("trace-row")).to_have_count(5)
    assert set(tab.by_id("trace-row").evaluate_all("rows => rows.map(row => row.dataset.session)")) == {
        "session-before"
    }
    expect(tab.by_id("change-table")).to_be_visible()  # the costliest is chosen: why it was traced is on the screen
    expect(tab.by_id("session-picker")).to_have_value("session-before")
    # the picked one is one of the two
    tab.by_id("compare-runs").click()
    tab.settle()
    expect(tab.by_id("pick-run-a")).to_have_value("session-before")
    tab.by_id("swap-runs").click()
    tab.settle()
    expect(tab.by_id("runs-answer").locator("h1")).to_contain_text(
        "train_step was traced once and is now traced 5 times"
    )
    tab.page.keyboard.press("Escape")
    expect(tab.by_id("timeline")).to_be_visible()
    tab.by_id("compare-runs").click()
    tab.settle()
    tab.frame.locator("[data-function='train_step']").get_by_test_id("open-function").click()
    tab.settle()
    tab.page.wait_for_function("location.hash.includes('p.retrace.function=session-after%2F1')")
    expect(tab.by_id("runs")).to_have_count(0)


def test_what_is_recorded_meanwhile_shows(tmp_path: Path, serve: Serve, open_tab: OpenTab) -> None:
    before = begin(tmp_path, "before")
    before.trace()
    before.end(60)
    after = begin(tmp_path, "after", LATER_NS)
    after.trace()
    tab = open_runs(serve, open_tab, tmp_path, 2)
    tab.by_id("compare-runs").click()
    tab.settle()
    expect(tab.by_id("runs-answer").locator("h1")).to_contain_text("Every function was traced as often in both")
    expect(tab.by_id("runs-notices")).to_contain_text("A recording after has no end")
    after.trace(shape=(7, 7))
    title = tab.by_id("runs-answer").locator("h1")
    expect(title).to_contain_text("train_step was traced once and is now traced twice", timeout=PATIENCE_MS)


def test_a_hundred_functions(tmp_path: Path, serve: Serve, open_tab: OpenTab) -> None:
    for run, started_ns in (("before", STARTED_NS), ("after", LATER_NS)):
        recording = begin(tmp_path, run, started_ns)
        for number in range(100):
            for repeat in range(3 if number % 10 == 0 and run == "before" else 1):
                recording.trace(f"layer_{number}", shape=(repeat + 1, 2))
        recording.end(600)
    tab = open_runs(serve, open_tab, tmp_path, 220)
    tab.by_id("compare-runs").click()
    tab.settle()
    expect(tab.by_id("runs-row")).to_have_count(10)
    expect(tab.by_id("runs-answer").locator("h1")).to_contain_text("9 other functions less often too")
    expect(tab.by_id("runs-detail")).to_contain_text("Nothing that is in both is traced more often.")
    tab.by_id("toggle-same").click()
    expect(tab.by_id("runs-row")).to_have_count(100)
    tab.by_id("runs-row").last.scroll_into_view_if_needed()
    expect(tab.by_id("runs-row").last).to_be_in_viewport()


def test_the_workers_of_a_launch_count_together(tmp_path: Path, serve: Serve, open_tab: OpenTab) -> None:
    for number in range(2):
        worker = Recording(EventFile(tmp_path / "fit", pid=number), f"w{number}").start(worker=number)
        worker.trace()
        worker.end(60)
    one = begin(tmp_path, "alone", LATER_NS)
    one.trace()
    one.end(60)
    tab = open_runs(serve, open_tab, tmp_path, 3)
    tab.by_id("compare-runs").click()
    tab.settle()
    expect(tab.by_id("pick-run-a")).to_have_value("w0,w1")
    expect(tab.by_id("pick-run-a").locator("option:checked")).to_contain_text("2 workers")
    assert cells(tab, "train_step")[2] == "2 → 1"
    expect(tab.by_id("runs-notices")).to_contain_text("The one has 2 sessions, the other 1")


def test_one_recording_cannot_be_compared(tmp_path: Path, serve: Serve, open_tab: OpenTab) -> None:
    begin(tmp_path, "before").trace()
    tab = open_runs(serve, open_tab, tmp_path, 1, fragment="retrace&p.retrace.runs=session-before..session-after")
    expect(tab.by_id("runs-only-one")).to_contain_text("There is only one recording here")
    tab.by_id("close-runs").click()
    expect(tab.by_id("timeline")).to_be_visible()
    expect(tab.by_id("compare-runs")).to_have_count(0)


def test_the_same_twice_and_what_is_not_there(tmp_path: Path, serve: Serve, open_tab: OpenTab) -> None:
    write_pair(tmp_path)
    tab = open_runs(serve, open_tab, tmp_path, 13, fragment="retrace&p.retrace.runs=session-after..session-after")
    expect(tab.by_id("runs-same")).to_contain_text("the same recording twice")
    tab.by_id("pick-run-a").select_option("session-before")
    tab.settle()
    expect(tab.by_id("runs-table")).to_be_visible()
    gone = open_tab(serve(tmp_path), fragment="retrace&p.retrace.runs=session-elsewhere..session-after")
    expect(gone.by_id("runs-error")).to_contain_text("No such recording below this logdir", timeout=PATIENCE_MS)
    gone.by_id("pick-run-a").select_option("session-before")
    expect(gone.by_id("runs-table")).to_be_visible()
    gone.expect_complaints("404")
    assert gone.expected


def test_nothing_in_common_and_hostile_names(tmp_path: Path, serve: Serve, open_tab: OpenTab) -> None:
    before = begin(tmp_path, "before", program=f"/{HOSTILE}.py")
    before.trace(HOSTILE)
    before.trace(HOSTILE, changes=[pb.Change(cause=HOSTILE, path="x", old="1", new="2")])
    before.end(60)
    after = begin(tmp_path, "after", LATER_NS)
    after.trace("other")
    after.end(60)
    tab = open_runs(serve, open_tab, tmp_path, 3)
    tab.by_id("compare-runs").click()
    tab.settle()
    expect(tab.by_id("runs-answer").locator("h1")).to_contain_text("No function was traced in both recordings")
    expect(tab.by_id("runs-apart")).to_be_visible()
    expect(tab.by_id("runs-gone")).to_contain_text(HOSTILE)
    assert tab.frame.locator("img").count() == 0


@pytest.mark.parametrize("dark", [False, True])
def test_axe_finds_nothing(tmp_path: Path, serve: Serve, open_tab: OpenTab, dark: bool) -> None:
    write_pair(tmp_path)
    tab = open_runs(serve, open_tab, tmp_path, 13, fragment="retrace&p.retrace.runs=session-before..session-after")
    tab.set_dark(dark)
    expect(tab.by_id("runs-table")).to_be_visible()
    found = run_axe(tab.frame)
    assert found["passes"] > 10
    assert found["violations"] == []
