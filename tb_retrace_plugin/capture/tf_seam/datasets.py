"""What the functions of tf.data are given."""

from __future__ import annotations

import inspect
import itertools
import sys
from collections.abc import Iterator
from hashlib import blake2b
from types import CodeType, FrameType
from typing import Any, NamedTuple

import numpy as np

from tb_retrace_plugin.capture.tf_seam.functions import TracedFunction
from tb_retrace_plugin.capture.tf_seam.graphs import is_eager_tensor
from tb_retrace_plugin.capture.tf_seam.private import attribute
from tb_retrace_plugin.capture.values.of_type import is_written_in
from tb_retrace_plugin.capture.values.plain_values import key_text

_MAX_KEY = 120
#: Frames between our hook and tf.data's code; datasets that one is made of; numbers of a tensor that are read.
_MAX_FRAMES = 60
_MAX_DATASETS = 64
_MAX_READ = 256
#: Of texts, which are copied as they are read.
_MAX_TEXTS = 1024
_DATA = "tensorflow.python.data."


def dataset_function_class() -> Any:
    """The class of what tf.data makes of each function that it is given. Raises SeamMissingError."""
    return attribute("tensorflow.python.data.ops.structured_function", "StructuredFunctionWrapper")


def generator_of(value: Any) -> tuple[Any] | None:
    """The callable that `Dataset.from_generator` was given, out of what its functions close over; None for all else."""
    if type(value).__name__ != "_GeneratorState" or not is_written_in(type(value), "tensorflow."):
        return None
    try:
        return (value._generator,)
    except AttributeError:
        return None


def output_signature_of(structured: Any) -> str:
    """As code, of the dataset of `Dataset.from_generator` that a function of tf.data's is a part of.

    Empty for any other, and for types that are more than tensors, and tuples and dictionaries of these.
    """
    function = structured._func
    if not getattr(function, "__qualname__", "").startswith("_from_generator."):
        return ""
    names = function.__code__.co_freevars
    cells = dict(zip(names, function.__closure__ or (), strict=False))
    return _spec_code(cells["output_signature"].cell_contents) if "output_signature" in cells else ""


def _spec_code(spec: Any) -> str:
    if type(spec).__name__ == "TensorSpec":
        dims = spec.shape.as_list() if spec.shape.rank is not None else None
        return f"tf.TensorSpec({dims}, tf.{spec.dtype.name})"
    if type(spec) is tuple:
        parts = [_spec_code(part) for part in spec]
        return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})" if parts and all(parts) else ""
    if type(spec) is dict and all(type(key) is str for key in spec):
        parts = [_spec_code(part) for part in spec.values()]
        shown = [f"{key_text(key, _MAX_KEY)}: {part}" for key, part in zip(spec, parts, strict=True)]
        return f"{{{', '.join(shown)}}}" if parts and all(parts) else ""
    return ""


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


def data_read() -> bytes:
    """A digest of what the dataset is made of whose elements a function of tf.data's is about to be traced for: equal
    for equal data, in a dataset built in the same way; of much data a few numbers are read. Empty if it is not known.

    To be called in the trace: nothing else tells which dataset that is.
    """
    frame = _init_in("structured_function.py")
    if frame is None:
        return b""
    caller, dataset = frame.f_back, frame.f_locals.get("dataset")
    if dataset is None and caller is not None and str(caller.f_globals.get("__name__")).startswith(_DATA):
        dataset = caller.f_locals.get("input_dataset")  # of `scan`
    return b"" if dataset is None else data_of(dataset) + _arguments_of_a_generator(frame.f_locals.get("func"))


def data_iterated() -> bytes:
    """As `data_read`, for a function that fetches a distributed dataset's elements for one of its devices: of equal
    data for the same of the devices."""
    frame = _init_in("multi_device_iterator_ops.py")
    if frame is None or "shard_num" not in frame.f_locals or frame.f_back is None:
        return b""
    dataset = frame.f_back.f_locals.get("dataset")
    return b"" if dataset is None else data_of(dataset) + str(frame.f_locals["shard_num"]).encode()


def _init_in(file: str) -> FrameType | None:
    """The nearest frame of an `__init__` in this file of TensorFlow's: of the user's own no variables are read."""
    frame: FrameType | None = sys._getframe(2)
    for _ in range(_MAX_FRAMES):
        if frame is None or (frame.f_code.co_name == "__init__" and frame.f_code.co_filename.endswith(file)):
            return frame
        frame = frame.f_back
    return None


