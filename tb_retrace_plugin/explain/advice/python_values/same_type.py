"""An argument of other Python types, none of them a number that could be a tensor."""

from __future__ import annotations

import re

from tb_retrace_plugin.explain.advice.evidence.facts import Fix, FunctionFacts
from tb_retrace_plugin.explain.advice.python_values.one_dtype import propose as one_dtype
from tb_retrace_plugin.explain.advice.python_values.tensor_for_number import propose as tensor_for_number
from tb_retrace_plugin.explain.advice.python_values.tensor_for_string import propose as tensor_for_string
from tb_retrace_plugin.explain.change import Change
from tb_retrace_plugin.explain.iterators import is_iterator

_OBJECT = re.compile(r".+ #\d+")


def propose(function: FunctionFacts) -> Fix | None:
    found = [c for _, c in function.with_cause("python_type") if "None" not in (c.old, c.new) and c.path != "self"]
    found = [change for change in found if not is_iterator(change.new)]
    # a function in place of a callable object, say: which of them would do, their type does not tell
    found = [change for change in found if not (_OBJECT.fullmatch(change.old) and _OBJECT.fullmatch(change.new))]
    for rule in (tensor_for_number, tensor_for_string, one_dtype) if found else ():
        if fix := rule(function):
            found = [change for change in found if change.path not in fix.calls]
    if not found:
        return None
    change = found[0]
    text = (
        f"`{change.path}` of `{function.name}` is of another Python type: {change.old} → {change.new}. Pass one type at"
        f" every call.{_how(change)}"
    )
    return Fix("same_type", text, None, evidence="Which type all calls could have is not recorded.")


def _how(change: Change) -> str:
    """What one of the two can be passed as, where that is known."""
    texts = change.old, change.new
    if any(text.startswith("Variable ") for text in texts):
        return f" A variable that is only read can be passed as `{change.path}.value()`."
    if {"True", "False"} & set(texts) and any(text.startswith("bool ") for text in texts):
        return f" A Python bool can be passed as `tf.constant({change.path})`, unless it chooses code."
    is_string = any(text.lstrip("b").startswith(("'", '"')) for text in texts)
    if is_string and any(text.startswith("string ") for text in texts):
        return f" A Python string can be passed as `tf.constant({change.path})`."
    return ""
