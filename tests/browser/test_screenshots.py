"""Every state of the tab, in its sizes and themes: nothing is cut, covered or blank, and axe finds nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.browser.axe import in_words, run_axe
from tests.browser.picture import layout_problems, rows_ruled, what_is_drawn
from tests.browser.scenes import SCENES, Boards, open_boards
from tests.browser.tab import Tab
from tests.browser.taken import AMOUNTS, THEMES, WIDE, Picture, open_for, pictures_of, take

OpenTab = Callable[..., Tab]


@pytest.fixture(scope="module")
def boards(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Boards]:
    yield from open_boards(tmp_path_factory.mktemp("boards"))


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.replace(" ", "_"))
def test_it_is_whole_and_axe_finds_nothing(scene: str, boards: Boards, open_tab: OpenTab) -> None:
    found: list[str] = []
    pictures = pictures_of(scene)
    themes = [theme for theme in THEMES if any(picture.theme == theme for picture in pictures)]
    for theme in themes:
        mine = [picture for picture in pictures if picture.theme == theme]
        tab = open_for(mine[0], boards, open_tab)
        for picture in mine:
            found += take(tab, picture)
            if scene in AMOUNTS:
                assert_drawn(scene, tab)
        for also in [theme, *(other for other in THEMES if other not in themes)]:
            tab.page.evaluate("dark => document.body.classList.toggle('dark-mode', dark)", also == "dark")
            tab.frame.wait_for_selector("html.dark" if also == "dark" else "html:not(.dark)", state="attached")
            answer = run_axe(tab.frame)
            assert answer["passes"] > 5  # it did look
            found += [f"{also}: {line}" for line in in_words(answer["violations"])]
        if SCENES[scene].complains:
            tab.expect_complaints(SCENES[scene].complains)
    assert "\n".join(found) == ""


def assert_drawn(scene: str, tab: Tab) -> None:
    drawn = what_is_drawn(tab.frame)
    if scene == "no recording":
        assert drawn.colours == []
        return
    assert min(drawn.colours) > 2  # no canvas is blank
    if scene == "one trace":
        assert drawn.causes == {"--cause-first"}
        return
    assert len(drawn.causes) >= 4
    assert "--cause-first" in drawn.causes


def test_spans_that_are_wide_enough_bear_patterns_and_letters(boards: Boards, open_tab: OpenTab) -> None:
    tab = open_for(pictures_of("zoomed in")[0], boards, open_tab)
    drawn = what_is_drawn(tab.frame)
    assert drawn.patterns > 0
    assert drawn.texts >= {"1", "S"}


@pytest.mark.parametrize("theme", THEMES)
def test_narrow_spans_tell_their_cause_without_colour(theme: str, boards: Boards, open_tab: OpenTab) -> None:
    """10,000 of them: three pixels wide each. A row is ruled as its cause, and as no other one."""
    tab = open_for(Picture("ten thousand traces", WIDE[1], theme), boards, open_tab)
    ruled = rows_ruled(tab.frame)
    causes = {cause for cause, _ in ruled}
    assert len(causes) >= 5
    assert len({cuts for _, cuts in ruled}) == len(set(ruled)) == len(causes)
    assert all("." in cuts for _, cuts in ruled)


def test_the_checks_find_what_they_look_for(boards: Boards, open_tab: OpenTab) -> None:
    """Each kind of damage, done to a whole picture."""
    tab = SCENES["one trace"].open(boards, open_tab)
    damages = [
        ("cut at the side", ".list-head { width: 90px; overflow: hidden }"),
        ("cut at the side", ".list-row .column-tracing { width: 9px }"),
        ("cut above or below", ".verdict-text h1 { height: 4px; overflow: hidden }"),
        ("on top of another", ".verdict-text .detail, .session { position: fixed; left: 20px; top: 12px }"),
        ("controls on top of one another", ".toolbar .switches > * { position: absolute; left: 0 }"),
        ("the page is", "body { width: 3000px }"),
    ]
    for word, css in damages:
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
