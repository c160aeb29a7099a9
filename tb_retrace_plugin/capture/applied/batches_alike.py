"""`batch` of a dataset with one `drop_remainder`, wherever the program's own files call it."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Sequence
from typing import Any

from tb_retrace_plugin.capture import tf_seam
from tb_retrace_plugin.capture.applied.change import AppliedChange
from tb_retrace_plugin.capture.code.call_site import is_user_file


def install(changes: Sequence[AppliedChange]) -> None:
    """Raises SeamMissingError."""
    wanted = [change for change in changes if change.drop_remainder is not None]
    if not wanted:
        return
    import tensorflow as tf

    batch = tf.data.Dataset.batch
    parameters = inspect.signature(batch)
    if "drop_remainder" not in parameters.parameters:
        raise tf_seam.SeamMissingError("a dataset's `batch` takes no drop_remainder")

    @functools.wraps(batch)
    def batched_alike(self: Any, *args: Any, **kwargs: Any) -> Any:
        if not is_user_file(sys._getframe(1).f_code.co_filename):
            return batch(self, *args, **kwargs)
        bound = parameters.bind(self, *args, **kwargs)
        bound.arguments["drop_remainder"] = wanted[0].drop_remainder
        for change in wanted:
            change.done.add("drop_remainder")
        return batch(*bound.args, **bound.kwargs)

    tf.data.Dataset.batch = batched_alike
