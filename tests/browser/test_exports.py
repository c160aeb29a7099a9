"""Files out of the tab, as a browser downloads them from a real TensorBoard."""

from __future__ import annotations

import base64
import csv
import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tb_retrace_plugin.schema import retrace_pb2 as pb
from tests.browser.axe import run_axe
from tests.browser.tab import Tab, new_page
from tests.support.logdirs import SECOND, STARTED_NS, EventFile, Recording
from tests.support.tensorboard_process import TensorBoard, run_tensorboard

pytestmark = pytest.mark.alone

OpenTab = Callable[..., Tab]
LATER_NS = STARTED_NS + 3600 * SECOND


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TensorBoard]:
    """`a`: `train_step` 5 times, `evaluate` twice (for a dtype); `b`: 40 functions once."""
    logdir = tmp_path_factory.mktemp("logs")
    a = Recording(EventFile(logdir / "a"), "session-a").start()
    for number in range(5):
        a.trace(shape=(number + 1, 10))
    a.trace("evaluate")
    a.trace("evaluate", changes=[pb.Change(cause="dtype", path="y", old="float32", new="float64")])
    a.end(60)
    b = Recording(EventFile(logdir / "b", started_ns=LATER_NS), "session-b", LATER_NS).start()
    for number in range(40):
        b.trace(f"layer_{number}")
    b.end(60)
    with run_tensorboard(f"--logdir={logdir}", forked=True) as running:
        running.wait_for_traces(47)
        yield running


def download(tab: Tab, item: str) -> tuple[str, bytes]:
    """The name and content of the file that an item of the menu gives."""
    tab.by_id("export").click()
    with tab.page.expect_download() as waiting:
        tab.by_id(f"export-{item}").click()
    path = waiting.value.path()
    expect(tab.by_id("export-menu")).to_have_count(0)
    return waiting.value.suggested_filename, Path(path).read_bytes()


def rows(content: bytes) -> list[tuple[str, str]]:
    table = list(csv.DictReader(io.StringIO(content.decode(), newline="")))
    return [(row["session"], row["function"]) for row in table]


def open_settled(open_tab: OpenTab, board: TensorBoard, **options: Any) -> Tab:
    tab = open_tab(board, **options)
    tab.settle(47)
    return tab


def test_all_of_all_sessions(board: TensorBoard, open_tab: OpenTab) -> None:
    tab = open_settled(open_tab, board)
    for item, route, name in (
        ("csv", "csv", "retrace-traces.csv"),
        ("chrome-trace", "chrome_trace", "retrace-chrome-trace.json"),
        ("report", "report", "retrace.json"),
    ):
        saved, content = download(tab, item)
        assert saved == name
        assert content == board.get(route)[2]
    assert len(json.loads(content)["sessions"]) == 2


def test_the_picked_session_and_the_filters_are_respected_as_the_menu_says(
    board: TensorBoard, open_tab: OpenTab
) -> None:
    tab = open_settled(open_tab, board, fragment="retrace&p.retrace.session=session-a&p.retrace.causes=shape")
    tab.by_id("export").click()
    menu = tab.by_id("export-menu")
    expect(menu).to_contain_text("The 4 traces of 7 that the list shows: filters apply.")
    expect(menu).to_contain_text("All 7 traces; filters do not apply.")
    tab.page.keyboard.press("Escape")
    expect(menu).to_have_count(0)
    expect(tab.by_id("export")).to_be_focused()
    assert rows(download(tab, "csv")[1]) == [("session-a", "train_step")] * 4
    trace = json.loads(download(tab, "chrome-trace")[1])
    assert sum(event.get("cat") == "trace" for event in trace["traceEvents"]) == 7
    assert [session["id"] for session in json.loads(download(tab, "report")[1])["sessions"]] == ["session-a"]


