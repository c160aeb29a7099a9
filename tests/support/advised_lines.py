"""A program's own lines changed as the code of an advice shows them, as its reader would: each in place of the line
that it is most like."""

from __future__ import annotations

import difflib
import re
from typing import Any

#: Of the code: something is left to the reader.
_LEFT_OPEN = ("…", "with each", "for each", "by hand", "# in place of")
_LEAST_ALIKE = 0.55
#: A line that does not call the function has to be nearly the same.
_LEAST_ALIKE_OF_OTHERS = 0.8
_STATEMENT = re.compile(r"\s*(def|class|@)")
_TENSORS = re.compile(r"tf\.(constant|convert_to_tensor)\(")


def with_advised_lines(source: str, function: dict[str, Any], code: str) -> str | None:
    """None where the code leaves something open, or it is not clear where it belongs. `function`: of the report."""
    lines = source.splitlines()
    name = function["name"].rpartition(".")[2]
    if source.count(f"def {name}(") != 1:
        return None
    called = re.compile(rf"\b({re.escape(name)}|{re.escape(name.lstrip('_'))})\b")
    for block in code.split("\n\n"):
        if any(text in block for text in _LEFT_OPEN):
            return None
        first = block.splitlines()[0]
        if block.startswith("@tf.function"):
            done = _declared(lines, name, block.partition("\ndef ")[0])
        elif "get_concrete_function" in block:
            done = _asked_for(lines, name, block)
        elif "tf.function(" in first:
            done = _made(lines, name, block)
        else:
            done = _called(lines, called, block)
        if not done:
            return None
    changed = "\n".join(lines) + "\n"
    return changed if changed != source else None


def _declared(lines: list[str], name: str, declaration: str) -> bool:
    places = [
        place
        for place, line in enumerate(lines[:-1])
        if line.strip().startswith("@tf.function") and re.search(rf"def {name}\(", lines[place + 1])
    ]
    if len(places) == 1:
        lines[places[0]] = _indented(declaration, lines[places[0]])
    return len(places) == 1


def _made(lines: list[str], name: str, block: str) -> bool:
    places = [place for place, line in enumerate(lines) if "= tf.function(" in line and name in line]
    if len(places) == 1:
        head = "" if re.match(r"\w+ = ", block) else lines[places[0]].strip().partition("tf.function(")[0]
        lines[places[0]] = _indented(head + block, lines[places[0]])
    return len(places) == 1


def _asked_for(lines: list[str], name: str, block: str) -> bool:
    """Before the first loop after its definition, or what runs it."""
    defined = next(place for place, line in enumerate(lines) if f"def {name}(" in line)
    places = [place for place, line in enumerate(lines) if place > defined and line.startswith(("for ", "main()"))]
    if places:
        lines[places[0]] = f"{block}\n{lines[places[0]]}"
    return bool(places)


def _called(lines: list[str], called: re.Pattern[str], block: str) -> bool:
    before: list[str] = []
    changed: set[int] = set()
    for statement in _statements(block):
        calls = called.search(statement) is not None
        likely = [line if not calls or called.search(line) else "" for line in lines]
        alike, place = _most_alike(likely, statement, changed)
        least = _LEAST_ALIKE if calls else _LEAST_ALIKE_OF_OTHERS
        if alike < least:
            before.append(statement)
            continue
        like = lines[place]
        for each in (each for each, line in enumerate(lines) if line == like):  # equal lines are shown once
            lines[each] = "\n".join(_indented(one, like) for one in [*before, statement])
            changed.add(each)
        before = []
    return not before


def _most_alike(lines: list[str], statement: str, changed: set[int]) -> tuple[float, int]:
    own = _TENSORS.sub("(", " ".join(statement.split()))
    return max(
        (difflib.SequenceMatcher(None, own, line.strip()).ratio(), place)
        for place, line in enumerate(lines)
        if place not in changed and "\n" not in line and not _STATEMENT.match(line)
    )


def _statements(block: str) -> list[str]:
    """Each with all of its lines, without comments."""
    found: list[str] = []
    open_ = ""
    for line in block.splitlines():
        line = re.sub(r"(^|  )# .*$", "", line)
        if not line.strip():
            continue
        open_ = f"{open_}\n{line}" if open_ else line
        plain = re.sub(r"'[^']*'|\"[^\"]*\"", "", open_)
        if sum(map(plain.count, "([{")) <= sum(map(plain.count, ")]}")):
            found.append(open_)
            open_ = ""
    return [*found, open_] if open_ else found


def _indented(text: str, like: str) -> str:
    indent = like[: len(like) - len(like.lstrip())]
    return "\n".join(indent + line for line in text.splitlines())
