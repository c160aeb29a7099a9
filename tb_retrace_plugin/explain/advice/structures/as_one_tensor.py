"""How many traces are left where lists of tensors alike are one tensor each, and the function is declared for that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from tb_retrace_plugin.explain.advice.evidence.facts import Fix, FunctionFacts, Traced
from tb_retrace_plugin.explain.advice.python_values import tensor_for_number
from tb_retrace_plugin.explain.advice.shapes import shapes
from tb_retrace_plugin.explain.what_if.candidate import NO_CHANGE
from tb_retrace_plugin.explain.what_if.replay import Lookup, replay, reproduces
from tb_retrace_plugin.schema.signature import Node, Signature


class Declared(NamedTuple):
    fix: Fix
    traces: int


def declared(function: FunctionFacts, paths: Sequence[str]) -> Declared | None:
    """None where not all that is passed can be declared, or TensorFlow's answer is not known."""
    lookups = [trace.lookup for trace in function.traces]
    if not reproduces(lookups):
        return None
    traces = [_stacked(trace, paths) for trace in function.traces]
    facts = replace(function, traces=traces)
    numbers = tensor_for_number.propose(facts)
    base = numbers.candidate if numbers is not None and numbers.candidate is not None else NO_CHANGE
    fix = shapes.propose_input_signature(facts, base)
    if fix is None or fix.candidate is None:
        return None
    stays = replay([trace.lookup for trace in traces], base.with_(fix.candidate))
    return None if stays is None or sum(stays) >= len(stays) else Declared(fix, sum(stays))


def _stacked(trace: Traced, paths: Sequence[str]) -> Traced:
    changes = [replace(c, cause="shape", parts=()) if c.path in paths else c for c in trace.changes]
    return replace(trace, lookup=_lookup(trace.lookup, paths), changes=tuple(changes))


def _lookup(lookup: Lookup, paths: Sequence[str]) -> Lookup:
    traced = None if lookup.traced is None else _signature(lookup.traced, paths)
    return replace(lookup, signature=_signature(lookup.signature, paths), traced=traced)


def _signature(signature: Signature, paths: Sequence[str]) -> Signature:
    return replace(signature, arguments=tuple([(p, _node(node, p, paths)) for p, node in signature.arguments]))


def _node(node: Node, path: str, paths: Sequence[str]) -> Node:
    children = [child for _, child in node.children]
    if path in paths and node.kind in ("list", "tuple") and children and children[0].shape is not None:
        return Node("tensor", dtype=children[0].dtype, shape=(len(children), *children[0].shape))
    if not children:
        return node
    return replace(node, children=tuple([(key, _node(child, path + key, paths)) for key, child in node.children]))
