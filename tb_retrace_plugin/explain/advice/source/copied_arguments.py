"""What lies in a dictionary or a named tuple that is passed, as a tensor in a copy of that: the caller's own stays."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from tb_retrace_plugin.explain.advice.evidence.facts import FunctionFacts
from tb_retrace_plugin.explain.advice.evidence.reading import chains_to, is_none


def copied(function: FunctionFacts, root: str, wraps: Mapping[str, str]) -> str:
    """What is passed in place of the argument `{0}`: `{**{0}, 'n': tf.constant({0}['n'])}`, as a format; "" if that
    cannot be written: what is in it lies deeper, or not in every call, or it is of a class of its own.

    `wraps`: `tf.constant({})` by the path of what lies in it."""
    holders: dict[tuple[str, str], None] = {}
    keys: dict[str, str] = {}
    for path, wrap in wraps.items():
        for chain in chains_to(function, path):
            if len(chain) != 2 or chain[0][0] != root or chain[1][0] != path or is_none(chain[1][1]):
                return ""
            holders[(chain[0][1].kind, chain[0][1].class_name)] = None
        keys[path[len(root) :]] = wrap
    (kind, class_name), *others = holders or {("", ""): None}
    if others:
        return ""
    # of a user's own class a plain copy lacks what else that has
    if kind == "dict" and not class_name and all(map(_is_literal, keys)):
        items = (f"{key[1:-1]}: {wrap.format('{0}' + key)}" for key, wrap in keys.items())
        return f"{{{{**{{0}}, {', '.join(items)}}}}}"
    changes = ", ".join(f"{key[1:]}={wrap.format('{0}' + key)}" for key, wrap in keys.items())
    if kind == "named_tuple":
        return f"{{0}}._replace({changes})"
    return f"attrs.evolve({{0}}, {changes})" if kind == "attrs" else ""


def _is_literal(key: str) -> bool:
    """Whether `['bc']` or `[0]` can be written out, and braces in it are no place of a format."""
    try:
        return isinstance(ast.literal_eval(key[1:-1]), str | int) and not {"{", "}"} & {*key}
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return False
