"""The tab in the system's Chromium, inside a real TensorBoard, watched for every complaint of the browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tb_retrace_plugin.backend.static_files import list_static_files, static_directory
from tests.browser.tab import PATIENCE_MS, Tab, window_size
from tests.support.tensorboard_process import TensorBoard, run_tensorboard

expect.set_options(timeout=PATIENCE_MS / 2)  # its own five seconds are few on a busy machine


@pytest.fixture
def serve() -> Iterator[Callable[..., TensorBoard]]:
    """Starts a TensorBoard on a logdir; it ends with the test."""
    with ExitStack() as stack:

        def start(logdir: Path, *arguments: str, path_prefix: str = "") -> TensorBoard:
            board = run_tensorboard(f"--logdir={logdir}", *arguments, path_prefix=path_prefix, forked=True)
            return stack.enter_context(board)

        yield start


@pytest.fixture
def open_tab(chromium: Browser, request: pytest.FixtureRequest) -> Iterator[Callable[..., Tab]]:
    """Opens the Retrace tab, alone in tests that are marked so; a test whose browser complained of anything fails."""
    marked = request.node.get_closest_marker("alone") is not None
    assert "/index.js" in list_static_files(static_directory()), "The tab is not built: make frontend"
    tabs: list[Tab] = []

    def start(
        tensorboard: TensorBoard,
        *,
        width: int = 1280,
        height: int = 900,
        prepare: Callable[[Page], object] | None = None,
        fragment: str = "retrace",
        alone: bool = marked,
    ) -> Tab:
        size = window_size(width, height, alone=alone)
        context = chromium.new_context(viewport=size, reduced_motion="reduce")
        page = context.new_page()
        if prepare is not None:
            prepare(page)
        tab = Tab(page, tensorboard.address, fragment, alone=alone)
        tabs.append(tab)
        return tab

    yield start
    for tab in tabs:
        complaints = tab.complaints
        tab.page.context.close()
        assert complaints == []
