"""Python objects as arguments, of which one would do in place of others: what is known of them, by their paths."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from tb_retrace_plugin.explain.advice.evidence.facts import HELD, Frame, FunctionFacts, Traced, is_idle
from tb_retrace_plugin.explain.advice.evidence.other_sizes import differ_in_sizes_alone
from tb_retrace_plugin.explain.advice.evidence.reading import merged_identities, node_of, nodes_at
from tb_retrace_plugin.explain.differences.change import Change
from tb_retrace_plugin.explain.differences.iterators import is_iterator
from tb_retrace_plugin.explain.verdict.evidence import (
    CAPTURES_THE_SAME,
    CREATES_VARIABLES_LATE,
    HOLDS_OTHERS,
    HOLDS_OTHERS_BESIDE,
    IS_GONE,
    SAME_GRAPH_OF_OBJECTS,
    made_for_each_call,
    made_for_each_run,
    what_makes,
)
from tb_retrace_plugin.schema.signature import COMPARES, DELETED, Node

#: Classes that a user cannot give methods to.
_NOT_THE_USERS = frozenset({"TensorShape", "deque", "frozenset", "partial", "set"})
_NUMBERED = re.compile(r".+ #\d+")
_METHOD = "method "
_IS = " is "


@dataclass(frozen=True, slots=True)
class PassedObjects:
    """At one path. `found`: avoidable traces that were made for another one. `identities`: as a Candidate has them.

    `owner`: of which class, or what, `function` say; `is_plain`: they are instances of a class. `is_theirs`: it is no
    class of the user's. `is_gone`: an earlier one no longer exists; `may_be_gone`: that, or it is said of another
    argument alone, as where nothing of it is read. `is_named`: they are classes, say, or members of an Enum, which the
    program has by name.
    `compares`: their class has an `__eq__` of its own, by which they are not equal. `differ`: some hold other values
    than those that they are compared with, on which no graph depends. `is_asked_for`: the code asks by `is` which one
    it is, for which an equal one would be taken. `is_made`: a line makes one, with variables of its own, for each call.
    """

    path: str
    found: tuple[tuple[Traced, Change], ...]
    identities: Mapping[tuple[str, int], int]
    owner: str
    is_plain: bool
    is_theirs: bool
    is_gone: bool
    may_be_gone: bool
    is_named: bool
    compares: bool = False
    differ: bool = False
    is_asked_for: bool = False
    is_made: bool = False

    @property
    def can_be_equal(self) -> bool:
        """Whether methods of their class would make them so: what no longer exists equals nothing."""
        kept = self.is_theirs or self.may_be_gone or self.is_named or self.compares or self.differ or self.is_asked_for
        return self.is_plain and not (kept or self.is_made)

    def left(self, function: FunctionFacts) -> int:
        """How many objects are passed when those that gave one graph are one."""
        nodes = [node for node in nodes_at(function, self.path) if node.kind == "object"]
        return len({self.identities.get((self.path, node.identity), node.identity) for node in nodes})

    @property
    def codes(self) -> list[str]:
        """That make it for each call, where it has variables; of some traces alone, others may be kept."""
        codes = [what_makes(self.path, trace.evidence) for trace, _ in self.found]
        return list(dict.fromkeys(code for code in codes if code))

    @property
    def all_codes(self) -> list[str]:
        """The same, where no other objects would be made one."""
        return self.codes if all(what_makes(self.path, trace.evidence) for trace, _ in self.found) else []

    def kept_as(self, function: FunctionFacts) -> str:
        """What a call passes in place of what it makes: those that other lines pass are not made."""
        return name_of_kept(self.path, len(self.all_codes) or self.left(function))

    def frames(self, function: FunctionFacts, *, kept: bool) -> list[Frame]:
        """The user's lines that pass what is replaced; or those that pass what is kept in its place."""
        wanted = set(self.identities.values()) if kept else {number for _, number in self.identities}
        frames = [
            function.caller(trace)
            for trace in function.traces
            if (node := node_of(trace, self.path)) is not None and node.kind == "object" and node.identity in wanted
        ]
        return list(dict.fromkeys(frame for frame in frames if frame is not None))


def is_a_method(node: Node) -> bool:
    """Of an object, bound to it: Python makes it anew each time that it is asked for."""
    return node.kind == "object" and node.value.removeprefix(f"{DELETED} ").startswith(_METHOD)


def name_of_kept(path: str, left: int) -> str:
    """What a call passes in place of what it makes. `left`: how many objects are kept."""
    return path if left == 1 else f"kept_{path}[…]"


def passed_objects(function: FunctionFacts) -> list[PassedObjects]:
    """Those of which one can serve every call that has the same graph."""
    return [one for one in _all_objects(function) if not _needs_others_elsewhere(function, one)]


def objects_needed_elsewhere(function: FunctionFacts) -> list[PassedObjects]:
    """Those that give one graph in some calls, such as an evaluation's, and others in other calls, where more than the
    numbers that they hold makes them others."""
    needed = [one for one in _all_objects(function) if _needs_others_elsewhere(function, one)]
    held = {t.changes[0].path for t in function.avoidable if t.evidence.endswith(HELD) and t.changes}
    return [one for one in needed if one.path not in held]


def _all_objects(function: FunctionFacts) -> list[PassedObjects]:
    objects: list[PassedObjects] = function.graphs.once("passed objects", lambda: _passed_objects(function))
    return objects


