"""Whose code a trace ran, where it is not the user's: what was loaded, what TensorFlow calls for the user."""

from __future__ import annotations

import itertools

from tb_retrace_plugin.explain.advice.evidence.facts import FunctionFacts, Traced

#: Ends the file name of functions that were loaded.
RESTORED = "/saved_model/function_deserialization.py"
#: Runs what is traced.
_TRACES = "func_graph_from_py_func"
_STRATEGY = "/tensorflow/python/distribute/mirrored_run.py"


def is_of_a_strategy(function: FunctionFacts) -> bool:
    """Whether `strategy.run` has made it of a tf.function that it was given."""
    return function.file.replace("\\", "/").endswith(_STRATEGY)


def is_called_by_the_user(trace: Traced) -> bool:
    """Whether nothing but TensorFlow lies between the user's code and the trace."""
    for depth, frame in enumerate(trace.stack):
        if frame.user:
            return depth > 0
        if "/tensorflow/python/" not in frame.file.replace("\\", "/"):
            return False
    return False


def is_made_by_what_is_traced(trace: Traced) -> bool:
    """Whether a function of a library's is traced around it, as within `tf.vectorized_map`: no line of the user's makes
    it."""
    return any(frame.function == _TRACES for frame in itertools.takewhile(lambda frame: not frame.user, trace.stack))
