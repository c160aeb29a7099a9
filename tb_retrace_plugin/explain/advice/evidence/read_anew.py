"""What each trace reads anew: names that are known, and what is said of graphs that differ for no known reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tb_retrace_plugin.explain.advice.evidence.facts import FunctionFacts
from tb_retrace_plugin.explain.advice.evidence.listed import listed

MAY = "This may change results: "
READ_ANEW = (
    " If it is something that each trace reads anew, such as an attribute of an object, an entry of a dictionary or"
    " which layers are trainable, calls run with what an earlier trace has read."
)


def depends_on_the_size(function: FunctionFacts) -> str:
    """Of graphs that differ where sizes do: what each trace draws may decide it, too."""
    drawn = f", or on {listed(function.drawn)}, which each trace evaluates anew" if function.drawn else ""
    return f"what is built depends on the size{drawn}"


def values_read_anew(function: FunctionFacts, one: int, other: int) -> int:
    """How many names are known by which the later trace has read something else than the earlier one."""
    return _others(function.values_read, one, other)


def objects_read_anew(function: FunctionFacts, one: int, other: int) -> int:
    """The same of models, variables and tensors, which a graph captures, and of which it has sizes."""
    return _others(function.objects_read, one, other)


def _others(known: Mapping[str, Sequence[str | None]], *places: int) -> int:
    read = ([values[place] for place in places] for values in known.values() if max(places) < len(values))
    return sum(None not in pair and pair[0] != pair[1] for pair in read)
