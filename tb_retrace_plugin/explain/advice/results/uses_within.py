"""A number that is passed on to another tf.function, in which a tensor becomes something else without an error."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tb_retrace_plugin.explain.advice.evidence.facts import Advice, Fix, FunctionFacts
from tb_retrace_plugin.explain.advice.evidence.read_anew import MAY


def told_of_uses_within(advice: Advice, function: FunctionFacts, fixes: Sequence[Fix]) -> Advice:
    """The advice, with what such a function is known to do with it."""
    numbers = {path for fix in fixes if fix.candidate for path in fix.candidate.numbers}
    uses = (within for within in function.uses_within if not within.decides)
    found = next((within for within in uses if within.path in numbers), None)
    if found is None:
        return advice
    return replace(
        advice.warned(
            f"{MAY}`{found.name}`, which is traced within it for the same values, does `{found.use}`: if it is"
            " that number, of a tensor that is something else, without an error."
        ),
        apply=None,
    )
