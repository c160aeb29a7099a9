"""Whether two graphs differ in nothing but what sizes of tensors make of them, whatever else differs in the calls."""

from __future__ import annotations

import math

from tb_retrace_plugin.explain.advice.evidence.facts import FunctionFacts
from tb_retrace_plugin.explain.advice.evidence.graph_pairs import Constant
from tb_retrace_plugin.schema.signature import Signature, iter_leaves

_Sizes = frozenset[tuple[float, float]]


def differ_in_sizes_alone(function: FunctionFacts, one: int, other: int) -> bool:
    """Of two traces that capture the same: every constant that differs is a size, a number of elements, or one over
    these. A number that something else than a size sets would have to be these very numbers."""
    pair = function.graphs.compare(one, other)
    if pair is None or not pair.alike or pair.attribute:
        return False
    sizes = _sizes(function.traces[one].lookup.signature, function.traces[other].lookup.signature)
    return all(_is_of(constant, sizes) for constant in pair.constants)


def _sizes(one: Signature, other: Signature) -> _Sizes:
    """Before and now: of each dimension of a tensor that differs, and of all of its elements."""
    shapes = [
        {path: leaf.shape for name, node in signature.arguments for path, leaf in iter_leaves(name, node) if leaf.shape}
        for signature in (one, other)
    ]
    both = [(shape, shapes[1].get(path)) for path, shape in shapes[0].items()]
    found = {pair for old, new in both if old and new for pair in zip(old, new, strict=False)}
    found |= {(math.prod(old), math.prod(new)) for old, new in both if old and new}
    return frozenset((float(old), float(new)) for old, new in found if old != new and old > 0 and new > 0)


def _is_of(constant: Constant, sizes: _Sizes) -> bool:
    old, new = constant.old, constant.new
    if isinstance(old, tuple) and isinstance(new, tuple):
        if len(old) != len(new):  # made of a size, of one value
            return len({*old, *new}) == 1
        return all(a == b or _is_one(a, b, sizes) for a, b in zip(old, new, strict=True))
    return _is_one(old, new, sizes)


def _is_one(old: object, new: object, sizes: _Sizes) -> bool:
    if not isinstance(old, int | float) or not isinstance(new, int | float) or not (old and new):
        return False
    return any(
        (math.isclose(old, a, rel_tol=1e-6) and math.isclose(new, b, rel_tol=1e-6))
        or (math.isclose(old * a, 1.0, rel_tol=1e-6) and math.isclose(new * b, 1.0, rel_tol=1e-6))
        for a, b in sizes
    )
