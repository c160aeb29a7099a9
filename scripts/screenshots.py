"""Takes the pictures that README and docs show, 1280 wide: docs/images/*.png.

`make screenshots`; records what is in them first, real programs all, where there is no recording of them in logs/.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Browser, FrameLocator, Page, ViewportSize, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs" / "images"
SIZE: ViewportSize = {"width": 1280, "height": 860}
DEMO = ROOT / "logs" / "demo"
#: The program of demo/ci as a pull request left it, and as it was mended.
FIXED = ROOT / "logs" / "fixed"
#: MobileNetV2's train step for two picture sizes.
GRAPHS = ROOT / "logs" / "mobilenet"


def main() -> None:
    record()
    IMAGES.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        with tensorboard_on(DEMO) as address:
            for theme in ("light", "dark"):
                page, tab = open_tab(browser, address, theme)
                choose_a_retrace(tab)
                take(page, tab, f"tab-{theme}")
            page, tab = open_tab(browser, address, "light")
            choose_a_retrace(tab)
            tab.get_by_test_id("open-function").first.click()
            tab.get_by_test_id("function-table").wait_for()
            tab.get_by_test_id("what-if-chip").first.click()
            tab.get_by_test_id("what-if-answer").wait_for()
            take(page, tab, "function-light")
        with tensorboard_on(FIXED) as address:
            page, tab = open_tab(browser, address, "light")
            tab.get_by_test_id("compare-runs").click()
            tab.get_by_test_id("runs-table").wait_for()
            take(page, tab, "runs-light")
        with tensorboard_on(GRAPHS) as address:
            page, tab = open_tab(browser, address, "light")
            choose_a_retrace(tab)
            tab.get_by_test_id("compare-graphs").click()
            tab.locator("html[data-retrace-graph]").wait_for(state="attached")
            take(page, tab, "graphs-light")
        browser.close()


def record() -> None:
    settings = {**os.environ, "DEMO_SERVE": "0", "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1"}

    def run(*command: str) -> None:
        subprocess.run([sys.executable, *command], cwd=ROOT, env=settings, check=True)

    if not DEMO.is_dir():
        run("demo")
    if not FIXED.is_dir():
        for run_name, program in (("before", "training_regressed.py"), ("after", "training.py")):
            run("-m", "tb_retrace_plugin", "run", "--logdir", str(FIXED / run_name), f"demo/ci/{program}")
    if not GRAPHS.is_dir():
        run("-m", "tests.support.compared_graphs", str(GRAPHS), "mobilenet")


@contextlib.contextmanager
def tensorboard_on(logdir: Path) -> Iterator[str]:
    """A TensorBoard; its address."""
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "tensorboard.main", f"--logdir={logdir}", f"--port={port}"]
    tensorboard = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_until_listening(port)
        yield f"http://localhost:{port}/"
    finally:
        tensorboard.terminate()
        tensorboard.wait()


def open_tab(browser: Browser, address: str, theme: str) -> tuple[Page, FrameLocator]:
    page = browser.new_page(viewport=SIZE, device_scale_factor=1, reduced_motion="reduce")
    # Where TensorBoard keeps the choice that its own switch makes.
    page.add_init_script(f"localStorage.setItem('_tb_global_settings', '{{\"theme\":\"{theme}\"}}')")
    page.goto(f"{address}#retrace")
    tab = page.frame_locator("iframe")
    tab.locator("html[data-retrace-idle='true']:not([data-retrace-traces='0'])").wait_for(state="attached")
    return page, tab


def choose_a_retrace(tab: FrameLocator) -> None:
    """Of the costliest function, the costliest."""
    tab.get_by_test_id("timeline-row").first.click()
    tab.get_by_test_id("change-table").wait_for()


def take(page: Page, tab: FrameLocator, name: str) -> None:
    page.mouse.move(1, 1)
    tab.locator("body").evaluate("body => body.ownerDocument.activeElement.blur()")
    tab.locator("html[data-retrace-idle='true']").wait_for(state="attached")
    page.wait_for_timeout(500)  # TensorBoard's own tab indicator slides into place
    page.screenshot(path=IMAGES / f"{name}.png")
    page.close()
    print(f"wrote docs/images/{name}.png")


def wait_until_listening(port: int) -> None:
    for _ in range(300):
        try:
            socket.create_connection(("localhost", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.2)
    raise SystemExit("TensorBoard did not start")


if __name__ == "__main__":
    main()
