"""Every state of the tab: its picture is whole, and axe finds nothing in it, light and dark."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.browser.axe import in_words, run_axe
from tests.browser.scenes import SCENES, Boards, open_boards
from tests.browser.tab import Tab
from tests.browser.taken import WIDE, take

OpenTab = Callable[..., Tab]


@pytest.fixture(scope="module")
def boards(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Boards]:
    yield from open_boards(tmp_path_factory.mktemp("boards"))


@pytest.mark.parametrize("name", SCENES)
def test_it_is_whole_and_axe_finds_nothing(name: str, boards: Boards, open_tab: OpenTab) -> None:
    scene, number = SCENES[name], list(SCENES).index(name)
    starts_dark = number % 2 == 0
    tab = take(boards, open_tab, name, WIDE[number // 2 % 2], "dark" if starts_dark else "light")
    found: list[str] = []
    for dark in (starts_dark, not starts_dark):
        tab.page.evaluate("dark => document.body.classList.toggle('dark-mode', dark)", dark)
        tab.frame.wait_for_selector("html.dark" if dark else "html:not(.dark)", state="attached")
        answer = run_axe(tab.frame)
        assert answer["passes"] > 5  # it did look
        found += [f"{'dark' if dark else 'light'}: {line}" for line in in_words(answer["violations"])]
    if scene.complains:
        tab.complaints.clear()
    assert "\n".join(found) == ""
