"""Advice, as it is told: of fixes that were replayed together (`study.py`), or of one whose number is not known so."""

from __future__ import annotations

from collections.abc import Sequence, Set

from tb_retrace_plugin.explain.advice.applicable import applicable
from tb_retrace_plugin.explain.advice.code_of_fixes import code_of
from tb_retrace_plugin.explain.advice.evidence.facts import Advice, Fix, FunctionFacts, merged
from tb_retrace_plugin.explain.advice.evidence.listed import listed
from tb_retrace_plugin.explain.advice.results.called_by_libraries import told_of_the_caller
from tb_retrace_plugin.explain.advice.results.frozen_values import told_of_frozen_values
from tb_retrace_plugin.explain.advice.results.no_data import told_of_no_data

_THERE = "a tensor there"
_COMPILED_IN_PART = (
    "XLA compiles some of the tf.function objects that are made (`jit_compile=True`), and others not: each needs one as"
    " it is made now."
)


def notes_of(function: FunctionFacts, fixes: Sequence[Fix]) -> tuple[str, ...]:
    """Each once: of two changes both may need the same of the code."""
    casts = set(merged(fixes).dtypes.values())
    own = [note for fix in fixes for note in fix.notes if not _is_done_by(casts, fix, note)]
    if function.compiled_in_part and merged(fixes).objects:
        own.append(_COMPILED_IN_PART)
    return tuple(dict.fromkeys([*own, *told_of_the_caller(function, fixes)]))


def _is_done_by(casts: Set[str], fix: Fix, note: str) -> bool:
    numbers = fix.candidate.numbers.values() if fix.candidate is not None else ()
    return note == fix.beside_others and bool(casts) and casts <= set(numbers)


def warnings_of(fixes: Sequence[Fix]) -> tuple[str, ...]:
    return tuple(warning for fix in fixes for warning in fix.warnings)


def advice_untried(function: FunctionFacts, fix: Fix, why: str = "") -> Advice:
    """Of a fix that is not replayed; it may tell by itself how many traces it leaves. `why`: it does not then."""
    before = len(function.traces)
    saved = None
    if fix.traces_after is not None and not why:  # the dearest stay
        saved = sum(sorted(trace.cost_ns for trace in function.traces)[: before - fix.traces_after]) / 1e9
    advice = Advice(
        rule=fix.rule,
        text=fix.text,
        code=code_of(function, [fix]) or None,
        traces_before=before,
        traces_after=None if why else fix.traces_after,
        seconds_saved=saved,
        evidence=why or fix.evidence,
        apply=applicable([fix]) if fix.traces_after is not None and not why else None,
        warnings=warnings_of([fix]),
        notes=notes_of(function, [fix]),
    )
    return told_of_frozen_values(told_of_no_data(advice, [fix]), function, [fix])


def assumed(fix: Fix, *, alone: bool) -> str:
    """Of one of several: "there" is where the text, which is far above then, has said."""
    paths = [*fix.candidate.numbers, *fix.candidate.stacked] if fix.candidate is not None else []
    if alone or not paths:
        return fix.assumes
    return fix.assumes.replace(_THERE, f"{'a tensor' if len(paths) == 1 else 'tensors'} for {listed(paths)}")