def _needs_others_elsewhere(function: FunctionFacts, one: PassedObjects) -> bool:
    """Whether a trace that is not known to be avoidable was made for nothing but another of the objects made one."""
    for place, trace in enumerate(function.traces):
        if trace.closest is None or len(trace.changes) != 1:
            continue
        if trace.verdict != "unknown" and not trace.evidence.endswith(HELD):
            continue
        if (trace.changes[0].cause, trace.changes[0].path) != ("object_identity", one.path):
            continue
        now, before = node_of(trace, one.path), node_of(function.traces[trace.closest], one.path)
        if now is None or before is None or now.identity == before.identity:
            continue
        roots = [one.identities.get((one.path, node.identity), node.identity) for node in (now, before)]
        if roots[0] == roots[1] and not have_the_same_graph(function, trace.closest, place):
            return True
    return False


def have_the_same_graph(function: FunctionFacts, one: int, other: int) -> bool:
    """But for names, which differ where variables are made in the first call."""
    pair = function.graphs.compare(one, other)
    if pair is None or not pair.alike or (pair.captures and not pair.renumbered):
        return False
    return not (pair.constants or pair.attribute or pair.numbers)


def _passed_objects(function: FunctionFacts) -> list[PassedObjects]:
    changes = [
        (trace, change)
        for trace, change in function.with_cause("object_identity", "python_type")
        if change.path != "self" and not trace.lookup.failed and not is_iterator(change.new)
        if change.cause == "object_identity" or _is_of_another_class(function, trace, change)
        if trace.evidence != CREATES_VARIABLES_LATE  # which another object would have needed as well
        if not made_for_each_run(trace.evidence)  # its variables are to be set back
    ]
    objects = []
    asked = [question.split(_IS) for question in function.type_questions if _IS in question]
    arguments = {path for path, _ in function.traces[0].lookup.signature.arguments}
    of_two = {path for both in asked if arguments.issuperset(both) for path in both}
    changes = [(trace, change) for trace, change in changes if change.path not in of_two]  # one object may be the other
    for path in dict.fromkeys(change.path for _, change in changes):
        found = tuple(pair for pair in changes if pair[1].path == path)
        traces = [*(trace for trace, _ in found), *_of_other_sizes(function, path)]
        if identities := merged_identities(function, traces, path):
            objects.append(_of(path, found, identities, is_asked_for=any(path in both for both in asked)))
    return objects


def _is_of_another_class(function: FunctionFacts, trace: Traced, change: Change) -> bool:
    """Whether an object took the place of one of another class, such as a lambda that calls a model, with its graph."""
    if trace.closest is None or not trace.evidence.endswith(SAME_GRAPH_OF_OBJECTS):
        return False
    nodes = node_of(trace, change.path), node_of(function.traces[trace.closest], change.path)
    return all(node is not None and node.kind == "object" for node in nodes)


def _of_other_sizes(function: FunctionFacts, path: str) -> list[Traced]:
    """Traces for another object and other sizes at once, as of a last batch, of which it is not known whether they can
    be avoided: those whose graphs differ in nothing but what follows from the sizes, as in a gradient."""
    return [
        trace
        for place, trace in enumerate(function.traces)
        if trace.verdict == "unknown" and trace.kind == "retrace" and trace.closest is not None
        if not trace.lookup.failed
        and CAPTURES_THE_SAME in trace.evidence
        and {c.path for c in trace.changes if c.cause != "shape"} == {path}
        if len(trace.changes) > 1 and all(c.cause in ("object_identity", "shape") for c in trace.changes)
        if differ_in_sizes_alone(function, trace.closest, place)
    ]


def _of(
    path: str, found: tuple[tuple[Traced, Change], ...], identities: Mapping[tuple[str, int], int],
    *, is_asked_for: bool,
) -> PassedObjects:  # fmt: skip
    new = found[0][1].new.removeprefix(f"{DELETED} ")
    owner, _, rest = new.partition(" ")
    said = [trace.evidence for trace, _ in found if IS_GONE in trace.evidence]
    is_gone = any(change.old.startswith(f"{DELETED} ") for _, change in found) or any(
        f"`{path}`" in text for text in said
    )
    return PassedObjects(
        path, found, identities, owner,
        is_plain=rest.startswith("object") and owner.isidentifier(),
        is_theirs=owner in _NOT_THE_USERS or any(is_of_a_library(trace, path) for trace, _ in found),
        is_gone=is_gone,
        may_be_gone=is_gone or bool(said) or any(is_idle(trace, change) for trace, change in found),
        is_named=not any(_NUMBERED.fullmatch(text) for _, change in found for text in (change.old, change.new)),
        differ=any(_is_told_to_differ(t.evidence, path) for t, _ in found),
        is_asked_for=is_asked_for,
        is_made=any(made_for_each_call(trace.evidence) for trace, _ in found),
        compares=any((node := node_of(trace, path)) is not None and node.class_name == COMPARES for trace, _ in found),
    )  # fmt: skip


def _is_told_to_differ(evidence: str, path: str) -> bool:
    beside = HOLDS_OTHERS_BESIDE.partition("{} ")[2]
    return (HOLDS_OTHERS in evidence or beside in evidence) and f"`{path}`" in evidence


def is_of_a_library(trace: Traced, path: str) -> bool:
    """Whether the object there is of a class that is no user's."""
    node = node_of(trace, path)
    return node is not None and "." in node.type_name
