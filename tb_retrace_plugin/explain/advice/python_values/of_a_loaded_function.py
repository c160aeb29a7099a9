"""Calls of a SavedModel's function that was loaded: with Python numbers and texts, and with what nothing that was saved
takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tb_retrace_plugin.explain.advice.evidence.facts import Fix, FunctionFacts, Traced
from tb_retrace_plugin.explain.advice.evidence.library_code import RESTORED, is_called_by_the_user
from tb_retrace_plugin.explain.advice.evidence.listed import listed
from tb_retrace_plugin.explain.advice.evidence.reading import nodes_at
from tb_retrace_plugin.explain.advice.python_values import tensor_for_number, tensor_for_string


def propose_numbers(function: FunctionFacts) -> Fix | None:
    fix = tensor_for_number.propose(function) if _is_loaded(function) else None
    if fix is None:
        return None
    names = list(fix.calls)
    unseen = [name for name in names if not _has_tensor(function, name, failed=False)]
    if any(_has_tensor(function, name, failed=True) for name in unseen):  # what was saved takes none
        return None
    if any(_is_refused(trace, names) for trace in function.avoidable):
        return None
    assumes = "no call passes an equal number of another Python type"
    if unseen:
        assumes = f"it was saved with a signature that takes a tensor for {listed(unseen)}, and that {assumes}"
    one = len(names) == 1
    text = (
        f"{listed(names)} of a function that was loaded {'is a Python number' if one else 'are Python numbers'}, and it"
        f" is traced anew for each value, whatever it was saved with. Pass {'it as a tensor' if one else 'tensors'} at"
        " every call."
    )
    return replace(fix, text=text, assumes=assumes)


def propose_strings(function: FunctionFacts) -> Fix | None:
    """Of texts alone that graphs hold as constants, which is what was saved taking them as tensors."""
    fix = tensor_for_string.propose(function) if _is_loaded(function) else None
    if fix is None:
        return None
    # its code is not here: what Python asked of them was asked when it was saved
    return replace(fix, assumes="no call passes a text that it was saved for as a Python string", notes=[])


def propose_what_was_saved(function: FunctionFacts) -> Fix | None:
    if not (_is_loaded(function) and any(trace.lookup.failed for trace in function.avoidable)):
        return None
    return Fix(
        "call_as_saved",
        "A call of a function that was loaded fails where nothing that was saved takes what is passed. The error lists"
        " what does: pass that, with Python values as they were saved. Or save it with an `input_signature` that takes"
        " all calls to come, with None for sizes that vary and `tf.TensorSpec([], …)` for numbers.",
        None,
        evidence="Not replayed: what was saved is not recorded.",
    )


def _has_tensor(function: FunctionFacts, path: str, *, failed: bool) -> bool:
    return any(node.kind == "tensor" for node in nodes_at(function, path, failed=failed))


def _is_refused(trace: Traced, names: Sequence[str]) -> bool:
    """Whether other numbers alone made it fail: TensorFlow makes tensors of them where what was saved takes some."""
    return trace.lookup.failed and all(c.cause == "python_value" and c.path in names for c in trace.changes)


def _is_loaded(function: FunctionFacts) -> bool:
    is_restored = function.file.replace("\\", "/").endswith(RESTORED)
    return is_restored and all(map(is_called_by_the_user, function.traces))
