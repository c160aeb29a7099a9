"""Whether a dimension decides what is built, numbers that change with it included: a rate that falls as texts grow."""

from __future__ import annotations

from collections.abc import Sequence

from tb_retrace_plugin.explain.advice.evidence.facts import FunctionFacts
from tb_retrace_plugin.explain.advice.evidence.unrolled import unrolled
from tb_retrace_plugin.explain.advice.python_values.number_use import use_of


def built_by_size(function: FunctionFacts, paths: Sequence[str]) -> str:
    """A clause on two traces of other sizes of tensors at `paths`; "" if nothing says so."""
    if found := unrolled(function, paths):
        return found
    numbers = dict.fromkeys(change.path for _, change in function.with_cause("python_value"))
    constants = [path for path in numbers if path not in paths and use_of(function, path).is_constant]
    return unrolled(function, paths, constants) if constants else ""
