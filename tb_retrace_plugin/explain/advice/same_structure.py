"""Containers that come with other keys, lengths or classes."""

from __future__ import annotations

import re

from tb_retrace_plugin.explain.advice import tensor_for_sequence
from tb_retrace_plugin.explain.advice.call_lines import variable_passed
from tb_retrace_plugin.explain.advice.code import listed, unless_around_is_none
from tb_retrace_plugin.explain.advice.facts import Fix, FunctionFacts
from tb_retrace_plugin.explain.advice.neutral_values import neutral
from tb_retrace_plugin.explain.advice.reading import nodes_at
from tb_retrace_plugin.explain.candidate import Candidate, is_number
from tb_retrace_plugin.schema.signature import Node

_MISSING = "no such key"


def propose_keys(function: FunctionFacts) -> Fix | None:
    """The same keys in each dictionary."""
    containers: dict[str, None] = {}
    for _, change in function.with_cause("structure"):
        if _MISSING in (change.old, change.new) and change.path.endswith("]"):
            containers[change.path[: change.path.rindex("[")]] = None
    keys: dict[str, tuple[tuple[str, Node], ...]] = {}
    sometimes: dict[str, Node] = {}
    for path in containers:
        nodes = [node for node in nodes_at(function, path) if node.kind == "dict"]
        union: dict[str, Node] = {}
        for node in nodes:
            for key, child in node.children:
                union.setdefault(key, child)
        keys[path] = tuple(union.items())
        for key, child in union.items():
            if any(key not in dict(node.children) for node in nodes):
                sometimes[path + key] = child
    if not sometimes:
        return None
    names = listed(list(sometimes))
    text = (
        f"{names} of `{function.name}` {'is' if len(sometimes) == 1 else 'are'} there in some calls and missing in"
        " others. Give it the same keys at every call, with a neutral value where there is none."
    )
    outside: dict[str, dict[str, object]] = {}
    shaped_like: dict[str, tuple[str, int]] = {}
    is_known = True
    code = []
    for path, node in sometimes.items():
        container, key = path[: path.rindex("[")], path[path.rindex("[") :]
        nodes = [node for node in nodes_at(function, container) if node.kind == "dict"]
        root = re.split(r"[.\[]", path, maxsplit=1)[0]
        passed = variable_passed(function, root)
        container = passed + container[len(root) :]
        line = ""
        if node.kind == "literal" and node.value == "None":
            line = f"{container}.setdefault({key[1:-1]}, None)  # or what is neutral"
        value = neutral(nodes, key) if node.kind == "tensor" else None
        if value is not None:
            line = f"{container}.setdefault({key[1:-1]}, {value.code(container)})  # or what is neutral"
            if value.like:
                shaped_like[path] = value.like, value.dimensions
            else:
                outside[path] = {"shape": list(value.shape), "dtype": value.dtype}
        elif node.kind == "tensor":
            is_known = False
            line = f"{container}.setdefault({key[1:-1]}, …)  # what is neutral, in the size of this call"
        if line:
            code.append(unless_around_is_none(function, path, line, root=root, argument=passed))
    if not is_known:
        evidence = "Which shape a neutral value would have is not known."
        return Fix("same_keys", text, None, other="\n".join(code), evidence=evidence)
    as_there = "shape and dtype as in the calls that have the key"
    if shaped_like:
        as_there = "dtype as in the calls that have the key, in that shape"
    return Fix(
        "same_keys", text, Candidate(keys=keys, shaped_like=shaped_like), other="\n".join(code),
        outside={"keys": outside} if outside.keys() == sometimes.keys() else None,
        assumes=f"a neutral value can be passed, of the same {as_there}",
    )  # fmt: skip


def propose(function: FunctionFacts) -> Fix | None:
    """Other changes of structure: what would be the same in all calls is the program's to say."""
    found = [c for _, c in function.with_cause("structure") if _MISSING not in (c.old, c.new)]
    if tensors := tensor_for_sequence.propose(function):  # what it is instead is known
        found = [c for c in found if not c.path.startswith(tuple(tensors.calls))]
    if not found:
        return None
    if fix := _one_sequence(function, [change.path for change in found]):
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
        code = f"{change.path} = tf.stack({change.path})" if change.path.isidentifier() else f"tf.stack({change.path})"
    else:
        text += " Pass one structure at every call."
    return Fix(
        "same_structure", text, None, other=code, evidence="Which structure all calls could have is not recorded."
    )


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
