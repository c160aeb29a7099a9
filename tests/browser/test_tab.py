"""The Retrace tab in a real TensorBoard and a real browser."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.picture import layout_problems
from tests.browser.tab import PATIENCE_MS, Tab
from tests.support.logdirs import EventFile, Recording, write_recording
from tests.support.tensorboard_process import TensorBoard

Serve = Callable[..., TensorBoard]
OpenTab = Callable[..., Tab]


@pytest.mark.parametrize("load_fast", ["true", "false"])
@pytest.mark.parametrize("traces", [1, 30])
def test_every_trace_is_shown(tmp_path: Path, serve: Serve, open_tab: OpenTab, traces: int, load_fast: str) -> None:
    write_recording(tmp_path / "fit", traces)
    tensorboard = serve(tmp_path, f"--load_fast={load_fast}")
    digest = tensorboard.wait_for_traces(traces)
    tab = open_tab(tensorboard, height=1600)
    tab.settle(traces)
    expect(tab.by_id("verdict")).to_contain_text(digest["summary"]["sentence"].replace("`", ""))
    expect(tab.by_id("timeline")).to_be_visible()
    seen: set[int] = set()
    rows = tab.by_id("trace-row")
    for _ in range(20):
        seen |= {int(seq) for seq in rows.evaluate_all("rows => rows.map(row => row.dataset.seq)")}
        if len(seen) >= traces:
            break
        rows.last.scroll_into_view_if_needed()
        rows.last.hover()
        tab.page.mouse.wheel(0, 300)
        tab.settle()
    assert seen == set(range(1, traces + 1))


def test_ten_thousand_traces_are_held_and_the_list_stays_short(tmp_path: Path, serve: Serve, open_tab: OpenTab) -> None:
    write_recording(tmp_path / "fit", 10_000, functions=40)
    tensorboard = serve(tmp_path)
    tensorboard.wait_for_traces(10_000)
    tab = open_tab(tensorboard)
    tab.settle(10_000)
    assert 0 < tab.by_id("trace-row").count() < 200
    expect(tab.by_id("verdict")).to_contain_text("40 functions were traced again, 9,960 retraces")


#: Whether something is on the timeline's canvas at the first moment at which the tab says that it is idle.
_AT_FIRST_IDLE = """
  addEventListener("DOMContentLoaded", () => {
    const root = document.documentElement;
    const look = () => {
      if (root.dataset.retraceIdle !== "true" || !Number(root.dataset.retraceTraces)) return;
      observer.disconnect();
      const canvas = document.querySelector(".timeline-plot canvas");
      const { data } = canvas ? canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height) : { data: [] };
      window.drawnAtFirstIdle = data.some((value) => value !== 0);
    };
    const observer = new MutationObserver(look);
    observer.observe(root, { attributes: true });
  });
