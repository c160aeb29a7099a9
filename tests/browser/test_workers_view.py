"""The workers of one job in a real TensorBoard: who traced what, who was waited for, and what cannot be said."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.axe import run_axe
from tests.browser.tab import PATIENCE_MS, Tab
from tests.support.logdirs import SECOND, STARTED_NS, EventFile, Recording
from tests.support.tensorboard_process import TensorBoard

pytestmark = pytest.mark.alone

Serve = Callable[..., TensorBoard]
OpenTab = Callable[..., Tab]
HOSTILE = "<img src=x onerror=alert(1)>"


def begin(logdir: Path, number: int, launch: int = 0, run: str = "fit") -> Recording:
    started = STARTED_NS + launch * 3600 * SECOND + number
    file = EventFile(logdir / run / f"{launch}-{number}", started_ns=started, pid=4000 + number)
    # where a recorder of several workers writes
    home = logdir / run / "retrace" / f"worker{number}"
    home.mkdir(parents=True, exist_ok=True)
    file.path.rename(home / file.path.name)
    file.path.parent.rmdir()
    (logdir / run / f"{launch}-{number}").rmdir()
    return Recording(file, f"w{launch}-{number}", started).start(worker=number)


def trace(recording: Recording, step: int | None, seconds: float, name: str = "train_step", **fields: Any) -> None:
    shape = (len(recording.traces) + 1, 10)
    fields = {"collective_tasks": 2, "step": step, "trace_duration_ns": int(seconds * SECOND), **fields}
    recording.trace(name, shape=shape, **fields)


def write_job(logdir: Path, workers: int = 2, **fields: Any) -> int:
    """The last worker traces `train_step` again at steps 1 to 11, 0.7 s each. Returns how many traces there are."""
    traces = 0
    for number in range(workers):
        recording = begin(logdir, number, **fields)
        for step in range(12 if number == workers - 1 else 1):
            trace(recording, step, 0.7 if step else 1.2)
        trace(recording, 11, 0.3, "evaluate")
        trace(recording, 11, 0.1, "map_fn")
        recording.end(60)
        traces += len(recording.traces)
    return traces


def open_workers(serve: Serve, open_tab: OpenTab, logdir: Path, traces: int, **options: Any) -> Tab:
    tensorboard = serve(logdir)
    tensorboard.wait_for_traces(traces)
    tab = open_tab(tensorboard, **options)
    tab.settle(traces)
    return tab


def cells(tab: Tab, function: str) -> list[str]:
    row = tab.frame.locator(f"[data-testid='workers-row'][data-function='{function}']")
    return [" ".join(text.split()) for text in row.locator("td").all_inner_texts()]


def test_the_straggler_is_named_and_its_trace_a_click_away(tmp_path: Path, serve: Serve, open_tab: OpenTab) -> None:
    tab = open_workers(serve, open_tab, tmp_path, write_job(tmp_path))
    expect(tab.by_id("notices")).to_contain_text("fit: the workers did not trace alike.")
    tab.by_id("open-workers").click()
    tab.settle()
    tab.page.wait_for_function("location.hash.includes('p.retrace.workers=w0-0')")
    answer = tab.by_id("workers-answer")
    expect(answer.locator("h1")).to_have_text(
        "Worker 1 traced train_step 12 times, worker 0 once: worker 0 waited up to 7.7 s for worker 1."
    )
    expect(tab.by_id("workers-difference")).to_contain_text(
        "First difference: Worker 1: train_step was traced again at step 1 because x changed shape"
    )
    assert cells(tab, "train_step") == ["1 trace · 1.20 s", "12 traces · 8.90 s", "7.70 s"]
    assert cells(tab, "evaluate") == ["1 trace · 300 ms", "1 trace · 300 ms", "–"]
    marked = tab.by_id("workers-row").evaluate_all(
        "rows => rows.filter(row => row.textContent.includes('≠')).map(row => row.dataset.function)"
    )
    assert marked == ["train_step"]
    feet = [" ".join(text.split()) for text in tab.by_id("workers-table").locator("tfoot tr").all_inner_texts()]
    assert feet[1:] == ["Waited for others, up to 7.70 s –", "Kept others waiting, up to – 7.70 s"]
    expect(tab.by_id("workers-step")).to_have_count(11)
    expect(tab.by_id("workers-evidence")).to_contain_text("collective operations of 2 processes")
    tab.by_id("workers-step").first.get_by_role("button").click()
    tab.settle()
    expect(tab.by_id("session-picker")).to_have_value("w0-1")
    expect(tab.by_id("trace-row")).to_have_count(12)
    expect(tab.by_id("change-table")).to_be_visible()
    tab.by_id("open-workers").click()  # the picked worker's job
    expect(answer).to_be_visible()
    tab.page.keyboard.press("?")
    expect(tab.by_id("help")).to_contain_text("The workers did not trace it alike")
    tab.page.keyboard.press("Escape")
    expect(tab.by_id("help")).to_have_count(0)
    tab.page.keyboard.press("Escape")
    expect(tab.by_id("timeline")).to_be_visible()


def test_nothing_is_said_of_waiting_where_it_is_not_known(tmp_path: Path, serve: Serve, open_tab: OpenTab) -> None:
    for number in range(2):
        recording = begin(tmp_path, number)
        for step in range(number + 1):
            trace(recording, step, 1, collective_tasks=0)
        recording.end(60)
    tab = open_workers(serve, open_tab, tmp_path, 3, fragment="retrace&p.retrace.workers=w0-1")
    heading = tab.by_id("workers-answer").locator("h1")
    expect(heading).to_contain_text(
        "Worker 1 traced train_step twice, worker 0 once. How long they waited for one another"
    )
    expect(tab.by_id("workers-table")).not_to_contain_text("aited")
    expect(tab.by_id("workers-steps")).to_have_count(0)
    expect(tab.by_id("workers-evidence")).to_contain_text("no graph was recorded")


def test_another_launch_and_what_is_recorded_meanwhile(tmp_path: Path, serve: Serve, open_tab: OpenTab) -> None:
    traces = write_job(tmp_path)
    live = [begin(tmp_path, number, launch=1) for number in range(2)]
    for recording in live:
        trace(recording, 0, 1)
    tab = open_workers(serve, open_tab, tmp_path, traces + 2, fragment="retrace&p.retrace.workers=w0-0")
    tab.by_id("pick-job").select_option("w1-0")
    heading = tab.by_id("workers-answer").locator("h1")
    expect(heading).to_contain_text("The workers traced the same functions")
    expect(tab.by_id("workers-notices")).to_contain_text("Workers 0 and 1 have no end recorded")
    trace(live[1], 7, 2)
    expect(heading).to_contain_text("worker 0 waited up to 2.0 s for worker 1", timeout=PATIENCE_MS)


def test_many_workers_and_functions_come_in_parts(tmp_path: Path, serve: Serve, open_tab: OpenTab) -> None:
    for number in range(20):
        recording = begin(tmp_path, number)
        for function in range(110 if number == 0 else 1):
            trace(recording, 0, 0.1, f"layer_{function}")
        recording.end(60)
    tab = open_workers(serve, open_tab, tmp_path, 129, fragment="retrace&p.retrace.workers=w0-3")
    expect(tab.by_id("workers-row")).to_have_count(100)
    expect(tab.by_id("workers-table").locator("thead th")).to_have_count(10)
    tab.by_id("more-functions").click()
    tab.by_id("more-workers").click()
    expect(tab.by_id("workers-row")).to_have_count(110)
    expect(tab.by_id("workers-table").locator("thead th")).to_have_count(22)


def test_what_is_no_job_says_so(tmp_path: Path, serve: Serve, open_tab: OpenTab) -> None:
    recording = Recording(EventFile(tmp_path / "fit"), "alone").start()
    recording.trace()
    recording.end(60)
    tab = open_workers(serve, open_tab, tmp_path, 1, fragment="retrace&p.retrace.workers=alone")
    expect(tab.by_id("workers-error")).to_contain_text("This recording is no worker's")
    tab.by_id("close-workers").click()
    expect(tab.by_id("timeline")).to_be_visible()
    expect(tab.by_id("open-workers")).to_have_count(0)
    tab.expect_complaints("404")
    assert tab.expected


def test_hostile_names_are_text(tmp_path: Path, serve: Serve, open_tab: OpenTab) -> None:
    for number in range(2):
        recording = begin(tmp_path, number)
        for step in range(number + 1):
            trace(recording, step, 1, HOSTILE)
        recording.end(60)
    tab = open_workers(serve, open_tab, tmp_path, 3, fragment="retrace&p.retrace.workers=w0-0")
    expect(tab.by_id("workers-table")).to_contain_text(HOSTILE)
    expect(tab.by_id("workers-steps")).to_contain_text(HOSTILE)
    assert tab.frame.locator("img").count() == 0


@pytest.mark.parametrize("dark", [False, True])
def test_axe_finds_nothing(tmp_path: Path, serve: Serve, open_tab: OpenTab, dark: bool) -> None:
    traces = write_job(tmp_path)
    tab = open_workers(serve, open_tab, tmp_path, traces, fragment="retrace&p.retrace.workers=w0-0")
    tab.set_dark(dark)
    expect(tab.by_id("workers-table")).to_be_visible()
    found = run_axe(tab.frame)
    assert found["passes"] > 10
    assert found["violations"] == []
