"""Whether a declared `input_signature` takes a recorded call, as TensorFlow casts what is passed to what is declared.

Numbers, and lists of them, become tensors; a `tf.Variable` is read; a tensor must have the dtype and a shape that fits.
Checked against TensorFlow 2.16 to 2.21 in tests/capture/test_what_if_is_exact.py. Not recorded, and so not known here:
whether a tensor came as a NumPy array, which TensorFlow would convert to another dtype too; and the values of
parameters that have a default and are not declared.
"""

from __future__ import annotations

from collections.abc import Sequence

from tb_retrace_plugin.explain.what_if.input_signature import Declared, Nest, Spec
from tb_retrace_plugin.explain.what_if.replay import shape_serves, tensor_of_optional
from tb_retrace_plugin.schema.signature import Node, Signature, node_text, shape_text

_TAKES_BOOL = frozenset({"bool", "int32", "int64", "uint64", "float16", "float32", "float64", "complex128"})
_BITS = {"int8": 7, "int16": 15, "int32": 31, "int64": 63, "uint8": 8, "uint16": 16, "uint32": 32, "uint64": 64}


def refusals(declared: Sequence[Declared], signature: Signature) -> list[str]:
    """Why the signature does not fit this call, one text per argument; empty if TensorFlow takes the call.

    Arguments beyond the declared ones are not asked about: see `undeclared`.
    """
    arguments = _arguments(signature)
    if len(declared) > len(arguments):
        count = f"{len(arguments)} argument{'' if len(arguments) == 1 else 's'}"
        return [f"{len(declared)} specifications for {count}"]
    found = [refusal(spec, node, path) for spec, (path, node) in zip(declared, arguments, strict=False)]
    return [text for text in found if text]


def undeclared(declared: Sequence[Declared], signature: Signature) -> tuple[tuple[str, Node], ...]:
    """Arguments that the signature leaves out: they must have their default values."""
    return _arguments(signature)[len(declared) :]


def _arguments(signature: Signature) -> tuple[tuple[str, Node], ...]:
    return tuple(pair for pair in signature.arguments if pair[0] != "self")


def refusal(declared: Declared, node: Node, path: str) -> str:
    """Why what is passed at `path` does not fit; "" if it does."""
    if isinstance(declared, Nest):
        return _nest_refusal(declared, node, path)
    if declared.word == "TensorSpec":
        return _tensor_refusal(declared, node, path)
    return _composite_refusal(declared, node, path)


def _nest_refusal(declared: Nest, node: Node, path: str) -> str:
    is_tuple = node.kind == "named_tuple" and declared.word == "tuple"  # a named tuple is one, of any name
    if node.kind != declared.word and not is_tuple:
        return f"`{path}` is {node_text(node)}, a {declared.word.replace('_', ' ')} is declared"
    children = [(f"[{i}]", child) for i, (_, child) in enumerate(node.children)] if is_tuple else list(node.children)
    keys = [key for key, _ in children]
    wanted = _keys(declared, keys)
    if sorted(keys) != sorted(wanted):
        return f"`{path}` is {node_text(node)}, other parts are declared"
    given = dict(children)
    for key, item in zip(wanted, declared.items, strict=True):
        if reason := refusal(item, given[key], path + key):
            return reason
    return ""


def _keys(declared: Nest, given: Sequence[str]) -> list[str]:
    if declared.word == "dict":
        return [f"[{key!r}]" for key in declared.keys]
    if declared.word == "named_tuple":
        return [f".{key}" if key else (given[i] if i < len(given) else "?") for i, key in enumerate(declared.keys)]
    return [f"[{i}]" for i in range(len(declared.items))]


def _tensor_refusal(declared: Spec, node: Node, path: str) -> str:
    wanted = f"{declared.dtype} {shape_text(declared.shape)} is declared"
    if node.kind in ("tensor", "variable"):
        if node.dtype != declared.dtype:
            return f"`{path}` is {node.dtype}, {wanted}"
        if not _may_fit(declared.shape, node.shape):
            return f"`{path}` has shape {shape_text(node.shape)}, {wanted}"
        if node.kind == "tensor" and node.value and node.value != declared.name:
            name = f"the name {declared.name!r}" if declared.name else "none"
            return f"`{path}` is a specification with the name {node.value!r}, {name} is declared"
        return ""
    try:
        shape = _converted_shape(node, declared.dtype)
    except _NoTensorError:
        return f"`{path}` is {node_text(node)}, {wanted}"
    return "" if _may_fit(declared.shape, shape) else f"`{path}` has shape {shape_text(shape)}, {wanted}"


