"""Numbers and sizes that change with an object which could be one: they would be traced for themselves then."""

from __future__ import annotations

from collections.abc import Iterable

from tb_retrace_plugin.explain.advice.evidence.listed import listed
from tb_retrace_plugin.explain.differences.change import Change
from tb_retrace_plugin.explain.differences.number_holders import is_beside


def paths_beside(changes: Iterable[Change], cause: str) -> list[str]:
    return list(dict.fromkeys(change.path for change in changes if is_beside(change) and change.cause == cause))


def what_else(changes: Iterable[Change], closed_over: Iterable[str] = ()) -> str:
    """Sentences on both; "" where there are none. `closed_over`: numbers that are, and are others, too."""
    of_all = list(changes)
    numbers, shapes = [*closed_over, *paths_beside(of_all, "python_value")], paths_beside(of_all, "shape")
    text = f" Pass {listed(numbers)} as {'a tensor' if len(numbers) == 1 else 'tensors'}, too." if numbers else ""
    return text + (f" Leave dimensions of {listed(shapes)} that change unknown, too." if shapes else "")
