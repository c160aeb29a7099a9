"""Two traces' graphs side by side: real recordings in a real TensorBoard, and answers that no server of ours gives."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.tab import PATIENCE_MS, Tab
from tests.support.logdirs import write_recording
from tests.support.tensorboard_process import TensorBoard, run_tensorboard

pytestmark = pytest.mark.alone

ROOT = Path(__file__).resolve().parent.parent.parent
OpenTab = Callable[..., Tab]
Serve = Callable[..., TensorBoard]
DRAWN = "html[data-retrace-graph][data-retrace-idle='true']"


def record(logdir: Path, what: str) -> Path:
    """A recording by `tests/support/compared_graphs.py`, made in a process of its own."""
    command = [sys.executable, "-m", "tests.support.compared_graphs", str(logdir), what]
    environment = {**os.environ, "CUDA_VISIBLE_DEVICES": "-1", "TF_ENABLE_ONEDNN_OPTS": "0"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return logdir


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`train_step` as trace 1 and 2 (two image sizes) and 3 (evaluation); `unrolled` as 4 (5 rounds) and 5 (6)."""
    return record(tmp_path_factory.mktemp("compared") / "logs", "small")


@pytest.fixture(scope="module")
def board(recorded: Path) -> Iterator[TensorBoard]:
    with run_tensorboard(f"--logdir={recorded}", forked=True) as tensorboard:
        tensorboard.wait_for_traces(5)
        yield tensorboard


def session_of(board: TensorBoard) -> str:
    return str(board.get_json("digest")["sessions"][0]["id"])


def compare(board: TensorBoard, a: int, b: int) -> dict[str, Any]:
    """The server's own answer."""
    session = session_of(board)
    answer: dict[str, Any] = board.get_json(f"compare?session_a={session}&seq_a={a}&session_b={session}&seq_b={b}")
    return answer


def open_pair(open_tab: OpenTab, board: TensorBoard, a: int, b: int, **options: Any) -> Tab:
    """The tab with two traces of the first session compared, drawn."""
    session = session_of(board)
    tab = open_tab(board, fragment=f"retrace&p.retrace.graphs={session}/{a}..{session}/{b}", **options)
    wait_until_drawn(tab)
    return tab


def wait_until_drawn(tab: Tab) -> None:
    tab.frame.wait_for_selector(DRAWN, state="attached", timeout=PATIENCE_MS)


def number(text: str) -> int:
    return int(re.sub(r"\D", "", text))


def rows(tab: Tab) -> list[str]:
    """The names of the outline's rows in view."""
    return tab.by_id("outline-row").locator(".outline-name").all_inner_texts()


def picture(tab: Tab, side: str) -> str:
    """What a pane shows, pixel by pixel."""
    return str(tab.by_id(f"graph-canvas-{side}").evaluate("canvas => canvas.toDataURL()"))


def wait_until_redrawn(tab: Tab, side: str, before: str) -> str:
    """The picture, once it is another one."""
    canvas = tab.by_id(f"graph-canvas-{side}").element_handle()
    tab.frame.wait_for_function("([canvas, before]) => canvas.toDataURL() !== before", arg=[canvas, before])
    return picture(tab, side)


def colours(tab: Tab, side: str) -> int:
    """How many colours a pane has: an empty one has one."""
    found: int = tab.by_id(f"graph-canvas-{side}").evaluate(
        """canvas => {
          const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
          return new Set(new Uint32Array(data.buffer)).size;
        }"""
    )
    return found


