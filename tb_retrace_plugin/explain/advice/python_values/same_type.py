"""An argument of other Python types, none of them a number that could be a tensor."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tb_retrace_plugin.explain.advice.evidence.facts import Fix, FunctionFacts, merged
from tb_retrace_plugin.explain.advice.evidence.listed import listed
from tb_retrace_plugin.explain.advice.evidence.reading import nodes_at
from tb_retrace_plugin.explain.advice.python_values import bool_or_tensor
from tb_retrace_plugin.explain.advice.python_values.one_dtype import propose as one_dtype
from tb_retrace_plugin.explain.advice.python_values.tensor_for_number import propose as tensor_for_number
from tb_retrace_plugin.explain.advice.python_values.tensor_for_string import propose as tensor_for_string
from tb_retrace_plugin.explain.differences.change import Change
from tb_retrace_plugin.explain.differences.iterators import is_iterator
from tb_retrace_plugin.explain.differences.value_texts import is_number

_OBJECT = re.compile(r".+ #\d+")
#: Text of a tensor's type.
_TENSOR = re.compile(r"(u?int|b?float|complex)\d+ \(.*\)")
#: Of a tensor that no call takes, by what else is passed there.
_INSTEAD = {
    "variable": "variable", "bool": "Python bool", "string": "Python string", "number": "Python number",
}  # fmt: skip


def propose(function: FunctionFacts) -> Fix | None:
    found = [c for _, c in function.with_cause("python_type") if "None" not in (c.old, c.new) and c.path != "self"]
    found = [change for change in found if not is_iterator(change.new)]
    # a function in place of a callable object, say: which of them would do, their type does not tell
    found = [change for change in found if not (_OBJECT.fullmatch(change.old) and _OBJECT.fullmatch(change.new))]
    flags = bool_or_tensor.propose_tensor, bool_or_tensor.propose_python
    for rule in (tensor_for_number, tensor_for_string, one_dtype, *flags) if found else ():
        if fix := rule(function):
            done = {*fix.calls, *merged([fix]).numbers}
            found = [change for change in found if change.path not in done]
    if not found:
        return None
    changes = list({(_kind(c), c.path): c for c in reversed(found)}.values())[::-1]  # the first of each
    first = changes[0]
    paths = list(dict.fromkeys(change.path for change in changes))
    are = "is of another Python type" if len(paths) == 1 else "are of other Python types"
    seen = f"{first.old} → {first.new}" + ("" if len(changes) == len(paths) else ", and others")
    text = f"{listed(paths)} of `{function.name}` {are}: {seen}. Pass one type at every call."
    notes = []
    for kind in dict.fromkeys(map(_kind, changes)):
        of_it = [change.path for change in changes if _kind(change) == kind]
        of_it = [path for path in of_it if kind != "number" or path not in function.python_numbers]
        failed = [path for path in of_it if _is_refused(function, path)]
        notes += _how(kind, [path for path in of_it if path not in failed])
        if failed and kind:
            notes.append(f"Each call with a tensor for {listed(failed)} failed: pass the {_INSTEAD[kind]}.")
    return Fix("same_type", text, None, evidence="Which type all calls could have is not recorded.", notes=notes)


def _is_refused(function: FunctionFacts, path: str) -> bool:
    """Whether tensors came in calls alone that failed: these are not what all calls are to pass."""
    came = any(node.kind == "tensor" for node in nodes_at(function, path))
    return came and not any(node.kind == "tensor" for node in nodes_at(function, path, failed=False))


def _kind(change: Change) -> str:
    """Which of the two could be passed as the other, where that is known; else ""."""
    texts = change.old, change.new
    if any(text.startswith("Variable ") for text in texts):
        return "variable"
    if {"True", "False"} & set(texts) and any(text.startswith("bool ") for text in texts):
        return "bool"
    is_string = any(text.lstrip("b").startswith(("'", '"')) for text in texts)
    if is_string and any(text.startswith("string ") for text in texts):
        return "string"
    return "number" if any(map(is_number, texts)) and any(map(_TENSOR.fullmatch, texts)) else ""


def _how(kind: str, paths: Sequence[str]) -> list[str]:
    if not paths:
        return []
    constants = listed([f"tf.constant({path})" for path in paths])
    if kind == "variable":
        return [f"A variable that is only read can be passed as {listed([f'{path}.value()' for path in paths])}."]
    if kind == "bool":
        return [f"A Python bool can be passed as {constants}, unless it chooses code."]
    if kind == "string":
        return [f"A Python string can be passed as {constants}."]
    if kind == "number":
        return [f"A Python number can be passed as {constants}, of the dtype that tensors have there."]
    return []
