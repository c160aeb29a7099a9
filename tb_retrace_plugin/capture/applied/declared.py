"""A declaration as TensorFlow's own specifications."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from types import FrameType
from typing import Any

from tb_retrace_plugin.capture import tf_seam
from tb_retrace_plugin.explain.what_if.input_signature import Declared, Nest, Spec

#: Frames in which a named tuple's class is looked for, besides the function's own module.
_MAX_FRAMES = 40


def spec_of(declared: Declared, python_function: Any) -> Any:
    """TensorFlow's own. Raises LookupError for a named tuple whose class is not to be found."""
    import tensorflow as tf

    if isinstance(declared, Nest):
        items = [spec_of(item, python_function) for item in declared.items]
        if declared.word == "dict":
            return dict(zip(declared.keys, items, strict=True))
        if declared.word == "named_tuple":
            cls = _named_tuple_class(declared.type_name, python_function)
            by_place = [item for key, item in zip(declared.keys, items, strict=True) if not key]
            by_name = {str(key): item for key, item in zip(declared.keys, items, strict=True) if key}
            return cls(*by_place, **by_name)
        return tuple(items) if declared.word == "tuple" else items
    return _leaf_spec(declared, tf)


def _leaf_spec(spec: Spec, tf: Any) -> Any:
    shape = None if spec.shape is None else [None if d < 0 else d for d in spec.shape]
    dtype = tf.as_dtype(spec.dtype)
    if spec.word == "TensorSpec":
        return tf.TensorSpec(shape, dtype, spec.name or None)
    if spec.word == "OptionalSpec":
        return tf.OptionalSpec(tf.TensorSpec(shape, dtype))
    if spec.word == "SparseTensorSpec":
        return tf.SparseTensorSpec(shape, dtype)
    if spec.word == "IndexedSlicesSpec":
        count = None if spec.indices_shape is None else [None if d < 0 else d for d in spec.indices_shape]
        dense = tf.as_dtype(spec.dense_shape_dtype) if spec.dense_shape_dtype else None
        return tf.IndexedSlicesSpec(shape, dtype, tf.as_dtype(spec.indices_dtype), dense, count)
    splits = tf.as_dtype(spec.row_splits_dtype)
    return tf.RaggedTensorSpec(shape, dtype, ragged_rank=spec.ragged_rank, row_splits_dtype=splits)


def _named_tuple_class(name: str, python_function: Any) -> Any:
    """The program's own class: from the function's module, what it closes over, or where it is being declared."""
    python = tf_seam.unwrapped(python_function).python
    places: list[Mapping[str, Any]] = [getattr(python, "__globals__", {})]
    frame: FrameType | None = sys._getframe(1)
    for _ in range(_MAX_FRAMES):
        if frame is None:
            break
        places.append(frame.f_locals)
        frame = frame.f_back
    for place in places:
        found = place.get(name)
        if isinstance(found, type) and issubclass(found, tuple) and hasattr(found, "_fields"):
            return found
    raise LookupError(f"the named tuple {name} is not to be found where the function is declared")
