"""Attributes of nodes: which differ, and how they read. Those that start with `_` are TensorFlow's own bookkeeping."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator, Sequence
from typing import Any

from tensorboard.compat.proto import types_pb2

from tb_retrace_plugin.graphs.slim import Shape
from tb_retrace_plugin.schema.signature import shape_text

_MAX_TEXT = 300
_MAX_VALUES = 64
_NAMES = {"FLOAT": "float32", "DOUBLE": "float64", "HALF": "float16"}
#: Of types whose values lie in `tensor_content`, little-endian.
_FORMATS = {
    types_pb2.DT_FLOAT: "f",
    types_pb2.DT_DOUBLE: "d",
    types_pb2.DT_HALF: "e",
    types_pb2.DT_INT8: "b",
    types_pb2.DT_UINT8: "B",
    types_pb2.DT_INT16: "h",
    types_pb2.DT_UINT16: "H",
    types_pb2.DT_INT32: "i",
    types_pb2.DT_UINT32: "I",
    types_pb2.DT_INT64: "q",
    types_pb2.DT_UINT64: "Q",
    types_pb2.DT_BOOL: "?",
}
_INT_VALUES = (
    types_pb2.DT_INT8,
    types_pb2.DT_UINT8,
    types_pb2.DT_INT16,
    types_pb2.DT_UINT16,
    types_pb2.DT_INT32,
)


def shown_keys(attributes: Any) -> list[str]:
    return sorted(key for key in attributes if not key.startswith("_"))


def changed_keys(a: Any, b: Any) -> list[str]:
    """Of two maps of attributes, without what names functions: those are compared as graphs."""
    keys = dict.fromkeys([*shown_keys(a), *shown_keys(b)])
    return sorted(key for key in keys if not _same(a, b, key))


def _same(a: Any, b: Any, key: str) -> bool:
    if (key in a) != (key in b):
        return False
    if function_names(a[key]) and len(function_names(a[key])) == len(function_names(b[key])):
        return True
    return bool(a[key] == b[key]) or a[key].SerializeToString(deterministic=True) == b[key].SerializeToString(
        deterministic=True
    )


def function_names(value: Any) -> list[str]:
    """The functions that an attribute names."""
    which = value.WhichOneof("value")
    if which == "func":
        return [value.func.name]
    return [function.name for function in value.list.func] if which == "list" else []


def called_functions(attributes: Any) -> Iterator[tuple[str, str]]:
    """(attribute, function) for each function that a node names; what it runs before what it asks whether to run."""
    for key in sorted(attributes, key=lambda key: (key.startswith("_"), key == "cond", key == "else_branch", key)):
        for index, name in enumerate(function_names(attributes[key])):
            yield f"{key}[{index}]", name


def type_name(number: int) -> str:
    """`float32` for DT_FLOAT; `type 77` for a number that nobody knows."""
    try:
        name = str(types_pb2.DataType.Name(number))
    except ValueError:
        return f"type {number}"
    name, _, reference = name.removeprefix("DT_").partition("_REF")
    name = _NAMES.get(name, name.lower())
    return f"{name} reference" if reference == "" and number > 100 else name


def value_text(value: Any) -> str:
    """One line for an attribute's value."""
    text = _value_text(value)
    return text if len(text) <= _MAX_TEXT else text[: _MAX_TEXT - 1] + "…"


def _value_text(value: Any) -> str:
    which = value.WhichOneof("value")
    if which == "s":
        return _bytes_text(value.s)
    if which == "type":
        return type_name(value.type)
    if which == "shape":
        return shape_proto_text(value.shape)
    if which == "tensor":
        return tensor_text(value.tensor)
    if which == "func":
        return str(value.func.name)
    if which == "list":
        return _list_text(value.list)
    if which == "placeholder":
        return str(value.placeholder)
    return _number_text(getattr(value, which)) if which else "(no value)"


