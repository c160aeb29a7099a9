"""Metadata of a class with `__tf_flatten__` of which nothing but numbers changed, as far as their text tells."""

from __future__ import annotations

import ast

from tb_retrace_plugin.explain.differences.change import Change
from tb_retrace_plugin.schema.signature import METADATA


def is_of_metadata(change: Change) -> bool:
    return change.cause == "composite_spec" and change.path.endswith(METADATA)


def differs_in_numbers(change: Change) -> bool:
    """Whether both are alike but for numbers; a bool chooses code, and is none."""
    try:
        return _differ(ast.literal_eval(change.old), ast.literal_eval(change.new))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):  # hidden, cut, or of a class
        return False


def _differ(old: object, new: object) -> bool:
    if isinstance(old, bool | str) or type(old) is not type(new):
        return bool(old == new and type(old) is type(new))
    if isinstance(old, list | tuple) and isinstance(new, list | tuple):
        return len(old) == len(new) and all(map(_differ, old, new))
    if isinstance(old, dict) and isinstance(new, dict):
        return list(old) == list(new) and all(_differ(value, new[key]) for key, value in old.items())
    return isinstance(old, int | float) or bool(old == new)
