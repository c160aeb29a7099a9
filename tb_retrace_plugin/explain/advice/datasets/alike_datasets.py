"""Datasets and their iterators as arguments, of datasets that were batched in different ways."""

from __future__ import annotations

from collections.abc import Iterable

from tb_retrace_plugin.explain.advice.evidence.facts import Fix, FunctionFacts
from tb_retrace_plugin.explain.advice.evidence.reading import nodes_at
from tb_retrace_plugin.explain.what_if.candidate import Candidate
from tb_retrace_plugin.schema.signature import Node

_DISTRIBUTED = "DistributedIteratorSpec", "DistributedDatasetSpec"
_ITERATORS = ("IteratorSpec", "DatasetSpec", *_DISTRIBUTED)
#: What one is that says over what a dataset is spread, and for which strategy.
_DEVICES = ("literal", "custom", "object")
_UNKNOWN = "How the datasets could be built is not recorded."
_GIVES_MORE = (
    "This changes results where a last batch is smaller: its examples come to those datasets that left them out. With"
    " `drop_remainder=True` they would be left out of the others."
)
_ONE_SIZE = (
    "Or `drop_remainder=True` and one batch size for all: each size is traced then, also those of which no trace was"
    " made, as one for unknown sizes served them."
)

_Shape = tuple[int, ...]


def propose(function: FunctionFacts) -> Fix | None:
    changes = [c for _, c in function.with_cause("composite_spec") if c.new.startswith(_ITERATORS)]
    found = [c for c in changes if c.old.startswith(_ITERATORS)]  # not a tensor in some calls
    if not found:
        return None
    shapes = [_shapes(function, path) for path in dict.fromkeys(change.path for change in found)]
    elements = [(at, known) for each in shapes if each for at, known in each.items() if len(known) > 1]
    text = f"`{found[0].path}` of `{function.name}` yields other elements"
    are_distributed = found[0].new.startswith(_DISTRIBUTED)  # and say most of their devices
    text += "." if are_distributed else f": {found[0].old} → {found[0].new}."
    if None in shapes or not elements:
        text += " Build the datasets in one way."
        return Fix("alike_datasets", text, None, evidence=_UNKNOWN)
    sizes = [{shape[:1] for shape in known} for _, known in elements]
    if all(_are_batched_or_not(known) for _, known in elements):
        text += " Some have a dimension more, as `batch` makes it: batch all of them, in one way."
        code = "dataset = dataset.batch(batch_size)  # for all datasets"
        return Fix("alike_datasets", text, None, other=code, evidence=_UNKNOWN)
    if not all(len({shape[1:] for shape in known}) == 1 for _, known in elements):
        text += " Build the datasets in one way, so that elements have the same sizes where sizes are known."
        return Fix("alike_datasets", text, None, evidence=_UNKNOWN)
    if any(len({size for size in each if size != (-1,)}) > 1 for each in sizes):
        text += (
            " Where it is the size of the batches that differs, leave it open: `batch` without `drop_remainder` for all"
            " of them."
        )
        code = "dataset = dataset.batch(batch_size)  # for all datasets, without drop_remainder"
        return Fix("alike_datasets", text, None, other=code, evidence=_UNKNOWN)
    text += (
        " Build the datasets in one way: `batch` without `drop_remainder` for all of them, which leaves the size of"
        " their batches open."
    )
    return Fix(
        "alike_datasets", text, Candidate(padded={path: (-1, *next(iter(known))[1:]) for path, known in elements}),
        other="dataset = dataset.batch(batch_size)  # for all datasets, without drop_remainder",
        outside={"drop_remainder": False},
        warnings=[_GIVES_MORE],
        assumes="what differs is the size of batches",
        notes=[_ONE_SIZE],
    )  # fmt: skip


def _shapes(function: FunctionFacts, path: str) -> dict[str, set[_Shape]] | None:
    """Of each part of the elements all that it came with; None if they are not of one structure and its dtypes. What
    some calls pass in place of an iterator, such as a batch, is none of them."""
    shapes: dict[str, set[_Shape]] = {}
    kinds = set()
    for node in nodes_at(function, path):
        if not node.type_name.startswith(_ITERATORS):
            continue
        kinds.add((node.kind, node.type_name, tuple(_without_size(key, child) for key, child in node.children)))
        for key, child in node.children:
            if child.kind in _DEVICES and node.type_name in _DISTRIBUTED:
                continue
            if child.kind != "tensor" or child.shape is None:
                return None
            shapes.setdefault(path + key, set()).add(child.shape)
    return shapes if shapes and len(kinds) == 1 else None


def _without_size(key: str, part: Node) -> tuple[str, str, object]:
    """Of what is no tensor all that it is."""
    return key, part.dtype, None if part.kind == "tensor" else part


def _are_batched_or_not(shapes: Iterable[_Shape]) -> bool:
    """Whether some have what others have, and a first dimension more."""
    ranks = sorted({len(shape) for shape in shapes})
    if len(ranks) != 2 or ranks[1] != ranks[0] + 1:
        return False
    return {shape for shape in shapes if len(shape) == ranks[0]} == {s[1:] for s in shapes if len(s) == ranks[1]}
