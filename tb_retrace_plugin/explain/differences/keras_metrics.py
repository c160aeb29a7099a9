"""Which arguments are metrics of Keras, whose state begins anew by `reset_state()`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tb_retrace_plugin.explain.differences.change import Change
from tb_retrace_plugin.explain.differences.nearness import node_at
from tb_retrace_plugin.schema.signature import Signature

#: Classes of Keras 3, of tf_keras, and of TensorFlow's own Keras.
_CLASS = re.compile(r"(?:tf_|tensorflow\.python\.)?keras\.(?:\w+\.)*metrics\.(?:\w+\.)*\w+")


def are_metrics(signature: Signature, changes: Sequence[Change]) -> bool:
    """Whether all that differs are such objects in place of others."""
    nodes = [node_at(signature, change.path) for change in changes if change.cause == "object_identity"]
    return bool(nodes) and len(nodes) == len(changes) and all(n and _CLASS.fullmatch(n.type_name) for n in nodes)
