"""A flag that is None in some calls and a Python bool in others, with one graph for None and one of the bools."""

from __future__ import annotations

from tb_retrace_plugin.explain.advice.evidence.facts import Fix, FunctionFacts
from tb_retrace_plugin.explain.advice.evidence.listed import listed
from tb_retrace_plugin.explain.advice.evidence.reading import is_declared, is_none, node_of, nodes_at
from tb_retrace_plugin.explain.verdict.evidence import NONE_OR_A_BOOL
from tb_retrace_plugin.explain.what_if.candidate import Candidate, is_bool
from tb_retrace_plugin.schema.signature import Node

_GIVEN = {"False": "bool({})", "True": "{0} is None or {0}"}


def propose(function: FunctionFacts) -> Fix | None:
    told = [trace for trace in function.avoidable if trace.evidence.endswith(NONE_OR_A_BOOL)]
    paths = dict.fromkeys(change.path for trace in told for change in trace.changes if change.cause == "python_type")
    found = {path: pair for path in paths if (pair := _none_and_the_bool(function, path)) is not None}
    if not found:
        return None
    values = list(dict.fromkeys(bool_.value for _, bool_ in found.values()))
    is_one, one = len(found) == 1, values[0] if len(values) == 1 else "the Python bool"
    are, the_default = ("is", "the default") if is_one else ("are", "their default")
    return Fix(
        "bool_for_none",
        f"{listed(list(found))} of `{function.name}` {are} None in some calls and {one} in others, and the graph is the"
        f" same. Pass {one} in place of None, or make it {the_default}.",
        Candidate(identities={(path, none.identity): bool_.identity for path, (none, bool_) in found.items()}),
        other="\n".join(_code(function, path, bool_.value) for path, (_, bool_) in found.items()),
        assumes=f"nothing but the graph depends on whether {'it is' if is_one else 'they are'} None",
    )  # fmt: skip


def _none_and_the_bool(function: FunctionFacts, path: str) -> tuple[Node, Node] | None:
    """Of a flag that is nothing else; None where its value is hidden, or both bools were seen to be as None is."""
    nodes = list(nodes_at(function, path))
    if is_declared(function, path) or not all(
        is_none(node) or (is_bool(node) and node.value in _GIVEN) for node in nodes
    ):
        return None
    pairs: dict[str, tuple[Node, Node]] = {}
    for trace in function.avoidable:
        if trace.closest is None or not trace.evidence.endswith(NONE_OR_A_BOOL):
            continue
        both = node_of(trace, path), node_of(function.traces[trace.closest], path)
        none, bool_ = (next((node for node in both if node and kind(node)), None) for kind in (is_none, is_bool))
        if none is not None and bool_ is not None:
            pairs[bool_.value] = none, bool_
    return next(iter(pairs.values())) if len(pairs) == 1 else None


def _code(function: FunctionFacts, path: str, value: str) -> str:
    given = _GIVEN[value].format(path)
    if path in function.with_default:
        return f"def {function.name}(…, {path}={value}):  # in place of None; where a call passes that itself: {given}"
    return f"{given}  # in place of {path}, at each call"
