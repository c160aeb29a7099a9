"""A Python string in some calls and a tensor in others, which shows that the code works on a tensor."""

from __future__ import annotations

from tb_retrace_plugin.explain.advice.evidence.facts import Fix, FunctionFacts
from tb_retrace_plugin.explain.advice.evidence.reading import containers_of, nodes_at
from tb_retrace_plugin.explain.advice.source.code import listed
from tb_retrace_plugin.explain.candidate import Candidate, is_string


def propose(function: FunctionFacts) -> Fix | None:
    paths = dict.fromkeys(change.path for _, change in function.with_cause("python_value", "python_type"))
    found = [path for path in paths if _can_be_a_tensor(function, path)]
    if not found:
        return None
    text = f"{listed(found)} of `{function.name}` "
    if len(found) == 1:
        text += "is a Python string in some calls and a tensor in others. Pass it as a tensor at every call."
    else:
        text += "are Python strings in some calls and tensors in others. Pass them as tensors at every call."
    return Fix(
        "tensor_for_python_string", text, Candidate(numbers=dict.fromkeys(found, "string")),
        calls=dict.fromkeys(found, "tf.constant({})"), assumes="the code does with a string what it does with a tensor",
    )  # fmt: skip


def _can_be_a_tensor(function: FunctionFacts, path: str) -> bool:
    if any(node.kind in ("composite", "custom_nest") for node in containers_of(function, path)):
        return False  # the class declares what its field is
    nodes = [node for node in nodes_at(function, path) if node.value != "None"]
    strings = [node for node in nodes if is_string(node)]
    tensors = [node for node in nodes if node.kind == "tensor" and node.dtype == "string"]
    works = any(node.kind == "tensor" for node in nodes_at(function, path, failed=False))
    return bool(strings) and works and len(strings) + len(tensors) == len(nodes)
