"""The states of the tab that are looked at from all sides: by axe, by the keyboard and by the screenshot tests.

A scene is a logdir (several share one TensorBoard) and the way into it. What a scene needs is asserted on the way, so
that a scene which has become another state fails instead of being checked for nothing.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, Route, expect

from tests.browser.tab import PATIENCE_MS, Tab
from tests.support.busy_logdir import write_busy_recording
from tests.support.logdirs import SECOND, STARTED_NS, EventFile, Recording, write_recording
from tests.support.tensorboard_process import TensorBoard, run_tensorboard

ROOT = Path(__file__).resolve().parent.parent.parent
RECORDINGS = ROOT / "tests" / "support" / "recordings"
OpenTab = Callable[..., Tab]
DRAWN = "html[data-retrace-graph][data-retrace-idle='true']"
DIGESTS = "**/plugin/retrace/digest*"


# Logdirs: what is in them, and how many traces the tab is to hold.


def _nothing(logdir: Path) -> int:
    logdir.mkdir()
    return 0


def _one(logdir: Path) -> int:
    recording = Recording(EventFile(logdir / "fit"))
    recording.trace("train_step", step=0, trace_duration_ns=int(1.3 * SECOND))
    recording.first_call(1, 0.4, k=1)
    recording.end(8)
    return 1


def _thirty(logdir: Path) -> int:
    write_busy_recording(logdir / "fit", 30, functions=7, steps=600, idle_seconds=1)
    return 30


def _ten_thousand(logdir: Path) -> int:
    write_busy_recording(logdir / "fit", 10_000)
    return 10_000


def _telling(logdir: Path) -> int:
    """A retrace with advice, a failed trace, compilations by XLA, a stale value; another run beside it."""
    recording = Recording(EventFile(logdir / "fit"))
    for rows in (32, 7, 9, 32, 5):
        recording.trace(shape=(rows, 10), source="loss = train_step(batch)")
    recording.first_call(2, 0.75, k=1)
    recording.trace("predict", jit_compile=True)
    recording.compilation(6, (4, 3))
    recording.compilation(6, (7, 3), seconds=0.5)
    recording.stale(6, "external", "10", "100")
    recording.trace("predict", shape=(2, 10), failed=True, error="ValueError: Dimensions must be equal\n  2 and 3")
    recording.trace("augment", shape=(1, 2), stack_id="", source="")
    recording.end(60)
    write_recording(logdir / "fixed", 2, session="session-2", functions=1)
    return 10


def _fixed(logdir: Path) -> int:
    """A real program before and after it was mended."""
    for run, program in (("before", "training_regressed"), ("after", "training")):
        home = logdir / run / "retrace"
        home.mkdir(parents=True)
        shutil.copy(RECORDINGS / f"{program}.retrace", home / f"events.out.tfevents.1700000000.0.host.1.{run}.retrace")
    return 41


def _damaged(logdir: Path) -> int:
    recording = Recording(EventFile(logdir / "fit"))
    recording.trace()
    recording.trace(shape=(7, 10))
    recording.end(60, traces=5, losses={"graphs_left_out": 4})
    return 2


def _eager(logdir: Path) -> int:
    Recording(EventFile(logdir / "fit")).start().end(60, ran_eagerly=True)
    return 0


def _workers(logdir: Path) -> int:
    """Two workers of one job, the second of which goes on tracing."""
    traces = 0
    for number in range(2):
        recording = Recording(EventFile(logdir / "fit"), f"worker-{number}", STARTED_NS + number).start(worker=number)
        for step in range(1 + 11 * number):
            recording.trace(shape=(step + 1, 10), step=step, collective_tasks=2)
        recording.end(60)
        home = logdir / "fit" / "retrace" / f"worker{number}"  # where a recorder of several workers writes
        home.mkdir()
        recording.file.path.rename(home / recording.file.path.name)
        traces += len(recording.traces)
    return traces


def _graphs(logdir: Path) -> int:
    """Real graphs, recorded in a process of its own."""
    command = [sys.executable, "-m", "tests.support.compared_graphs", str(logdir), "small"]
    settings = {**os.environ, "CUDA_VISIBLE_DEVICES": "-1", "TF_ENABLE_ONEDNN_OPTS": "0"}
    done = subprocess.run(command, cwd=ROOT, env=settings, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return 5


_LOGDIRS = {
    writer.__name__.lstrip("_"): writer
    for writer in (_nothing, _one, _thirty, _ten_thousand, _telling, _fixed, _damaged, _eager, _workers, _graphs)
}


class Boards:
    """One TensorBoard a logdir, started when it is first asked for."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self._folder = folder
        self._stack = stack
        self._held: dict[str, tuple[TensorBoard, int]] = {}

    def board(self, name: str) -> tuple[TensorBoard, int]:
        """The TensorBoard on that logdir, once it has read all of it, and how many traces there are."""
        if name not in self._held:
            logdir = self._folder / name
            traces = _LOGDIRS[name](logdir)
            tensorboard = self._stack.enter_context(run_tensorboard(f"--logdir={logdir}", forked=True))
            tensorboard.wait_for_traces(traces)
            self._held[name] = (tensorboard, traces)
        return self._held[name]