def test_from_a_retrace_to_its_graph_beside_the_closest_earlier_one(board: TensorBoard, open_tab: OpenTab) -> None:
    answer = compare(board, 1, 2)
    tab = open_tab(board)
    tab.settle(5)
    tab.choose(2)
    tab.by_id("compare-graphs").click()
    wait_until_drawn(tab)
    head = tab.by_id("graphs-answer")
    expect(head.locator("h1")).to_have_text(answer["sentence"].replace("`", ""))
    for mark in ("added", "removed", "changed", "rewired"):
        count = tab.by_id("graph-counts").locator("li", has=tab.frame.locator(f".mark-sign.{mark}"))
        assert number(count.inner_text()) == answer["counts"][mark]
    assert answer["counts"]["changed"] > 0
    expect(tab.by_id("pick-a")).to_contain_text("train_step #1")
    expect(tab.by_id("pick-b")).to_contain_text("train_step #2")
    assert colours(tab, "a") > 20
    assert colours(tab, "b") > 20
    # only the pictures' size differs: every node is on both sides, and all of it follows from that
    assert answer["counts"]["added"] == answer["counts"]["removed"] == answer["counts"]["rewired"] == 0
    assert all(row["a"] == row["b"] > 0 for row in answer["facts"]["ops"])
    assert "all dimensions 1 and 2 of `x` (28 → 32)" in answer["sentence"]
    tab.by_id("close-graphs").click()
    expect(tab.by_id("timeline")).to_be_visible()


def test_the_way_through_the_differences_tells_each(board: TensorBoard, open_tab: OpenTab) -> None:
    answer = compare(board, 1, 2)
    session = session_of(board)
    (graph,) = answer["graphs"]
    different = [row for row, flags in enumerate(graph["flags"]) if flags & 3 != 3 or flags & 12]
    assert len(different) == sum(answer["counts"][kind] for kind in ("added", "removed", "changed", "rewired"))
    tab = open_pair(open_tab, board, 1, 2)
    for at, row in enumerate(different[:6], start=1):
        tab.page.keyboard.press("n")
        expect(tab.by_id("change-position")).to_have_text(f"change {at} of {len(different)}")
        expect(tab.by_id("graph-node")).to_have_attribute("data-row", str(row))
        expect(tab.by_id("graph-node").locator("h3").first).to_have_text(graph["names"][row])
        both = f"session_a={session}&seq_a=1&session_b={session}&seq_b=2"
        node = board.get_json(f"compare_node?{both}&graph=0&node={row}")
        shown = tab.by_id("node-attributes").locator("tr.changed")
        changed = [attribute for attribute in node["attributes"] if attribute["changed"]]
        assert changed, node
        for attribute in changed:
            line = shown.filter(has=tab.frame.get_by_role("rowheader", name=attribute["key"], exact=True))
            expect(line.locator("td.old")).to_have_text(attribute["a"])
            expect(line.locator("td.now")).to_have_text(attribute["b"])
    tab.page.keyboard.press("p")
    expect(tab.by_id("change-position")).to_have_text(f"change 5 of {len(different)}")
    tab.by_id("next-change").click()
    expect(tab.by_id("change-position")).to_have_text(f"change 6 of {len(different)}")


def test_what_only_training_has_is_on_the_left_alone(board: TensorBoard, open_tab: OpenTab) -> None:
    answer = compare(board, 1, 3)
    (graph,) = answer["graphs"]
    gone = [name for name, flags in zip(graph["names"], graph["flags"], strict=True) if flags & 3 == 1]
    assert len(gone) == answer["counts"]["removed"] > 400
    assert {name.split("/")[0] for name in gone} >= {"gradient_tape", "adam"}
    assert answer["counts"]["added"] == 0
    kept = [row for row, flags in enumerate(graph["flags"]) if flags & 3 == 3]
    assert not any("dropout" in graph["names"][row] for row in kept)
    assert not any(graph["names"][row].startswith(("gradient_tape/", "adam/")) for row in kept)
    assert [graph["op_names"][graph["op"][row]] for row in kept].count("Conv2D") == 2
    tab = open_pair(open_tab, board, 1, 3)
    adam = tab.by_id("outline-row").filter(has_text="adam").filter(has=tab.frame.locator(".tally.removed")).last
    inside = [name for name in gone if name.startswith("adam/")]
    assert number(adam.locator(".tally.removed").inner_text()) == len(inside)
    adam.click()
    panel = tab.by_id("graph-group")
    expect(panel).to_contain_text(f"{len(inside)} nodes")
    counted = {}
    for line in panel.get_by_test_id("op-counts").locator("tbody tr").all():
        op, left, right, _ = line.locator("th, td").all_inner_texts()
        counted[op] = (number(left), number(right))
    ops = [graph["op_names"][graph["op"][row]] for row, name in enumerate(graph["names"]) if name in set(inside)]
    assert counted
    for op, found in counted.items():
        assert found == (ops.count(op), 0)
    panel.get_by_test_id("group-differences").locator("button").first.click()
    wait_until_drawn(tab)
    expect(tab.by_id("graph-node")).to_contain_text("removed")