"""


def test_it_says_idle_when_all_is_drawn(tmp_path: Path, serve: Serve, open_tab: OpenTab) -> None:
    write_recording(tmp_path / "fit", 30)
    tensorboard = serve(tmp_path)
    tensorboard.wait_for_traces(30)
    tab = open_tab(tensorboard, prepare=lambda page: page.add_init_script(_AT_FIRST_IDLE))
    tab.settle(30)
    assert tab.frame.evaluate("window.drawnAtFirstIdle") is True


@pytest.mark.parametrize("width", [1280, 1920])
@pytest.mark.alone
def test_numbers_of_long_runs_are_whole_in_the_list(
    width: int, tmp_path: Path, serve: Serve, open_tab: OpenTab
) -> None:
    recording = Recording(EventFile(tmp_path / "fit"))
    for number in range(1, 1_201):
        recording.trace(shape=(number, 10), step=number * 10_000, time_ns=recording.started_ns + number * 300 * 10**9)
    recording.end(500_000)
    tensorboard = serve(tmp_path)
    tensorboard.wait_for_traces(1_200)
    tab = open_tab(tensorboard)
    tab.resize(width, 900)
    tab.settle(1_200)
    tab.by_id("trace-list").press("End")
    tab.settle()
    expect(tab.by_id("trace-list")).to_contain_text("12\u202f000\u202f000")
    expect(tab.by_id("trace-list")).to_contain_text("1\u202f200")
    assert layout_problems(tab.frame) == []


@pytest.mark.alone
def test_a_chosen_trace_says_why_where_and_at_what_cost(tmp_path: Path, serve: Serve, open_tab: OpenTab) -> None:
    recording = Recording(EventFile(tmp_path / "fit"))
    recording.trace(shape=(32, 10))
    recording.trace(shape=(7, 10), source="loss = train_step(batch)")
    recording.first_call(2, 0.75, k=1)
    recording.end(60)
    tensorboard = serve(tmp_path)
    tensorboard.wait_for_traces(2)
    tab = open_tab(tensorboard)
    tab.settle(2)
    tab.choose(2)
    detail = tab.by_id("trace-detail")
    expect(detail).to_contain_text("was traced again at step 20 because x changed shape: (32, 10) → (7, 10)")
    table = tab.by_id("change-table")
    expect(table).to_contain_text("float32 (32, 10)")
    expect(table).to_contain_text("float32 (7, 10)")
    expect(tab.by_id("stack")).to_contain_text("train_step(batch)")
    expect(tab.by_id("stack-frame").first).to_contain_text("train.py")
    expect(tab.by_id("cost")).to_contain_text("750")


@pytest.mark.alone
def test_a_compilation_and_a_stale_value_are_shown_and_followed(
    tmp_path: Path, serve: Serve, open_tab: OpenTab
) -> None:
    recording = Recording(EventFile(tmp_path / "fit"))
    recording.trace("predict", jit_compile=True)
    recording.compilation(1, (4, 3))
    recording.compilation(1, (7, 3), seconds=0.5)
    tensorboard = serve(tmp_path)
    tensorboard.wait_for_digest(lambda digest: len(digest["recompilations"]["k"]) == 1)
    tab = open_tab(tensorboard)
    tab.settle(1)
    expect(tab.by_id("verdict")).to_contain_text("predict was recompiled by XLA once for new shapes of x: 500 ms lost")
    expect(tab.by_id("stale-verdict")).to_have_count(0)
    tab.choose(1)
    rows = tab.by_id("xla-compilations").locator("tbody tr")
    expect(rows).to_have_count(2)
    expect(rows.nth(0)).to_contain_text("x (4, 3)")
    expect(rows.nth(1)).to_contain_text("500 ms")
    changed = tab.by_id("xla-compilations").locator("mark")
    expect(changed).to_have_text("(7, 3)")
    expect(changed).to_have_attribute("title", "was (4, 3)")
    # what comes while the trace is open shows without a reload
    recording.stale(1, "external", "10", "100")
    recording.compilation(1, (9, 3))
    expect(tab.by_id("stale-verdict")).to_contain_text("external is 10 in its graph, 100 now", timeout=PATIENCE_MS)
    stale = tab.by_id("stale-values").locator("tbody tr")
    expect(stale).to_have_text("external10100", timeout=PATIENCE_MS)
    recording.stale(1, "external", "10", "500")  # no count changes with it
    expect(stale).to_have_text("external10500", timeout=PATIENCE_MS)
    expect(rows).to_have_count(3, timeout=PATIENCE_MS)


@pytest.mark.alone
def test_a_recompilation_is_a_mark_on_the_timeline(tmp_path: Path, serve: Serve, open_tab: OpenTab) -> None:
    recording = Recording(EventFile(tmp_path / "fit"))
    recording.trace("predict", jit_compile=True)
    recording.compilation(1, (4, 3))
    recording.compilation(1, (7, 3), time_ns=recording.started_ns + 30 * 10**9)
    recording.end(60)
    tensorboard = serve(tmp_path)
    tensorboard.wait_for_digest(lambda digest: len(digest["recompilations"]["k"]) == 1)
    tab = open_tab(tensorboard)
    tab.settle(1)
    plot = tab.frame.get_by_role("listbox").first
    box = plot.bounding_box()
    assert box is not None
    plot.hover(position={"x": box["width"] / 2, "y": 20})
    expect(tab.frame.locator(".tooltip")).to_contain_text("Compiled by XLA, no trace")
    expect(tab.frame.locator(".tooltip")).to_contain_text("x: shape (4, 3) → (7, 3)")
    plot.click(position={"x": box["width"] / 2, "y": 20})
    expect(tab.by_id("xla-compilations")).to_be_visible(timeout=PATIENCE_MS)


@pytest.mark.alone
def test_a_recording_without_traces_says_that_functions_ran_eagerly(
    tmp_path: Path, serve: Serve, open_tab: OpenTab
) -> None:
    Recording(EventFile(tmp_path / "fit")).start().end(60, ran_eagerly=True)
    tensorboard = serve(tmp_path)
    tensorboard.wait_for_digest(lambda digest: bool(digest["notices"]))
    tab = open_tab(tensorboard)
    expect(tab.by_id("verdict")).to_contain_text("functions ran eagerly", timeout=PATIENCE_MS)
    expect(tab.by_id("notices")).to_contain_text("Keras' run_eagerly=True")
    expect(tab.by_id("empty-state")).to_contain_text("Nothing was traced while recording")


def test_the_choice_survives_a_reload(tmp_path: Path, serve: Serve, open_tab: OpenTab) -> None:
    write_recording(tmp_path / "fit", 5, functions=1)
    tensorboard = serve(tmp_path)
    tensorboard.wait_for_traces(5)
    tab = open_tab(tensorboard)
    tab.settle(5)
    tab.choose(4)
    expect(tab.by_id("trace-detail")).to_contain_text("(3, 10) → (4, 10)")
    tab.page.reload()
    tab.settle(5)
    expect(tab.by_id("trace-detail")).to_contain_text("(3, 10) → (4, 10)")


def test_an_empty_logdir_teaches_how_to_record(tmp_path: Path, serve: Serve, open_tab: OpenTab) -> None:
    tab = open_tab(serve(tmp_path))
    empty = tab.by_id("empty-state")
    expect(empty).to_be_visible(timeout=PATIENCE_MS)
    for words in ("RetraceCallback", "with record(", "tb-retrace run"):
        expect(empty).to_contain_text(words)


def test_a_trace_shows_while_training_goes_on(tmp_path: Path, serve: Serve, open_tab: OpenTab) -> None:
    recording = Recording(EventFile(tmp_path / "fit"))
    recording.trace()
    tensorboard = serve(tmp_path)
    tensorboard.wait_for_traces(1)
    tab = open_tab(tensorboard)
    tab.settle(1)
    expect(tab.by_id("verdict")).to_contain_text("Nothing was traced twice")
    recording.trace(shape=(7, 10))
    tab.settle(2)
    expect(tab.row(2)).to_be_visible()
    expect(tab.by_id("verdict")).to_contain_text("train_step was traced twice")


@pytest.mark.alone
def test_losses_and_damage_are_said(tmp_path: Path, serve: Serve, open_tab: OpenTab) -> None:
    recording = Recording(EventFile(tmp_path / "fit"))
    recording.trace()
    recording.end(60, traces=3, losses={"graphs_left_out": 4})
    tensorboard = serve(tmp_path)
    tensorboard.wait_for_digest(lambda digest: bool(digest["notices"]))
    tab = open_tab(tensorboard)
    tab.settle(1)
    expect(tab.by_id("notices")).to_contain_text("2 traces of 3 are missing")
    expect(tab.by_id("notices")).to_contain_text("graphs left out: 4")


def test_markup_in_a_recording_stays_text(tmp_path: Path, serve: Serve, open_tab: OpenTab) -> None:
    hostile = "<img src=x onerror='parent.owned=1'><script>parent.owned=1</script>"
    recording = Recording(EventFile(tmp_path / hostile.replace("/", "_")))
    recording.start(program=hostile)
    recording.trace(hostile, evidence=hostile)
    second = recording.trace(hostile, source=hostile, evidence=hostile, write=False)
    second.changes[0].path = second.changes[0].old = second.changes[0].new = hostile
    second.signature.arguments[0].path = hostile
    recording.write(second)
    recording.trace(hostile, failed=True, error=hostile)
    recording.end(60, losses={hostile: 1})
    tensorboard = serve(tmp_path)
    tensorboard.wait_for_traces(3)
    tab = open_tab(tensorboard)
    tab.settle(3)
    tab.choose(2)
    expect(tab.by_id("trace-detail")).to_contain_text("<img src=x onerror=")
    assert tab.frame.locator("img").count() == 0
    assert tab.frame.locator("script:not([type=module])").count() == 0
    assert tab.page.evaluate("window.owned === undefined")


def _luminance(colour: str) -> float:
    """Relative luminance (WCAG) of `rgb(…)`."""
    channels = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _colours(text: Locator) -> tuple[float, float]:
    """Luminance of a text and of the nearest painted background under it."""
    colour, background = text.evaluate(
        """element => {
          let under = element;
          const painted = e => !/^rgba\\(.*, 0\\)$|^transparent$/.test(getComputedStyle(e).backgroundColor);
          while (under && !painted(under)) under = under.parentElement;
          const page = under ?? document.body;
          return [getComputedStyle(element).color, getComputedStyle(page).backgroundColor];
        }"""
    )
    return _luminance(colour), _luminance(background)


def test_light_and_dark_follow_tensorboards_switch(tmp_path: Path, serve: Serve, open_tab: OpenTab) -> None:
    write_recording(tmp_path / "fit", 6)
    tensorboard = serve(tmp_path)
    tensorboard.wait_for_traces(6)
    tab = open_tab(tensorboard)
    tab.settle(6)
    for dark in (False, True, False):
        tab.set_dark(dark)
        for text in (tab.by_id("verdict"), tab.by_id("trace-row").first):
            foreground, background = _colours(text)
            assert (background < 0.2) == dark
            assert (background > 0.8) != dark
            light, shade = max(foreground, background), min(foreground, background)
            assert (light + 0.05) / (shade + 0.05) >= 4.5


@pytest.mark.alone
def test_a_server_that_goes_away_is_told_and_what_was_read_stays(
    tmp_path: Path, serve: Serve, open_tab: OpenTab
) -> None:
    write_recording(tmp_path / "fit", 2)
    tensorboard = serve(tmp_path)
    tensorboard.wait_for_traces(2)
    tab = open_tab(tensorboard)
    tab.settle(2)
    tensorboard.process.terminate()
    expect(tab.by_id("notices")).to_contain_text("What you see is the last answer", timeout=PATIENCE_MS)
    expect(tab.row(2)).to_be_visible()
    tab.expect_complaints("net::ERR_")
    assert tab.expected


def test_a_server_that_cannot_answer_is_told_until_it_can(tmp_path: Path, serve: Serve, open_tab: OpenTab) -> None:
    write_recording(tmp_path / "fit", 2)
    tensorboard = serve(tmp_path)
    tensorboard.wait_for_traces(2)
    answer = '{"error": "TensorBoard cannot read the logdir: gone"}'
    tab = open_tab(
        tensorboard,
        prepare=lambda page: page.route(
            "**/plugin/retrace/digest*",
            lambda route: route.fulfill(status=500, content_type="application/json", body=answer),
        ),
    )
    expect(tab.by_id("error-state")).to_contain_text("cannot read the logdir: gone", timeout=PATIENCE_MS)
    tab.expect_complaints("plugin/retrace/digest")
    assert tab.expected
    tab.page.unroute("**/plugin/retrace/digest*")
    tab.settle(2)
    expect(tab.by_id("error-state")).to_have_count(0)


def test_it_works_below_a_path_prefix(tmp_path: Path, serve: Serve, open_tab: OpenTab) -> None:
    write_recording(tmp_path / "fit", 3)
    tensorboard = serve(tmp_path, path_prefix="/some/prefix")
    tensorboard.wait_for_traces(3)
    tab = open_tab(tensorboard)
    tab.settle(3)
    tab.choose(1)
    expect(tab.by_id("trace-detail")).to_contain_text("was traced for the first time")


@pytest.mark.alone
def test_sessions_can_be_told_apart(tmp_path: Path, serve: Serve, open_tab: OpenTab) -> None:
    write_recording(tmp_path / "one", 2, session="session-1")
    write_recording(tmp_path / "two", 3, session="session-2")
    tensorboard = serve(tmp_path)
    tensorboard.wait_for_traces(5)
    tab = open_tab(tensorboard)
    tab.settle(5)
    expect(tab.by_id("session-picker")).to_be_visible()
    assert tab.by_id("trace-row").evaluate_all("rows => new Set(rows.map(r => r.dataset.session)).size") == 2
