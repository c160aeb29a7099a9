"""Iterators as arguments: Python's, which tracing uses up, so that one of them cannot serve two calls; and those over
datasets that Keras passes."""

from __future__ import annotations

import re

from tb_retrace_plugin.schema.signature import ANOTHER, DELETED

_TYPES = frozenset({"generator", "enumerate", "zip", "map", "filter", "reversed"})
#: Brackets without any in them: a shape.
_INNERMOST = re.compile(r"\([^()]*\)")
_SIZE = re.compile(r"\b(?:\d+|None)\b")
_OVER_TUPLES, _END = "IteratorSpec((", "),)"


def is_iterator(text: str) -> bool:
    """Of a value as a change names it: `generator object #2`, `enumerate value`, `Rows iterator #3` (a user's), `islice
    iterator` (a library's)."""
    if " " not in text:  # a number, say
        return False
    type_name, _, rest = text.removeprefix(f"{ANOTHER} ").removeprefix(f"{DELETED} ").partition(" ")
    if rest == "iterator" or rest.startswith("iterator #"):
        return True
    return rest.startswith(("object", "value")) and (type_name in _TYPES or type_name.endswith("_iterator"))


def has_a_part_more(old: str, new: str) -> bool:
    """Whether one is the text of an iterator over (x, y), and the other of one over (x, y, sample_weight), of whatever
    sizes: no trace serves both."""
    shorter, longer = sorted((_parts(old), _parts(new)), key=len)
    return (len(shorter), len(longer)) == (2, 3) and _without_sizes(longer[:2]) == _without_sizes(shorter)


def how_many_parts(text: str) -> int:
    """Of an iterator over tuples: those of others have nothing in common. 0: not known."""
    return len(_parts(text))


def _without_sizes(parts: list[str]) -> list[str]:
    return [_INNERMOST.sub(lambda shape: _SIZE.sub("_", shape[0]), part) for part in parts]


def _parts(text: str) -> list[str]:
    """Of the tuple that it gives; [] where that is hidden or cut."""
    if not (text.startswith(_OVER_TUPLES) and text.endswith(_END)):
        return []
    parts, depth = [""], 0
    for character in text[len(_OVER_TUPLES) : -len(_END)]:
        depth += (character in "([{") - (character in ")]}")
        if character == "," and not depth:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts if part.strip()]
