"""From the click to the picture: comparing two graphs in Retrace, and opening one of them in TensorBoard's Graphs tab.

`make bench`, or `.venv/bin/python -m tests.benchmarks.graphs_tab [--pairs 5] [--quick]`. Bar of the project: comparing
two graphs of 50,000 nodes takes no longer than the Graphs tab takes for one.

Made-up train steps of real sizes (another batch), in a real TensorBoard that has just started, and in Chromium, in
turns: in Retrace the page of the second trace is open and "Compare" is clicked, in the other the page is open at
another tab and "Graphs" is clicked. Retrace is done at the first picture of both panes; the Graphs tab in the frame
after the one in which its first boxes are in the page. Its server is the Rust one, as is Retrace's.

A function's arguments are flat in its graph, and the Graphs tab draws each as a box. That is what `tb-retrace
graphs-tab` gives it, and measured once a size; the pairs are with all arguments in one scope, which the Graphs tab
draws much sooner: with what is best for it.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, sync_playwright
from playwright.sync_api import TimeoutError as TooLong
from tensorboard.compat.proto import event_pb2
from tensorboard.summary.writer.event_file_writer import EventFileWriter

from build_backend import frontend_bundle
from tb_retrace_plugin.graphs.read_graph import read_graph, to_graph_def
from tests.benchmarks.graph_difference import content, layers_of
from tests.benchmarks.graph_view import click_in_tensorboard, record_pair
from tests.support.tensorboard_process import TensorBoard, run_tensorboard

SIZES = (1_000, 10_900, 50_000, 141_000)
PATIENCE_S = 120
_SCOPE = "arguments/"

#: Notes the shadow roots of the page, and from the button's going down when boxes of a graph are in one of them.
WATCH = """
(() => {
  const roots = [document];
  const attach = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function (...given) {
    const root = attach.apply(this, given);
    roots.push(root);
    return root;
  };
  addEventListener("mousedown", () => {
    const seen = window.seen = { took: null, boxes: 0 };
    const begin = performance.now();
    const look = () => {
      seen.boxes = roots.reduce((sum, root) => sum + root.querySelectorAll("g.node").length, 0);
      if (seen.boxes) requestAnimationFrame(() => { seen.took = performance.now() - begin; });
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  }, { capture: true, once: true });
})();
"""


def write_for_graphs_tab(logdir: Path, nodes: int, *, scoped: bool) -> Path:
    """The first graph of the pair, as `tf.summary.graph` would write it."""
    graph = to_graph_def(read_graph(content(layers_of(nodes), 32)))
    if scoped:
        arguments = {node.name for node in graph.node if not node.input and "/" not in node.name}
        for node in graph.node:
            if node.name in arguments:
                node.name = _SCOPE + node.name
            inputs = [_SCOPE + name if name.partition(":")[0] in arguments else name for name in node.input]
            del node.input[:]
            node.input.extend(inputs)
    writer = EventFileWriter(str(logdir))
    writer.add_event(event_pb2.Event(wall_time=1.7e9, graph_def=graph.SerializeToString()))
    writer.close()
    return logdir


def click_graphs(browser: Browser, logdir: Path) -> tuple[float, int] | None:
    """Milliseconds and the boxes that it drew; None: not within `PATIENCE_S`."""
    with run_tensorboard(f"--logdir={logdir}") as board:
        wait_for_graph(board)
        page = browser.new_page(viewport={"width": 1600, "height": 1000}, reduced_motion="reduce")
        page.add_init_script(WATCH)
        page.goto(f"{board.address}#timeseries")
        page.get_by_role("tab", name="graphs", exact=True).wait_for()
        page.wait_for_load_state("networkidle")
        page.get_by_role("tab", name="graphs", exact=True).click()
        try:
            page.wait_for_function("window.seen.took !== null", timeout=PATIENCE_S * 1000)
        except TooLong:
            page.close()
            return None
        seen: dict[str, Any] = page.evaluate("window.seen")
        page.close()
        return seen["took"], seen["boxes"]


def wait_for_graph(board: TensorBoard) -> None:
    """Until it is read: the click is to find it there."""
    deadline = time.monotonic() + PATIENCE_S
    while True:
        with urllib.request.urlopen(f"{board.address}data/plugin/graphs/info", timeout=PATIENCE_S) as response:
            if json.loads(response.read()):
                return
        assert time.monotonic() < deadline, board.output
        time.sleep(0.2)


def compare(browser: Browser, folder: Path, nodes: int, pairs: int) -> None:
    ours = record_pair(folder / f"ours-{nodes}", nodes, "another batch")
    theirs = write_for_graphs_tab(folder / f"theirs-{nodes}", nodes, scoped=True)
    flat = write_for_graphs_tab(folder / f"flat-{nodes}", nodes, scoped=False)
    found: list[tuple[float, float]] = []
    boxes = 0
    for number in range(pairs):
        first = click_in_tensorboard(browser, ours)["picture"] if number % 2 == 0 else None
        drawn = click_graphs(browser, theirs)
        picture = click_in_tensorboard(browser, ours)["picture"] if first is None else first
        if drawn is None:
            print(f"{nodes:>7,} nodes  Retrace, two graphs {picture:6.0f} ms   Graphs tab: not in {PATIENCE_S} s")
            break
        found.append((picture, drawn[0]))
        boxes = drawn[1]
    if found:
        ratios = sorted(a / b for a, b in found)
        own, other = (statistics.median(pair[i] for pair in found) for i in (0, 1))
        print(
            f"{nodes:>7,} nodes  Retrace, two graphs {own:6.0f} ms   Graphs tab, one {other:6.0f} ms ({boxes} boxes)"
            f"   ratio {statistics.median(ratios):.2f} ({ratios[0]:.2f} … {ratios[-1]:.2f}, {len(ratios)} pairs)",
            flush=True,
        )
    drawn = click_graphs(browser, flat)
    text = f"not in {PATIENCE_S} s" if drawn is None else f"{drawn[0]:6,.0f} ms, {drawn[1]:,} boxes"
    print(f"               Graphs tab, arguments flat, once: {text}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="one pair of the two smallest sizes only")
    arguments = parser.parse_args()
    frontend_bundle.ensure_bundle()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        for nodes in SIZES[:2] if arguments.quick else SIZES:
            compare(browser, Path(folder), nodes, 1 if arguments.quick else arguments.pairs)
        browser.close()


if __name__ == "__main__":
    main()
