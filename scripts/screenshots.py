"""Runs the tests that take the pictures which README and docs show, and puts these into docs/images/.

`make screenshots`. A page that names `images/<scene>-<width>x<height>-<theme>.png` gets that picture, if
tests/browser/taken.py lists it.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from PIL import Image  # TensorBoard depends on it

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs" / "images"
TAKEN = ROOT / "test-results" / "screenshots"


def main() -> None:
    shown = {name for page in pages() for name in re.findall(r"images/([\w-]+\.png)", page.read_text("utf-8"))}
    tests = {test_of(name.split("-")[0]) for name in shown}
    for name in shown:
        (TAKEN / name).unlink(missing_ok=True)  # of an earlier run
    subprocess.run([sys.executable, "-m", "pytest", "-q", *sorted(tests)], cwd=ROOT, check=True)
    IMAGES.mkdir(parents=True, exist_ok=True)
    for old in IMAGES.iterdir():
        old.unlink()
    for name in sorted(shown):
        with Image.open(TAKEN / name) as picture:
            # a third of the bytes, and no colour differs by more than one can see
            method, dither = Image.Quantize.MAXCOVERAGE, Image.Dither.NONE
            few = picture.convert("RGB").quantize(256, method=method, kmeans=3, dither=dither)
            few.save(IMAGES / name, optimize=True)
        print(f"docs/images/{name}: {(IMAGES / name).stat().st_size / 1e3:.0f} kB")


def pages() -> list[Path]:
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def test_of(scene: str) -> str:
    if scene == "demo":
        return "tests/browser/test_demo_tab.py"
    return f"tests/browser/test_screenshots.py::test_it_is_whole_and_axe_finds_nothing[{scene}]"


if __name__ == "__main__":
    main()
