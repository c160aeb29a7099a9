"""Whose code a trace ran, where it is not the user's: what was loaded, what TensorFlow calls for the user."""

from __future__ import annotations

from tb_retrace_plugin.explain.advice.evidence.facts import Traced

#: Ends the file name of functions that were loaded.
RESTORED = "/saved_model/function_deserialization.py"


def is_called_by_the_user(trace: Traced) -> bool:
    """Whether nothing but TensorFlow lies between the user's code and the trace."""
    for depth, frame in enumerate(trace.stack):
        if frame.user:
            return depth > 0
        if "/tensorflow/python/" not in frame.file.replace("\\", "/"):
            return False
    return False
