"""A layer's own tf.function that Keras calls to build the layer."""

from __future__ import annotations

from tb_retrace_plugin.explain.advice.evidence.facts import Traced


def is_built_by_keras(trace: Traced) -> bool:
    """Whether Keras called the function to find out what its layer gives, before the layer was built."""
    is_called = False
    for frame in trace.stack:
        if "/keras/src/" not in frame.file.replace("\\", "/"):
            continue
        if frame.function == "_maybe_build" and is_called:
            return True
        is_called = is_called or frame.function == "compute_output_spec"
    return False
