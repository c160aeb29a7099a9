"""Dataset iterators as arguments, of datasets that were batched in different ways."""

from __future__ import annotations

from tb_retrace_plugin.explain.advice.facts import Fix, FunctionFacts


def propose(function: FunctionFacts) -> Fix | None:
    found = [c for _, c in function.with_cause("composite_spec") if c.new.startswith(("IteratorSpec", "DatasetSpec"))]
    if not found:
        return None
    text = (
        f"`{found[0].path}` of `{function.name}` yields elements of other shapes: {found[0].old} → {found[0].new}."
        " Build the datasets in one way: `batch` with `drop_remainder=True` for all of them, or for none."
    )
    code = "dataset = dataset.batch(batch_size, drop_remainder=True)  # for all datasets"
    return Fix("alike_datasets", text, None, other=code, evidence="How the datasets could be built is not recorded.")
