"""Runs the tests that take the pictures which README and docs show, and puts these into docs/images/.

`make screenshots`. A page that names `images/<scene>-<width>x<height>-<theme>.png` gets that picture, if
tests/browser/taken.py lists it.
"""

from __future__ import annotations

import re
import struct
import subprocess
import sys
import zlib
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
            content = smaller(picture.convert("RGB"))
        (IMAGES / name).write_bytes(content)
        print(f"docs/images/{name}: {len(content) / 1e3:.0f} kB")


def smaller(picture: Image.Image) -> bytes:
    """The same pixels as a PNG without filters: of flat areas and text that is a quarter less than with Pillow's."""
    width, height = picture.size
    pixels, row = picture.tobytes(), 3 * width
    lines = b"".join(b"\0" + pixels[start : start + row] for start in range(0, len(pixels), row))
    parts = [
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)),
        (b"IDAT", zlib.compress(lines, 9)),
        (b"IEND", b""),
    ]
    chunks = [
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body)) for kind, body in parts
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def pages() -> list[Path]:
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def test_of(scene: str) -> str:
    if scene == "demo":
        return "tests/browser/test_demo_tab.py"
    return f"tests/browser/test_screenshots.py::test_it_is_whole_and_axe_finds_nothing[{scene}]"


if __name__ == "__main__":
    main()
