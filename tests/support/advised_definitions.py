"""Definitions in a program's source as the code of an advice shows them: of a function that takes more than before,
or that does what a method did."""

from __future__ import annotations

import re
from collections.abc import Sequence

#: A function that is passed what it has read of an argument.
_TAKES = re.compile(r"@tf\.function.*\ndef (\w+)\((.+)\):  # in place of ([\w.\[\]', ]+)\n    …")
#: One outside of a class, and the method that calls it.
_OUTSIDE = re.compile(r"(@tf\.function.*\ndef \w+\(.*\):)  # what the method did, with (.+)\n    …")
_METHOD = re.compile(r"class \w+:\n    def (\w+)\(.*\):  # .*\n        (return .+)")
_FOR = re.compile(r"(\w+) for (self(?:\.\w+|\['\w+'\])+)")


def takes_more(lines: list[str], block: str) -> bool | None:
    """None: the block is no such definition."""
    match = _TAKES.fullmatch(block)
    if match is None:
        return None
    name, parameters, read = match[1], match[2].split(", "), re.split(r", | and ", match[3])
    place = next((i for i, line in enumerate(lines) if re.match(rf"\s*def {name}\(", line)), None)
    if place is None or "what it reads" in match[3] or lines[place][-1] != ":":
        return False
    before = lines[place].partition("(")[2]
    new = [one for one in parameters if one != "*" and not re.search(rf"\b{re.escape(one.split('=')[0])}\b", before)]
    if len(new) != len(read):
        return False
    indent = lines[place][: len(lines[place]) - len(lines[place].lstrip())]
    lines[place] = f"{indent}def {name}({match[2]}):"
    for within in range(place + 1, _end_of(lines, place)):
        for one, what in zip(new, read, strict=True):
            lines[within] = re.sub(rf"(?<![\w.]){re.escape(what)}(?!\w)", one, lines[within])
    return True


def done_outside(lines: list[str], blocks: Sequence[str]) -> bool | None:
    """None: the blocks are no such definition, and the method's."""
    outside = _OUTSIDE.fullmatch(blocks[0])
    method = _METHOD.fullmatch(blocks[1]) if len(blocks) > 1 else None
    if outside is None or method is None:
        return None
    places = [i for i, line in enumerate(lines) if re.match(rf"    def {method[1]}\(self", line)]
    if len(places) != 1:
        return False
    (place,) = places
    end = _end_of(lines, place)
    body = [line[4:] for line in lines[place + 1 : end]]
    for new, old in _FOR.findall(outside[2]):
        body = [re.sub(rf"{re.escape(old)}(?!\w)", new, line) for line in body]
    body = [re.sub(r"\bself\b", "_INSTANCES[0]", line) for line in body]  # what is the same for all
    lines[place + 1 : end] = ["        _INSTANCES.append(self)", f"        {method[2]}"]
    if lines[place - 1].strip().startswith("@tf.function"):
        lines[place - 1] = ""
    for i, line in enumerate(lines):
        lines[i] = re.sub(rf"tf\.function\((self\.{method[1]})\b[^()]*\)", r"\1", line)
    of_class = next(i for i in range(place, -1, -1) if lines[i].startswith("class "))
    lines[of_class] = "\n".join(["_INSTANCES = []", *outside[1].splitlines(), *body, "", lines[of_class]])
    return True


def _end_of(lines: Sequence[str], place: int) -> int:
    """Of the function that begins there."""
    indent = len(lines[place]) - len(lines[place].lstrip())
    following = range(place + 1, len(lines))
    return next(
        (i for i in following if lines[i].strip() and len(lines[i]) - len(lines[i].lstrip()) <= indent), len(lines)
    )
