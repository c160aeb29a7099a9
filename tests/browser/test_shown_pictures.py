"""README and docs show pictures that the browser tests take, and docs/images holds no others. Needs no browser."""

from __future__ import annotations

import re
import struct
from pathlib import Path

from tests.browser.scenes import ROOT
from tests.browser.taken import ALL, AMOUNTS, THEMES, WIDE, Picture

IMAGES = ROOT / "docs" / "images"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
TAKEN = {picture.name: picture for picture in ALL}
#: Every way in which a page can show a picture; badges would be of another host.
_SHOWN = re.compile(r"""(?:src|srcset)=["']([^"']+)["']|!\[[^\]]*\]\(([^)\s]+)""")


def shown_in(page: Path) -> list[Path]:
    found = _SHOWN.findall(page.read_text("utf-8"))
    return [(page.parent / (by_html or by_markdown)).resolve() for by_html, by_markdown in found]


def test_what_is_shown_is_taken_by_a_test_and_nothing_else_lies_there() -> None:
    shown = {path for page in PAGES for path in shown_in(page)}
    assert shown == set(IMAGES.iterdir())
    assert {path.name for path in shown} <= set(TAKEN)


def test_each_has_the_size_in_its_name() -> None:
    for path in IMAGES.iterdir():
        head = path.read_bytes()[:24]
        assert head[:8] == b"\x89PNG\r\n\x1a\n"
        assert struct.unpack(">II", head[16:24]) == TAKEN[path.name].size, path.name


def test_each_is_shown_light_and_dark() -> None:
    for page in PAGES:
        shown = [TAKEN[path.name] for path in shown_in(page)]
        for picture in shown:
            assert all(Picture(picture.scene, picture.size, theme) in shown for theme in THEMES), picture.name


def test_the_timeline_is_shown_with_each_amount_of_traces() -> None:
    shown = {path.name for path in shown_in(ROOT / "docs" / "timeline.md")}
    assert shown >= {Picture(scene, WIDE[0], theme).name for scene in AMOUNTS for theme in THEMES}


def test_a_clone_stays_small() -> None:
    assert sum(path.stat().st_size for path in IMAGES.iterdir()) < 1_500_000