def _arguments_of_a_generator(function: Any) -> bytes:
    """Those that `from_generator` was given beside it, of its own `flat_map_fn`; empty of all else, and of none."""
    if getattr(function, "__qualname__", "") != "_from_generator.<locals>.flat_map_fn":
        return b""
    for cell in function.__closure__ or ():
        inner = cell.cell_contents
        if getattr(inner, "__name__", "") == "get_iterator_id_fn":
            cells = dict(zip(inner.__code__.co_freevars, inner.__closure__ or (), strict=False))
            return digest_of_arguments(inner, "args", cells["args"].cell_contents) or b"" if "args" in cells else b""
    return b""


def digest_of_arguments(function: Any, name: str, value: Any) -> bytes | None:
    """Of the tensors that `from_generator` made of its `args`, which its own `get_iterator_id_fn` closes over.

    Empty for none. None for all else that a function closes over.
    """
    if name != "args" or function.__qualname__ != "_from_generator.<locals>.get_iterator_id_fn":
        return None
    shown = b"".join(_shown_numbers(arg) if is_eager_tensor(arg) else b"?" for arg in value)
    return blake2b(shown, digest_size=8).digest() if shown else b""


def data_of(dataset: Any) -> bytes:
    """As `data_read` has it."""
    digest = blake2b(digest_size=8)
    todo: list[Any] = [dataset]
    seen: dict[int, Any] = {}
    while todo and len(seen) < _MAX_DATASETS:
        one = todo.pop()
        if id(one) in seen or not _is_a_dataset(one):
            continue
        seen[id(one)] = one
        digest.update(f"{type(one).__name__} {_generator_within(one)}\0".encode("utf-8", "replace"))
        digest.update(_arguments_of_a_generator(getattr(vars(one).get("_map_func"), "_func", None)))
        for name, value in vars(one).items():
            if "seed" not in name:  # drawn anew, where none is given
                for tensor in value if type(value) in (list, tuple) else (value,):
                    if is_eager_tensor(tensor):
                        digest.update(_shown_numbers(tensor))
                todo.append(value)  # of what reads files, their names are a dataset
        todo += one._inputs()
    return digest.digest()


def elements_and_variant(dataset: Any) -> tuple[Any, Any] | None:
    """Of a dataset of TensorFlow's, or an iterator over one: what its elements are, and the tensor by which a graph
    captures it; else None.

    So it is of one that is being made, whose own function closes over it."""
    if is_an_iterator(dataset):
        return vars(dataset).get("_element_spec"), vars(dataset).get("_iterator_resource")
    variant = vars(dataset).get("_variant_tensor_attr") if _is_a_dataset(dataset) else None
    return None if variant is None else (dataset.element_spec, variant)


def is_an_iterator(value: Any) -> bool:
    """Over a dataset, made outside of any graph: TensorFlow's own."""
    return is_written_in(type(value), _DATA) and type(value).__name__ == "OwnedIterator"


def _is_a_dataset(value: Any) -> bool:
    """One of TensorFlow's: of the user's own, code of the user's would run."""
    return is_written_in(type(value), _DATA) and any(kind.__name__ == "DatasetV2" for kind in type(value).__mro__)


def _generator_within(dataset: Any) -> str:
    """Where the function is written that `from_generator` was given; "" of another dataset, and of an object."""
    todo: list[Any] = [getattr(vars(dataset).get("_map_func"), "_func", None)]
    for function in todo:
        if not getattr(function, "__qualname__", "").startswith("_from_generator."):
            continue
        for cell in function.__closure__ or ():
            content = cell.cell_contents
            if (found := generator_of(content)) is not None:
                code = getattr(found[0], "__code__", None)
                return f"{code.co_filename}:{code.co_firstlineno}" if isinstance(code, CodeType) else ""
            todo.append(content)
    return ""


def digest_of_a_few(tensor: Any) -> str:
    """Equal for tensors of equal numbers, all of which are read; "" of what has many, or is not at hand."""
    size = tensor.shape.num_elements() if is_eager_tensor(tensor) else None
    if size is None or size > _MAX_READ or tensor.dtype.name in ("variant", "resource") or "CPU" not in tensor.device:
        return ""
    return blake2b(_shown_numbers(tensor), digest_size=8).hexdigest()


def _shown_numbers(tensor: Any) -> bytes:
    """What tells it from others: dtype, shape, and of its numbers so many, if they are at hand."""
    kind = f"{tensor.dtype.name}{tensor.shape}".encode()
    is_text = tensor.dtype.name == "string"
    size = tensor.shape.num_elements() or 0
    if tensor.dtype.name in ("variant", "resource") or "CPU" not in tensor.device or (is_text and size > _MAX_TEXTS):
        return kind
    values = np.asarray(tensor._numpy()).reshape(-1)  # as it lies there: nothing is copied
    if is_text:
        return kind + repr(values.tolist()).encode()
    step = max(1, size // _MAX_READ)
    return kind + values[::step].tobytes() + values[-_MAX_READ:].tobytes()
