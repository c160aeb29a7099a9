"""Numbers that a function counts for their own sake: they count its traces, of which there are fewer then."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tb_retrace_plugin.explain.advice.evidence.facts import Advice, FunctionFacts
from tb_retrace_plugin.explain.advice.evidence.listed import listed


def told_of_counters(advice: Advice, function: FunctionFacts) -> Advice:
    """A note: nothing that the function computes comes of them."""
    return replace(advice, notes=(*advice.notes, *counted_texts(function.counted, are_fewer=True)))


def counted_texts(names: Sequence[str], *, are_fewer: bool) -> list[str]:
    """Of `counters`' names; `are_fewer`: what is told beside makes fewer traces."""
    added = [text for text in names if text.endswith("(…)")]
    counted = [text for text in names if text not in added]
    texts = []
    if counted:
        are, count = ("is", "it counts") if len(counted) == 1 else ("are", "they count")
        fewer = f": with fewer traces {count} less" if are_fewer else ""
        texts.append(
            f"{listed(counted)} {are} counted when the function is traced, and not at each call{fewer}. Count calls"
            " where they are made, or in a tf.Variable."
        )
    if added:
        run, add = ("runs", "it adds") if len(added) == 1 else ("run", "they add")
        fewer = f": with fewer traces {add} less" if are_fewer else ""
        texts.append(
            f"{listed(added)} {run} when the function is traced, and not at each call{fewer}, and a tensor of the graph"
            " has no value outside of it. Return what is to be kept, and add it where the function is called."
        )
    return texts
