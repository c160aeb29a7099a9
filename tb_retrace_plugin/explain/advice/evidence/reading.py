"""Looking things up in the recorded signatures of one function."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence

from tb_retrace_plugin.explain.advice.evidence.facts import FunctionFacts, Traced
from tb_retrace_plugin.explain.verdict.evidence import IN_VARIABLES, MADE_OF_ONE, made_for_each_call
from tb_retrace_plugin.schema.signature import Node, declares_fields

#: Ends the evidence of a trace whose new object differs only in numbers, or in tensors, that it closes over.
CLOSES_OVER_NUMBERS = "as a tensor would do.", "as tensors would do."
CLOSES_OVER_TENSORS = "as an argument would do.", "as arguments would do."
CLOSES_OVER = (*CLOSES_OVER_NUMBERS, *CLOSES_OVER_TENSORS, IN_VARIABLES)
#: In the evidence of a new object that closes over something else.
_CLOSED_OVER = re.compile(r"another `([^`]+)`|`([^`]+)`: ")


def names_of_closure(evidence: str) -> list[str]:
    """Of what a new object closes over otherwise."""
    return list(dict.fromkeys(one or other for one, other in _CLOSED_OVER.findall(evidence)))


def objects_of_closure(evidence: str) -> list[str]:
    """Of objects and numbers the objects, which have no text of their own."""
    return list(dict.fromkeys(one for one, _ in _CLOSED_OVER.findall(evidence) if one))


def name_in_code(name: str) -> str:
    """Of `net of loss`, which a function that is closed over closes over in turn: as that one's code has it."""
    return name.partition(" of ")[0]


def nodes_at(function: FunctionFacts, path: str, *, failed: bool = True) -> Iterator[Node]:
    """What was passed at `path` (a leaf or a container), each distinct argument once, in time order."""
    seen: set[int] = set()
    for trace in function.traces:
        if trace.lookup.failed and not failed:
            continue
        for pair in trace.lookup.signature.arguments:
            if id(pair) not in seen and path.startswith(pair[0]):
                seen.add(id(pair))
                node = descend(pair[1], pair[0], path)
                if node is not None:
                    yield node


def is_declared(function: FunctionFacts, path: str) -> bool:
    """Whether a class around it says what it is."""
    return any(map(declares_fields, _containers_of(function, path)))


def _containers_of(function: FunctionFacts, path: str) -> Iterator[Node]:
    """What lies around `path`, outermost first, in each distinct argument."""
    for name in dict.fromkeys(pair[0] for trace in function.traces for pair in trace.lookup.signature.arguments):
        if not leads(name, path):
            continue
        for node in nodes_at(function, name):
            at: Node | None = node
            place = name
            while at is not None and place != path:
                yield at
                below = next(((place + key, child) for key, child in at.children if leads(place + key, path)), None)
                place, at = below if below is not None else (path, None)


def chains_to(function: FunctionFacts, path: str) -> Iterator[list[tuple[str, Node]]]:
    """For each distinct argument what leads to `path`, outermost first: it ends before that where there is no such."""
    for name in dict.fromkeys(pair[0] for trace in function.traces for pair in trace.lookup.signature.arguments):
        if not leads(name, path):
            continue
        for node in nodes_at(function, name):
            chain = [(name, node)]
            while chain[-1][0] != path:
                place, at = chain[-1]
                below = next(((place + key, child) for key, child in at.children if leads(place + key, path)), None)
                if below is None:
                    break
                chain.append(below)
            yield chain


def is_none(node: Node) -> bool:
    return node.kind == "literal" and node.value == "None"


def is_written_as_default(path: str, node: Node) -> bool:
    """Whether an argument's value can stand in the function's own line, as `rate=0.5`."""
    if node.kind != "literal" or not path.isidentifier():
        return False
    try:
        return repr(ast.literal_eval(node.value)) == node.value  # it is there in full
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return False


def leads(prefix: str, path: str) -> bool:
    """Whether it is that path or lies above it: `s` is not above `scale`."""
    return path == prefix or (path.startswith(prefix) and path[len(prefix)] in ".[")


