"""How quick the tab is on a long training, and TensorBoard's own Scalars tab with as many points beside it.

`python -m tests.benchmarks.tab [--quick]`: 10,000 traces of 200 functions over 20,000 steps, and 100,000 (`--quick`:
10,000 only), in a real TensorBoard and a headless Chromium. Prints how long the first picture takes from the moment at
which the data can be read, frames and script per frame while the timeline zooms, moves and shows all of it, the page's
heap, and what one more trace costs. Both tabs share the machine, the browser and the way of measuring.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Frame, Page, sync_playwright

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))

from build_backend import frontend_bundle  # noqa: E402
from tb_retrace_plugin.schema import retrace_pb2 as pb  # noqa: E402
from tests.support.busy_logdir import write_busy_recording  # noqa: E402
from tests.support.logdirs import SECOND, EventFile, Recording  # noqa: E402
from tests.support.tensorboard_process import TensorBoard, run_tensorboard  # noqa: E402

FUNCTIONS = 200
PAIRS = 5
PATIENCE_MS = 180_000
TAB = "iframe[src*='plugin_entry.html?name=retrace']"
SETTLED = "html[data-retrace-idle='true'][data-retrace-traces='{}']"

#: Notes, in every frame of the page, long tasks and when the timeline's canvas was first drawn on.
WATCH = """
(() => {
  const seen = window.watched = { tasks: [], painted: null };
  const note = (task) => seen.tasks.push([task.startTime, task.duration]);
  new PerformanceObserver((list) => list.getEntries().forEach(note))
    .observe({ type: "longtask", buffered: true });
  if (window === window.top) return;
  const fill = CanvasRenderingContext2D.prototype.fillText;
  CanvasRenderingContext2D.prototype.fillText = function (...given) {
    if (seen.painted === null) requestAnimationFrame(() => { seen.painted = performance.now(); });
    CanvasRenderingContext2D.prototype.fillText = fill;
    return fill.apply(this, given);
  };
})();
"""

#: One event a frame for two seconds; resolves with the seconds and the frames.
DRIVE = """
async ([what, seconds]) => {
  const plot = document.querySelector("[data-testid=timeline] [role=listbox]");
  const canvas = plot.querySelector("canvas");
  const { left, top, width, height } = canvas.getBoundingClientRect();
  const wheel = (deltaX, deltaY) => canvas.dispatchEvent(new WheelEvent("wheel",
    { deltaX, deltaY, clientX: left + width * 0.6, clientY: top + height / 2, bubbles: true, cancelable: true }));
  const key = (key) => document.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  const frame = () => new Promise(requestAnimationFrame);
  key("0");
  if (what === "pan") { for (let i = 0; i < 8; i += 1) key("w"); }
  await frame(); await frame();
  const begin = performance.now();
  let frames = 0;
  while (performance.now() - begin < seconds * 1000) {
    if (what === "zoom") wheel(0, frames % 120 < 60 ? -40 : 40);
    if (what === "pan") wheel(frames % 120 < 60 ? 12 : -12, 0);
    if (what === "full") canvas.dispatchEvent(new PointerEvent("pointermove",
      { clientX: left + 100 + ((frames * 7) % (width - 100)), clientY: top + (frames * 3) % height, bubbles: true }));
    if (what === "scroll") document.querySelector(".timeline-body").scrollTop = (frames * 9) % 3000;
    await frame();
    frames += 1;
  }
  return { frames, seconds: (performance.now() - begin) / 1000 };
}
"""

SCROLL_SCALARS = """
async (seconds) => {
  const frame = () => new Promise(requestAnimationFrame);
  const tall = (element) => element.scrollHeight > element.clientHeight + 200;
  const panes = [...document.querySelectorAll("*")].filter(tall);
  const main = panes.sort((a, b) => b.clientWidth * b.clientHeight - a.clientWidth * a.clientHeight)[0];
  const begin = performance.now();
  let frames = 0;
  while (performance.now() - begin < seconds * 1000) {
    if (main) main.scrollTop = (frames * 9) % 3000;
    await frame();
    frames += 1;
  }
  return { frames, seconds: (performance.now() - begin) / 1000, scrolls: Boolean(main) };
}
"""


@dataclass
class Motion:
    """One way of moving the picture. Milliseconds of the processor's time per frame: `script` as the browser counts it
    (without promises), `task` all that the page's thread did (layout and painting, too). `worst`: the longest task by
    the clock, which other programs on the machine make longer."""

    what: str
    fps: float
    script: float
    task: float
    worst: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="10,000 traces only")
    arguments = parser.parse_args()
    frontend_bundle.ensure_bundle()
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}: a busy machine makes times by the clock longer")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        for traces in (10_000,) if arguments.quick else (10_000, 100_000):
            logdir = Path(folder) / str(traces)
            steps = 2 * traces
            write_busy_recording(logdir / "retrace_only" / "fit", traces, functions=FUNCTIONS, steps=steps)
            write_scalars(logdir / "scalars_only", FUNCTIONS, traces // FUNCTIONS, steps)
            print(f"{traces:,} traces of {FUNCTIONS} functions, {steps:,} steps", flush=True)
            measure_first_reading(browser, logdir / "retrace_only", traces)
            with (
                run_tensorboard(f"--logdir={logdir / 'retrace_only'}") as retrace,
                run_tensorboard(f"--logdir={logdir / 'scalars_only'}") as scalars,
            ):
                wait_until_loaded(retrace, traces)
                time.sleep(8)
                measure_first_pictures(browser, retrace, scalars, traces)
                measure_retrace(browser, retrace, logdir / "retrace_only", traces)
                measure_scalars(browser, scalars)
        browser.close()


def write_scalars(directory: Path, tags: int, points: int, steps: int) -> None:
    """As many points as traces, in as many tags as functions."""
    from tensorboard.compat.proto import event_pb2, summary_pb2
    from tensorboard.summary.writer.event_file_writer import EventFileWriter

    writer = EventFileWriter(str(directory))
    draw = random.Random(tags)
    for point in range(points):
        values = [summary_pb2.Summary.Value(tag=f"loss/{tag}", simple_value=draw.random()) for tag in range(tags)]
        step = point * steps // points
        writer.add_event(event_pb2.Event(wall_time=1.7e9 + step, step=step, summary=summary_pb2.Summary(value=values)))
    writer.close()


def measure_first_reading(browser: Browser, logdir: Path, traces: int) -> None:
    with run_tensorboard(f"--logdir={logdir}") as tensorboard:
        began = time.monotonic()
        wait_until_loaded(tensorboard, traces)
        took = time.monotonic() - began
    with run_tensorboard(f"--logdir={logdir}") as tensorboard:
        time.sleep(2 * took + 3)  # its loader has read everything; the plugin has been asked nothing yet
        with opened(browser, tensorboard, "retrace") as page:
            frame = retrace_frame(page, traces)
            print(f"  first picture, the server's first reading in it    {painted_ms(frame):6.0f} ms")


def measure_first_pictures(browser: Browser, retrace: TensorBoard, scalars: TensorBoard, traces: int) -> None:
    """Both in turns, each server having answered before."""
    ours: list[float] = []
    theirs: list[float] = []
    for number in range(PAIRS + 1):
        for is_ours in ((True, False), (False, True))[number % 2]:
            with opened(browser, retrace if is_ours else scalars, "retrace" if is_ours else "timeseries") as page:
                if is_ours:
                    ours.append(painted_ms(retrace_frame(page, traces)))
                else:
                    theirs.append(scalars_painted_ms(page))
    del ours[0], theirs[0]  # the browser's own caches
    ratios = sorted(our / their for our, their in zip(ours, theirs, strict=True))
    print(f"  first picture, read before                         {statistics.median(ours):6.0f} ms  (bar 1000)")
    print(f"  TensorBoard's Scalars tab, as many points          {statistics.median(theirs):6.0f} ms")
    print(f"  ratio {statistics.median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f} of {PAIRS} pairs in turns)")


def measure_retrace(browser: Browser, tensorboard: TensorBoard, logdir: Path, traces: int) -> None:
    with opened(browser, tensorboard, "retrace") as page:
        frame = retrace_frame(page, traces)
        for what in ("full", "zoom", "pan", "scroll"):
            tell(moved(page, frame, what, lambda what=what: frame.evaluate(DRIVE, [what, 2])))  # type: ignore[misc]
        print(f"  heap, TensorBoard's own page in it                 {heap_mb(page):6.0f} MB  (bar 150)")
        print(f"  typing one letter into the filter, processor        {typed_ms(page, frame):6.0f} ms")
        one_more(tensorboard, page, frame, logdir, traces)


def measure_scalars(browser: Browser, tensorboard: TensorBoard) -> None:
    print("  TensorBoard's Scalars tab")
    with opened(browser, tensorboard, "timeseries") as page:
        scalars_painted_ms(page)
        tell(moved(page, page.main_frame, "scroll", lambda: page.evaluate(SCROLL_SCALARS, 2)), "  ")
        print(f"    heap                                             {heap_mb(page):6.0f} MB")


def wait_until_loaded(tensorboard: TensorBoard, traces: int) -> None:
    tensorboard.wait_for_traces(traces)


@contextmanager
def opened(browser: Browser, tensorboard: TensorBoard, fragment: str) -> Iterator[Page]:
    page = browser.new_page(viewport={"width": 1600, "height": 1000}, reduced_motion="reduce")
    page.set_default_timeout(PATIENCE_MS)
    page.add_init_script(WATCH)
    page.goto(f"{tensorboard.address}#{fragment}")
    yield page
    page.close()


def retrace_frame(page: Page, traces: int) -> Frame:
    frame = page.wait_for_selector(TAB, state="attached").content_frame()
    assert frame is not None
    frame.wait_for_selector(SETTLED.format(traces), state="attached")
    return frame


def painted_ms(frame: Frame) -> float:
    """From the navigation of the tab's own document to the first frame with its timeline."""
    frame.wait_for_function("window.watched.painted !== null")  # the frame after its elements
    return float(frame.evaluate("window.watched.painted"))


