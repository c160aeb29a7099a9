"""axe finds nothing in any state of the tab, light and dark; the keyboard alone gets from opening to the copied fix."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.browser.axe import in_words, run_axe
from tests.browser.scenes import SCENES, Boards, open_boards
from tests.browser.tab import Tab

OpenTab = Callable[..., Tab]


@pytest.fixture(scope="module")
def boards(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Boards]:
    yield from open_boards(tmp_path_factory.mktemp("boards"))


@pytest.mark.parametrize("name", SCENES)
def test_axe_finds_nothing(name: str, boards: Boards, open_tab: OpenTab) -> None:
    scene = SCENES[name]
    tab = scene.open(boards, open_tab)
    found: list[str] = []
    for dark in (False, True):
        tab.page.evaluate("dark => document.body.classList.toggle('dark-mode', dark)", dark)
        tab.frame.wait_for_selector("html.dark" if dark else "html:not(.dark)", state="attached")
        answer = run_axe(tab.frame)
        assert answer["passes"] > 5  # it did look
        found += [f"{'dark' if dark else 'light'}: {line}" for line in in_words(answer["violations"])]
    if scene.complains:
        tab.complaints.clear()
    assert "\n".join(found) == ""
