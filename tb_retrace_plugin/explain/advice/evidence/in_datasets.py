"""What the stack of a trace tells of the dataset that its function is a part of."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Sequence

from tb_retrace_plugin.explain.advice.evidence.facts import Frame, FunctionFacts, Traced
from tb_retrace_plugin.explain.advice.evidence.reading import merged_objects
from tb_retrace_plugin.explain.verdict.evidence import WIDENED_STATE

_DATA = "tensorflow/python/data/"
#: Methods that run what they are given, each time that they are called, where others build a dataset of it.
_RUN = frozenset({"reduce", "save"})


def is_given_to_tf_data(trace: Traced) -> bool:
    """Whether `tf.data` made the function, of one that a dataset's method was given."""
    frame = next((frame for frame in _before_the_user(trace) if _DATA in _file(frame)), None)
    # a tf.function that it was given has a trace of its own, within that
    return frame is not None and frame.function != "wrapper_helper"


def method_that_runs(trace: Traced) -> str:
    """`reduce`, of a function that it was given; "" of one that a dataset is built of."""
    found = [f.function for f in _before_the_user(trace) if f.function in _RUN and _is(f, "/data/ops/dataset_ops.py")]
    return found[0] if found else ""


def is_a_loops(trace: Traced) -> bool:
    """Whether AutoGraph made it, of a loop over a dataset in a tf.function, with each trace of that."""
    return any("/autograph/operators/" in _file(f) or _is(f, "/dataset_autograph.py") for f in _before_the_user(trace))


def is_within_a_trace(trace: Traced) -> bool:
    """Whether the dataset is built while a tf.function of the user's is traced, with each trace of that."""
    return any(f.function == "func_graph_from_py_func" for f in _around_the_dataset(trace))


def builders(trace: Traced) -> tuple[Frame, ...]:
    """The user's lines that build the dataset, innermost first; what is called in the one is run by the next."""
    return tuple([frame for frame in _around_the_dataset(trace) if frame.user])


def method_that_builds(trace: Traced) -> str:
    """What is called in the first of the lines that `builders` has: `map`; "" if it is not known."""
    frames = _around_the_dataset(trace)
    inner = [frame.function for frame in itertools.takewhile(lambda frame: not frame.user, frames)]
    line = frames[len(inner)].source if len(inner) < len(frames) else ""
    # a decorator's wrapper lies around what the line calls
    named = (name for name in reversed(inner) if re.search(rf"\b{re.escape(name)}\s*\(", line))
    return next(named, inner[-1] if inner else "")


def objects_by_line(function: FunctionFacts, traces: Sequence[Traced]) -> dict[int, int]:
    """As `merged_objects`, of the function objects that one call made, for elements of one kind: other calls, also of
    one line, and what has other elements, are other datasets."""
    return objects_by(lambda trace: (calls_of(trace), trace.lookup.signature.arguments), function, traces)


def for_wider_states(function: FunctionFacts) -> set[int]:
    """The function objects that were made for a dataset that had one already, of a state of fewer shapes."""
    return {trace.lookup.object_number for trace in function.traces if trace.evidence == WIDENED_STATE}


def lines_of(trace: Traced) -> tuple[tuple[str, int], ...]:
    """Where `builders` are."""
    return tuple([(frame.file, frame.line) for frame in builders(trace)])


def calls_of(trace: Traced) -> tuple[tuple[str, int, int], ...]:
    """Which calls in these lines they are."""
    return tuple([(frame.file, frame.line, frame.instruction) for frame in builders(trace)])


def objects_by(key: Callable[[Traced], object], function: FunctionFacts, traces: Sequence[Traced]) -> dict[int, int]:
    """As `merged_objects`, of those whose first traces have one key."""
    merged = merged_objects(function, traces)
    keys: dict[int, object] = {}
    for trace in function.traces:
        if trace.lookup.object_number not in keys:
            keys[trace.lookup.object_number] = key(trace)
    first: dict[object, int] = {}
    found: dict[int, int] = {}
    for number in sorted({*merged, *merged.values()}):
        kept = first.setdefault((merged.get(number, number), keys.get(number)), number)
        if kept != number:
            found[number] = kept
    return found


def _around_the_dataset(trace: Traced) -> list[Frame]:
    """Without what is nested in it: a function in a dataset that a function of another dataset builds."""
    made = [i for i, f in enumerate(trace.stack) if f.function == "__init__" and _is(f, "/structured_function.py")]
    return list(trace.stack[made[-1] + 1 :] if made else trace.stack)


def _before_the_user(trace: Traced) -> Iterable[Frame]:
    return itertools.takewhile(lambda frame: not frame.user, trace.stack)


def _file(frame: Frame) -> str:
    return frame.file.replace("\\", "/")


def _is(frame: Frame, ending: str) -> bool:
    return _file(frame).endswith(ending)