def scalars_painted_ms(page: Page) -> float:
    """From the navigation to the moment at which every card in view has its chart."""
    return float(
        page.evaluate(
            """() => new Promise((resolve) => {
              const look = () => {
                const cards = [...document.querySelectorAll("scalar-card")].filter((card) => card.getBoundingClientRect().top < innerHeight);
                const drawn = cards.filter((card) => card.querySelector("line-chart") && !card.querySelector("mat-spinner"));
                if (cards.length && drawn.length === cards.length) requestAnimationFrame(() => resolve(performance.now()));
                else requestAnimationFrame(look);
              };
              look();
            })"""  # noqa: E501
        )
    )


def moved(page: Page, frame: Frame, what: str, drive: Callable[[], Any]) -> Motion:
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    names = ("ScriptDuration", "TaskDuration")
    before, tasks = [metric(session, name) for name in names], len(long_tasks(frame))
    result = drive()
    script, task = (
        1000 * (metric(session, name) - begun) / max(1, result["frames"])
        for name, begun in zip(names, before, strict=True)
    )
    session.detach()
    worst = max([duration for _, duration in long_tasks(frame)[tasks:]] or [0])
    return Motion(what, result["frames"] / result["seconds"], script, task, worst)


def tell(motion: Motion, indent: str = "") -> None:
    worst = f"longest task {motion.worst:.0f} ms" if motion.worst else "no task above 50 ms"
    print(
        f"  {indent}{motion.what:10} {motion.fps:5.0f} frames/s, script {motion.script:4.1f} ms "
        f"of {motion.task:4.1f} ms a frame, {worst}",
        flush=True,
    )


