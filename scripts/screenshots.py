"""Takes the README's screenshots of the demo's tab, light and dark: docs/images/tab-{light,dark}.png, 1280 wide.

`make screenshots`; runs the demo's programs first if there is no recording of them in logs/demo.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

from playwright.sync_api import Page, ViewportSize, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
RECORDING = ROOT / "logs" / "demo"
IMAGES = ROOT / "docs" / "images"
SIZE: ViewportSize = {"width": 1280, "height": 860}


def main() -> None:
    if not RECORDING.is_dir():
        subprocess.run([sys.executable, "demo"], cwd=ROOT, env={**os.environ, "DEMO_SERVE": "0"}, check=True)
    IMAGES.mkdir(parents=True, exist_ok=True)
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "tensorboard.main", f"--logdir={RECORDING}", f"--port={port}"]
    tensorboard = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_until_listening(port)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
            for theme in ("light", "dark"):
                page = browser.new_page(viewport=SIZE, color_scheme=theme, device_scale_factor=1)
                open_tab(page, f"http://localhost:{port}/", theme)
                page.screenshot(path=IMAGES / f"tab-{theme}.png")
                print(f"wrote docs/images/tab-{theme}.png")
            browser.close()
    finally:
        tensorboard.terminate()
        tensorboard.wait()


def open_tab(page: Page, address: str, theme: str) -> None:
    """The tab with a retrace of the step counter's program chosen, once nothing moves any more."""
    # Where TensorBoard keeps the choice that its own switch makes.
    page.add_init_script(f"localStorage.setItem('_tb_global_settings', '{{\"theme\":\"{theme}\"}}')")
    page.goto(f"{address}#retrace")
    tab = page.frame_locator("iframe")
    settled = tab.locator("html[data-retrace-idle='true']:not([data-retrace-traces='0'])")
    settled.wait_for(state="attached")
    tab.locator("[data-testid='timeline-row'][data-function='train_step']").click()  # its costliest trace: the first
    chart = tab.get_by_role("listbox").first
    chart.press("ArrowRight")
    chart.blur()
    tab.get_by_test_id("change-table").wait_for()
    settled.wait_for(state="attached")
    page.wait_for_timeout(500)  # TensorBoard's own tab indicator slides into place


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
