"""Tensors of other fraction dtypes in some calls: a Python number goes with all of them, and a tensor with one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tb_retrace_plugin.explain.advice.evidence.facts import FunctionFacts, Traced
from tb_retrace_plugin.explain.advice.evidence.listed import listed
from tb_retrace_plugin.explain.advice.evidence.reading import node_of
from tb_retrace_plugin.explain.what_if.candidate import is_number
from tb_retrace_plugin.schema.signature import Node

FRACTIONS = frozenset({"float16", "bfloat16", "float32", "float64"})


def beside_other_fractions(function: FunctionFacts, chosen: Mapping[str, str]) -> str:
    """A note, if an argument comes in several fraction dtypes beside Python numbers that are to be tensors of one.

    `chosen`: path of a number -> dtype of the tensor.
    """
    numbers = {path: dtype for path, dtype in chosen.items() if dtype in FRACTIONS}
    of_dtypes: dict[str, dict[str, None]] = {}
    for trace in function.traces if numbers else ():
        if not trace.lookup.failed and any(_is_number_in(trace, path) for path in numbers):
            for path, dtype in _fractions(trace):
                of_dtypes.setdefault(path, {})[dtype] = None
    # what is of another dtype in every call is not computed with the number as it is
    others = {path: [d for d in found if d not in numbers.values()] for path, found in of_dtypes.items()}
    others = {path: dtypes for path, dtypes in others.items() if len(of_dtypes[path]) > len(dtypes)}
    others = {path: [d for d in dtypes if _is_computed_with(function, path, d)] for path, dtypes in others.items()}
    others = {path: dtypes for path, dtypes in others.items() if dtypes}
    if not others:
        return ""
    dtype = next(iter(others.values()))[0]
    of_it = [path for path, dtypes in others.items() if dtype in dtypes]
    are, them = ("is", "it") if len(of_it) == 1 else ("are", "them")
    return (
        f"Where {listed(of_it)} {are} {dtype}, a Python number goes with {them}, and a tensor of"
        f" {next(iter(numbers.values()))} does not: pass {listed(list(numbers))} as {dtype} there."
    )


def of_double_precision(function: FunctionFacts) -> bool:
    """Whether all tensors of fractions that it takes are of float64: so is a Python number that meets them."""
    return dtype_of_fractions(function) == "float64"


def dtype_of_fractions(function: FunctionFacts) -> str:
    """Of all tensors of fractions that it takes; "" where there are several, or none."""
    found = {dtype for trace in function.traces if not trace.lookup.failed for _, dtype in _fractions(trace)}
    return found.pop() if len(found) == 1 else ""


def _is_computed_with(function: FunctionFacts, path: str, dtype: str) -> bool:
    """Whether the number may be of the tensor's `dtype` there: not if no constant is (`tf.cast(x, tf.float32)`)."""
    of_it: list[int] = []
    of_another: list[int] = []
    for place, trace in enumerate(function.traces):
        found = () if trace.lookup.failed else [d for at, d in _fractions(trace) if at == path]
        if found:
            (of_it if dtype in found else of_another).append(place)
    pair = function.graphs.compare(of_it[0], of_another[0]) if of_it and of_another else None
    return pair is None or pair.held is None or dtype in pair.held


def _is_number_in(trace: Traced, path: str) -> bool:
    node = node_of(trace, path)
    return node is not None and is_number(node)


def _fractions(trace: Traced) -> Iterator[tuple[str, str]]:
    for path, node in trace.lookup.signature.arguments:
        yield from _below(path, node)


def _below(path: str, node: Node) -> Iterator[tuple[str, str]]:
    if node.kind == "tensor":
        if node.dtype in FRACTIONS:
            yield path, node.dtype
        return
    for key, child in node.children:
        yield from _below(path + key, child)
