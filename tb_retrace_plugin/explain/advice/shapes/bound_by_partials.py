"""What a `functools.partial` binds by its name, which an input signature leaves out: each tf.function has one of it."""

from __future__ import annotations

from collections.abc import Collection

from tb_retrace_plugin.explain.advice.evidence.facts import FunctionFacts
from tb_retrace_plugin.explain.advice.evidence.listed import listed
from tb_retrace_plugin.explain.what_if.candidate import Candidate
from tb_retrace_plugin.schema.signature import Node, iter_leaves

#: TensorFlow takes a signature beside these; one beside a tensor or an array that is bound it refuses (measured).
_STAY = frozenset({"literal", "object", "variable"})


def bound_by_partials(function: FunctionFacts, base: Candidate) -> frozenset[str]:
    """Parameters that partials bind in all traces, and of which each tf.function had but one value: what a call passes
    in its place would be refused. `base`: what other fixes change before."""
    names = frozenset.intersection(*(trace.bound_by_name for trace in function.traces))
    given: dict[tuple[str, int], Node] = {}
    others = set()
    for trace in function.traces if names else ():
        number = trace.lookup.object_number
        number = base.objects.get(number, number)
        for path, node in trace.lookup.signature.arguments:
            if path in names and given.setdefault((path, number), node) != node:
                others.add(path)
    others |= {path for (path, _), node in given.items() if not _can_stay(path, node)}
    return frozenset({path for path, _ in given} - others)


def are_several(function: FunctionFacts, base: Candidate) -> bool:
    """Whether it is several tf.functions that stay, each with traces of its own."""
    return _count(function, base) > 1


def told_of(function: FunctionFacts, base: Candidate, bound: Collection[str]) -> str:
    """A note."""
    names = sorted(bound)
    is_one = len(names) == 1
    count = _count(function, base)
    each = f" Each of the {count} tf.functions is declared so." if count > 1 else ""
    return (
        f"{listed(names)} {'is' if is_one else 'are'} bound by `functools.partial` and"
        f" {'stays' if is_one else 'stay'} undeclared: TensorFlow then refuses a call that passes another.{each}"
    )


def _count(function: FunctionFacts, base: Candidate) -> int:
    made = {trace.lookup.object_number for trace in function.traces}
    return len({base.objects.get(number, number) for number in made})


def _can_stay(path: str, node: Node) -> bool:
    return all(leaf.kind in _STAY for _, leaf in iter_leaves(path, node))
