"""What the functions of tf.data are given."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Iterator
from typing import Any, NamedTuple

from tb_retrace_plugin.capture.tf_seam.functions import TracedFunction
from tb_retrace_plugin.capture.tf_seam.private import attribute
from tb_retrace_plugin.capture.values.plain_values import key_text

_MAX_KEY = 120


def dataset_function_class() -> Any:
    """The class of what tf.data makes of each function that it is given. Raises SeamMissingError."""
    return attribute("tensorflow.python.data.ops.structured_function", "StructuredFunctionWrapper")


def generator_of(value: Any) -> tuple[Any] | None:
    """The callable that `Dataset.from_generator` was given, out of what its functions close over; None for all else."""
    if type(value).__name__ != "_GeneratorState" or not type(value).__module__.startswith("tensorflow."):
        return None
    try:
        return (value._generator,)
    except AttributeError:
        return None


class Nest(NamedTuple):
    """A container in a tf.data element, or (`word` "tensor") the number of a tensor that arrives for it."""

    word: str
    type_name: str = ""
    children: tuple[tuple[str, Nest], ...] = ()
    tensor: int = 0


def element_arguments(traced: TracedFunction) -> list[tuple[str, Nest]] | None:
    """What a tf.data function's user receives, of the tensors that TensorFlow hands over as `args_0`, `args_1`…

    None for a function that is not tf.data's, and where its element has parts that arrive as several tensors.
    """
    structured = traced.structured
    if structured is None:
        return None
    element = structured._input_structure
    parts = element if type(element) is tuple else (element,)  # tf.data unpacks plain tuples alone
    names: list[str] = []
    rest = "args"
    for parameter in inspect.signature(structured._func).parameters.values():
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            names.append(parameter.name)
        elif parameter.kind is parameter.VAR_POSITIONAL:
            rest = parameter.name
    names += [f"{rest}[{i}]" for i in range(len(parts) - len(names))]
    count = itertools.count()
    nests = [(name, _nest(part, count)) for name, part in zip(names, parts, strict=False)]
    tensors = attribute("tensorflow.python.data.util.structure", "get_flat_tensor_specs")(element)
    return nests if next(count) == len(tensors) else None


def _nest(part: Any, count: Iterator[int]) -> Nest:
    """Tensors are numbered as tf.data's own `nest.flatten` does: dictionaries by sorted key, lists and specs whole."""
    if isinstance(part, dict):
        keyed = [(f"[{key_text(key, _MAX_KEY)}]", _nest(part[key], count)) for key in sorted(part)]
        return Nest("dict", "dict", tuple(keyed))
    if hasattr(type(part), "__attrs_attrs__"):
        fields = [field.name for field in type(part).__attrs_attrs__]
        return Nest("attrs", type(part).__name__, tuple((f".{f}", _nest(getattr(part, f), count)) for f in fields))
    if isinstance(part, tuple) and hasattr(part, "_fields"):
        named = zip(part._fields, part, strict=True)
        return Nest("named_tuple", type(part).__name__, tuple((f".{f}", _nest(item, count)) for f, item in named))
    if isinstance(part, tuple):
        return Nest("tuple", "tuple", tuple((f"[{i}]", _nest(item, count)) for i, item in enumerate(part)))
    return Nest("tensor", tensor=next(count))