def test_an_unrolled_round_more_is_added_and_its_branches_are_compared(board: TensorBoard, open_tab: OpenTab) -> None:
    answer = compare(board, 4, 5)
    graph = answer["graphs"][0]
    new = {name for name, flags in zip(graph["names"], graph["flags"], strict=True) if flags & 3 == 2}
    # the sixth round and nothing else, though its constant has shifted the number of the one after it
    assert len(new) == 11
    assert all(name.split("/")[0].endswith("_5") for name in new), new
    renamed = [graph["names"][row] for row in graph["renamed_node"]]
    assert (graph["renamed_from"], renamed) == (["Const_5"], ["Const_6"])
    tab = open_pair(open_tab, board, 4, 5)
    expect(tab.by_id("graphs-answer")).to_contain_text(f"{answer['counts']['added']} added")
    marked = tab.by_id("outline-row").filter(has=tab.frame.locator(".mark-sign.added, .tally.added"))
    assert set(marked.locator(".outline-name").all_inner_texts()) == {name.split("/")[0] for name in new}
    options = tab.by_id("graph-picker").locator("option").all_inner_texts()
    assert len(options) == len(answer["graphs"])
    assert "unrolled (the traced graph)" in options[0]
    only_right = [graph["name"] for graph in answer["graphs"] if graph["name_a"] is None]
    assert len(only_right) == 2
    for name in only_right:
        assert any(option.startswith(name) and "only right" in option for option in options)


def test_into_the_function_that_a_node_calls_and_back(board: TensorBoard, open_tab: OpenTab) -> None:
    answer = compare(board, 4, 5)
    names, calls = answer["graphs"][0]["names"], answer["graphs"][0]["calls"]
    row = next(row for row, name in enumerate(names) if name == "while" and calls[row] >= 0)
    tab = open_pair(open_tab, board, 4, 5)
    tab.by_id("graph-search").fill("while")
    found = tab.by_id("graph-result").filter(has_text=re.compile(r"^\W*while\s*StatelessWhile"))
    expect(found).to_have_count(1)
    found.click()
    expect(tab.by_id("graph-node")).to_have_attribute("data-row", str(row))
    tab.by_id("enter-function").click()
    expect(tab.by_id("graph-picker")).to_have_value(str(calls[row]))
    wait_until_drawn(tab)
    called = answer["graphs"][calls[row]]
    tab.by_id("graph-search").fill("")
    assert set(rows(tab)) & {name.split("/")[0] for name in called["names"]}
    back = tab.by_id("way-back")
    expect(back).to_have_text("unrolled")
    back.click()
    expect(tab.by_id("graph-picker")).to_have_value("0")
    expect(tab.by_id("graph-node")).to_have_attribute("data-row", str(row))


