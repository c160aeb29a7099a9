"""Numbers that a function counts for their own sake: they count its traces, of which there are fewer then."""

from __future__ import annotations

from dataclasses import replace

from tb_retrace_plugin.explain.advice.evidence.facts import Advice, FunctionFacts
from tb_retrace_plugin.explain.advice.evidence.listed import listed


def told_of_counters(advice: Advice, function: FunctionFacts) -> Advice:
    """A note: nothing that the function computes comes of them."""
    if not function.counted:
        return advice
    are = ("is", "it counts") if len(function.counted) == 1 else ("are", "they count")
    note = (
        f"{listed(function.counted)} {are[0]} counted when the function is traced, and not at each call: with fewer"
        f" traces {are[1]} less. Count calls where they are made, or in a tf.Variable."
    )
    return replace(advice, notes=(*advice.notes, note))
