"""Which layers a Keras model computes with, and how: two that are made of the same layers compute the same.

Of models of Keras' own classes, which hold nothing else: not compiled, and no attributes that a user gave them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tb_retrace_plugin.capture.values.of_type import is_written_in

MODELS = ("keras.src.models.", "tf_keras.")
#: Of a model that Keras 3 or 2 has as a graph: where what it takes and gives is, each with the layer that made it.
_ENDS = ("_inputs_struct", "_outputs_struct"), ("_nested_inputs", "_nested_outputs")
#: The layers of a Sequential, likewise.
_LAYERS = "_layers", "_self_tracked_trackables"
_IS_COMPILED = "compiled", "_is_compiled"
_MAX_PARTS = 256


def made_of(value: Any, number: Callable[[Any], int]) -> tuple[Any, ...] | None:
    """Equal for two of the same; None of what is no such model. `number`: of a layer, by identity."""
    kind = type(value)
    if not is_written_in(kind, MODELS) or kind.__name__ not in ("Functional", "Sequential"):
        return None
    held = vars(value)
    if any(held.get(name) for name in _IS_COMPILED):
        return None
    parts = _of_layers(held, number) if kind.__name__ == "Sequential" else _of_ends(held, number)
    return None if parts is None else (number(kind), tuple(sorted(held)), *parts)


def _of_layers(held: Mapping[str, Any], number: Callable[[Any], int]) -> tuple[Any, ...] | None:
    layers = next((held[name] for name in _LAYERS if name in held), ())
    return tuple(map(number, layers)) if 0 < len(layers) <= _MAX_PARTS else None


def _of_ends(held: Mapping[str, Any], number: Callable[[Any], int]) -> tuple[Any, ...] | None:
    for names in _ENDS:
        if all(name in held for name in names):
            ends = tuple(_end(held[name], number) for name in names)
            return None if None in ends else ends
    return None


def _end(end: Any, number: Callable[[Any], int]) -> tuple[Any, ...] | None:
    if isinstance(end, dict | list | tuple):
        items = end.items() if isinstance(end, dict) else enumerate(end)
        parts = [(str(key), _end(one, number)) for key, one in items]
        is_known = len(parts) <= _MAX_PARTS and all(part is not None for _, part in parts)
        return (type(end).__name__, *parts) if is_known else None
    made_by = vars(end).get("_keras_history") if hasattr(end, "__dict__") else None
    if made_by is None:
        return None
    layer, node, place = made_by
    return number(layer), node, place
