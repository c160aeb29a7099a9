"""Which pictures the browser tests take, and under which names; the documents show some of them.

They lie in test-results/screenshots/ afterwards, to be looked at. No picture is compared with an older one: that would
hold for one machine's fonts only.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass

from playwright.sync_api import Page

from tests.browser.picture import layout_problems, watch_drawing
from tests.browser.scenes import ROOT, SCENES, Boards
from tests.browser.tab import Tab, window_size

OpenTab = Callable[..., Tab]
Size = tuple[int, int]
PICTURES = ROOT / "test-results" / "screenshots"
THEMES = ["light", "dark"]
WIDE: list[Size] = [(1280, 860), (1920, 1080)]
#: A narrow window, and the height of a notebook's cell.
ODD: list[Size] = [(600, 900), (1000, 600)]
AMOUNTS = ["no recording", "one trace", "thirty traces", "ten thousand traces"]
#: Beside the amounts: what the documents show, light and dark.
SHOWN = ["function page with a question", "compared runs", "graphs"]
IN_SMALL_WINDOWS = [
    "no recording",
    "thirty traces",
    "retrace chosen",
    "function page",
    "compared runs",
    "workers",
    "graphs",
]


@dataclass(frozen=True)
class Picture:
    scene: str
    #: Of the window, CSS pixels.
    size: Size
    theme: str

    @property
    def name(self) -> str:
        return f"{self.scene.replace(' ', '_')}-{self.size[0]}x{self.size[1]}-{self.theme}.png"


def pictures_of(scene: str) -> list[Picture]:
    """All that are taken of a scene: of one that matters less, in one size and theme, by its number."""
    number = list(SCENES).index(scene)
    pictures = [Picture(scene, WIDE[number // 2 % 2], THEMES[1 - number % 2])]
    if scene in AMOUNTS:
        pictures = [Picture(scene, size, theme) for theme in THEMES for size in WIDE]
    elif scene in SHOWN:
        pictures = [Picture(scene, WIDE[0], theme) for theme in THEMES]
    if scene in IN_SMALL_WINDOWS:
        pictures += [Picture(scene, size, "light") for size in ODD]
    return pictures


#: The demo's own, of real recordings: test_demo_tab.py.
OF_THE_DEMO = [Picture("demo", WIDE[0], theme) for theme in THEMES]
ALL = [*OF_THE_DEMO, *(picture for scene in SCENES for picture in pictures_of(scene))]


_DARK_ALONE = """
  if (window.parent === window && location.pathname.endsWith("/plugin_entry.html"))
    addEventListener("DOMContentLoaded", () => document.body.classList.add("dark-mode"));
"""


def in_theme(theme: str) -> Callable[[Page], None]:
    """For a page before it is opened: it is where TensorBoard keeps the choice that its own switch makes."""
    settings = json.dumps({"theme": theme})

    def prepare(page: Page) -> None:
        page.add_init_script(f"localStorage.setItem('_tb_global_settings', {json.dumps(settings)})")
        if theme == "dark":  # and of a tab alone
            page.add_init_script(_DARK_ALONE)
        watch_drawing(page)

    return prepare


def open_for(picture: Picture, boards: Boards, open_tab: OpenTab) -> Tab:
    """Within TensorBoard what people look at, else alone."""
    width, height = picture.size
    alone = picture.scene not in (*AMOUNTS, *SHOWN)
    prepare = in_theme(picture.theme)
    return SCENES[picture.scene].open(boards, open_tab, width=width, height=height, prepare=prepare, alone=alone)


def take(tab: Tab, picture: Picture) -> list[str]:
    """Saves the picture of a tab that is open in its theme. Returns what is wrong with its layout, one line each."""
    assert picture in ALL
    width, height = picture.size
    if tab.page.viewport_size != window_size(width, height, alone=tab.alone):
        tab.resize(width, height)
        tab.frame.wait_for_function("size => innerWidth === size[0] && innerHeight < size[1]", arg=[width, height])
    tab.frame.wait_for_selector("html.dark" if picture.theme == "dark" else "html:not(.dark)", state="attached")
    # What was resized is drawn in a frame, and may ask for another.
    tab.frame.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    if picture.scene not in SCENES or not SCENES[picture.scene].stuck:
        tab.settle()
    PICTURES.mkdir(parents=True, exist_ok=True)
    tab.page.screenshot(path=PICTURES / picture.name, animations="disabled")
    return [f"{picture.name}: {problem}" for problem in layout_problems(tab.frame)]
