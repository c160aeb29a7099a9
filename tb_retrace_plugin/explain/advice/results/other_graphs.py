"""Graphs that differ in what other sizes do not explain: each trace reads something anew, and fewer of them do not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, pairwise, zip_longest

from tb_retrace_plugin.explain.advice.evidence.alone import Member, alike_but_for
from tb_retrace_plugin.explain.advice.evidence.facts import Advice, Fix, FunctionFacts
from tb_retrace_plugin.explain.advice.evidence.listed import listed_shapes
from tb_retrace_plugin.explain.advice.evidence.read_anew import MAY, READ_ANEW, values_read_anew
from tb_retrace_plugin.explain.advice.evidence.sizes_in_graphs import FLOATS, is_of_sizes
from tb_retrace_plugin.explain.advice.evidence.unrolled import (
    OF_VARIABLES,
    assigned_to_others,
    has_other_nodes,
    other_shapes,
    without_sizes,
)
from tb_retrace_plugin.explain.advice.python_values.use import TEXTS
from tb_retrace_plugin.explain.advice.shapes.built_by_size import size_of, sizes_gone_over
from tb_retrace_plugin.explain.advice.shapes.shapes import changing_paths
from tb_retrace_plugin.explain.verdict.evidence import OTHER_VARIABLES
from tb_retrace_plugin.schema.signature import shape_text

#: Fixes that let one trace serve several sizes.
_RULES = frozenset({"input_signature", "reduce_retracing", "trace_beforehand", "pad_to_one_shape", "shape_buckets"})
#: Pairs of which graphs are read.
_MOST_PAIRS = 4
_ASKED = (
    " Where the code asks for a size in Python, as `if x.shape[0] == 1` does, an unknown one is never that: such calls"
    " run as those of other sizes do."
)
_PADDED = " Where the code asks for a size in Python, as `if x.shape[0] == 1` does, the padded run as larger ones do."
#: Of what no size explains by itself, and the code may ask for all the same.
_OR_ASKED = " Or the code asks for a size in Python (`if x.shape[0] == 32`), which an unknown one never is."


#: Of traces that capture others for another Python value, which may choose among them.
_TOO_EARLY = (
    f"{MAY}some of the traces capture other variables than others. If these were made in between, such as those of a"
    " metric that each epoch makes anew, traces that are made before the first call hold the first ones: make them"
    " once (a metric has `reset_state()`)."
)


def told_of_other_graphs(advice: Advice, function: FunctionFacts, fixes: Sequence[Fix]) -> Advice:
    """The advice, with what speaks for its changing results, although no value is known that does."""
    if not any(fix.rule in _RULES for fix in fixes) or function.drawn:  # of what is drawn it is told already
        return advice
    if _traced_too_early(function, fixes):
        advice = advice.warned(_TOO_EARLY)
    paths = changing_paths(function)
    is_padded = any(fix.rule in ("pad_to_one_shape", "shape_buckets") for fix in fixes)
    if clause := differ_in_more(function, paths):
        or_asked = "" if OF_VARIABLES in clause or is_padded else _OR_ASKED
        return advice.warned(f"{MAY}{clause}.{READ_ANEW}{or_asked}")
    clause = asks_for_one(function, paths)
    return advice.warned(f"{MAY}{clause}.{_PADDED if is_padded else _ASKED}") if clause else advice


def _traced_too_early(function: FunctionFacts, fixes: Sequence[Fix]) -> bool:
    """Whether traces of several kinds would be made before the first call, and some of them captured other variables:
    those of a metric, say, that was made in between."""
    asked = [line for fix in fixes if fix.rule == "trace_beforehand" for line in fix.other.splitlines()]
    several = sum(not line.startswith("#") for line in asked) > 1
    return several and any(trace.evidence.startswith(OTHER_VARIABLES) for trace in function.traces)


def asks_for_one(function: FunctionFacts, paths: Sequence[str]) -> str:
    """A clause, if a size of 1 or 0 has other operations than others, and not for gradients alone."""
    return str(function.graphs.once(("one", *paths), lambda: _asks_for_one(function, paths)))


def _asks_for_one(function: FunctionFacts, paths: Sequence[str]) -> str:
    read = 0
    for group in alike_but_for(function, paths, without_sizes) if paths else []:
        for one, other in pairwise(group):
            shapes = other_shapes(paths, one, other, least=0)
            if not shapes or other_shapes(paths, one, other) or values_read_anew(function, one[0], other[0]):
                continue
            pair = function.graphs.compare(one[0], other[0])
            if pair is not None and not (pair.alike or pair.forward):
                return f"for {shapes} the graphs have other operations"
            read += 1
            if read == _MOST_PAIRS:
                return ""
    return ""


def differ_in_more(function: FunctionFacts, paths: Sequence[str]) -> str:
    """A clause, if traces that nothing but sizes of tensors at `paths` tells apart differ in more than sizes do."""
    return str(function.graphs.once(("more than sizes", *paths), lambda: _differ_in_more(function, paths)))


def _differ_in_more(function: FunctionFacts, paths: Sequence[str]) -> str:
    for group in alike_but_for(function, paths, without_sizes) if paths else []:
        pairs = [(shapes, one, other) for one, other in pairwise(group) if (shapes := other_shapes(paths, one, other))]
        nodes = [(function.traces[one[0]].nodes, function.traces[other[0]].nodes) for _, one, other in pairs]
        built = (i for i, (_, one, other) in enumerate(pairs) if has_other_nodes(function, one[0], other[0]))
        differ = list(islice(built, _MOST_PAIRS))
        # what is unrolled over a dimension is another for each size; and what is known to be read anew is told already
        places = [member[0] for member in pairs[differ[0]][1:]] if len(differ) == 1 else []
        if places and not (_is_explained(function, *places) or _is_gone_over(function, paths, *places)):
            before, now = nodes[differ[0]]
            others = ", and those of other shapes do not differ so" if len(pairs) > 1 else ""
            return f"for {pairs[differ[0]][0]} the graphs have {before:,} and {now:,} nodes{others}"
        for place in differ if len(differ) > 1 else []:
            _, one, other = pairs[place]
            if values_read_anew(function, one[0], other[0]):
                continue
            if assigned := assigned_to_others(function, one, other):
                return f"for {pairs[place][0]} the graphs {assigned}"
        alike = [pair for pair, (before, now) in zip(pairs, nodes, strict=True) if before == now]
        for shapes, one, other in _spread(alike):
            if said := _compared(function, shapes, one, other):
                return said
    return _of_ranks_and_ones(function, paths)


def _is_explained(function: FunctionFacts, before: int, now: int) -> bool:
    """Whether something that is known was read anew, or TensorFlow computes a gradient in another way, and no more."""
    if values_read_anew(function, before, now):
        return True
    pair = function.graphs.compare(before, now)
    return pair is not None and pair.forward


def _is_gone_over(function: FunctionFacts, paths: Sequence[str], before: int, now: int) -> bool:
    """Whether the source has a Python loop over a size that the two have not in common."""
    one, other = function.traces[before], function.traces[now]
    over = sizes_gone_over(function, paths)
    return any(size_of(one, path, axis) != size_of(other, path, axis) for _, path, axis in over)


def _of_ranks_and_ones(function: FunctionFacts, paths: Sequence[str]) -> str:
    """The same of other ranks and of sizes of 1, for which TensorFlow itself may build something else: of graphs that
    are alike all the same."""
    groups = alike_but_for(function, paths, lambda node: node.dtype if node.kind == "tensor" else node) if paths else []
    read = 0
    for one, other in (pair for group in groups for pair in pairwise(group)):
        passed = zip(paths, one[1], other[1], strict=True)
        shapes = [
            (path, a.shape, b.shape)
            for path, a, b in passed
            if a.shape is not None and b.shape is not None and a.shape != b.shape
        ]
        if not shapes or not any(len(a) != len(b) or 1 in (*a, *b) for _, a, b in shapes):
            continue
        if function.traces[one[0]].nodes != function.traces[other[0]].nodes or read == _MOST_PAIRS // 2:
            continue
        read += 1
        pair = function.graphs.compare(one[0], other[0])
        if pair is not None and pair.alike:
            told = listed_shapes([f"{shape_text(a)} and {shape_text(b)} of `{path}`" for path, a, b in shapes])
            if said := _compared(function, f"shapes {told}", one, other):
                return said
    return ""


def _spread(pairs: Sequence[tuple[str, Member, Member]]) -> Iterator[tuple[str, Member, Member]]:
    """The first ones, and some of the later ones: what is read may have stayed the same for a while."""
    places = [0, 1, len(pairs) - 1, len(pairs) // 2]
    yield from (pairs[place] for place in dict.fromkeys(places[:_MOST_PAIRS]) if 0 <= place < len(pairs))


def _compared(function: FunctionFacts, shapes: str, one: Member, other: Member) -> str:
    pair = function.graphs.compare(one[0], other[0])
    if pair is None:
        return ""
    known = values_read_anew(function, one[0], other[0])
    if not pair.alike:
        return "" if known else f"for {shapes} the graphs have other operations"
    sizes = [
        size
        for a, b in zip(one[1], other[1], strict=True)
        for size in zip_longest((a.shape or ())[::-1], (b.shape or ())[::-1], fillvalue=1)  # as ranks are broadcast
    ]
    odd = [
        constant
        for constant in pair.constants
        if constant.dtype.startswith(FLOATS) and not (constant.of_gradient or is_of_sizes(constant, sizes))
    ]
    if any(constant.dtype == "string" for constant in pair.constants) or pair.attribute in TEXTS:
        return "" if known else f"for {shapes} the graphs hold other texts, such as shapes that Python writes into one"
    if len(odd) <= known:
        return ""
    values = f" ({odd[0].old:g} and {odd[0].new:g})" if len(odd) == 1 and isinstance(odd[0].old, float) else ""
    what = f"a constant of {odd[0].dtype}" if len(odd) == 1 else f"{len(odd)} constants"
    return f"for {shapes} the graphs differ in {what}{values}, which the sizes do not explain"
