"""A program's own lines changed as the code of an advice on Keras' own functions shows them, as its reader would."""

from __future__ import annotations

import re
from typing import Any

_IN_PLACE = "  # in place of: "
_ONCE = "  # once, before the loop"
_COMPILED_ONCE = f"model.compile(…){_ONCE}"
_BEFORE = re.compile(r"# before `\w+`")


def with_advised_calls(source: str, function: dict[str, Any], code: str) -> str | None:
    """None where the code leaves something open, or it is not clear where it belongs. `function`: of the report."""
    lines = source.splitlines()
    if code.startswith(_COMPILED_ONCE):
        compiles = [place for place, line in enumerate(lines) if line.strip().startswith("model.compile(")]
        for place in compiles:
            asks = "if 'is_compiled' not in globals():\n    globals()['is_compiled'] = True\n    "
            lines[place] = _indented(asks + lines[place].strip(), lines[place])
        return "\n".join(lines) + "\n" if len(compiles) == 1 else None
    if "…" in code:
        return None
    given = code.splitlines()
    if _BEFORE.fullmatch(given[0]):
        place = _caller(lines, function)
        if place is not None:
            lines[place] = _indented("\n".join(given[1:]), lines[place]) + "\n" + lines[place]
        return "\n".join(lines) + "\n" if place is not None else None
    return _replaced(lines, given) if any(_IN_PLACE in line for line in given) else None


def _caller(lines: list[str], function: dict[str, Any]) -> int | None:
    """The line of the program that calls first."""
    frames = [frame for event in function["events"] for frame in event["stack"] if frame["user"]]
    found = (frame["line"] - 1 for frame in frames if 0 < frame["line"] <= len(lines))
    return next((place for place in found if any(lines[place].strip() == f["source"].strip() for f in frames)), None)


def _replaced(lines: list[str], given: list[str]) -> str | None:
    before: list[str] = []
    for line in given:
        new, is_in_place, old = line.partition(_IN_PLACE)
        if not is_in_place:
            before.append(line)
            continue
        places = [place for place, one in enumerate(lines) if one.strip() == old.strip()]
        if not places:
            return None
        for place in places:
            each = [one for one in before if not one.endswith(_ONCE)]
            text = _indented("\n".join([*each, new]), lines[place])
            once = [one.removesuffix(_ONCE) for one in before if one.endswith(_ONCE)]
            top = next(at for at in range(place, -1, -1) if lines[at] and not lines[at].startswith((" ", "#")))
            lines[place] = text
            lines[top] = "\n".join([*once, lines[top]])
        before = []
    return "\n".join(lines) + "\n" if not before else None


def _indented(text: str, like: str) -> str:
    indent = like[: len(like) - len(like.lstrip())]
    return "\n".join(indent + line for line in text.splitlines())
