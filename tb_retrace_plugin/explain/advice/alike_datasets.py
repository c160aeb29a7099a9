"""Dataset iterators as arguments, of datasets that were batched in different ways."""

from __future__ import annotations

from collections.abc import Mapping

from tb_retrace_plugin.explain.advice.facts import Fix, FunctionFacts
from tb_retrace_plugin.explain.advice.reading import nodes_at
from tb_retrace_plugin.explain.candidate import Candidate

_ITERATORS = "IteratorSpec", "DatasetSpec"


def propose(function: FunctionFacts) -> Fix | None:
    found = [c for _, c in function.with_cause("composite_spec") if c.new.startswith(_ITERATORS)]
    if not found:
        return None
    text = (
        f"`{found[0].path}` of `{function.name}` yields elements of other shapes: {found[0].old} → {found[0].new}."
        " Build the datasets in one way: `batch` with `drop_remainder=True` for all of them, or for none."
    )
    code = "dataset = dataset.batch(batch_size, drop_remainder=True)  # for all datasets"
    known: dict[str, tuple[int, ...]] = {}
    for path in dict.fromkeys(change.path for change in found):
        shapes = _known_shapes(function, path)
        if shapes is None:
            evidence = "How the datasets could be built is not recorded."
            return Fix("alike_datasets", text, None, other=code, evidence=evidence)
        known.update(shapes)
    return Fix(
        "alike_datasets", text, Candidate(padded=known), other=code,
        outside={"drop_remainder": True} if _only_batches_differ(function, known) else None,
        assumes="the datasets can all be batched so, with the sizes that are known of some",
    )  # fmt: skip


def _known_shapes(function: FunctionFacts, path: str) -> dict[str, tuple[int, ...]] | None:
    """The one shape of each element that fits all that is known of it; None if sizes or structures differ."""
    shapes: dict[str, tuple[int, ...]] = {}
    keys = None
    for node in nodes_at(function, path):
        if keys not in (None, [key for key, _ in node.children]):
            return None
        keys = [key for key, _ in node.children]
        for key, child in node.children:
            if child.kind != "tensor" or child.shape is None:
                return None
            before = shapes.get(path + key, child.shape)
            if len(before) != len(child.shape):
                return None
            pairs = list(zip(before, child.shape, strict=True))
            if any(a != b and -1 not in (a, b) for a, b in pairs):
                return None
            shapes[path + key] = tuple([max(pair) for pair in pairs])
    return shapes or None


def _only_batches_differ(function: FunctionFacts, known: Mapping[str, tuple[int, ...]]) -> bool:
    """Whether a known size is missing in the first dimension alone, which is what `batch` makes."""
    nodes = [(path, node) for path in known for node in nodes_at(function, path)]
    return all(node.shape is not None and node.shape[1:] == known[path][1:] for path, node in nodes)
