"""A `tf.TensorArray` in place of another: TensorFlow (2.16 to 2.21) knows each by its identity."""

from __future__ import annotations

from tb_retrace_plugin.explain.differences.change import Change

_TRACE_TYPE = "TensorArrayTraceType("


def is_tensor_array(change: Change) -> bool:
    return change.old.startswith(_TRACE_TYPE) and change.new.startswith(_TRACE_TYPE)
