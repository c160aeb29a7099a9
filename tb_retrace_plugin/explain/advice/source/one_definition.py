"""Of two changes that both give a function more parameters: one definition of it that takes all of them."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass

#: What a rule writes: the function, lines that make what is kept, and the call.
PART = re.compile(
    r"@tf\.function\ndef (\S+)\((.*?)\):  # (.*?)\n    …\n\n(.*\n)?…\n([^()\n]+)\(((?:(?!\n#).)*)\)", re.DOTALL
)
#: Stands for what the code that is shown leaves out.
_LEFT_OUT = "_left_out_"


@dataclass(frozen=True, slots=True)
class _Part:
    name: str
    taken: list[str]
    comment: str
    kept: str
    called: str
    given: list[str]


def with_one_definition(parts: Sequence[str]) -> list[str]:
    """The parts, those that define the function anew as one, in the first one's place."""
    known: list[str | _Part] = []
    for part in parts:
        read = _read(part)
        place = next((i for i, one in enumerate(known) if isinstance(one, _Part) and _is_of(one, read)), None)
        if place is not None and read is not None and isinstance(first := known[place], _Part):
            known[place] = _both(first, read)
        else:
            known.append(read or part)
    return [one if isinstance(one, str) else _written(one) for one in known]


def _is_of(one: _Part, other: _Part | None) -> bool:
    return other is not None and (one.name, one.called) == (other.name, other.called)


def _read(part: str) -> _Part | None:
    match = PART.fullmatch(part)
    given = _arguments(match[6]) if match is not None else None
    if match is None or given is None:
        return None
    return _Part(match[1], match[2].split(", "), match[3], match[4] or "", match[5], given)


def _arguments(code: str) -> list[str] | None:
    try:
        call = ast.parse(f"f({code.replace('…', _LEFT_OUT)})", mode="eval").body
    except SyntaxError:
        return None
    if not isinstance(call, ast.Call):
        return None
    texts = [*map(ast.unparse, call.args), *(f"{one.arg}={ast.unparse(one.value)}" for one in call.keywords)]
    return [text.replace(_LEFT_OUT, "…") for text in texts]


def _both(one: _Part, other: _Part) -> _Part:
    own = len(one.taken) - sum(name not in other.taken for name in one.taken)  # the function's, before what is added
    own -= one.taken[:1] == ["self"]
    given = [
        b if a.isidentifier() and a in other.taken else a for a, b in zip(one.given[:own], other.given, strict=False)
    ]
    return _Part(
        one.name,
        [*one.taken, *(name for name in other.taken if name not in one.taken)],
        f"{one.comment}; {other.comment}", one.kept + other.kept, one.called,
        [*given, *one.given[own:], *other.given[own:]],
    )  # fmt: skip


def _written(part: _Part) -> str:
    return (
        f"@tf.function\ndef {part.name}({', '.join(part.taken)}):  # {part.comment}\n    …\n\n"
        f"{part.kept}…\n{part.called}({', '.join(part.given)})"
    )