def test_one_camera_moves_both_panes_and_opening_opens_both(board: TensorBoard, open_tab: OpenTab) -> None:
    tab = open_pair(open_tab, board, 1, 2)
    first = {side: picture(tab, side) for side in "ab"}
    box = tab.by_id("graph-canvas-a").bounding_box()
    assert box is not None
    tab.page.mouse.move(box["x"] + 200, box["y"] + 200)
    tab.page.mouse.down()
    tab.page.mouse.move(box["x"] + 120, box["y"] + 90, steps=4)
    tab.page.mouse.up()
    moved = {side: wait_until_redrawn(tab, side, first[side]) for side in "ab"}
    tab.page.mouse.wheel(0, -300)
    for side in "ab":
        wait_until_redrawn(tab, side, moved[side])
    before = len(rows(tab))
    closed = tab.frame.locator("[data-testid='outline-row'][aria-expanded='false']").first
    name = closed.locator(".outline-name").inner_text()
    closed.dblclick()
    opened = tab.frame.locator("[data-testid='outline-row'][aria-expanded='true']", has_text=name)
    expect(opened.first).to_be_visible()
    wait_until_drawn(tab)
    assert len(rows(tab)) > before


def test_everything_by_keyboard(board: TensorBoard, open_tab: OpenTab) -> None:
    tab = open_tab(board)
    tab.settle(5)
    tab.choose(5)
    tab.by_id("compare-graphs").press("Enter")
    wait_until_drawn(tab)
    outline = tab.by_id("graph-outline")
    outline.focus()
    tab.page.keyboard.press("Home")
    chosen = tab.frame.locator("[role=treeitem][aria-selected=true]")
    expect(chosen).to_have_count(1)
    expect(outline).to_have_attribute("aria-activedescendant", str(chosen.get_attribute("id")))
    for _ in range(40):
        if chosen.get_attribute("aria-expanded") == "false":
            break
        tab.page.keyboard.press("ArrowDown")
    name = chosen.locator(".outline-name").inner_text()
    tab.page.keyboard.press("ArrowRight")
    expect(chosen).to_have_attribute("aria-expanded", "true")
    tab.page.keyboard.press("ArrowRight")
    expect(chosen).to_have_attribute("aria-posinset", "1")
    tab.page.keyboard.press("ArrowLeft")
    expect(chosen.locator(".outline-name")).to_have_text(name)
    tab.page.keyboard.press("ArrowLeft")
    expect(chosen).to_have_attribute("aria-expanded", "false")
    tab.by_id("graph-panes").focus()
    tab.page.keyboard.press("ArrowDown")
    expect(chosen.locator(".outline-name")).not_to_have_text(name)
    tab.page.keyboard.press("/")
    tab.page.keyboard.type("relu")
    expect(tab.by_id("graph-hits")).to_contain_text("found")
    tab.page.keyboard.press("ArrowDown")
    tab.page.keyboard.press("ArrowDown")
    expect(tab.by_id("graph-node")).to_contain_text("Relu")
    tab.page.keyboard.press("?")
    expect(tab.by_id("help")).to_contain_text("Next, previous difference")
    tab.page.keyboard.press("Escape")
    for _ in range(3):  # the search, the node, the comparison
        tab.page.keyboard.press("Escape")
    expect(tab.by_id("timeline")).to_be_visible()


def test_the_url_keeps_the_pair_the_graph_the_node_and_what_is_open(board: TensorBoard, open_tab: OpenTab) -> None:
    answer = compare(board, 1, 2)
    tab = open_pair(open_tab, board, 1, 2)
    tab.by_id("graph-search").fill("BiasAddGrad")
    tab.by_id("graph-result").first.click()
    node = tab.by_id("graph-node")
    row = number(str(node.get_attribute("data-row")))
    assert "BiasAddGrad" in answer["graphs"][0]["names"][row]
    tab.settle()
    assert f"p.retrace.node={row}" in tab.page.url
    assert "p.retrace.open=" in tab.page.url
    tab.page.reload()
    wait_until_drawn(tab)
    expect(tab.by_id("graph-node")).to_have_attribute("data-row", str(row))
    expect(tab.frame.locator("[role=treeitem][aria-selected=true]")).to_contain_text("BiasAddGrad")


