"""Tensors that a function made anew has as default values: each object has its own, and one for all has the first's."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from tb_retrace_plugin.explain.advice.evidence.facts import FunctionFacts, Traced
from tb_retrace_plugin.explain.advice.evidence.listed import listed
from tb_retrace_plugin.explain.advice.evidence.reading import node_of
from tb_retrace_plugin.explain.advice.source.code import parsed, source_line
from tb_retrace_plugin.explain.advice.source.source_calls import calling_line

_NOT_PYTHON = frozenset({"tensor", "composite"})


def own_defaults(function: FunctionFacts, traces: Sequence[Traced]) -> list[str]:
    """Parameters whose default value is a tensor, or an array, as far as lines show that no call passes one."""
    parameters = [path for path, _ in function.traces[0].lookup.signature.arguments if path != "self"]
    having = [name for name in parameters if name in function.with_default]
    return [name for name in having if any(_is_left_out(function, t, name, parameters) for t in traces)]


def told_of_defaults(names: Sequence[str]) -> tuple[str, ...]:
    """Warnings."""
    if not names:
        return ()
    is_one = len(names) == 1
    return (
        f"This changes results where the default {'value' if is_one else 'values'} of {listed(list(names))}"
        f" {'is another tensor' if is_one else 'are other tensors'} each time that it is made: one function keeps the"
        f" first. Pass {'it' if is_one else 'them'} at each call.",
    )


def _is_left_out(function: FunctionFacts, trace: Traced, name: str, parameters: Sequence[str]) -> bool:
    node = node_of(trace, name)
    if node is None or node.kind not in _NOT_PYTHON or not function.calls_directly(trace):
        return False
    source = source_line(function.caller(trace))
    line = calling_line(source, function.name, parameters, function.with_default, function.keyword_only, any_name=True)
    if line is not None:
        return any(name not in call.given and not call.has_stars for call in line.calls)
    tree = parsed(source)  # which call it is is not certain: none of them passes that many
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)] if tree is not None else []
    place = parameters.index(name)
    return bool(calls) and not any(
        len(call.args) > place
        or any(isinstance(argument, ast.Starred) for argument in call.args)
        or any(keyword.arg in (None, name) for keyword in call.keywords)
        for call in calls
    )
