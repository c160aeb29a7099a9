"""Lines of code that AutoGraph has converted, as the file has them: it takes a line that ends with a backslash for one
with the next, and tells those below as many lines too high."""

from __future__ import annotations

import linecache
from collections.abc import Sequence
from types import FrameType

from tb_retrace_plugin.capture import tf_seam

GENERATED = "__autograph_generated_file"
#: Of generated files: lines of the user's that end so, from the converted function's first on.
_folds: dict[str, tuple[int, ...]] = {}
_MAX_KNOWN = 1024


def as_written(everything: list[tuple[str, int, str]], running: Sequence[FrameType]) -> list[tuple[str, int, str]]:
    """TensorFlow's stack, with lines as they are in files. `running`: the frames that it is of."""
    moved: dict[tuple[str, int], int] = {}
    for frame in running:
        generated = frame.f_code.co_filename
        if GENERATED in generated and _folds_of(generated):
            place = tf_seam.original_place(generated, frame.f_lineno)
            if place is not None and (line := unfolded(generated, place[1])) != place[1]:
                moved[place] = line
    if not moved:
        return everything
    as_they_are = {(frame.f_code.co_filename, frame.f_lineno) for frame in running}
    return [
        (file, moved.get((file, line), line) if (file, line) not in as_they_are else line, name)
        for file, line, name in everything
    ]


def unfolded(generated: str, line: int) -> int:
    """The first of the lines that AutoGraph takes for this one."""
    for fold in _folds_of(generated):
        if fold >= line:
            break
        line += 1
    return line


def _folds_of(generated: str) -> tuple[int, ...]:
    known = _folds.get(generated)
    if known is None:
        if len(_folds) >= _MAX_KNOWN:
            _folds.clear()
        known = _folds[generated] = _read(generated)
    return known


def _read(generated: str) -> tuple[int, ...]:
    code = tf_seam.converted_code(generated)
    if code is None:
        return ()
    first = code.co_firstlineno
    lines = linecache.getlines(code.co_filename)[first - 1 :]
    return tuple(number for number, text in enumerate(lines, first) if text.endswith("\\\n"))
