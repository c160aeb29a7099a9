"""Numbers, texts and None of which each of several tf.function objects has one of its own, such as the noise of an
agent that its method is passed: no kinds of calls, as one line asks each object for a trace with its own."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from tb_retrace_plugin.explain.advice.evidence.facts import FunctionFacts, Traced
from tb_retrace_plugin.explain.advice.shapes.objects_beside import objects_of
from tb_retrace_plugin.schema.signature import Node


def values_of_each(function: FunctionFacts) -> set[str]:
    """Arguments that are the same in all calls of one object, and others in those of another."""
    found: dict[str, dict[int, set[tuple[str, str]]]] = {}
    for trace in function.traces:
        for path, node in trace.lookup.signature.arguments:
            value = (node.type_name, node.value) if node.kind == "literal" else ("", node.kind)
            found.setdefault(path, {}).setdefault(trace.lookup.object_number, set()).add(value)
    objects = objects_of(function)
    return {path for path, of_each in found.items() if of_each.keys() == objects and _are_their_own(of_each)}


def _are_their_own(of_each: dict[int, set[tuple[str, str]]]) -> bool:
    values = set().union(*of_each.values())
    return len(values) > 1 and all(len(own) == 1 for own in of_each.values()) and all(kind for kind, _ in values)


def as_of_one(function: FunctionFacts, paths: Collection[str]) -> FunctionFacts:
    """With the value of one object in place of each other one's."""
    first = {path: node for path, node in function.traces[0].lookup.signature.arguments if path in paths}
    return replace(function, traces=[_with(trace, first) for trace in function.traces]) if first else function


def _with(trace: Traced, values: dict[str, Node]) -> Traced:
    signature = trace.lookup.signature
    arguments = tuple((path, values.get(path, node)) for path, node in signature.arguments)
    return replace(trace, lookup=replace(trace.lookup, signature=replace(signature, arguments=arguments)))
