"""A Python number that is the seed of an operation: TensorFlow takes no tensor for it."""

from __future__ import annotations

from tb_retrace_plugin.explain.advice.evidence.facts import Fix, FunctionFacts
from tb_retrace_plugin.explain.advice.python_values.number_use import use_of
from tb_retrace_plugin.explain.advice.python_values.tensor_for_number import number_paths


def propose(function: FunctionFacts) -> Fix | None:
    seeds = {path: found for path in number_paths(function) if (found := use_of(function, path).seeds)}
    if not seeds:
        return None
    path, operation = next(iter(seeds.items()))
    return Fix(
        "stateless_seed",
        f"`{function.name}` is traced for each value of `{path}`, which is the seed of its `{operation}`: TensorFlow"
        " takes a Python number alone for it. The operations of `tf.random` that are named `stateless_…` take a tensor"
        f" (`seed=[{path}, 0]`), and draw other numbers.",
        None,
        evidence="Not replayed: another operation would have to be called.",
    )  # fmt: skip
