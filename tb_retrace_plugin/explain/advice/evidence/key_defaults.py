"""What the code takes in place of a key that is missing, where its source says so."""

from __future__ import annotations

import ast
import re

from tb_retrace_plugin.explain.advice.evidence.facts import FunctionFacts

_DEFAULT = re.compile(r"(.+?\]): (.+) by default")
#: The same of a parameter, which is no key, and not read from the source.
BY_DEFAULT = re.compile(r"(\w+): (.+) by default")
_NUMBER = re.compile(r"-?[\d.]+(e[-+]?\d+)?")


def default_of(function: FunctionFacts, path: str) -> str:
    """`2.0` of `batch.get("scale", 2.0)`; "" if it is not known, or not the same everywhere."""
    found = {known[2] for use in function.python_uses if (known := _DEFAULT.fullmatch(use)) and known[1] == path}
    return found.pop() if len(found) == 1 else ""


def is_a_number(default: str) -> bool:
    return _NUMBER.fullmatch(default) is not None


def told_defaults(function: FunctionFacts) -> dict[str, str]:
    """Of its parameters, as code."""
    found = (match for use in function.python_uses if (match := BY_DEFAULT.fullmatch(use)))
    return {match[1]: match[2] for match in found if is_literal(match[2])}


def is_literal(text: str) -> bool:
    """Whether a recorded value is Python in full."""
    try:
        return repr(ast.literal_eval(text)) == text
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return False
