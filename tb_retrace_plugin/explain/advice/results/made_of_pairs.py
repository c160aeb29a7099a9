"""A `collections.Counter` that is passed: TensorFlow makes one anew of its pairs, and it counts those."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tb_retrace_plugin.explain.advice.evidence.facts import Advice, FunctionFacts
from tb_retrace_plugin.explain.advice.evidence.listed import listed
from tb_retrace_plugin.schema.signature import Node

_COUNTER = "Counter"


def told_of_counters_passed(advice: Advice, function: FunctionFacts) -> Advice:
    """The advice, with what to pass before all else: of tensors TensorFlow could make none."""
    arguments = (argument for trace in function.traces for argument in trace.lookup.signature.arguments)
    paths = list(dict.fromkeys(path for name, node in arguments for path in _counters(name, node)))
    if not paths:
        return advice
    code = " and ".join(f"`dict({path})`" for path in paths[:2])
    warned = advice.warned(
        f"{listed(paths)} {'is' if len(paths) == 1 else 'are'} of `collections.Counter`, which TensorFlow makes anew of"
        " pairs of keys and numbers, and which counts those pairs: the code finds 0 for each key, without an error, and"
        f" of tensors there can be none. Pass {code} at every call first; the results are others then."
    )
    return replace(warned, apply=None)


def _counters(path: str, node: Node) -> Iterator[str]:
    if node.kind == "dict" and node.class_name == _COUNTER:
        yield path
    else:
        for key, child in node.children:
            yield from _counters(path + key, child)
