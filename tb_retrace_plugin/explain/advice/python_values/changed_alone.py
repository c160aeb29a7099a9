"""A number's use, where traces differ in it alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from tb_retrace_plugin.explain.advice.evidence.alone import alike_but_for, nodes_clause
from tb_retrace_plugin.explain.advice.evidence.constant_values import holds_values
from tb_retrace_plugin.explain.advice.evidence.facts import FunctionFacts
from tb_retrace_plugin.explain.advice.evidence.read_anew import objects_read_anew, values_read_anew
from tb_retrace_plugin.explain.advice.evidence.unrolled import has_other_nodes
from tb_retrace_plugin.explain.advice.python_values.use import Use, magnitude, use_in
from tb_retrace_plugin.explain.verdict.evidence import EACH_NUMBER
from tb_retrace_plugin.explain.what_if.candidate import is_number
from tb_retrace_plugin.schema.signature import Node

#: Pairs of traces of which graphs are read, for one number.
_MOST_PAIRS = 2
#: Nodes of a graph that cast one number.
_MOST_CASTS = 2


def use_where_alone(function: FunctionFacts, path: str) -> Use | None:
    """None if it never changed alone."""
    groups = _groups(function, path)
    if not any(groups):
        return _use_beside_a_first_one(function, path)
    compared = []
    read_beside = False
    for (place, node), (other, another) in _pairs(function, groups):
        if objects_read_anew(function, place, other):  # other variables, which may have other sizes
            continue
        pair = function.graphs.compare(place, other)
        is_of_one_type = node.type_name == another.type_name  # a float needs no cast to one, and an int does
        if pair is not None and _is_first(function, place, other) and pair.renumbered:
            pair = replace(pair, captures=False)  # it made what later ones found made, an optimizer's state, say
        if pair is not None and (is_of_one_type or (pair.alike and pair.attribute is None)):
            if how_many := values_read_anew(function, place, other):
                own = tuple(one for one in pair.constants if holds_values(one, node.value, another.value))
                if own and len(own) < len(pair.constants):  # the others may be of what was read
                    pair, read_beside = replace(pair, constants=own), True
                elif not own and 0 < len(pair.constants) <= how_many:  # all of them may be
                    continue
            if pair.captures and pair.names is not None and _captures_the_same(function, place, other):
                pair = replace(pair, captures=False)
            compared.append(((node.value, another.value), pair))
    by_nodes = _by_nodes(function, groups)
    use = use_in(compared, by_nodes)
    is_built_otherwise = bool(by_nodes) or any(not pair.alike for _, pair in compared)
    anew = is_built_otherwise and not all(_grow(function, group) for group in groups)
    later = [place for group in groups for place, _ in group[1:]]
    others = any(function.traces[place].other_tensors for place in later)
    return replace(use, anew=anew, others=others, beside=use.beside or read_beside)


def _use_beside_a_first_one(function: FunctionFacts, path: str) -> Use | None:
    """A first trace within another's may have created variables: then the graphs are not alike."""
    compared = [
        ((node.value, another.value), pair)
        for (place, node), (other, another) in _pairs(function, _groups(function, path, first_ones=True))
        if node.type_name == another.type_name
        and (pair := function.graphs.compare(place, other)) is not None
        and pair.alike
        and pair.attribute is None
    ]
    return use_in(compared) if compared else None


def _groups(function: FunctionFacts, path: str, *, first_ones: bool = False) -> list[list[tuple[int, Node]]]:
    found = alike_but_for(function, (path,), lambda node: is_number(node) or node, first_ones=first_ones)
    groups = [[(place, node) for place, (node,) in group if is_number(node)] for group in found]
    # the two traces of a first call that creates variables are of one number, and so may be those of two objects
    return [group for group in groups if any(_are_others(*pair) for pair in pairwise(group))]


def _are_others(one: tuple[int, Node], other: tuple[int, Node]) -> bool:
    return one[1].value != other[1].value


def _is_first(function: FunctionFacts, *places: int) -> bool:
    return any(function.traces[place].kind == "first" for place in places)


def _grow(function: FunctionFacts, group: Sequence[tuple[int, Node]]) -> bool:
    """Whether each larger number has a larger graph, as a loop over `range` has."""
    sizes = sorted((magnitude(node.value), _size(function, place)) for place, node in group)
    return all(one[1] < other[1] for one, other in pairwise(sizes) if one[0] != other[0])


def _captures_the_same(function: FunctionFacts, one: int, other: int) -> bool:
    """Whether it was told from the objects, of variables: their names in graphs follow those of operations."""
    traces = function.traces
    later = traces[max(one, other)]
    return later.closest == min(one, other) and later.evidence.startswith(EACH_NUMBER)


def _by_nodes(function: FunctionFacts, groups: Iterable[Sequence[tuple[int, Node]]]) -> str:
    """Of numbers of one Python type; where there are no such, of an int and a float, one of which may be cast."""
    pairs = [pair for group in groups for pair in pairwise(group) if _are_others(*pair)]
    of_one_type = [(one, other) for one, other in pairs if one[1].type_name == other[1].type_name]
    for (place, node), (other, another) in of_one_type or pairs:
        before, now = function.traces[place].nodes, function.traces[other].nodes
        if abs(now - before) <= (0 if of_one_type else _MOST_CASTS) or values_read_anew(function, place, other):
            continue
        if objects_read_anew(function, place, other):
            continue
        if has_other_nodes(function, place, other):
            return nodes_clause(f"{node.value} and {another.value}", before, now)
    return ""


def _pairs(
    function: FunctionFacts, groups: Iterable[Sequence[tuple[int, Node]]]
) -> Iterator[tuple[tuple[int, Node], tuple[int, Node]]]:
    """Of graphs of one size, whatever came between them; the first of each group and size before further ones."""
    found = []
    for group in groups:
        of_sizes: dict[int, list[tuple[int, Node]]] = {}
        for member in group:
            of_sizes.setdefault(_size(function, member[0]), []).append(member)
        found += [[pair for pair in pairwise(s) if _are_others(*pair)] for _, s in sorted(of_sizes.items())]
    ranked = sorted((rank, number) for number, pairs in enumerate(found) for rank in range(len(pairs)))
    yield from (found[number][rank] for rank, number in ranked[:_MOST_PAIRS])


def _size(function: FunctionFacts, place: int) -> int:
    return function.traces[place].nodes
