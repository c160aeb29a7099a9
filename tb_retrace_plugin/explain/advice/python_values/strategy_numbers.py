"""Python numbers that `strategy.run` passes to a tf.function: it makes one of its own, which they are traced for."""

from __future__ import annotations

from dataclasses import replace

from tb_retrace_plugin.explain.advice.evidence.facts import Fix, FunctionFacts
from tb_retrace_plugin.explain.advice.evidence.library_code import is_of_a_strategy
from tb_retrace_plugin.explain.advice.evidence.listed import listed
from tb_retrace_plugin.explain.advice.python_values import tensor_for_number


def propose(function: FunctionFacts) -> Fix | None:
    if not is_of_a_strategy(function):
        return None
    fix = tensor_for_number.propose(function)
    if fix is None or fix.candidate is None:
        return None
    numbers = fix.candidate.numbers
    one = len(numbers) == 1
    text = (
        "`strategy.run` makes a function of its own of a tf.function, and that is traced for each value of the Python"
        f" {'number' if one else 'numbers'} {listed(list(numbers))}, as `strategy.run` is passed"
        f" {'it' if one else 'them'}. Pass {'it as a tensor' if one else 'them as tensors'} at every call."
    )
    notes = tensor_for_number.where_a_number_is_needed(function, numbers)
    tensors = ", ".join(dict.fromkeys(code.format("…") for code in fix.calls.values()))
    return replace(fix, text=text, notes=notes, calls={}, other=f"strategy.run(…, args=(…, {tensors}))")
