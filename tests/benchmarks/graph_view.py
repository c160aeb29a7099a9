"""How long the tab takes to draw two graphs side by side, on made-up graphs of real sizes.

`python -m tests.benchmarks.graph_view [--runs 3] [--quick]`: prints, for each size, the time from the click to the
first picture of both panes in a TensorBoard that has just started, on a recording of two train steps (another batch;
a layer inserted), and the longest task of the page. Then the tab's part alone, on a comparison that is served ready and
compressed: the same click, what of it the worker spent on what, opening a flat scope of 89,527 nodes, and the camera
with 1,500 boxes in view.
"""

from __future__ import annotations

import argparse
import hashlib
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Frame, Page, sync_playwright

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))

from build_backend import frontend_bundle  # noqa: E402
from tb_retrace_plugin.events import encode  # noqa: E402
from tb_retrace_plugin.graphs.stored import Base  # noqa: E402
from tb_retrace_plugin.graphs.stored import encode as encode_graph  # noqa: E402
from tests.benchmarks.graph_difference import content, layers_of, pairs_of  # noqa: E402
from tests.support.graph_fixture_server import GraphFixture, serve_graph_fixture  # noqa: E402
from tests.support.stores import new_recording  # noqa: E402
from tests.support.tensorboard_process import TensorBoard, run_tensorboard  # noqa: E402

SIZES = {"MobileNetV2's size": 10_900, "50k": 50_000, "141k": 141_000}
#: From the click to the picture, in seconds, with everything.
BARS = {"MobileNetV2's size": 1.0, "50k": 2.0, "141k": 4.0}
FLAT_CHILDREN = 89_527
PATIENCE_MS = 120_000

#: Notes when pictures were drawn, how long frames took the script, what the worker spent, and long tasks.
WATCH = """
(() => {
  if (window === window.top) return;
  const seen = window.watched = { pictures: [], frames: [], spent: null, tasks: [] };
  new MutationObserver(() => seen.pictures.push(performance.now())).observe(document, { subtree: true, attributeFilter: ["data-retrace-graph"] });
  new PerformanceObserver((list) => list.getEntries().forEach((task) => seen.tasks.push([task.startTime, task.duration]))).observe({ type: "longtask", buffered: true });
  const request = window.requestAnimationFrame.bind(window);
  window.requestAnimationFrame = (draw) => request((now) => {
    const begin = performance.now();
    draw(now);
    seen.frames.push([begin, performance.now() - begin]);
  });
  const Real = window.Worker;
  window.Worker = class extends Real {
    constructor(...given) {
      super(...given);
      this.addEventListener("message", (event) => { seen.spent = event.data.value?.spent ?? seen.spent; });
    }
  };
})();
"""  # noqa: E501


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="one run of the smallest size only")
    arguments = parser.parse_args()
    frontend_bundle.ensure_bundle()
    runs = 1 if arguments.quick else arguments.runs
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        sizes = dict(list(SIZES.items())[: 1 if arguments.quick else None])
        for what, nodes in sizes.items():
            for pair in ("another batch", "a layer inserted"):
                logdir = record_pair(Path(folder) / f"{nodes} {pair}", nodes, pair)
                report_click(
                    f"{what}, {pair}", BARS[what], [click_in_tensorboard(browser, logdir) for _ in range(runs)]
                )
        print("\nthe tab alone:")
        for what, nodes in sizes.items():
            with serve_graph_fixture(fixture(Path(folder), nodes, "shapes")) as server:
                report_opening(what, [open_comparison(browser, server) for _ in range(runs)])
        if not arguments.quick:
            with serve_graph_fixture(fixture(Path(folder), FLAT_CHILDREN, "flat")) as server:
                times = [open_flat_scope(browser, server) for _ in range(runs)]
                report("opening a flat scope of 89,527", times, "bar 300")
        with serve_graph_fixture(fixture(Path(folder), 2_600, "shapes")) as server:
            report_camera([move_camera(browser, server) for _ in range(runs)])
        browser.close()


def fixture(folder: Path, nodes: int, difference: str) -> bytes:
    """A comparison made by the front end's own generator."""
    path = folder / f"{difference}-{nodes}.json"
    node = frontend_bundle.find_node()
    assert node is not None, frontend_bundle.NODE_REQUIREMENT
    vite_node = ROOT / "frontend/node_modules/vite-node/vite-node.mjs"
    command = [node, vite_node, "dev/write_graph_fixture.ts", str(nodes), difference, str(path)]
    subprocess.run(list(map(str, command)), cwd=ROOT / "frontend", check=True, stderr=subprocess.DEVNULL)
    return path.read_bytes()


def record_pair(logdir: Path, nodes: int, pair: str) -> Path:
    """Two traces of a function whose graphs have about so many nodes, as a recorder writes them."""
    layers = layers_of(nodes)
    others, batch = pairs_of(layers)[pair]
    recording = new_recording(logdir)
    base = None
    for seq, data in enumerate((content(layers, 32), content(others, batch)), start=1):
        sha256 = hashlib.sha256(data).hexdigest()
        recording.file.write_bytes(encode.encode_graph(sha256, encode_graph(data, base), 1.0))
        recording.trace(shape=(seq,), graph_sha256=sha256, nodes=nodes, closest_seq=seq - 1, closest_n=seq - 1)
        base = Base(sha256, data)
    return logdir


def click_in_tensorboard(browser: Browser, logdir: Path) -> dict[str, Any]:
    """Of a TensorBoard that has compared nothing yet."""
    with run_tensorboard(f"--logdir={logdir}") as board:
        session = board.wait_for_traces(2)["sessions"][0]["id"]
        return click(*open_page(browser, board, f"p.retrace.trace={session}/2"))