def test_by_keyboard(board: TensorBoard, open_tab: OpenTab) -> None:
    tab = open_settled(open_tab, board)
    tab.by_id("export").focus()
    tab.page.keyboard.press("Enter")
    expect(tab.by_id("export-chrome-trace")).to_be_focused()
    tab.page.keyboard.press("ArrowUp")
    expect(tab.by_id("export-picture")).to_be_focused()
    tab.page.keyboard.press("Home")
    tab.page.keyboard.press("ArrowDown")
    with tab.page.expect_download() as waiting:
        tab.page.keyboard.press("Enter")
    assert waiting.value.suggested_filename == "retrace-traces.csv"
    expect(tab.by_id("export")).to_be_focused()


def test_what_goes_wrong_is_told_in_the_menu(board: TensorBoard, open_tab: OpenTab) -> None:
    tab = open_settled(open_tab, board)
    tab.page.route("**/csv", lambda route: route.fulfill(status=404, body='{"error": "It is <b>gone</b>."}'))
    tab.by_id("export").click()
    tab.by_id("export-csv").click()
    expect(tab.by_id("export-problem")).to_have_text("It is <b>gone</b>.")
    tab.page.unroute("**/csv")
    tab.by_id("export-csv").click()
    expect(tab.by_id("export-problem")).to_have_count(0)
    tab.expect_complaints("404")
    assert tab.expected


LOOK = """async png => {
  const image = new Image();
  image.src = `data:image/png;base64,${png}`;
  await image.decode();
  const { width, height } = image;
  const canvas = new OffscreenCanvas(width, height);
  const pen = canvas.getContext("2d");
  pen.drawImage(image, 0, 0);
  const colours = (x, y, wide, tall) => new Set(new Uint32Array(pen.getImageData(x, y, wide, tall).data.buffer)).size;
  const names = Math.round(width * 0.15), plot = Math.round(width * 0.22), bands = [];
  for (let y = 300; y < height - 200; y += 84)
    bands.push([colours(0, y, names, 84), colours(plot, y, width - plot, 84)]);
  return { width, height, bands, all: colours(0, 0, width, height), corner: [...pen.getImageData(1, 1, 1, 1).data] };
}"""


def look_at(tab: Tab, png: bytes) -> dict[str, Any]:
    """Its size and how many colours it has: in all, and at the left and in the plot of each band as tall as a row."""
    page = new_page(tab.page.context)
    seen: dict[str, Any] = page.evaluate(LOOK, base64.b64encode(png).decode())
    page.close()
    return seen


def test_a_picture_of_the_timeline(board: TensorBoard, open_tab: OpenTab) -> None:
    tab = open_settled(open_tab, board, height=700)
    shown = tab.frame.locator(".timeline-plot").bounding_box()
    assert shown is not None
    name, png = download(tab, "picture")
    assert name == "retrace-timeline.png"
    seen = look_at(tab, png)
    assert seen["width"] >= 2 * (shown["width"] + 200)  # with names; sharp enough for paper
    assert seen["height"] > 2 * 42 * 42  # all rows, not those in view
    assert seen["height"] > 3 * shown["height"]
    assert seen["all"] > 300
    assert seen["corner"] == [255, 255, 255, 255]
    # every row has its name and its trace: no band is empty
    assert len(seen["bands"]) > 40
    assert min(left for left, _ in seen["bands"]) > 5
    assert min(right for _, right in seen["bands"]) > 2
    tab.set_dark(True)
    dark = look_at(tab, download(tab, "picture")[1])
    assert sum(dark["corner"][:3]) < 200
    assert dark["all"] > 300


def test_axe_finds_nothing_in_the_open_menu(board: TensorBoard, open_tab: OpenTab) -> None:
    tab = open_settled(open_tab, board)
    tab.by_id("export").click()
    for dark in (False, True):
        tab.set_dark(dark)
        found = run_axe(tab.frame)
        assert found["passes"] > 10
        assert found["violations"] == []