def _may_fit(declared: tuple[int, ...] | None, given: tuple[int, ...] | None) -> bool:
    """A dimension that is unknown in the call may be the declared one."""
    if declared is None or given is None:
        return True
    return len(declared) == len(given) and all(d == g or -1 in (d, g) for d, g in zip(declared, given, strict=True))


class _NoTensorError(ValueError):
    pass


def _converted_shape(node: Node, dtype: str) -> tuple[int, ...] | None:
    """The shape of the tensor that TensorFlow makes of a Python value, None if it may be any.

    Raises _NoTensorError if it makes none of this dtype.
    """
    if node.kind == "literal" and _converts(node, dtype):
        return ()
    if node.kind in ("tensor", "variable") and (node.dtype == "string") == (dtype == "string"):
        return node.shape  # within a list: they are cast, and stacked
    if node.kind not in ("list", "tuple", "named_tuple") or _mixes(node):
        raise _NoTensorError
    inner: tuple[int, ...] | None = None if node.children else ()
    for _, child in node.children:
        inner = _stacked(inner, _converted_shape(child, dtype))
    return None if inner is None else (len(node.children), *inner)


def _stacked(one: tuple[int, ...] | None, other: tuple[int, ...] | None) -> tuple[int, ...] | None:
    """The shape that both may have."""
    if one is None or other is None:
        return one if other is None else other
    if not _may_fit(one, other):
        raise _NoTensorError
    return tuple([max(a, b) for a, b in zip(one, other, strict=True)])


def _mixes(node: Node) -> bool:
    """Complex numbers with others, or tensors of several dtypes, make no tensor."""
    types = {child.type_name for _, child in node.children if child.kind == "literal"}
    dtypes = {child.dtype for _, child in node.children if child.kind in ("tensor", "variable")}
    return ("complex" in types and len(types) > 1) or len(dtypes) > 1


def _converts(node: Node, dtype: str) -> bool:
    """As measured. Whole numbers that are out of range are not refused by TensorFlow: it passes other ones."""
    kind = node.type_name
    if kind in ("str", "bytes"):
        return dtype == "string"
    if kind == "bool":
        return dtype in _TAKES_BOOL
    if kind == "complex":
        return dtype.startswith("complex")
    is_float = dtype.startswith(("float", "bfloat", "complex"))
    if kind == "int" and dtype in _BITS:
        return _fits(node.value, dtype)
    return is_float and kind in ("int", "float")


def _fits(value: str, dtype: str) -> bool:
    try:
        number = int(value)
    except ValueError:  # too long to be recorded in full
        return False
    limit = 1 << _BITS[dtype]
    return (0 if dtype.startswith("u") else -limit) <= number < limit


def _composite_refusal(declared: Spec, node: Node, path: str) -> str:
    wanted = f"a {declared.word} of {declared.dtype} {shape_text(declared.shape)} is declared"
    if node.kind != "composite" or node.type_name != declared.word:
        return f"`{path}` is {node_text(node)}, {wanted}"
    parts = [child for _, child in node.children]
    if declared.word == "OptionalSpec":
        tensor = tensor_of_optional(node)
        fits = tensor and tensor.dtype == declared.dtype and shape_serves(declared.shape, tensor.shape)
        return "" if fits else f"`{path}` is {node_text(node)}, {wanted}"
    if len(parts) < 2 or parts[1].dtype != declared.dtype or not shape_serves(declared.shape, parts[0].shape):
        return f"`{path}` is {node_text(node)}, {wanted}"
    if declared.word == "RaggedTensorSpec":
        rank = declared.ragged_rank
        if rank is None:
            rank = len(declared.shape or ()) - 1
        if len(parts) != 4 or parts[2].value != str(rank) or parts[3].dtype != declared.row_splits_dtype:
            return f"`{path}` is {node_text(node)}, {wanted}"
    if declared.word == "IndexedSlicesSpec":
        wanted_parts = (declared.indices_dtype, declared.dense_shape_dtype)
        if len(parts) != 5 or (parts[2].dtype, parts[3].dtype) != wanted_parts:
            return f"`{path}` is {node_text(node)}, {wanted}"
        if not shape_serves(declared.indices_shape, parts[4].shape):
            return f"`{path}` has indices of shape {shape_text(parts[4].shape)}, {wanted}"
    return ""
