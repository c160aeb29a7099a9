"""What each trace reads anew: names that are known, and what is said of graphs that differ for no known reason."""

from __future__ import annotations

from tb_retrace_plugin.explain.advice.evidence.facts import FunctionFacts

MAY = "This may change results: "
READ_ANEW = (
    " If it is something that each trace reads anew, such as an attribute of an object, an entry of a dictionary or"
    " which layers are trainable, calls run with what an earlier trace has read."
)


def values_read_anew(function: FunctionFacts, one: int, other: int) -> int:
    """How many names are known by which the later trace has read something else than the earlier one."""
    places = one, other
    read = (
        [values[place] for place in places] for values in function.values_read.values() if max(places) < len(values)
    )
    return sum(None not in pair and pair[0] != pair[1] for pair in read)
