"""Which arguments, and values that are closed over, are metrics of Keras, whose state begins anew by
`reset_state()`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tb_retrace_plugin.explain.differences.change import Change
from tb_retrace_plugin.explain.differences.closure import ClosureChange
from tb_retrace_plugin.explain.differences.nearness import node_at
from tb_retrace_plugin.schema.signature import Signature

#: Classes of Keras 3, of tf_keras, and of TensorFlow's own Keras.
CLASS = re.compile(r"(?:tf_|tensorflow\.python\.)?keras\.(?:\w+\.)*metrics\.(?:\w+\.)*\w+")

#: Ends what a closed-over one is told as, after its class's name.
METRIC = " metric"


def are_closed_over(closure: Sequence[ClosureChange]) -> bool:
    """Whether all that differ are such objects in place of others of their class."""
    return bool(closure) and all(c.old == c.new and c.new.endswith(METRIC) for c in closure)


def are_metrics(signature: Signature, changes: Sequence[Change]) -> bool:
    """Whether all that differs are such objects in place of others."""
    nodes = [node_at(signature, change.path) for change in changes if change.cause == "object_identity"]
    return bool(nodes) and len(nodes) == len(changes) and all(n and CLASS.fullmatch(n.type_name) for n in nodes)
