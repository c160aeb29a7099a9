"""Pictures of the tab in its sizes, themes and amounts of data: nothing is cut, covered or blank in any of them.

They lie in test-results/screenshots/ afterwards, to be looked at. No picture is compared with an older one: that would
hold for one machine's fonts only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.browser.picture import layout_problems, what_is_drawn
from tests.browser.scenes import SCENES, Boards, open_boards
from tests.browser.tab import Tab
from tests.browser.taken import WIDE, take

OpenTab = Callable[..., Tab]
#: A narrow window, and the height of a notebook's cell.
ODD = [(600, 900), (1000, 600)]
AMOUNTS = ["no recording", "one trace", "thirty traces", "ten thousand traces"]


@pytest.fixture(scope="module")
def boards(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Boards]:
    yield from open_boards(tmp_path_factory.mktemp("boards"))


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("size", WIDE, ids=lambda size: str(size[0]))
@pytest.mark.parametrize("name", AMOUNTS)
def test_the_overview_is_whole(name: str, size: tuple[int, int], theme: str, boards: Boards, open_tab: OpenTab) -> None:
    tab = take(boards, open_tab, name, size, theme)
    drawn = what_is_drawn(tab.frame)
    if name == "no recording":
        assert drawn.colours == []
        return
    assert min(drawn.colours) > 2  # no canvas is blank
    if name == "one trace":
        assert drawn.causes == {"--cause-first"}
        return
    assert len(drawn.causes) >= 4
    assert "--cause-first" in drawn.causes


def test_spans_that_are_wide_enough_bear_patterns_and_letters(boards: Boards, open_tab: OpenTab) -> None:
    tab = take(boards, open_tab, "zoomed in", WIDE[0], "light")
    drawn = what_is_drawn(tab.frame)
    assert drawn.patterns > 0
    assert drawn.texts >= {"1", "S"}


@pytest.mark.parametrize("size", ODD, ids=["narrow", "notebook"])
@pytest.mark.parametrize(
    "name", ["no recording", "thirty traces", "retrace chosen", "function page", "compared runs", "workers", "graphs"]
)
def test_small_windows_show_it_too(name: str, size: tuple[int, int], boards: Boards, open_tab: OpenTab) -> None:
    take(boards, open_tab, name, size, "light")


def test_the_checks_find_what_they_look_for(boards: Boards, open_tab: OpenTab) -> None:
    """Each kind of damage, done to a whole picture."""
    tab = SCENES["one trace"].open(boards, open_tab)
    damages = {
        "cut at the side": ".list-head { width: 90px; overflow: hidden }",
        "cut above or below": ".verdict-text h1 { height: 4px; overflow: hidden }",
        "on top of another": ".verdict-text .detail, .session { position: fixed; left: 20px; top: 12px }",
        "controls on top of one another": ".toolbar .switches > * { position: absolute; left: 0 }",
        "the page is": "body { width: 3000px }",
    }
    for word, css in damages.items():
        tab.frame.evaluate(
            """css => {
              const style = Object.assign(document.createElement("style"), { textContent: css, id: "damage" });
              document.head.append(style);
            }""",
            css,
        )
        assert any(problem.startswith(word) for problem in layout_problems(tab.frame)), word
        tab.frame.evaluate("document.getElementById('damage').remove()")
    assert layout_problems(tab.frame) == []
