"""What a model, or another object that is to be kept, was made with: the graph of one has numbers of its own."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tb_retrace_plugin.explain.advice.evidence.facts import FunctionFacts, Traced
from tb_retrace_plugin.explain.advice.evidence.graph_pairs import Constant, GraphPair
from tb_retrace_plugin.explain.advice.evidence.read_anew import is_number_text
from tb_retrace_plugin.explain.advice.evidence.sizes_in_graphs import FLOATS, is_of_sizes
from tb_retrace_plugin.explain.differences.value_texts import OF_NUMPY
from tb_retrace_plugin.explain.what_if.candidate import is_number
from tb_retrace_plugin.schema.signature import hidden_type, iter_leaves

#: Of which graphs are read.
_MOST_PAIRS = 6
#: Of objects, by turns.
_MOST_KINDS = 4
#: To how much a fraction of Python's is known once it is one of float32.
_OF_FLOAT32 = 1e-6
#: Of random operations: others are drawn anew each time, too.
_SEEDS = ("seed", "seed2")
_DIFFER = (
    "This changes results: the graphs of two of these traces differ in {}, which each object was made with, or has"
    " read: one that is kept computes with those of the first. Pass what sets such a number as a tensor, or have a"
    " tf.Variable for it that is assigned to before each run; each value that a Keras layer is made with"
    " (`Dropout(rate)`) needs a model of its own."
)


def told_of_other_constants(function: FunctionFacts, found: Sequence[Traced], told: int = 0) -> list[str]:
    """A warning, if graphs that objects made anew were traced for differ in fractions as well, which no sizes explain,
    or in what operations were made with.

    `found`: traces that go once one object is kept; `told`: of how many numbers it is said already that they differ.
    """
    chosen = {id(trace) for trace in found}
    places = [place for place, trace in enumerate(function.traces) if id(trace) in chosen]
    for place in places[:_MOST_PAIRS]:
        nodes = function.traces[place].nodes
        earlier = [one for one in range(place) if nodes and function.traces[one].nodes == nodes]
        numbers = _numbers(function.traces[place])
        # of calls that passed the same numbers, if there are such: what differs else may be of those
        same = [one for one in earlier if _numbers(function.traces[one]) == numbers]
        other, pair = _compared(function, place, same or earlier)
        if pair is None or not pair.alike:
            continue
        sizes = _sizes(function.traces[other], function.traces[place])
        passed = list(zip(_numbers(function.traces[other]), numbers, strict=False))
        odd = [
            c
            for c in pair.constants
            if c.dtype.startswith(FLOATS) and not (c.of_gradient or _follows(c, sizes) or _is_passed(c, passed))
        ]
        if len(odd) > told:
            return [_DIFFER.format(_listed(odd))]
        if set_otherwise := _attributes(pair, sizes):
            return [_DIFFER.format(set_otherwise)]
    return []


def _compared(function: FunctionFacts, place: int, earlier: Sequence[int]) -> tuple[int, GraphPair | None]:
    """With the latest whose constants have the same shapes, as those of objects of one kind have; else the latest."""
    first: tuple[int, GraphPair | None] | None = None
    for other in earlier[: -_MOST_KINDS - 1 : -1]:
        pair = function.graphs.compare(other, place)
        if pair is None or not any(constant.resized for constant in pair.constants):
            return other, pair
        first = first or (other, pair)
    return first or (place, None)


def _attributes(pair: GraphPair, sizes: Sequence[tuple[int, int]]) -> str:
    """Of operations: a slope of `LeakyRelu`, say, which no constant holds; whole ones may follow sizes."""
    same_sizes = all(before == now for before, now in sizes)
    for operation, name, old, new in pair.numbers:
        if name not in _SEEDS and (same_sizes or isinstance(old, float)):
            return f"`{name}` of `{operation}` ({old:g} and {new:g})"
    return ""


def _follows(constant: Constant, sizes: Sequence[tuple[int, int]]) -> bool:
    """Where no size is another one, nothing does, such as the data that an object holds."""
    return any(before != now for before, now in sizes) and is_of_sizes(constant, sizes)


def _listed(constants: Sequence[Constant]) -> str:
    what = f"a constant of {constants[0].dtype}" if len(constants) == 1 else f"{len(constants)} constants"
    numbers = [(one.old, one.new) for one in constants if isinstance(one.old, float) and isinstance(one.new, float)]
    # those that others are computed of, as `1 / (1 - rate)`, have the fewest digits
    shown = min((f"{old:g} and {new:g}" for old, new in numbers), key=len, default="")
    such = "" if len(constants) == 1 else "such as "
    return f"{what} ({such}{shown})" if shown else what


def _numbers(trace: Traced) -> list[float]:
    """That the call passed, in the order of the arguments."""
    leaves = (leaf for name, node in trace.lookup.signature.arguments for _, leaf in iter_leaves(name, node))
    texts = (leaf.value for leaf in leaves if is_number(leaf))
    return [float(OF_NUMPY.sub(r"\2", text)) for text in texts if is_number_text(text) and not hidden_type(text)]


def _is_passed(constant: Constant, passed: Sequence[tuple[float, float]]) -> bool:
    """Whether it is a number that the two calls passed."""
    if not (isinstance(constant.old, float) and isinstance(constant.new, float)):
        return False
    pair = (constant.old, constant.new)
    return any(all(map(_are_close, pair, numbers)) for numbers in passed if numbers[0] != numbers[1])


def _are_close(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=_OF_FLOAT32)


def _sizes(one: Traced, other: Traced) -> list[tuple[int, int]]:
    """In the order of the arguments' dimensions, where both have as many."""
    before, now = ([size for shape in _shapes(trace) for size in shape] for trace in (one, other))
    return list(dict.fromkeys(zip(before, now, strict=True))) if len(before) == len(now) else []


def _shapes(trace: Traced) -> list[tuple[int, ...]]:
    leaves = (leaf for name, node in trace.lookup.signature.arguments for _, leaf in iter_leaves(name, node))
    return [leaf.shape for leaf in leaves if leaf.shape is not None]
