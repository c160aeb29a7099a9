"""Pictures of scenes, saved to be looked at, with their layout checked."""

from __future__ import annotations

import json
from collections.abc import Callable

from playwright.sync_api import Page

from tests.browser.picture import layout_problems, watch_drawing
from tests.browser.scenes import ROOT, SCENES, Boards
from tests.browser.tab import Tab

OpenTab = Callable[..., Tab]
PICTURES = ROOT / "test-results" / "screenshots"
WIDE = [(1280, 860), (1920, 1080)]


def take(boards: Boards, open_tab: OpenTab, name: str, size: tuple[int, int], theme: str) -> Tab:
    """Opens the scene, saves its picture and checks its layout."""

    def prepare(page: Page) -> None:
        # Where TensorBoard keeps the choice that its own switch makes.
        settings = json.dumps({"theme": theme})
        page.add_init_script(f"localStorage.setItem('_tb_global_settings', {json.dumps(settings)})")
        watch_drawing(page)

    tab = SCENES[name].open(boards, open_tab, width=size[0], height=size[1], prepare=prepare)
    tab.frame.wait_for_selector("html.dark" if theme == "dark" else "html:not(.dark)", state="attached")
    PICTURES.mkdir(parents=True, exist_ok=True)
    tab.page.screenshot(path=PICTURES / f"{name.replace(' ', '_')}-{size[0]}x{size[1]}-{theme}.png")
    assert "\n".join(layout_problems(tab.frame)) == ""
    return tab