def long_tasks(frame: Frame) -> list[list[float]]:
    tasks: list[list[float]] = frame.evaluate("window.watched.tasks")
    return tasks


def metric(session: Any, name: str) -> float:
    return next(float(m["value"]) for m in session.send("Performance.getMetrics")["metrics"] if m["name"] == name)


def heap_mb(page: Page) -> float:
    session = page.context.new_cdp_session(page)
    session.send("HeapProfiler.enable")
    session.send("HeapProfiler.collectGarbage")
    session.send("Performance.enable")
    used = metric(session, "JSHeapUsedSize")
    session.detach()
    return used / 1e6


def typed_ms(page: Page, frame: Frame) -> float:
    """Milliseconds of the processor's time per letter, of four typed and taken away again."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    before = metric(session, "TaskDuration")
    field = frame.get_by_test_id("search")
    for text in ("1", "17", "17 ", "17 s", "17 ", "17", "1", ""):
        field.fill(text)
        frame.wait_for_selector("html[data-retrace-idle='true']", state="attached")
    taken = metric(session, "TaskDuration") - before
    session.detach()
    return 1000 * taken / 8


def one_more(tensorboard: TensorBoard, page: Page, frame: Frame, logdir: Path, traces: int) -> None:
    """The program records one more trace: what the tab asks for then, and when it shows."""
    whole = len(tensorboard.get("digest")[2])
    sizes: list[int] = []

    def note(response: Any) -> None:
        if "/digest?" in response.url:
            body = response.body()
            if json.loads(body)["traces"]["seq"]:
                sizes.append(len(body))

    page.on("response", note)
    recording = Recording(EventFile(logdir / "fit"))  # the file that is there, written on
    trace = pb.Trace(
        seq=traces + 1, n=1, time_ns=recording.started_ns + SECOND, kind="first", verdict="needed",
        trace_duration_ns=SECOND // 5, function=pb.Function(name="late", file="/home/user/late.py", line=3),
    )  # fmt: skip
    page.wait_for_timeout(3000)
    began = time.monotonic()
    recording.write(trace)
    frame.wait_for_selector(SETTLED.format(traces + 1), state="attached")
    shown = time.monotonic() - began
    print(
        f"  one more trace shows after {shown:.1f} s (reload interval 1 s, bar 2), in {sum(sizes):,} bytes; "
        f"the whole has {whole:,}"
    )


if __name__ == "__main__":
    main()
