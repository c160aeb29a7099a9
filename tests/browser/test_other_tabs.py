"""A trace in TensorBoard's other tabs: the real Profile tab (xprof) on a real profile session, and the Graphs tab."""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import time
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, expect

from tb_retrace_plugin.schema.vocabulary import span_name
from tests.browser.tab import new_page
from tests.support.tensorboard_process import PATIENCE_SECONDS, TensorBoard, run_tensorboard

ROOT = Path(__file__).resolve().parent.parent.parent
XPROF_PYTHON = ROOT / ".venv-xprof" / ("Scripts" if os.name == "nt" else "bin") / "python"
SPAN = span_name("train_step")


@pytest.fixture(scope="module")
def logdir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("profiled")
    command = [sys.executable, "-m", "tests.support.profiled_program", str(directory)]
    environment = {**os.environ, "CUDA_VISIBLE_DEVICES": "-1"}
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    return directory


@pytest.fixture(scope="module")
def xprof() -> str:
    assert XPROF_PYTHON.exists(), "the Profile tab's tests need it: python3 scripts/prepare.py xprof"
    return str(XPROF_PYTHON)


def ask(board: TensorBoard, route: str, **parameters: str) -> Any:
    """JSON of another plugin's route. xprof compresses whatever is asked for."""
    url = f"{board.address}data/plugin/{route}?{urllib.parse.urlencode(parameters)}"
    with urllib.request.urlopen(url, timeout=PATIENCE_SECONDS) as response:
        body = response.read()
    return json.loads(gzip.decompress(body) if body[:2] == b"\x1f\x8b" else body)


def traces(board: TensorBoard) -> dict[int, dict[str, Any]]:
    """All traces of `train_step` in full, by n."""
    digest = board.wait_for_traces(5)
    session = digest["sessions"][0]["id"]
    found = [board.get_json(f"trace?session={session}&seq={seq}") for seq in digest["traces"]["seq"]]
    return {trace["event"]["n"]: trace for trace in found}


def test_the_profile_tab_shows_the_span_with_its_id_and_cause(logdir: Path, xprof: str, tmp_path: Path) -> None:
    # xprof writes its caches beside the profiles; and a recording may be copied elsewhere
    copied = shutil.copytree(logdir, tmp_path / "copied")
    with run_tensorboard(f"--logdir={copied}", python=xprof, cwd=tmp_path) as board:
        found = traces(board)
        assert [n for n, trace in found.items() if trace["profile"] is None] == [1, 5]
        (run,) = ask(board, "profile/runs")
        for n in (2, 3):
            profile = found[n]["profile"]
            assert (profile["run"], profile["tool"], profile["span"]) == (run, "trace_viewer@", SPAN)
            assert profile["installed"] is True
            assert run in profile["text"]
            assert SPAN in profile["text"]
        assert found[4]["profile"]["run"] is None
        assert "no profile below this logdir has it" in found[4]["profile"]["text"]
        assert "trace_viewer@" in ask(board, "profile/run_tools", run=run)
        (host,) = [row["hostname"] for row in ask(board, "profile/hosts", run=run, tag="trace_viewer@")]
        # the viewer's own data, then what it asks for when a span is clicked
        shown = ask(board, "profile/data", run=run, tag="trace_viewer@", host=host)["traceEvents"]
        spans = [event for event in shown if event.get("name") == SPAN]
        whole = ask(board, "profile/data", run=run, tag="trace_viewer", host=host)["traceEvents"]
        details = [event["args"] for event in whole if event.get("name") == SPAN]
    assert len(spans) == len(details) == 2
    assert all(span["dur"] > 0 for span in spans)
    for args, n, cause in zip(details, (2, 3), ("shape x", "python_value k"), strict=True):
        trace = found[n]
        assert args["id"] == f"{trace['session']}/{trace['event']['seq']}"
        assert (int(args["n"]), args["kind"], args["cause"]) == (n, "retrace", cause)
        assert args["why"] == trace["sentence"]


def test_without_the_profile_tab_the_link_explains_itself(logdir: Path) -> None:
    with run_tensorboard(f"--logdir={logdir}", forked=True) as board:
        profile = traces(board)[2]["profile"]
        assert profile["installed"] is False
        assert profile["run"].startswith("fit/")
        assert "pip install xprof" in profile["text"]
    with run_tensorboard(f"--logdir_spec=some:{logdir / 'fit'}", forked=True) as board:
        profile = traces(board)[2]["profile"]
        assert (profile["run"], profile["installed"]) == (None, False)
        assert "--logdir_spec" in profile["text"]


def select_the_first_of_two(body: Locator, text: str) -> None:
    """The viewer forgets a search, and what is selected, when more spans arrive, which it does not show."""
    search = body.get_by_placeholder("Find Events...")
    until = time.monotonic() + PATIENCE_SECONDS
    while True:
        search.fill("")
        search.fill(text)
        search.press("Enter")
        try:
            expect(body).to_contain_text("0 of 2", timeout=2_000)
            body.get_by_text("→", exact=True).first.click()
            expect(body).to_contain_text("1 of 2", timeout=2_000)
        except AssertionError:
            if time.monotonic() > until:
                raise
        else:
            return


def test_the_link_opens_the_trace_viewer(logdir: Path, xprof: str, chromium: Browser, tmp_path: Path) -> None:
    copied = shutil.copytree(logdir, tmp_path / "copied")
    with run_tensorboard(f"--logdir={copied}", python=xprof, cwd=tmp_path) as board:
        found = traces(board)
        profile = found[2]["profile"]
        page = new_page(chromium, viewport={"width": 1400, "height": 900})
        query = urllib.parse.urlencode({"run": profile["run"], "tool": profile["tool"]})
        page.goto(f"{board.address}?{query}#profile")
        body = page.frame_locator("iframe").first.frame_locator("iframe[src*='trace_viewer']").locator("body")
        select_the_first_of_two(body, profile["span"])
        sentences = [found[n]["sentence"] for n in (2, 3)]
        expect(body).to_contain_text(re.compile("|".join(map(re.escape, sentences))))
        assert sum(sentence in body.inner_text() for sentence in sentences) == 1
        page.close()


def test_the_graphs_tab_draws_the_graph(logdir: Path, chromium: Browser) -> None:
    with run_tensorboard(f"--logdir={logdir}", forked=True) as board:
        place = traces(board)[3]["graphs_tab"]
        assert place["tag"] == "train_step #3, step 1"
        page = new_page(chromium, viewport={"width": 1400, "height": 900})
        page.goto(f"{board.address}#graphs")
        for name in ("x", "mul", "Sum", "add", "identity_retval"):
            expect(page.locator(f"g.node[data-name='{name}']")).to_be_attached()
        expect(page.locator("tf-graph-controls")).to_contain_text(place["tag"])
        page.close()
