"""Numbers that a function counts for their own sake: they count its traces, of which there are fewer then."""

from __future__ import annotations

from dataclasses import replace

from tb_retrace_plugin.explain.advice.evidence.facts import Advice, FunctionFacts
from tb_retrace_plugin.explain.advice.evidence.listed import listed


def told_of_counters(advice: Advice, function: FunctionFacts) -> Advice:
    """A note: nothing that the function computes comes of them."""
    added = [text for text in function.counted if text.endswith("(…)")]
    counted = [text for text in function.counted if text not in added]
    notes = []
    if counted:
        are = ("is", "it counts") if len(counted) == 1 else ("are", "they count")
        notes.append(
            f"{listed(counted)} {are[0]} counted when the function is traced, and not at each call: with fewer"
            f" traces {are[1]} less. Count calls where they are made, or in a tf.Variable."
        )
    if added:
        run, adds = ("runs", "it adds") if len(added) == 1 else ("run", "they add")
        notes.append(
            f"{listed(added)} {run} when the function is traced, and not at each call: with fewer traces {adds} less,"
            " and a tensor of the graph has no value outside of it. Return what is to be kept, and add it where the"
            " function is called."
        )
    return replace(advice, notes=(*advice.notes, *notes))