def open_boards(folder: Path) -> Iterator[Boards]:
    with ExitStack() as stack:
        yield Boards(folder, stack)


@dataclass(frozen=True)
class Scene:
    logdir: str
    #: From the opened tab to the state.
    enter: Callable[[Tab], None] = lambda tab: None
    #: Parameters of the fragment, from the id of the session that started first.
    fragment: Callable[[str], str] = lambda session: ""
    prepare: Callable[[Page], object] | None = None
    #: Whether the tab never gets as far as holding its traces.
    stuck: bool = False
    #: What the browser's own report of what this scene brings about contains, if it reports that.
    complains: str = ""

    def open(self, boards: Boards, open_tab: OpenTab, **options: Any) -> Tab:
        tensorboard, traces = boards.board(self.logdir)
        sessions = tensorboard.get_json("digest")["sessions"]
        session = str(min(sessions, key=lambda each: int(each["started_ns"]))["id"]) if sessions else ""
        fragment = "retrace" + self.fragment(session)
        prepare = options.pop("prepare", None)

        def both(page: Page) -> None:
            for step in (prepare, self.prepare):
                if step is not None:
                    step(page)

        tab = open_tab(tensorboard, fragment=fragment, prepare=both, **options)
        if not self.stuck:
            tab.settle(traces)
        self.enter(tab)
        return tab


# Ways in.


def _chosen(tab: Tab) -> None:
    expect(tab.by_id("cost")).to_be_visible(timeout=PATIENCE_MS)
    tab.settle()


def _trace(seq: int) -> Callable[[str], str]:
    return lambda session: f"&p.retrace.trace={session}/{seq}"


def _shows(test_id: str) -> Callable[[Tab], None]:
    return lambda tab: expect(tab.by_id(test_id).first).to_be_visible(timeout=PATIENCE_MS)


def _press(key: str, then: str) -> Callable[[Tab], None]:
    def enter(tab: Tab) -> None:
        tab.frame.locator("body").press(key)
        expect(tab.frame.locator(then).first).to_be_visible(timeout=PATIENCE_MS)

    return enter


def _filters(tab: Tab) -> None:
    tab.by_id("more-filters").click()
    expect(tab.frame.locator("#further-filters")).to_be_visible()


def _filtered_to_nothing(tab: Tab) -> None:
    tab.by_id("search").fill("no such thing")
    expect(tab.frame.locator(".list-nothing")).to_be_visible()


def _graphs_drawn(tab: Tab) -> None:
    tab.frame.wait_for_selector(DRAWN, state="attached", timeout=PATIENCE_MS)


def _node_chosen(tab: Tab) -> None:
    _graphs_drawn(tab)
    tab.by_id("outline-row").first.click()
    tab.settle()


def _compared_runs(tab: Tab) -> None:
    tab.by_id("compare-runs").click()
    expect(tab.by_id("runs-table")).to_be_visible(timeout=PATIENCE_MS)


