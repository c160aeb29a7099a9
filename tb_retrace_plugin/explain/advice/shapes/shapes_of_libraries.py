"""A library's function that is traced for changing shapes: where it is decorated is not the user's to write."""

from __future__ import annotations

import itertools

from tb_retrace_plugin.explain.advice.evidence.facts import Fix, FunctionFacts, Traced
from tb_retrace_plugin.explain.advice.evidence.library_code import is_called_by_the_user
from tb_retrace_plugin.explain.advice.evidence.listed import listed
from tb_retrace_plugin.explain.advice.evidence.reading import nodes_at
from tb_retrace_plugin.explain.advice.shapes.concrete_function_code import is_loaded
from tb_retrace_plugin.explain.advice.shapes.shapes import changing, changing_paths, propose_one_shape
from tb_retrace_plugin.explain.advice.shapes.traced_beforehand import (
    propose_of_a_library,
    propose_of_a_library_beside_it,
)
from tb_retrace_plugin.explain.words.place import is_of_keras, is_of_keras_or_tensorflow

#: The end of the file of what a SavedModel is loaded as.
_LOADED = "/saved_model/load.py"


def propose(function: FunctionFacts) -> Fix | None:
    """Traced with unknown dimensions where the user calls it; else what the user may pass to the library is padded."""
    paths = changing_paths(function)
    is_made_of_what_is_loaded = function.is_object and function.file.replace("\\", "/").endswith(_LOADED)
    is_theirs = is_of_keras_or_tensorflow(function.file) and not is_made_of_what_is_loaded  # `tf.function(loaded)`
    is_theirs = is_theirs and (is_loaded(function) or not _is_made_by_the_user(function))  # that has a rule of its own
    if not is_theirs and (fix := _beside_the_library(function)) is not None:
        return fix
    # nested, it is what the function around it was given; that one's advice is its own
    if not paths or is_theirs or any(trace.nested for trace in function.traces):
        return None
    if all(map(is_called_by_the_user, function.traces)):
        return propose_one_shape(function) if function.jit_compile else propose_of_a_library(function)
    padded: dict[str, tuple[int, ...]] = {}
    for path in paths:
        shapes = [node.shape for node in nodes_at(function, path, failed=False) if node.kind == "tensor"]
        known = [shape for shape in shapes if shape is not None and -1 not in shape]
        if not known or len(known) < len(shapes) or len(set(map(len, known))) > 1:
            return None
        padded[path] = tuple(map(max, zip(*known, strict=True)))
    largest = listed([f"{path}: {list(shape)}" for path, shape in padded.items()])
    text = (
        f"{changing(function, paths)} shape, and it is a library's function, which the library calls. Where these are"
        " shapes of what your line passes to it, pass data of one shape, or of a few, such as data padded to the"
        f" largest so far ({largest}). Where they are the library's own, there is nothing to change."
    )
    return Fix(
        "pad_to_one_shape", text, None, evidence="Whether the library passes on what it is given is not recorded."
    )  # fmt: skip


def _is_made_by_the_user(function: FunctionFacts) -> bool:
    """Of a function of TensorFlow's, as `tf.function(tf.nn.relu)`: the user's line calls it through nothing else."""
    return not is_of_keras(function.file) and all(
        not trace.nested and _is_called_at_once(trace) for trace in function.traces
    )


def _is_called_at_once(trace: Traced) -> bool:
    within = [f.file.replace("\\", "/") for f in itertools.takewhile(lambda frame: not frame.user, trace.stack)]
    of_functions = ("/tensorflow/python/eager/polymorphic_function/", "/tensorflow/python/util/traceback_utils.py")
    return len(within) < len(trace.stack) and all(any(part in file for part in of_functions) for file in within)


def _beside_the_library(function: FunctionFacts) -> Fix | None:
    """Of what the user calls, and functions of the library as well, within their own traces."""
    own = [trace for trace in function.traces if not trace.nested and is_called_by_the_user(trace)]
    if not 0 < len(own) < len(function.traces) or function.jit_compile:
        return None
    return propose_of_a_library_beside_it(function, own) if len(own) > 1 else None