def _list_text(items: Any) -> str:
    texts: list[str] = []
    for field, values in items.ListFields():
        convert: Any = {
            "s": _bytes_text,
            "type": type_name,
            "shape": shape_proto_text,
            "tensor": tensor_text,
            "func": lambda function: str(function.name),
        }.get(field.name, _number_text)
        texts += [convert(item) for item in values[:_MAX_VALUES]]
        if len(values) > _MAX_VALUES:
            texts.append(f"… {len(values) - _MAX_VALUES:,} more")
    return f"[{', '.join(texts)}]"


def _bytes_text(data: bytes) -> str:
    text = data[: _MAX_TEXT + 1]
    try:
        return text.decode()
    except UnicodeDecodeError:
        return repr(text)


def _number_text(value: float | bool | int) -> str:
    # float attributes have 32 bits: the shortest text that means the same one
    return f"{value:.7g}" if isinstance(value, float) else str(value)


def shape_proto_text(shape: Any) -> str:
    return shape_text(None if shape.unknown_rank else tuple(int(dim.size) for dim in shape.dim[:_MAX_VALUES]))


def text_of_shape(shape: Shape) -> str:
    return shape_text(None if shape is None else tuple(-1 if dim is None else dim for dim in shape))


def tensor_text(tensor: Any) -> str:
    """`0.999`, `[1, 1, 64]`, `int32 (2000,)` if its values are not there."""
    dims = [int(dim.size) for dim in tensor.tensor_shape.dim]
    values = tensor_values(tensor)
    if values is None:
        return f"{type_name(tensor.dtype)} {shape_proto_text(tensor.tensor_shape)}"
    if not dims:
        return _element_text(values[0])
    text = f"[{', '.join(_element_text(value) for value in values)}]"
    return text if len(dims) == 1 else f"{text} as {shape_proto_text(tensor.tensor_shape)}"


def _element_text(value: float | bool | int | bytes) -> str:
    return repr(value.decode("utf-8", "replace")) if isinstance(value, bytes) else _number_text(value)


def tensor_values(tensor: Any) -> Sequence[Any] | None:
    """The values of a small constant, in row-major order; None if they are not kept, or not understood."""
    dims = [int(dim.size) for dim in tensor.tensor_shape.dim]
    if tensor.tensor_shape.unknown_rank or any(dim < 0 for dim in dims) or len(dims) > 100:
        return None
    count = math.prod(dims)
    if not 0 < count <= _MAX_VALUES * 4:
        return [] if count == 0 else None
    if tensor.tensor_content:
        code = _FORMATS.get(tensor.dtype)
        if code is None or len(tensor.tensor_content) != count * struct.calcsize(f"<{code}"):
            return None
        return list(struct.unpack(f"<{count}{code}", tensor.tensor_content))
    found: Sequence[Any] = _typed_values(tensor)
    if not found or len(found) > count:
        return None
    return [*found, *[found[-1]] * (count - len(found))]  # the last one stands for all that follow


def uniform_value(tensor: Any) -> Any:
    """The one value that all elements of a constant have, however many there are; None if there is none."""
    values = _typed_values(tensor) if not tensor.tensor_content else tensor_values(tensor)
    return values[0] if values and all(value == values[0] for value in values) else None


def _typed_values(tensor: Any) -> Sequence[Any]:
    kind = tensor.dtype
    if kind == types_pb2.DT_FLOAT:
        return list(tensor.float_val)
    if kind == types_pb2.DT_DOUBLE:
        return list(tensor.double_val)
    if kind in _INT_VALUES:
        return list(tensor.int_val)
    if kind == types_pb2.DT_INT64:
        return list(tensor.int64_val)
    if kind == types_pb2.DT_BOOL:
        return list(tensor.bool_val)
    if kind == types_pb2.DT_STRING:
        return list(tensor.string_val)
    if kind == types_pb2.DT_HALF:
        return [struct.unpack("<e", struct.pack("<H", value & 0xFFFF))[0] for value in tensor.half_val]
    return []
