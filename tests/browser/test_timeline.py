"""The timeline and what surrounds it, in a real TensorBoard and a real browser."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote

import pytest
from playwright.sync_api import Locator, Response, expect

from tests.browser.tab import PATIENCE_MS, Tab
from tests.support.busy_logdir import write_busy_recording
from tests.support.logdirs import SECOND, EventFile, Recording
from tests.support.tensorboard_process import TensorBoard

pytestmark = pytest.mark.alone

Serve = Callable[..., TensorBoard]
OpenTab = Callable[..., Tab]
MIB = 1 << 20


def open_recording(logdir: Path, traces: int, serve: Serve, open_tab: OpenTab, **options: object) -> Tab:
    tensorboard = serve(logdir)
    tensorboard.wait_for_traces(traces)
    tab = open_tab(tensorboard, **options)
    tab.settle(traces)
    return tab


def shown(tab: Tab) -> str:
    """What the line above the timeline says of the filters."""
    tab.settle()
    return tab.by_id("filtered-line").inner_text().replace("\u202f", "")


def plot_of(tab: Tab) -> Locator:
    return tab.by_id("timeline").get_by_role("listbox")


def box_of(locator: Locator) -> tuple[float, float, float, float]:
    box = locator.bounding_box()
    assert box is not None
    return box["x"], box["y"], box["width"], box["height"]


def two_workers(logdir: Path) -> None:
    """Two workers of one run, and another run: six traces."""
    for run, worker in (("fit", 0), ("fit", 1), ("eval", None)):
        directory = logdir / run if worker is None else logdir / run / f"w{worker}"
        recording = Recording(EventFile(directory), f"session-{run}-{worker or 0}").start(worker=worker)
        recording.trace("train_step", step=1)
        recording.trace("train_step", shape=(7, 10), step=50)
        recording.end(10)


def test_every_filter_narrows_is_said_and_is_in_the_url(tmp_path: Path, serve: Serve, open_tab: OpenTab) -> None:
    two_workers(tmp_path)
    tab = open_recording(tmp_path, 6, serve, open_tab)
    expect(tab.by_id("filtered-line")).to_have_count(0)
    expect(tab.by_id("further-filters")).to_have_count(0)
    tab.by_id("more-filters").click()
    for test_id, act, traces, words, parameter in (
        ("filter-verdict", lambda: tab.frame.locator("[data-verdict=avoidable]").click(), 3, "avoidable", "verdicts"),
        ("filter-worker", lambda: tab.by_id("filter-worker").select_option("1"), 2, "worker 1", "worker"),
        ("filter-run", lambda: tab.by_id("filter-run").select_option("eval"), 2, "run eval", "run"),
        ("filter-function", lambda: tab.by_id("filter-function").select_option(index=1), 6, "train_step in", "only"),
        ("filter-step-from", lambda: fill(tab, "filter-step-from", "2"), 3, "from step 2 on", "steps"),
        ("search", lambda: tab.by_id("search").fill("(7, 10)"), 3, "(7, 10)", "q"),
    ):
        act()
        assert f"Filtered: {traces} of 6" in shown(tab), test_id
        assert words in shown(tab), test_id
        expect(tab.by_id("trace-row")).to_have_count(traces)
        wait_for_url(tab, f"p.retrace.{parameter}=")
        tab.by_id("show-all").click()
        expect(tab.by_id("filtered-line")).to_have_count(0)
        expect(tab.by_id("trace-row")).to_have_count(6)


def fill(tab: Tab, test_id: str, text: str) -> None:
    tab.by_id(test_id).fill(text)
    tab.by_id(test_id).press("Enter")


def wait_for_url(tab: Tab, part: str) -> None:
    tab.page.wait_for_url(lambda url: part in unquote(url), timeout=PATIENCE_MS)


def test_filters_view_and_sum_survive_a_reload(tmp_path: Path, serve: Serve, open_tab: OpenTab) -> None:
    write_busy_recording(tmp_path / "fit", 30, functions=6, steps=200)
    tab = open_recording(tmp_path, 30, serve, open_tab)
    tab.by_id("avoidable-only").click()
    for key in ("w", "w", "w", "e"):
        tab.page.keyboard.press(key)
    tab.settle()
    for part in ("p.retrace.verdicts=avoidable", "p.retrace.view=", "p.retrace.area="):
        wait_for_url(tab, part)
    said = [tab.by_id(name).inner_text() for name in ("filtered-line", "timeline-status", "area-bar")]
    tab.page.reload()
    tab.settle(30)
    assert [tab.by_id(name).inner_text() for name in ("filtered-line", "timeline-status", "area-bar")] == said


def test_a_long_training_opens_where_its_traces_are(tmp_path: Path, serve: Serve, open_tab: OpenTab) -> None:
    """They are often in its first seconds alone; the whole is a key away, and stays after a reload."""
    recording = Recording(EventFile(tmp_path / "fit")).start()
    for step in range(8):
        recording.trace("train_step", shape=(step, 10), step=step)
    recording.end(7200)
    tab = open_recording(tmp_path, 8, serve, open_tab)
    x, y, width, _ = box_of(plot_of(tab))

    def right_part_has_traces() -> bool:
        for percent in range(60, 100, 2):
            tab.page.mouse.move(x + percent / 100 * width, y + 20)
            if tab.frame.locator(".tooltip").count():
                return True
        return False

    def status() -> Locator:
        return tab.by_id("timeline-status")

    expect(status()).to_contain_text(re.compile(r"s of 2.+ · 8 traces, 1 function$"))
    assert right_part_has_traces()
    tab.page.keyboard.press("0")
    expect(status()).to_have_text("8 traces, 1 function")
    wait_for_url(tab, "p.retrace.view=whole")
    assert not right_part_has_traces()
    tab.page.reload()
    tab.settle(8)
    expect(status()).to_have_text("8 traces, 1 function")
    tab.page.keyboard.press("0")
    expect(status()).to_contain_text(" of 2")


def test_workers_and_runs_have_their_rows_together_under_their_name(
    tmp_path: Path, serve: Serve, open_tab: OpenTab
) -> None:
    two_workers(tmp_path)
    tab = open_recording(tmp_path, 6, serve, open_tab, height=1400)
    headings = tab.by_id("timeline-session")
    expect(headings).to_have_count(3)
    assert sorted(headings.all_inner_texts()) == ["eval", "fit/w0 · worker 0", "fit/w1 · worker 1"]
    tops = [box_of(heading)[1] for heading in headings.all()]
    rows = [box_of(row)[1] for row in tab.by_id("timeline-row").all()]
    assert len(rows) == 3
    for top, row in zip(sorted(tops), sorted(rows), strict=True):
        assert 0 < row - top < 40  # each heading right above its row


def nested_recording(directory: Path) -> None:
    recording = Recording(EventFile(directory))
    start = recording.started_ns
    outer = recording.trace("outer", time_ns=start, trace_duration_ns=8 * SECOND, write=False)
    recording.trace(
        "inner", time_ns=start + 2 * SECOND, trace_duration_ns=4 * SECOND, nested=True, parent_seq=1, step=None
    )
    outer.nested_duration_ns = 4 * SECOND
    recording.write(outer)
    recording.end(10)


def test_a_nested_trace_lies_inside_the_one_that_it_happened_in(
    tmp_path: Path, serve: Serve, open_tab: OpenTab
) -> None:
    nested_recording(tmp_path / "fit")
    tab = open_recording(tmp_path, 2, serve, open_tab)
    names = [row.get_attribute("data-function") for row in tab.by_id("timeline-row").all()]
    plot = plot_of(tab)
    _, _, width, _ = box_of(plot)
    tooltip = tab.frame.locator(".tooltip")
    outer_y = 42 * names.index("outer")
    plot.hover(position={"x": width * 0.4, "y": outer_y + 12})
    expect(tooltip).to_contain_text("outer #1")
    plot.hover(position={"x": width * 0.4, "y": outer_y + 34})
    expect(tooltip).to_contain_text("inner #1")
    plot.click(position={"x": width * 0.4, "y": outer_y + 34})
    expect(tab.row(2)).to_have_attribute("aria-selected", "true")


def test_a_part_of_the_axis_is_summed_up_in_words(tmp_path: Path, serve: Serve, open_tab: OpenTab) -> None:
    nested_recording(tmp_path / "fit")
    tab = open_recording(tmp_path, 2, serve, open_tab)
    bar = tab.by_id("area-bar")
    expect(bar).to_have_count(0)
    tab.page.keyboard.press("e")
    expect(bar).to_contain_text("2 traces of 2 functions began here: 8.00 s, 8.00 s tracing.")
    expect(bar).to_contain_text("Process memory: +3.81 MiB in 1 trace.")
    expect(bar).to_contain_text("Only steps 10–10")
    # Shift and drag: from before the nested trace to the end
    x, y, width, _ = box_of(plot_of(tab))
    tab.page.keyboard.down("Shift")
    tab.page.mouse.move(x + width * 0.12, y + 20)
    tab.page.mouse.down()
    tab.page.mouse.move(x + width * 0.5, y + 25, steps=4)
    tab.page.mouse.up()
    tab.page.keyboard.up("Shift")
    expect(bar).to_contain_text("1 trace of 1 function began here: 4.00 s, 4.00 s tracing.")
    tab.page.keyboard.press("Escape")
    expect(bar).to_have_count(0)


def test_the_memory_curve_says_what_grew_while_traces_ran(tmp_path: Path, serve: Serve, open_tab: OpenTab) -> None:
    recording = Recording(EventFile(tmp_path / "fit"))
    memory = 1000 * MIB
    for number in range(4):
        recording.trace("step", shape=(number, 3), memory_before_bytes=memory, memory_after_bytes=memory + 3 * MIB)
        memory += 5 * MIB  # 2 MiB of it between traces
    recording.trace("step", memory_before_bytes=0, memory_after_bytes=0)
    recording.end(10)
    tab = open_recording(tmp_path, 5, serve, open_tab)
    expect(tab.by_id("memory-growth")).to_have_text("+12.0 MiB in 4 traces, 3.00 MiB each")
    canvas = tab.by_id("memory-track").locator("canvas")
    _, _, width, _ = box_of(canvas)
    canvas.hover(position={"x": width * 0.305, "y": 30})
    tooltip = tab.frame.locator(".tooltip")
    expect(tooltip).to_contain_text("step #3")
    expect(tooltip).to_contain_text("1010 MiB → 1013 MiB, +3.00 MiB")
    canvas.click(position={"x": width * 0.305, "y": 30})
    expect(tab.row(3)).to_have_attribute("aria-selected", "true")
    tab.by_id("search").fill("(2, 3)")
    expect(tab.by_id("memory-growth")).to_have_text(re.compile(r"^\+6\.00 MiB in 2 traces"))
    tab.by_id("search").fill("")
    tab.by_id("search").blur()
    tab.page.keyboard.press("m")
    expect(tab.by_id("memory-track")).to_have_count(0)
    wait_for_url(tab, "p.retrace.memory=0")
    tab.page.keyboard.press("m")
    expect(tab.by_id("memory-track")).to_be_visible()


def test_a_recording_without_readings_has_no_memory_curve(tmp_path: Path, serve: Serve, open_tab: OpenTab) -> None:
    recording = Recording(EventFile(tmp_path / "fit"))
    recording.trace(memory_before_bytes=0, memory_after_bytes=0)
    recording.end(10)
    tab = open_recording(tmp_path, 1, serve, open_tab)
    expect(tab.by_id("memory-track")).to_have_count(0)


def test_a_trace_in_a_profile_session_says_so(tmp_path: Path, serve: Serve, open_tab: OpenTab) -> None:
    recording = Recording(EventFile(tmp_path / "fit"))
    recording.trace()
    recording.trace(shape=(7, 10), profiled=True)
    recording.end(4)
    tab = open_recording(tmp_path, 2, serve, open_tab)
    plot = plot_of(tab)
    _, _, width, _ = box_of(plot)
    pixels = "([canvas, x, y]) => [...canvas.getContext('2d').getImageData(x, y, 1, 1).data]"
    canvas = plot.locator("canvas").element_handle()
    inside, outside = (tab.frame.evaluate(pixels, [canvas, x, 4]) for x in (int(width * 0.522), int(width * 0.8)))
    assert inside != outside  # the band behind the row
    plot.hover(position={"x": width * 0.52, "y": 20})
    expect(tab.frame.locator(".tooltip")).to_contain_text("Profile session")


def test_what_one_more_trace_costs_does_not_depend_on_how_many_there_are(
    tmp_path: Path, serve: Serve, open_tab: OpenTab
) -> None:
    sizes: dict[int, list[int]] = {}
    for traces in (50, 2_000):
        recording = write_busy_recording(tmp_path / str(traces) / "fit", traces, functions=40)
        tab = open_recording(tmp_path / str(traces), traces, serve, open_tab)
        answers: list[Response] = []
        tab.page.on("response", lambda response, into=answers: into.append(response))
        late = Recording(EventFile(tmp_path / str(traces) / "fit"))  # the same file, written on
        late.started, late.traces = True, list(recording.traces)
        late.trace("train_step")
        tab.settle(traces + 1)
        of_tab = [answer for answer in answers if "/digest?" in answer.url]
        assert all("since=" in answer.url for answer in of_tab)
        sizes[traces] = [len(answer.body()) for answer in of_tab if answer.json()["traces"]["seq"]]
        tab.page.close()
    assert len(sizes[50]) == len(sizes[2_000]) == 1
    assert sizes[2_000][0] < sizes[50][0] * 1.2


@pytest.mark.parametrize(("width", "height"), [(600, 800), (1100, 600)])
def test_small_windows_keep_the_timeline_usable(
    tmp_path: Path, serve: Serve, open_tab: OpenTab, width: int, height: int
) -> None:
    write_busy_recording(tmp_path / "fit", 30, functions=6, steps=200)
    tab = open_recording(tmp_path, 30, serve, open_tab, width=width, height=height)
    wide = tab.frame.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
    assert wide[0] <= wide[1]  # nothing beyond the right edge
    rows = tab.frame.locator(".timeline-body")
    rows.scroll_into_view_if_needed()
    _, _, _, tall = box_of(rows)
    assert tall >= 80
    tab.by_id("timeline-row").first.click()
    expect(tab.by_id("trace-detail")).to_contain_text("traced", timeout=PATIENCE_MS)
