"""How the graphs use a Python number that is an argument: as a constant of some dtype, or to decide what is built."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from tb_retrace_plugin.explain.advice.evidence.facts import FunctionFacts
from tb_retrace_plugin.explain.advice.evidence.reading import nodes_at
from tb_retrace_plugin.explain.advice.python_values.changed_alone import use_where_alone
from tb_retrace_plugin.explain.advice.python_values.changed_beside import use_beside_others
from tb_retrace_plugin.explain.advice.python_values.python_uses import (
    asked_by_a_library,
    is_a_step,
    makes_an_array,
    prints,
    writes,
)
from tb_retrace_plugin.explain.advice.python_values.use import Use
from tb_retrace_plugin.explain.verdict.evidence import OTHER_VARIABLES


def use_of(function: FunctionFacts, path: str) -> Use:
    """Of the argument at `path`."""
    use: Use = function.graphs.once(("use", path), lambda: _use_of(function, path))
    return use


def _use_of(function: FunctionFacts, path: str) -> Use:
    use = use_where_alone(function, path) or use_beside_others(function, path)
    return told_of_libraries(function, path, replace(use, step=is_a_step(function, path)))


def told_of_libraries(function: FunctionFacts, name: str, use: Use) -> Use:
    """With what a library's code asks of that number in Python, which no graph shows."""
    asked = "" if use.attribute else asked_by_a_library(function, name)
    return replace(use, attribute=f"{asked} in its code") if asked else use


def deciding(function: FunctionFacts, paths: Iterable[str]) -> frozenset[str]:
    """Those that decide what is built, or may."""
    uses = {path: use_of(function, path) for path in paths}
    written = {path for path, use in uses.items() if use.texts}
    written -= prints(function, written) - writes(function, written).keys()  # `tf.print` writes of a tensor the same
    sizes = {path for path, use in uses.items() if use.resizes and makes_an_array(function, path)}
    return frozenset(
        path
        for path, use in uses.items()
        if use.captures or path in written | sizes or ((use.decides or use.may_decide) and not _was_one(function, path))
    )


def _was_one(function: FunctionFacts, path: str) -> bool:
    """Whether a call that passed a tensor there has worked."""
    return any(node.kind == "tensor" for node in nodes_at(function, path, failed=False))


def choosing(function: FunctionFacts) -> frozenset[str]:
    """Those with which alone a trace captured other variables, such as of more layers."""
    others = [t for t in function.traces if len(t.changes) == 1 and t.evidence.startswith(OTHER_VARIABLES)]
    return frozenset(trace.changes[0].path for trace in others)