def node_of(trace: Traced, path: str) -> Node | None:
    """What this trace's lookup had at `path`."""
    for name, node in trace.lookup.signature.arguments:
        if path.startswith(name) and (found := descend(node, name, path)) is not None:
            return found
    return None


def descend(node: Node, at: str, path: str) -> Node | None:
    """The node at `path` below the one at `at`."""
    if at == path:
        return node
    for key, child in node.children:
        below = at + key
        if path.startswith(below) and (found := descend(child, below, path)) is not None:
            return found
    return None


class Merged:
    """Numbers that become one: each is replaced by the first of those that it was merged with."""

    def __init__(self) -> None:
        self._parent: dict[int, int] = {}

    def merge(self, one: int, other: int) -> None:
        a, b = self._root(one), self._root(other)
        if a != b:
            self._parent[max(a, b)] = min(a, b)

    def _root(self, number: int) -> int:
        self._parent.setdefault(number, number)
        while (parent := self._parent[number]) != number:
            self._parent[number] = self._parent[parent]
            number = parent
        return number

    @property
    def replaced(self) -> dict[int, int]:
        return {number: root for number in list(self._parent) if (root := self._root(number)) != number}


def merged_objects(function: FunctionFacts, traces: Sequence[Traced]) -> dict[int, int]:
    """The function objects of `traces`, each made one with that of the trace it is compared with."""
    merged = Merged()
    for trace in traces:
        if trace.closest is not None:
            merged.merge(trace.lookup.object_number, function.traces[trace.closest].lookup.object_number)
    return merged.replaced


def are_all_of_one_kind(function: FunctionFacts, objects: Mapping[int, int]) -> bool:
    """Whether one object serves every call when those of `merged_objects` are made one: no other one is left."""
    made = {trace.lookup.object_number for trace in function.traces}
    return len(set(objects.values())) == 1 and made <= objects.keys() | objects.values()


def times_made(objects: Mapping[int, int]) -> int:
    """How many objects `merged_objects` is about: those that are replaced, and those that serve instead."""
    return len(objects.keys() | objects.values())


def how_often(objects: Mapping[int, int]) -> str:
    return times_text(times_made(objects))


def times_text(count: int) -> str:
    return "twice" if count == 2 else f"{count} times"


def made_of_others(function: FunctionFacts) -> set[int]:
    """The function objects that were made of a tf.function of the same code: their graphs call that one's."""
    return {trace.lookup.object_number for trace in function.traces if MADE_OF_ONE in trace.evidence}


def line_of(function: FunctionFacts, trace: Traced) -> tuple[str, int]:
    """The file and the line that the call is written in; of all that are not known the same."""
    frame = function.caller(trace)
    return ("", 0) if frame is None else (frame.file, frame.line)


def merged_identities(function: FunctionFacts, traces: Sequence[Traced], path: str) -> dict[tuple[str, int], int]:
    """The Python objects at `path`, each made one with that of the trace it is compared with; what a line makes for
    each call with all that it made, and those of the same code."""
    merged = Merged()
    of_code: dict[str, int] = {}
    of_line: dict[tuple[str, int], int] = {}
    lines = {line_of(function, trace) for trace in traces if made_for_each_call(trace.evidence)}
    for trace in function.traces if lines else ():
        number, line = _object_of(trace, path), line_of(function, trace)
        if number is not None and line in lines:
            merged.merge(number, of_line.setdefault(line, number))
    for trace in traces:
        now = _object_of(trace, path)
        before = None if trace.closest is None else _object_of(function.traces[trace.closest], path)
        if now is None:
            continue
        if codes := made_for_each_call(trace.evidence):
            merged.merge(now, of_code.setdefault(" ".join(codes), now))
        elif before is not None:
            merged.merge(now, before)
    return {(path, number): root for number, root in merged.replaced.items()}


def _object_of(trace: Traced, path: str) -> int | None:
    node = node_of(trace, path)
    return node.identity if node is not None and node.kind == "object" else None
