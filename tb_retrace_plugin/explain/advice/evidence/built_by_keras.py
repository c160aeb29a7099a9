"""A layer's own tf.function that Keras calls, once the layer is built or to build it."""

from __future__ import annotations

import itertools

from tb_retrace_plugin.explain.advice.evidence.facts import Traced


def is_called_of_a_layer(trace: Traced) -> bool:
    """Whether Keras called it as the layer's `call`."""
    within = itertools.takewhile(lambda frame: not frame.user, trace.stack)
    return any(
        frame.function == "__call__" and "/keras/src/layers/" in frame.file.replace("\\", "/") for frame in within
    )


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