def test_any_two_traces_can_be_chosen(board: TensorBoard, open_tab: OpenTab) -> None:
    tab = open_pair(open_tab, board, 1, 2)
    tab.by_id("pick-a").click()
    options = tab.by_id("pick-option")
    expect(options).to_have_count(5)
    assert [option.split(" #")[0] for option in options.locator(".name").all_inner_texts()[:3]] == ["train_step"] * 3
    tab.by_id("pick-filter").fill("unrolled rounds")
    expect(options).to_have_count(1)
    tab.page.keyboard.press("Enter")
    expect(tab.by_id("pick-a")).to_contain_text("unrolled #2")
    expect(tab.by_id("pick-b")).to_contain_text("train_step #2")
    expect(tab.by_id("pick-a")).to_be_focused()
    wait_until_drawn(tab)
    answer = compare(board, 5, 2)
    expect(tab.by_id("graphs-answer").locator("h1")).to_have_text(answer["sentence"].replace("`", ""))
    tab.by_id("swap-sides").click()
    expect(tab.by_id("pick-a")).to_contain_text("train_step #2")
    wait_until_drawn(tab)
    tab.by_id("pick-b").click()
    tab.by_id("pick-option").filter(has_text="train_step #3").click()
    expect(tab.by_id("pick-b")).to_contain_text("train_step #3")
    expect(tab.by_id("pick-a")).to_contain_text("train_step #2")
    wait_until_drawn(tab)


def test_a_graph_beside_itself_is_equal(board: TensorBoard, open_tab: OpenTab) -> None:
    tab = open_pair(open_tab, board, 1, 1)
    expect(tab.by_id("change-position")).to_have_text("no difference")
    expect(tab.by_id("next-change")).to_be_disabled()
    before = picture(tab, "a")
    assert before == picture(tab, "b")
    for key in "s+":  # one camera: still the same after it has moved
        tab.page.keyboard.press(key)
        after = wait_until_redrawn(tab, "a", before)
        assert after == wait_until_redrawn(tab, "b", before)
        before = after


def test_folding_can_be_turned_off(board: TensorBoard, open_tab: OpenTab) -> None:
    tab = open_pair(open_tab, board, 4, 5)
    assert any("unchanged" in name for name in rows(tab))
    tab.by_id("fold-unchanged").click()
    wait_until_drawn(tab)
    assert not any("unchanged" in name for name in rows(tab))


def test_facts_of_both_functions(board: TensorBoard, open_tab: OpenTab) -> None:
    answer = compare(board, 1, 2)
    tab = open_pair(open_tab, board, 1, 2)
    facts = tab.by_id("graph-facts")
    changed = [fact for fact in answer["facts"]["inputs"] if fact["a"] != fact["b"]]
    assert [fact["name"] for fact in changed] == ["x"]
    lit = facts.get_by_test_id("facts-input").locator("tbody.changed")
    expect(lit).to_have_count(1)
    expect(lit).to_contain_text(changed[0]["a"])
    expect(lit).to_contain_text(changed[0]["b"])
    first = facts.get_by_test_id("op-counts").locator("tbody tr").first
    assert first.locator("th").inner_text() == answer["facts"]["ops"][0]["op"]


def test_light_and_dark_follow_tensorboards_switch(board: TensorBoard, open_tab: OpenTab) -> None:
    tab = open_pair(open_tab, board, 1, 2)
    corner = """canvas => [...canvas.getContext("2d").getImageData(1, 1, 1, 1).data].slice(0, 3)"""
    for dark in (True, False):
        tab.set_dark(dark)
        wait_until_drawn(tab)
        for side in "ab":
            background = tab.by_id(f"graph-canvas-{side}").evaluate(corner)
            assert (max(background) < 70) == dark, background
            assert (min(background) > 200) != dark, background