def _export_menu(tab: Tab) -> None:
    tab.by_id("export").click()
    expect(tab.by_id("export-menu")).to_be_visible()


def _answer_with_an_error(page: Page) -> None:
    def answer(route: Route) -> None:
        body = json.dumps({"error": "TensorBoard cannot read the logdir: gone"})
        route.fulfill(status=500, content_type="application/json", body=body)

    page.route(DIGESTS, answer)


def _never_answer(page: Page) -> None:
    page.route(DIGESTS, lambda route: None)


def _function(seq: int) -> Callable[[str], str]:
    return lambda session: f"&p.retrace.function={session}/{seq}"


SCENES: dict[str, Scene] = {
    "no recording": Scene("nothing", _shows("empty-state")),
    "nothing traced": Scene("eager", _shows("empty-state")),
    "loading": Scene("one", _shows("loading-state"), prepare=_never_answer, stuck=True),
    "error": Scene(
        "one", _shows("error-state"), prepare=_answer_with_an_error, stuck=True, complains="plugin/retrace/digest"
    ),
    "one trace": Scene("one"),
    "thirty traces": Scene("thirty"),
    "ten thousand traces": Scene("ten_thousand"),
    "step axis": Scene("thirty", fragment=lambda session: "&p.retrace.axis=step"),
    "data lost": Scene("damaged", _shows("notices")),
    "first trace chosen": Scene("telling", _chosen, _trace(1)),
    "retrace chosen": Scene("telling", _chosen, _trace(2)),
    "compilations and stale values": Scene("telling", _chosen, _trace(6)),
    "failed trace chosen": Scene("telling", _chosen, _trace(7)),
    "trace not found": Scene("telling", fragment=_trace(999)),
    "overview of all": Scene("telling"),
    "filters": Scene("telling", _filters),
    "filtered to nothing": Scene("telling", _filtered_to_nothing),
    "help": Scene("telling", _press("?", "dialog[open]")),
    "function page": Scene("telling", _shows("function-table"), _function(2)),
    "function page with a question": Scene(
        "fixed",
        _shows("what-if-answer"),
        lambda session: _function(2)(session) + "&p.retrace.any=x%5B0%5D%0Ay%5B0%5D&p.retrace.tensor=step",
    ),
    "function page with a trace chosen": Scene(
        "telling", _shows("change-table"), lambda session: _function(2)(session) + _trace(4)(session)
    ),
    "function page of what XLA compiled": Scene("telling", _shows("function-xla"), _function(6)),
    "function page of one trace": Scene("one", _shows("function-table"), _function(1)),
    "function page of thirty traces": Scene("thirty", _shows("function-table"), _function(4)),
    "function that is not there": Scene("telling", _shows("function-error"), _function(999), complains="404"),
    "zoomed in": Scene("thirty", fragment=lambda session: "&p.retrace.view=1000000..5000000"),
    "area": Scene("thirty", _shows("area-bar"), lambda session: "&p.retrace.area=1000000..5000000"),
    "without memory": Scene("thirty", fragment=lambda session: "&p.retrace.memory=0"),
    "export menu": Scene("telling", _export_menu),
    "help of the function page": Scene("telling", _press("?", "dialog[open]"), _function(2)),
    "compared runs": Scene("fixed", _compared_runs),
    "compared runs that are the same": Scene(
        "telling", _shows("runs-same"), lambda session: "&p.retrace.runs=session-1..session-1"
    ),
    "workers": Scene("workers", _shows("workers-table"), lambda session: f"&p.retrace.workers={session}"),
    "graphs": Scene("graphs", _graphs_drawn, lambda session: f"&p.retrace.graphs={session}/1..{session}/2"),
    "node of a graph": Scene("graphs", _node_chosen, lambda session: f"&p.retrace.graphs={session}/1..{session}/2"),
    "graphs that are not there": Scene(
        "telling",
        _shows("graphs-error"),
        lambda session: f"&p.retrace.graphs={session}/1..{session}/2",
        complains="404",
    ),
}
