"""A list of Python numbers in some calls and a tensor in others: each number is a constant, each length a structure."""

from __future__ import annotations

from tb_retrace_plugin.explain.advice.code import listed
from tb_retrace_plugin.explain.advice.facts import Fix, FunctionFacts
from tb_retrace_plugin.explain.advice.reading import nodes_at
from tb_retrace_plugin.explain.advice.tensor_for_number import fits_int32
from tb_retrace_plugin.explain.what_if import Candidate, numbers_in, stacked_shape
from tb_retrace_plugin.schema.signature import Node


def propose(function: FunctionFacts) -> Fix | None:
    dtypes, wraps = {}, {}
    for path in dict.fromkeys(change.path for _, change in function.with_cause("structure")):
        found = _dtype(list(nodes_at(function, path)))
        if found is not None:
            dtypes[path], is_plain = found
            wraps[path] = "tf.constant({})" if is_plain else f"tf.constant({{}}, tf.{dtypes[path]})"
    if not dtypes:
        return None
    is_one = len(dtypes) == 1
    text = (
        f"{listed(list(dtypes))} of `{function.name}` {'is' if is_one else 'are'} a list of Python numbers in some"
        f" calls and a tensor in others. Pass {'a tensor' if is_one else 'tensors'} at every call."
    )
    return Fix(
        "tensor_for_python_sequence", text, Candidate(stacked=dtypes), calls=wraps,
        assumes="the numbers stay of one Python type",
    )  # fmt: skip


def _dtype(nodes: list[Node]) -> tuple[str, bool] | None:
    """(dtype, whether `tf.constant` gives it unasked); None if a tensor cannot stand for what is passed there."""
    tensors = {node.dtype for node in nodes if node.kind == "tensor"}
    sequences = [node for node in nodes if node.kind != "tensor"]
    if len(tensors) != 1 or not sequences or any(stacked_shape(node) is None for node in sequences):
        return None
    (dtype,) = tensors
    numbers = [number for node in sequences for number in numbers_in(node)]
    types = {number.type_name for number in numbers}
    if types == {"int"} and dtype.startswith(("int", "uint", "float", "bfloat")):
        return dtype, dtype == "int32" and all(fits_int32(number.value) for number in numbers)
    if dtype.startswith(("float", "bfloat")):
        return dtype, dtype == "float32"
    return None  # a tensor of whole numbers cannot hold them
