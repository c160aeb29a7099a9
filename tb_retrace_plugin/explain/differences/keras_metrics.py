"""Which arguments, and values that are closed over, are metrics of Keras, whose state begins anew by
`reset_state()`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from tb_retrace_plugin.explain.differences.change import Change
from tb_retrace_plugin.explain.differences.closure import ClosureChange
from tb_retrace_plugin.explain.differences.nearness import node_at
from tb_retrace_plugin.schema.signature import Signature

#: Classes of Keras 3, of tf_keras, and of TensorFlow's own Keras.
CLASS = re.compile(r"(?:tf_|tensorflow\.python\.)?keras\.(?:\w+\.)*metrics\.(?:\w+\.)*\w+")

_BASE = "Metric"

#: Ends what a closed-over one is told as, after its class's name.
METRIC = " metric"


def is_a_metric(kind: type) -> bool:
    """Also of a class of the user's: all metrics of Keras derive from its `Metric`."""
    named = (base.__module__ for base in kind.__mro__ if base.__name__ == _BASE)
    return any(CLASS.fullmatch(f"{module}.{_BASE}") for module in named)


def are_closed_over(closure: Sequence[ClosureChange]) -> bool:
    """Whether all that differ are such objects in place of others of their class."""
    return bool(closure) and all(c.old == c.new and c.new.endswith(METRIC) for c in closure)


def are_metrics(signature: Signature, changes: Sequence[Change], objects: Mapping[str, Any]) -> bool:
    """Whether all that differs are such objects in place of others. `objects`: by path, those that are known."""
    paths = [change.path for change in changes if change.cause == "object_identity"]
    return bool(paths) and len(paths) == len(changes) and all(_is_one(signature, path, objects) for path in paths)


def _is_one(signature: Signature, path: str, objects: Mapping[str, Any]) -> bool:
    if path in objects:
        return is_a_metric(type(objects[path]))
    node = node_at(signature, path)
    return node is not None and CLASS.fullmatch(node.type_name) is not None