def open_page(browser: Browser, server: GraphFixture | TensorBoard, fragment: str) -> tuple[Page, Frame]:
    page = browser.new_page(viewport={"width": 1600, "height": 1000}, reduced_motion="reduce")
    page.set_default_timeout(PATIENCE_MS)
    page.add_init_script(WATCH)
    page.goto(f"{server.address}#retrace&{fragment}")
    frame = page.wait_for_selector("iframe[src*='plugin_entry.html?name=retrace']").content_frame()
    assert frame is not None
    frame.wait_for_selector("html[data-retrace-idle='true']", state="attached")
    return page, frame


def open_comparison(browser: Browser, server: GraphFixture) -> dict[str, Any]:
    session = server.answer["a"]["session"]
    return click(*open_page(browser, server, f"p.retrace.trace={session}/2"))


def click(page: Page, frame: Frame) -> dict[str, Any]:
    """Milliseconds from the click to the first picture, of the worker's parts, and of the longest task in between."""
    button = frame.get_by_test_id("compare-graphs")
    button.wait_for()
    begin = button.evaluate("button => { const at = performance.now(); button.click(); return at; }")
    frame.wait_for_selector("html[data-retrace-graph][data-retrace-idle='true']", state="attached")
    seen = frame.evaluate("window.watched")
    page.close()
    return {
        "picture": seen["pictures"][0] - begin,
        "spent": seen["spent"],
        "longest": max([duration for at, duration in seen["tasks"] if at > begin] or [0]),
    }


def open_flat_scope(browser: Browser, server: GraphFixture) -> float:
    """Milliseconds from Enter on the scope in the outline to the picture of it opened."""
    session = server.answer["a"]["session"]
    page, frame = open_page(browser, server, f"p.retrace.graphs={session}/1..{session}/2")
    row = frame.get_by_test_id("outline-row").filter(has_text="adam").first
    row.click()
    frame.wait_for_selector("html[data-retrace-idle='true']", state="attached")
    before = int(frame.evaluate("document.documentElement.dataset.retraceGraph"))
    taken = frame.evaluate(
        """before => new Promise((resolve) => {
          const begin = performance.now();
          new MutationObserver(() => {
            if (Number(document.documentElement.dataset.retraceGraph) > before) resolve(performance.now() - begin);
          }).observe(document.documentElement, { attributeFilter: ["data-retrace-graph"] });
          const outline = document.querySelector("[data-testid=graph-outline]");
          outline.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
        })""",
        before,
    )
    page.close()
    return float(taken)


def move_camera(browser: Browser, server: GraphFixture) -> dict[str, Any]:
    """With everything open that is drawn at most: two seconds of panning and zooming, an event a frame."""
    session = server.answer["a"]["session"]
    page, frame = open_page(browser, server, f"p.retrace.graphs={session}/1..{session}/2")
    frame.get_by_role("button", name="Open everything that can still be drawn").click()
    frame.wait_for_selector("html[data-retrace-idle='true']", state="attached")
    moved = frame.evaluate(
        """() => new Promise((resolve) => {
          const canvas = document.querySelector("[data-testid=graph-canvas-a]");
          const { left, top, width, height } = canvas.getBoundingClientRect();
          const boxes = Number(document.documentElement.dataset.retraceGraph);
          const begin = performance.now();
          let count = 0;
          const step = (now) => {
            const zooms = Math.floor(count / 20) % 2 === 0;
            canvas.dispatchEvent(new WheelEvent("wheel", { deltaY: zooms ? (count % 40 < 10 ? 4 : -4) : 0, deltaX: zooms ? 0 : (count % 40 < 30 ? 3 : -3),
              clientX: left + width / 2, clientY: top + height / 2, bubbles: true, cancelable: true }));
            count += 1;
            if (performance.now() - begin < 2000) requestAnimationFrame(step);
            else resolve({ boxes, begin, seconds: (performance.now() - begin) / 1000, count });
          };
          requestAnimationFrame(step);
        })"""  # noqa: E501
    )
    frames = [taken for at, taken in frame.evaluate("window.watched.frames") if at > moved["begin"] and taken > 0.2]
    page.close()
    return {"boxes": moved["boxes"], "fps": moved["count"] / moved["seconds"], "script": statistics.median(frames)}


def report(what: str, values: list[float], note: str) -> None:
    ordered = sorted(values)
    spread = f"({ordered[0]:.0f} to {ordered[-1]:.0f}; {note})"
    print(f"{what:34} {statistics.median(ordered):6.0f} ms  {spread}", flush=True)


def report_click(what: str, bar: float, results: list[dict[str, Any]]) -> None:
    report(what, [result["picture"] for result in results], f"bar {1000 * bar:.0f}")
    print(f"  longest task of the page: {max(result['longest'] for result in results):.0f} ms (bar 100)", flush=True)


def report_opening(what: str, results: list[dict[str, Any]]) -> None:
    report(f"{what}, click to picture", [result["picture"] for result in results], "no bar of its own")
    parts = results[len(results) // 2]["spent"]
    print("  worker:", "  ".join(f"{name} {value:.0f}" for name, value in parts.items()), flush=True)
    print(f"  longest task of the page: {max(result['longest'] for result in results):.0f} ms (bar 100)", flush=True)


def report_camera(results: list[dict[str, Any]]) -> None:
    best = max(results, key=lambda result: result["fps"])
    print(
        f"camera, {best['boxes']} boxes in view    {best['fps']:.0f} frames/s, "
        f"script {statistics.median([result['script'] for result in results]):.1f} ms a frame"
    )


if __name__ == "__main__":
    main()
