"""A Keras model called on arrays with several batch sizes: its own loop is traced for iterators of known ones."""

from __future__ import annotations

from dataclasses import replace

from tb_retrace_plugin.explain.advice.evidence.called_on_keras import library_that_calls, method_of
from tb_retrace_plugin.explain.advice.evidence.facts import Fix, FunctionFacts
from tb_retrace_plugin.explain.advice.keras.keras_code import (
    code_of,
    passes_on,
    takes_arrays,
    told_of_another,
    told_of_lists,
    told_of_order,
)
from tb_retrace_plugin.schema.signature import Node

_ITERATOR = "iterator"


def propose(function: FunctionFacts) -> Fix | None:
    found = [t for t, c in function.with_cause("composite_spec") if c.path == _ITERATOR]
    file = function.file.replace("\\", "/")
    if not found or "/keras/" not in file or not file.endswith("/trainer.py") or function.jit_compile:
        return None
    method, frame = method_of(found[0]), function.caller(found[0])
    if frame is None or not method or not takes_arrays(frame, method):
        return None
    if library_that_calls(found[0]) and not passes_on(frame, method):
        return None
    kinds = set()
    for trace in function.traces:
        arguments = [(path, _any_batch(node)) for path, node in trace.lookup.signature.arguments]
        kinds.add((trace.lookup.object_number, trace.kind == "variable_creation", tuple(arguments)))
    if len(kinds) == len(function.traces):
        return None
    text = (
        f"`{method}` on arrays builds a dataset whose batches have a known size where that divides the number of rows,"
        f" and `{function.name}` is traced for iterators of another size. Make the dataset yourself, in each of these"
        " calls: `batch` leaves the size unknown."
    )
    code = code_of(method, frame, "its batch size is unknown")
    return Fix(
        "keras_unknown_batch_size", text, None, other=code, warnings=told_of_order(code),
        notes=[*told_of_lists(frame, method, code), *told_of_another(frame, method)],
        evidence="Iterators whose elements have the same dtypes and shapes, the batch size unknown, share a trace.",
        traces_after=len(kinds),
    )  # fmt: skip


def _any_batch(node: Node) -> Node:
    """As the iterator over batches of a size that is not known."""
    if node.kind == "tensor" and node.shape:
        return replace(node, shape=(-1, *node.shape[1:]))
    children = tuple([(key, _any_batch(child)) for key, child in node.children])
    return replace(node, children=children, value="" if children else node.value)
