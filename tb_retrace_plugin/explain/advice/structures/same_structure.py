"""Containers that come with other lengths or classes."""

from __future__ import annotations

from tb_retrace_plugin.explain.advice.evidence.facts import Fix, FunctionFacts
from tb_retrace_plugin.explain.advice.evidence.reading import nodes_at
from tb_retrace_plugin.explain.advice.python_values import one_dtype, tensor_for_sequence
from tb_retrace_plugin.explain.advice.source.call_lines import rewritten
from tb_retrace_plugin.explain.advice.source.code import listed
from tb_retrace_plugin.explain.candidate import Candidate, is_number
from tb_retrace_plugin.schema.signature import Node

_MAX_LINES = 3


def propose(function: FunctionFacts) -> Fix | None:
    """Other changes of structure: what would be the same in all calls is the program's to say."""
    found = [c for _, c in function.with_cause("structure") if not c.is_of_a_key]
    for rule in (tensor_for_sequence.propose, one_dtype.propose):  # what it is instead is known
        if fix := rule(function):
            found = [c for c in found if not c.path.startswith(tuple(fix.calls))]
    if not found:
        return None
    if fix := _one_sequence(function, list(dict.fromkeys(change.path for change in found))):
        return fix
    change = found[0]
    paths = list(dict.fromkeys(c.path for c in found))
    verb = "changes its structure" if len(paths) == 1 else "change their structure"
    text = f"{listed(paths)} of `{function.name}` {verb}, such as {change.old} → {change.new}."
    code = ""
    sequences = list(nodes_at(function, change.path))
    if "list of 0" in (change.old, change.new) or "tuple of 0" in (change.old, change.new):
        text += " Pass as many each time: where there are none yet, zeros of the later shape and dtype."
    elif sequences and all(_can_be_stacked(node, sequences[0]) for node in sequences):
        text += (
            " Stack what it holds into one tensor, and leave its first dimension open (`reduce_retracing=True`, or None"
            " in an `input_signature`): another length is another shape. Or pass as many each time."
        )
        code = _stacked(function, change.path)
    else:
        text += " Pass one structure at every call."
    return Fix(
        "same_structure", text, None, other=code, evidence="Which structure all calls could have is not recorded."
    )


def _stacked(function: FunctionFacts, path: str) -> str:
    """In the calls themselves: a list that grows is one before them."""
    parameters = [name for name, _ in function.traces[0].lookup.signature.arguments if name != "self"]
    lines: dict[str, None] = {}
    for trace in function.traces if path in parameters else ():
        frame = function.caller(trace)
        any_name = function.calls_directly(trace)
        line = frame and rewritten(
            frame.source, function.name, parameters, {path: "tf.stack({})"}, optional=function.with_default,
            any_name=any_name,
        )  # fmt: skip
        if line:
            lines[line] = None
    return "\n".join([*lines][:_MAX_LINES]) or f"tf.stack({path})  # in place of {path}, at each call"


def _can_be_stacked(sequence: Node, like: Node) -> bool:
    """Whether it holds numbers, or tensors of one shape and dtype, as `like` does."""
    items = [node for _, node in (*sequence.children, *like.children)]
    if not sequence.children or sequence.kind not in ("list", "tuple"):
        return False
    if all(is_number(node) for node in items):
        return True
    return all(node.kind == "tensor" and (node.shape, node.dtype) == (items[0].shape, items[0].dtype) for node in items)


def _one_sequence(function: FunctionFacts, paths: list[str]) -> Fix | None:
    """What is a tuple in some calls and a list in others, of as many items."""
    words: dict[str, str] = {}
    for path in paths:
        nodes = list(nodes_at(function, path))
        if {node.kind for node in nodes} == {"tuple", "list"} and len({len(node.children) for node in nodes}) == 1:
            words[path] = nodes[0].kind
    if not words or set(words) != set(paths):
        return None
    names = listed(list(words))
    text = f"{names} of `{function.name}` is a tuple in some calls and a list in others. Pass one of the two."
    calls = {path: word + "({})" for path, word in words.items()}
    return Fix("same_structure", text, Candidate(sequences=words), calls=calls)
