"""Python numbers that the user's line passes to a library's tf.function, whose code is not the user's to change."""

from __future__ import annotations

from dataclasses import replace

from tb_retrace_plugin.explain.advice.evidence.facts import Fix, FunctionFacts
from tb_retrace_plugin.explain.advice.evidence.library_code import RESTORED, is_called_by_the_user
from tb_retrace_plugin.explain.advice.python_values import tensor_for_number
from tb_retrace_plugin.explain.advice.python_values.number_use import use_of
from tb_retrace_plugin.explain.advice.python_values.python_uses import what_is_made_anew, what_takes_no_tensor
from tb_retrace_plugin.explain.advice.python_values.with_fractions import with_fractions
from tb_retrace_plugin.explain.words.place import is_of_keras_or_tensorflow

_MAY_REFUSE = (
    "It is a library's function: if its code, or a check of its arguments, asks for a Python number there, it refuses a"
    " tensor, and there is nothing to change."
)


def propose(function: FunctionFacts) -> Fix | None:
    """Of those alone of which graphs show that they are constants: no other is known to work as a tensor."""
    file = function.file.replace("\\", "/")
    if file.endswith(RESTORED) or is_of_keras_or_tensorflow(file):
        return None
    if not all(map(is_called_by_the_user, function.traces)):
        return None
    others = {path for path in tensor_for_number.number_paths(function) if not _is_handed_on(function, path)}
    fix = tensor_for_number.propose(replace(function, python_numbers=function.python_numbers | others))
    if fix is None:
        return None
    return replace(fix, notes=[_MAY_REFUSE, *([fix.beside_others] if fix.beside_others else [])])


def _is_handed_on(function: FunctionFacts, path: str) -> bool:
    """Whether it becomes a constant as it is, and nothing is known that has to be written otherwise for a tensor."""
    use = use_of(function, path)
    if not use.is_constant or use.computed or use.partly or use.by_itself:
        return False
    return not (
        what_takes_no_tensor(function, [path]) or what_is_made_anew(function, path) or with_fractions(function, path)
    )