def test_it_works_below_a_path_prefix(recorded: Path, serve: Serve, open_tab: OpenTab) -> None:
    board = serve(recorded, path_prefix="/some/prefix")
    board.wait_for_traces(5)
    tab = open_pair(open_tab, board, 4, 5, alone=False)
    assert colours(tab, "a") > 20


def test_the_graphs_tab_opens_at_this_trace(board: TensorBoard, open_tab: OpenTab) -> None:
    tab = open_tab(board, alone=False)
    tab.settle(5)
    tab.choose(2)
    tab.by_id("open-graphs-tab").click()
    expect(tab.page.locator("tf-graph-controls")).to_be_visible(timeout=PATIENCE_MS)
    tab.page.wait_for_function(
        """() => {
          const controls = document.querySelector("tf-graph-dashboard").shadowRoot.querySelector("tf-graph-controls");
          const run = controls.datasets?.[controls._selectedRunIndex];
          return run?.tags[controls._selectedTagIndex]?.tag === "train_step #2";
        }""",
        timeout=PATIENCE_MS,
    )
    tab.complaints.clear()  # the Graphs tab's own


def test_a_graph_that_was_not_stored_says_why_and_what_to_do(tmp_path: Path, serve: Serve, open_tab: OpenTab) -> None:
    write_recording(tmp_path / "fit", 2, functions=1)
    tensorboard = serve(tmp_path)
    session = tensorboard.wait_for_traces(2)["sessions"][0]["id"]
    status, _, body = tensorboard.get(f"compare?session_b={session}&seq_b=2")
    assert status == 404
    tab = open_tab(tensorboard)
    tab.settle(2)
    tab.choose(2)
    tab.by_id("compare-graphs").click()
    error = tab.by_id("graphs-error")
    expect(error).to_contain_text(json.loads(body)["error"].replace("`", ""), timeout=PATIENCE_MS)
    expect(tab.by_id("pick-a")).to_be_visible()
    tab.expect_complaints("404")
    assert tab.expected
    tab.page.keyboard.press("Escape")
    expect(tab.by_id("timeline")).to_be_visible()


def answers_with(body: str) -> Callable[[Page], None]:
    """Every comparison is answered with `body`."""

    def fulfil(route: Route) -> None:
        route.fulfill(status=200, content_type="application/json", body=body)

    return lambda page: page.route("**/plugin/retrace/compare?*", fulfil)


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("<html>", "something that is not JSON"),
        ("null", "holds no graph"),
        (json.dumps({"graphs": [{"names": [0] * 2_000_001}]}), "2,000,001 nodes; the tab shows at most 2,000,000"),
    ],
    ids=["no JSON", "no graph", "too many nodes"],
)
def test_an_answer_that_cannot_be_shown_is_refused(board: TensorBoard, open_tab: OpenTab, body: str, says: str) -> None:
    session = session_of(board)
    fragment = f"retrace&p.retrace.graphs={session}/1..{session}/2"
    tab = open_tab(board, fragment=fragment, prepare=answers_with(body))
    expect(tab.by_id("graphs-error")).to_contain_text(says, timeout=PATIENCE_MS)


