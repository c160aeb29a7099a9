"""Python numbers that a library's own code asks in Python, as `axis` of `tf.nn.softmax`: no tensor can be one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from tb_retrace_plugin.explain.differences.change import Change
from tb_retrace_plugin.explain.differences.closure import ClosureChange
from tb_retrace_plugin.explain.differences.value_texts import is_number

#: As what code does with a number is recorded: `tf.nn.softmax(axis=n)`.
ASKED = re.compile(r"([\w.]+)\((\w+)=")
#: What a loop over it has by turns: of `arch` in `for op in arch`.
EACH = "[...]"
#: As which a tensor does that holds several numbers: a list of them can be one.
_OF_SEVERAL = frozenset({"num_or_size_splits"})
_INDICES = re.compile(r"(\[\d+\])+$")
_KEY = re.compile(r"\[(?:-?\d+|'[^']*')\]$")


def asked_in_python(uses: Sequence[str], name: str) -> str:
    """What such code takes it for: "`axis` of `tf.nn.softmax`"; "" if none is known to."""
    matches = (match for use in uses if is_about(use, name) and (match := ASKED.match(use)))
    found = next((match for match in matches if not (name.endswith("]") and match[2] in _OF_SEVERAL)), None)
    return f"`{found[2]}` of `{found[1]}`" if found else ""


def all_asked_in_python(
    uses: Sequence[str], changes: Iterable[Change], closure: Iterable[ClosureChange]
) -> dict[str, str]:
    """Of the numbers that differ, by their paths, or the names by which they are closed over."""
    if not any(map(ASKED.match, uses)):
        return {}
    names = [c.path for c in changes if c.cause == "python_value" and is_number(c.new)]
    names += [c.name for c in closure if c.is_number]
    return {name: asked for name in names if (asked := asked_in_python(uses, name))}


def asked_of_what_lies_in(uses: Sequence[str], holder: str) -> dict[str, str]:
    """The same of what lies in an object or a dictionary, by its name: `cfg.order` of `tf.norm(ord=cfg.order)`."""
    found = {}
    for use in uses:
        name = use[match.end() :].removesuffix(")") if (match := ASKED.match(use)) else ""
        if match and name.startswith((f"{holder}.", f"{holder}[")):
            found[name] = f"`{match[2]}` of `{match[1]}`"
    return found


def is_about(use: str, name: str) -> bool:
    """Whether it is of the number, or of what a loop over its `range` has, or of the list or tuple that it lies in, or
    of what goes through that, or through the dictionary that it lies in."""
    whole = _INDICES.sub("", name)
    own = (name, f"{name}{EACH}", f"{_KEY.sub('', name)}{EACH}", *((whole, f"{whole}{EACH}") if whole != name else ()))
    return any(is_named_in(use, each) for each in own)


def is_named_in(use: str, name: str) -> bool:
    return re.search(rf"(?<![\w.]){re.escape(name)}(?![\w.\[])", use) is not None
