"""What each trace reads anew: names that are known, and what is said of graphs that differ for no known reason."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from tb_retrace_plugin.explain.advice.evidence.facts import FunctionFacts
from tb_retrace_plugin.explain.advice.evidence.listed import listed
from tb_retrace_plugin.explain.differences.value_texts import OF_NUMPY
from tb_retrace_plugin.schema.signature import hidden_type

#: A list or a tuple, and a number of NumPy's in it.
_LIST = re.compile(r"[\[(]([^\[\](){}]*(?:np\.float\d+\([^()]*\)[^\[\](){}]*)*)[\])]")

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
    """How many names are known by which the later trace has read something else than the earlier one; of a list of
    numbers how many these are."""
    return _others(function.values_read, one, other)


def objects_read_anew(function: FunctionFacts, one: int, other: int) -> int:
    """The same of models, variables and tensors, which a graph captures, and of which it has sizes."""
    return _others(function.objects_read, one, other)


def _others(known: Mapping[str, Sequence[str | None]], *places: int) -> int:
    read = ([values[place] for place in places] for values in known.values() if max(places) < len(values))
    return sum(max(1, how_many_numbers(b or "")) for a, b in read if None not in (a, b) and a != b)


def how_many_numbers(text: str) -> int:
    """Of a list or a tuple that holds nothing else, as far as its text was not cut; 0: it is another one, or none."""
    within = _LIST.fullmatch(text)
    parts = within[1].removesuffix(",").split(", ") if within is not None else []
    return len(parts) if all(map(is_number_text, parts)) else 0


def is_number_text(text: str) -> bool:
    if hidden_type(text) in ("int", "float"):
        return True
    try:
        float(OF_NUMPY.sub(r"\2", text))
    except ValueError:
        return False
    return True
