"""Objects that are passed beside changing shapes: several, of which one line is written, or one for each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tb_retrace_plugin.explain.advice.evidence.facts import FunctionFacts, Traced
from tb_retrace_plugin.explain.advice.evidence.reading import line_of, node_of
from tb_retrace_plugin.explain.differences.nearness import is_within
from tb_retrace_plugin.explain.differences.value_texts import NUMBERED_OBJECT
from tb_retrace_plugin.explain.what_if.candidate import Candidate
from tb_retrace_plugin.schema.signature import Node, iter_leaves


def objects_of(function: FunctionFacts) -> set[int]:
    return {trace.lookup.object_number for trace in function.traces}


def made_one(function: FunctionFacts) -> Candidate:
    """Of what is an object in every call, several of them, also in a container: one line is written for all. So it is
    of variables, where several tf.function objects have their own."""
    seen: dict[str, dict[int, None]] = {}
    others: set[str] = set()
    kinds = {"object"} if len(objects_of(function)) == 1 else {"object", "variable"}
    for trace in function.traces:
        for path, node in _leaves_of(trace):
            is_named = node.kind == "object" and NUMBERED_OBJECT.fullmatch(node.value) is None  # such as `Mode.TRAIN`
            if path == "self" or node.kind not in kinds or is_named:
                others.add(path)
            else:
                seen.setdefault(path, {})[node.identity] = None
    several = {path: list(found) for path, found in seen.items() if path not in others and len(found) > 1}
    return Candidate(
        identities={(path, identity): found[0] for path, found in several.items() for identity in found[1:]}
    )


def arguments_of_others(function: FunctionFacts) -> set[str]:
    """Arguments that are such an object, or hold one."""
    names = {name for trace in function.traces for name, _ in trace.lookup.signature.arguments}
    paths = {path for path, _ in made_one(function).identities}
    return {name for name in names if any(is_within(path, name) for path in paths)}


def are_passed_by_turns(function: FunctionFacts) -> bool:
    """Whether a line passes one function object several of the objects that are others in other calls."""
    paths = {path for path, _ in made_one(function).identities}
    passed: dict[tuple[object, ...], set[int]] = {}
    for trace in function.traces:
        line = line_of(function, trace)
        for path in paths:
            if (node := node_of(trace, path)) is not None:
                passed.setdefault((trace.lookup.object_number, line, path), set()).add(node.identity)
    return any(len(identities) > 1 for identities in passed.values())


def by_what(function: FunctionFacts, trace: Traced) -> tuple[int, tuple[int, ...]]:
    """What is asked for by itself: of several tf.function objects also each of the objects that lines of their own
    pass."""
    paths = sorted({path for path, _ in made_one(function).identities}) if len(objects_of(function)) > 1 else []
    nodes = (node_of(trace, path) for path in paths)
    return trace.lookup.object_number, tuple(0 if node is None else node.identity for node in nodes)


def are_those_of_each(asking: Sequence[tuple[int, str | None]]) -> bool:
    """Whether each function object is asked for all of it, where one is for more than one: in another one's place it
    would be traced for nothing. Not where two of one are named alike: one line is for both then."""
    of_each: dict[int, list[str | None]] = {}
    for number, line in asking:
        of_each.setdefault(number, []).append(line)
    if any(len(lines) != len({*lines}) for lines in of_each.values()):
        return False
    return all(len(lines) == 1 for lines in of_each.values()) or len(set(map(frozenset, of_each.values()))) == 1


def _leaves_of(trace: Traced) -> Iterator[tuple[str, Node]]:
    for name, node in trace.lookup.signature.arguments:
        yield from iter_leaves(name, node)
