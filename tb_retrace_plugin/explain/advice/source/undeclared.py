"""Parameters that an input signature leaves out: they need default values, and come last, where a `def` is written."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

#: A function that is defined once, as the advice shows it, and how it is called then.
_DEFINED = re.compile(r"^(def \w+)\(([\w, =.'\"-]*)\):(?=  # )", re.MULTILINE)


def with_defaults(part: str, defaults: Mapping[str, str], keyword_only: Collection[str], called: str) -> str:
    """The part with them in its `def`, and out of the call of `called`; as it is if it has none."""
    found = _DEFINED.search(part)
    if found is None or not defaults:
        return part
    parameters = [each for each in found[2].split(", ") if each]
    given = {name: f"{name}={value}" for name, value in defaults.items()}
    required = [each for each in parameters if each not in given and "=" not in each]
    others = [each for each in parameters if "=" in each and each.partition("=")[0] not in given]
    taken = _with_star([*required, *others, *given.values()], keyword_only)
    head, tail = part[: found.start()], part[found.end() :]
    return f"{head}{found[1]}({', '.join(taken)}):{_called_without(tail, called, given)}"


def _with_star(parameters: Sequence[str], keyword_only: Collection[str]) -> list[str]:
    place = next((i for i, each in enumerate(parameters) if each.partition("=")[0] in keyword_only), None)
    return list(parameters) if place is None else [*parameters[:place], "*", *parameters[place:]]


def _called_without(text: str, called: str, names: Collection[str]) -> str:
    """The call without arguments that are these names; what else it passes stays."""
    before, call, arguments = text.rpartition(f"\n{called}(")
    for name in names if call else ():
        arguments = re.sub(rf"^{re.escape(name)}, |, {re.escape(name)}(?=, |\))", "", arguments, count=1)
    return f"{before}{call}{arguments}"
