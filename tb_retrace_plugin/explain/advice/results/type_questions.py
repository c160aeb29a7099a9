"""Code that asks of what type an argument is: for a tensor in a Python value's place it may go another way."""

from __future__ import annotations

from collections.abc import Sequence

from tb_retrace_plugin.explain.advice.evidence.facts import Advice, Fix, FunctionFacts
from tb_retrace_plugin.explain.advice.evidence.listed import listed
from tb_retrace_plugin.explain.advice.evidence.read_anew import MAY
from tb_retrace_plugin.explain.what_if.candidate import Candidate


def told_of_type_questions(
    advice: Advice, function: FunctionFacts, candidate: Candidate, fixes: Sequence[Fix] = ()
) -> Advice:
    """The advice, with where the code asks for the type of what becomes a tensor."""
    closed_over = {name for fix in fixes if fix.rule == "pass_closed_over_number" for name in fix.reads_anew}
    become_tensors = {*candidate.numbers, *candidate.stacked, *closed_over}
    asked = [question for question in function.type_questions if asked_of(question) in become_tensors]
    if not asked:
        return advice
    return advice.warned(
        f"{MAY}the code asks of what type an argument is ({listed(asked)}), and a tensor is of another."
    )


def asked_of(question: str) -> str:
    """The argument whose type it asks for."""
    return question.rpartition("(")[2].rstrip(")").partition(",")[0]
