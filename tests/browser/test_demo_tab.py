"""The demo as its user sees it: the tab shows, for each function, exactly the traces that TensorFlow counted."""

from __future__ import annotations

import collections
import os
import re
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.tab import Tab, new_page
from tests.browser.taken import OF_THE_DEMO, in_theme, take
from tests.support.counted_demo import DEMO, ROOT, UNCOUNTED, run_and_count
from tests.support.tensorboard_process import TensorBoard, run_tensorboard


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("demo") / "logs"


@pytest.fixture(scope="module")
def by_tensorflow(logs: Path) -> collections.Counter[str]:
    counts: collections.Counter[str] = collections.Counter()
    for of_part in run_and_count(logs).values():
        counts.update(of_part)
    return counts


def test_the_tab_shows_every_trace_that_tensorflow_counted(
    by_tensorflow: collections.Counter[str], logs: Path, chromium: Browser
) -> None:
    page = new_page(chromium, viewport={"width": 1280, "height": 4000})  # so that every function's row is in view
    with run_tensorboard(f"--logdir={logs}", forked=True) as tensorboard:
        everything = tensorboard.wait_for_digest(
            lambda digest: (
                len(digest["sessions"]) == len(DEMO["PARTS"])
                and all(session["ended"] for session in digest["sessions"])
            )
        )
        traces = len(everything["traces"]["seq"])
        page.goto(f"{tensorboard.address}#retrace")
        tab = page.frame_locator("iframe")
        tab.locator(f"html[data-retrace-traces='{traces}'][data-retrace-idle='true']").wait_for(state="attached")
        roles = {function["name"]: function["role"] for function in everything["functions"] if function["role"]}
        told = dict[str, str]()
        shown: collections.Counter[str] = collections.Counter()
        for row in tab.get_by_test_id("timeline-row").all():
            qualname, place, *more = (row.get_attribute("title") or "").splitlines()
            if (name := row.get_attribute("data-function")) in roles:
                told[name] = more[0]
            if row.get_attribute("data-function") != UNCOUNTED:
                shown[f"{place} {qualname}"] += int(row.get_attribute("data-traces") or 0)
    page.close()
    assert shown == by_tensorflow
    assert told
    assert told == {name: role[:1].upper() + role[1:].replace("`", "") for name, role in roles.items()}
    uncounted = sum(function["traces"] for function in everything["functions"] if function["name"] == UNCOUNTED) + sum(
        function["failed_traces"] for function in everything["functions"]
    )
    assert traces == sum(by_tensorflow.values()) + uncounted


def test_what_costs_most_which_argument_which_line_and_what_it_saves_are_seen_with_one_click(
    by_tensorflow: collections.Counter[str],
    logs: Path,
    serve: Callable[..., TensorBoard],
    open_tab: Callable[..., Tab],
) -> None:
    """docs/first_look.md: all of it in a window of a common laptop, without scrolling. README shows this picture."""
    tensorboard = serve(logs)
    everything = tensorboard.wait_for_digest(
        lambda digest: (
            len(digest["sessions"]) == len(DEMO["PARTS"]) and all(session["ended"] for session in digest["sessions"])
        )
    )
    for picture in OF_THE_DEMO:
        width, height = picture.size
        tab = open_tab(tensorboard, width=width, height=height, prepare=in_theme(picture.theme))
        tab.settle(len(everything["traces"]["seq"]))
        expect(tab.by_id("detail")).to_contain_text("Most of it: train_step was traced 20 times")
        costliest = tab.by_id("timeline-row").first
        expect(costliest).to_have_attribute("data-function", "train_step")
        rows = tab.by_id("trace-row")
        expect(rows.first).to_contain_text("avoidable")
        # on a machine that stalls, one trace of another part may cost more than each of these
        its_rows = rows.filter(has_text=re.compile("train_step.*step: python value.*avoidable"))
        expect(its_rows.first).to_be_in_viewport()
        costliest.click()
        assert_answered(tab)
        tab.page.mouse.move(1, 1)
        tab.frame.evaluate("document.activeElement.blur()")
        assert "\n".join(take(tab, picture)) == ""


def assert_answered(tab: Tab) -> None:
    source = (DEMO["HERE"] / "python_step_counter.py").read_text("utf-8").splitlines()
    line = next(number for number, text in enumerate(source, 1) if "# `step`: the mistake" in text)
    seen = {
        "[data-testid=sentence]": "because step is another Python value",
        "[data-testid=call-site]": f"python_step_counter.py:{line}",
        ".advice .effect": "20 traces → 1",
        ".advice pre": "tf.constant(step)",
    }
    for selector, words in seen.items():
        answer = tab.frame.locator(selector).first
        expect(answer).to_contain_text(words)
        expect(answer).to_be_in_viewport(ratio=1)


def bind_apart(taken: socket.socket) -> int:
    """To a port below those that the system hands out: nobody takes the next one meanwhile."""
    for port in range(20_000 + os.getpid() % 5_000, 30_000):
        try:
            taken.bind(("localhost", port))
            return port
        except OSError:
            continue
    raise AssertionError("no free port from 20000 to 30000")


def test_make_demo_serves_on_the_next_free_port_and_prints_the_tabs_address(
    by_tensorflow: collections.Counter[str], logs: Path, chromium: Browser
) -> None:
    with socket.socket() as taken:
        port = bind_apart(taken)
        taken.listen()
        code = (
            "import pathlib, runpy, sys; demo = runpy.run_path('demo/__main__.py', run_name='demo');"
            "demo['serve'](pathlib.Path(sys.argv[1]), demo['free_port'](int(sys.argv[2])))"
        )
        command = [sys.executable, "-u", "-c", code, str(logs), str(port)]
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as demo:
            try:
                assert demo.stdout
                address = next(filter(None, (re.search(r"http://\S+/#retrace", line) for line in demo.stdout)))[0]
                assert f":{port}/" not in address
                page = new_page(chromium)
                page.goto(address)
                page.frame_locator("iframe").get_by_test_id("verdict").wait_for()
                page.close()
            finally:
                demo.terminate()