def test_a_hostile_answer_is_shown_as_text_and_the_page_goes_on(board: TensorBoard, open_tab: OpenTab) -> None:
    count = 200_000
    markup = "<img src=x onerror=alert(1)>"
    names = [[markup, "", "/", "same", f"a/{markup}/b", f"{'/' * (row % 60)}x{row}"][row % 6] for row in range(count)]
    graph = {
        "name": markup, "names": names, "op_names": [markup], "op": [0] * count,
        "flags": [row % 17 for row in range(count)],
        "texts": [markup], "shape_a": [0] * count, "shape_b": [99] * count, "calls": [0] * count,
        "input_start": list(range(count + 1)), "input_node": [(row + 1) % count for row in range(count)],
        "input_flags": [3] * count, "renamed_node": [0, -1, 1e9], "renamed_from": [markup],
    }  # fmt: skip
    answer = {
        "sentence": markup,
        "details": [markup],
        "notices": [markup],
        "graphs": [graph, {"names": "none"}],
        "facts": 7,
    }
    session = session_of(board)
    fragment = f"retrace&p.retrace.graphs={session}/1..{session}/2"
    tab = open_tab(board, fragment=fragment, prepare=answers_with(json.dumps(answer)))
    wait_until_drawn(tab)
    expect(tab.by_id("graphs-answer").locator("h1")).to_have_text(markup)
    expect(tab.by_id("graph-notices")).to_contain_text("nodes are incomplete")
    assert 0 < tab.by_id("outline-row").count() < 100
    for _ in range(3):
        tab.frame.locator("[data-testid='outline-row'][aria-expanded='false']").last.dblclick()
        wait_until_drawn(tab)
    tab.by_id("graph-search").fill("onerror")
    expect(tab.by_id("graph-hits")).to_contain_text("200 000 nodes found")
    # TensorBoard has no such node, and would say so at any time after the click
    tab.page.route("**/compare_node?*", lambda route: route.fulfill(json={"attributes": markup, "old": [markup]}))
    with tab.page.expect_response("**/compare_node?*"):
        tab.by_id("graph-result").nth(5).click()
    expect(tab.by_id("graph-node").locator("h3").first).to_be_visible()
    assert tab.frame.locator("img").count() == 0


def test_mobilenet_at_two_image_sizes_and_across_runs(
    recorded: Path, tmp_path: Path, serve: Serve, open_tab: OpenTab
) -> None:
    shutil.copytree(recorded, tmp_path / "small")
    record(tmp_path / "mobile", "mobilenet")
    board = serve(tmp_path)
    sessions = {session["run"].split("/")[0]: session["id"] for session in board.wait_for_traces(7)["sessions"]}
    mobile, small = sessions["mobile"], sessions["small"]
    answer = board.get_json(f"compare?session_a={mobile}&seq_a=1&session_b={mobile}&seq_b=2")
    counts = answer["counts"]
    assert counts["added"] == counts["removed"] == counts["rewired"] == counts["renamed"] == 0
    assert len(answer["graphs"][0]["names"]) > 10_000
    assert "all dimensions 1 and 2 of `x` (96 → 128)" in answer["sentence"]
    tab = open_tab(board, fragment=f"retrace&p.retrace.graphs={mobile}/1..{mobile}/2")
    wait_until_drawn(tab)
    expect(tab.by_id("graphs-answer").locator("h1")).to_have_text(answer["sentence"].replace("`", ""))
    tab.frame.get_by_role("button", name="Close everything").click()
    adam = tab.by_id("outline-row").filter(has_text=re.compile("^▸adam"))
    adam.dblclick()
    wait_until_drawn(tab)
    # 6,000 nodes side by side are a few buckets
    inside = [name for name in rows(tab) if "×" in name]
    assert len(inside) > 5
    assert tab.frame.locator("[role=treeitem][aria-level='2']").count() <= 60
    tab.page.keyboard.press("n")
    expect(tab.by_id("change-position")).to_contain_text("change 1 of")
    tab.by_id("pick-a").click()
    tab.by_id("pick-filter").fill("train_step")
    tab.by_id("pick-option").filter(has_text="train_step #1").click()
    expect(tab.by_id("pick-a")).to_contain_text("train_step #1 · small")
    expect(tab.by_id("pick-b")).to_contain_text("mobile_step #2 · mobile")
    wait_until_drawn(tab)
    other = board.get_json(f"compare?session_a={small}&seq_a=1&session_b={mobile}&seq_b=2")
    expect(tab.by_id("graphs-answer").locator("h1")).to_have_text(other["sentence"].replace("`", ""))
