"""Methods as arguments: Python makes one anew each time that it is asked of its object, and TensorFlow traces each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tb_retrace_plugin.explain.advice.evidence.facts import HELD, Fix, FunctionFacts, Traced
from tb_retrace_plugin.explain.advice.evidence.listed import listed
from tb_retrace_plugin.explain.advice.evidence.passed_objects import have_the_same_graph, is_a_method
from tb_retrace_plugin.explain.advice.evidence.reading import node_of, nodes_at
from tb_retrace_plugin.explain.advice.source.call_lines import calling_frame, rewritten_call
from tb_retrace_plugin.explain.advice.source.code import is_dotted_name, source_line
from tb_retrace_plugin.explain.what_if.candidate import Candidate

#: Graphs to compare a trace's with.
_MOST_KEPT = 8
_MARK = "\0{}\0"


@dataclass(frozen=True, slots=True)
class _Methods:
    """At one path. `identities`: as a Candidate has them. `lines`: the user's, as the source has them -> as they pass
    what is kept; `kept`: as the lines have each method -> the variable that is passed in its place."""

    path: str
    identities: Mapping[tuple[str, int], int]
    lines: Mapping[str, str]
    kept: Mapping[str, str]


def propose(function: FunctionFacts) -> Fix | None:
    """Where each line passes the method of one object, as its graphs tell: they are the same whenever it is run."""
    found = _found(function)
    if not found:
        return None
    names = [one.path for one in found]
    asked = list(dict.fromkeys(method for one in found for method in one.kept))
    are, them = ("is a method", "it") if len(asked) == 1 else ("are methods", "them")
    text = (
        f"{listed(names)} of `{function.name}`: {listed(asked)} {are} of an object, which Python makes anew each time"
        f" that it is asked for, and TensorFlow compares {them} by identity. Keep {them} in"
        f" {'a variable' if len(asked) == 1 else 'variables'}, before the loop, and pass {them}."
    )
    made = [f"{name} = {method}  # once, before the loop" for one in found for method, name in one.kept.items()]
    lines = [line for one in found for line in one.lines.values()]
    # a line is rewritten for one argument alone: of several none is shown
    return Fix(
        "same_object", text, Candidate(identities={k: root for one in found for k, root in one.identities.items()}),
        other="\n".join(dict.fromkeys([*made, "…", *lines])) if len(found) == 1 else "",
        assumes="what the object holds that decides its method's graph stays as it is",
    )  # fmt: skip


def are_kept(function: FunctionFacts) -> set[str]:
    """Paths that this proposes something for."""
    return {methods.path for methods in _found(function)}


def _found(function: FunctionFacts) -> list[_Methods]:
    found: list[_Methods] = function.graphs.once("kept methods", lambda: _all(function))
    return found


def _all(function: FunctionFacts) -> list[_Methods]:
    paths = list(dict.fromkeys(c.path for _, c in function.with_cause("object_identity", held=True)))
    return [methods for path in paths if path.isidentifier() and (methods := _methods(function, path)) is not None]


def _methods(function: FunctionFacts, path: str) -> _Methods | None:
    if not all(map(is_a_method, nodes_at(function, path, failed=False))):
        return None
    lines: dict[str, str] = {}
    asked: list[list[str]] = []  # for each trace: the methods that its line passes
    for trace in function.traces:
        frame = calling_frame(function, trace)
        if trace.lookup.failed or frame is None:
            return None
        found = _rewritten(function, path, trace)
        if found is None:
            return None
        asked.append(found[0])
        lines[source_line(frame)] = found[1]
    kept = {method: _name(method) for methods in asked for method in methods}
    if len(kept) > _MOST_KEPT or len(set(kept.values())) < len(kept):
        return None
    firsts = _firsts(function, asked)
    # else a method is another object's in some calls, or it decides by something else
    if firsts is None or len(set(firsts)) != len(kept) or not _are_of_one_object(function, firsts):
        return None
    identities = {}
    for trace, first in zip(function.traces, firsts, strict=True):
        node, root = node_of(trace, path), node_of(function.traces[first], path)
        if node is not None and root is not None and node.identity != root.identity:
            identities[(path, node.identity)] = root.identity
    return _Methods(path, identities, lines, kept) if identities else None


def _firsts(function: FunctionFacts, asked: Sequence[Sequence[str]]) -> list[int] | None:
    """For each trace the first of the same method and graph; None if one method has several graphs."""
    firsts: list[int] = []
    by_lines = all(len(methods) == 1 for methods in asked)  # else the graph alone tells which of its line's it is
    for place, methods in enumerate(asked):
        known = [one for one in dict.fromkeys(firsts) if not by_lines or asked[one] == methods]
        first = next((one for one in known if have_the_same_graph(function, one, place)), None)
        if first is None and (len(known) >= _MOST_KEPT or (by_lines and known)):
            return None
        firsts.append(place if first is None else first)
    return firsts


def _are_of_one_object(function: FunctionFacts, firsts: Sequence[int]) -> bool:
    """Whether none holds other numbers or tensors than one that it would be made one with."""
    return not any(
        trace.closest is not None and firsts[trace.closest] == first and trace.evidence.endswith(HELD)
        for trace, first in zip(function.traces, firsts, strict=True)
    )


def _rewritten(function: FunctionFacts, path: str, trace: Traced) -> tuple[list[str], str] | None:
    """The methods that the line passes, and the line with what is kept of them; None where it passes something else."""
    marked = rewritten_call(function, trace, {path: _MARK})
    parts = marked.split(_MARK[0]) if marked is not None else []
    methods = parts[1::2]
    # what `self` has is to be kept where that is made
    if not methods or not all("." in m and is_dotted_name(m) and not m.startswith("self.") for m in methods):
        return None
    parts[1::2] = map(_name, methods)
    return list(dict.fromkeys(methods)), "".join(parts).strip()


def _name(method: str) -> str:
    return method.replace(".", "_")
