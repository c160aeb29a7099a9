"""A flag that is a Python bool in some calls and a tensor of one in others: either way is one for all."""

from __future__ import annotations

from tb_retrace_plugin.explain.advice.evidence.asked_for import is_asked_for
from tb_retrace_plugin.explain.advice.evidence.facts import Fix, FunctionFacts
from tb_retrace_plugin.explain.advice.evidence.listed import listed
from tb_retrace_plugin.explain.advice.evidence.reading import is_declared, node_of, nodes_at
from tb_retrace_plugin.explain.advice.source.call_lines import call_code
from tb_retrace_plugin.explain.advice.source.code import whole_arguments
from tb_retrace_plugin.explain.what_if.candidate import Candidate, is_bool
from tb_retrace_plugin.explain.what_if.replay import replay
from tb_retrace_plugin.schema.signature import Node

_FLAG = Node("tensor", dtype="bool", shape=())
_NOT_KNOWN = "Which values those tensors had is not recorded, and so not whether each has a trace already."


def propose_tensor(function: FunctionFacts) -> Fix | None:
    """Only where a call with a tensor succeeded, which shows that the code takes one."""
    paths = [path for path in _paths(function) if _works(function, path, of_tensors=True)]
    if not paths:
        return None
    is_one = len(paths) == 1
    return Fix(
        "tensor_for_python_bool",
        f"{_mixed(function, paths)} Pass {'a tensor' if is_one else 'tensors'} at every call.",
        Candidate(numbers=dict.fromkeys(paths, "bool")),
        calls=whole_arguments(function, dict.fromkeys(paths, "tf.constant({})")),
        assumes="the code does with each Python bool what it does with a tensor, and that no call passes 0 or 1",
    )  # fmt: skip


def propose_python(function: FunctionFacts) -> Fix | None:
    """Where the value of each tensor can be read, which is nowhere within a trace."""
    paths = [path for path in _paths(function) if _works(function, path, of_tensors=False)]
    paths = [path for path in paths if not _is_read_in_a_graph(function, path)]
    if not paths:
        return None
    bools = {path: _first_to_go(function, path) for path in paths}
    wraps = dict.fromkeys(paths, "bool({})")
    failed = [path for path in paths if not _works(function, path, of_tensors=True)]
    text = f"{_mixed(function, paths)} Pass {'the Python bool' if len(paths) == 1 else 'Python bools'} at every call."
    if failed:
        text += f" Each call with a tensor for {listed(failed)} failed."
    candidate = Candidate(bools=bools)
    if _have_traces_already(function, paths):
        assumes = "" if failed else "there is no call within another tf.function, where a tensor has no value yet"
        return Fix("python_bool", text, candidate, calls=wraps, assumes=assumes)
    if len(failed) < len(paths):  # a number is known of tensors at every call
        return None
    return Fix("python_bool", text, None, calls=wraps, other=call_code(function, wraps, candidate), evidence=_NOT_KNOWN)


def _mixed(function: FunctionFacts, paths: list[str]) -> str:
    are, tensors = ("is a Python bool", "a tensor") if len(paths) == 1 else ("are Python bools", "tensors")
    return f"{listed(paths)} of `{function.name}` {are} in some calls and {tensors} in others."


def _paths(function: FunctionFacts) -> list[str]:
    """Of what is nothing else than the one or the other."""
    found = []
    for path in dict.fromkeys(change.path for _, change in function.with_cause("python_type")):
        nodes = list(nodes_at(function, path))
        bools = [node for node in nodes if is_bool(node)]
        is_flag = 0 < len(bools) < len(nodes) and all(is_bool(node) or node == _FLAG for node in nodes)
        if is_flag and not is_declared(function, path):
            found.append(path)
    return found


def _works(function: FunctionFacts, path: str, *, of_tensors: bool) -> bool:
    return any(is_bool(node) != of_tensors for node in nodes_at(function, path, failed=False))


def _is_read_in_a_graph(function: FunctionFacts, path: str) -> bool:
    with_tensor = [trace for trace in function.traces if node_of(trace, path) == _FLAG]
    return any(trace.nested or is_asked_for(trace) for trace in with_tensor)


def _first_to_go(function: FunctionFacts, path: str) -> Node:
    """The bool that goes for each tensor in the replay: what a trace that can be avoided had, if any had one."""
    found = [node for trace in function.avoidable if (node := node_of(trace, path)) and is_bool(node)]
    return next(node for node in (*found, *nodes_at(function, path)) if is_bool(node))


def _have_traces_already(function: FunctionFacts, paths: list[str]) -> bool:
    """Whether no tensor needs a trace of its own as a Python bool, whichever of the two it is."""
    flags = {path: {n.identity: n for n in nodes_at(function, path) if is_bool(n)} for path in paths}
    lookups = [trace.lookup for trace in function.traces]
    if any(len(both) != 2 for both in flags.values()) or any(lookup.reduce_retracing for lookup in lookups):
        return False
    if len(paths) > 1:  # each by itself would have to be either, beside either of the others
        return False
    (path,) = paths
    others = [trace.lookup for trace in function.traces if node_of(trace, path) != _FLAG]
    alone = replay(others)
    each = [replay(lookups, Candidate(bools={path: flag})) for flag in flags[path].values()]
    return alone is not None and all(stays is not None and sum(stays) == sum(alone) for stays in each)
