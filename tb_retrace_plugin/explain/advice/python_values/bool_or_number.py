"""A flag that is a Python bool in some calls and a number in others, of which the code asks but whether it is 0."""

from __future__ import annotations

from tb_retrace_plugin.explain.advice.evidence.facts import Fix, FunctionFacts, Traced
from tb_retrace_plugin.explain.advice.evidence.listed import listed
from tb_retrace_plugin.explain.advice.evidence.reading import Merged, is_declared, node_of, nodes_at
from tb_retrace_plugin.explain.advice.source.code import whole_arguments
from tb_retrace_plugin.explain.verdict.evidence import A_BOOL_WOULD_DO
from tb_retrace_plugin.explain.what_if.candidate import Candidate, is_bool, is_number
from tb_retrace_plugin.schema.signature import Node

_ZEROS = frozenset({"0", "0.0", "-0.0", "0j", "False"})


def propose(function: FunctionFacts) -> Fix | None:
    told = [t for t in function.avoidable if t.evidence.endswith(A_BOOL_WOULD_DO)]
    paths = dict.fromkeys(c.path for t in told for c in t.changes if c.cause == "python_value")
    found = {path: merged for path in paths if (merged := _one_for_all(function, path))}
    if not found:
        return None
    is_one = len(found) == 1
    are, a_number = ("is a Python bool", "a number") if is_one else ("are Python bools", "numbers")
    return Fix(
        "python_bool",
        f"{listed(list(found))} of `{function.name}` {are} in some calls and {a_number} in others, and the graph is the"
        f" same whichever number that is not 0. Pass {'the Python bool' if is_one else 'Python bools'} at every call.",
        Candidate(identities={(path, one): root for path, merged in found.items() for one, root in merged.items()}),
        calls=whole_arguments(function, dict.fromkeys(found, "bool({})")),
        assumes="no number decides by more than whether it is 0",
    )  # fmt: skip


def _one_for_all(function: FunctionFacts, path: str) -> dict[int, int]:
    """Each number made the bool that it is as; {} where some is known to be none, or not known to be one."""
    nodes = list(nodes_at(function, path))
    bools = [node for node in nodes if is_bool(node)]
    if is_declared(function, path) or not all(is_bool(node) or is_number(node) for node in nodes):
        return {}
    merged = Merged()
    for place, trace in enumerate(function.traces):
        before = trace.closest if any(change.path == path for change in trace.changes) else None
        now = node_of(trace, path)
        then = node_of(function.traces[before], path) if before is not None else None
        if before is None or now is None or then is None or trace.lookup.failed:
            continue
        if trace.evidence.endswith(A_BOOL_WOULD_DO) or _is_the_same_graph(function, before, place, trace):
            merged.merge(now.identity, then.identity)
    replaced = merged.replaced
    roots = {_is_zero(node): replaced.get(node.identity, node.identity) for node in bools}
    are_bools = all(replaced.get(node.identity, node.identity) == roots.get(_is_zero(node)) for node in nodes)
    return replaced if are_bools else {}


def _is_zero(node: Node) -> bool:
    return node.value in _ZEROS


def _is_the_same_graph(function: FunctionFacts, before: int, place: int, trace: Traced) -> bool:
    pair = function.graphs.compare(before, place) if len(trace.changes) == 1 else None
    return pair is not None and pair.alike and not (pair.constants or pair.attribute or pair.captures)
