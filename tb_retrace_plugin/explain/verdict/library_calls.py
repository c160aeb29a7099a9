"""What a library makes, or calls with what it chooses: no change to the user's program is known to avoid its traces."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from tb_retrace_plugin.explain.differences.change import Change
from tb_retrace_plugin.explain.verdict.closed_over_anew import ONE_THAT_IS_PASSED
from tb_retrace_plugin.explain.verdict.evidence import (
    COULD_SERVE_BOTH,
    EACH_NUMBER,
    OTHER_TENSORS,
    OTHER_TENSORS_AND_NUMBERS,
)
from tb_retrace_plugin.explain.verdict.facts import Verdict
from tb_retrace_plugin.explain.words.place import is_of_keras_or_tensorflow
from tb_retrace_plugin.schema import retrace_pb2 as pb
from tb_retrace_plugin.schema.signature import is_of_star_keywords

#: What the user passes to a library, and what it passes on, are of the same sizes and dtypes as a rule.
_OF_DATA = frozenset({"shape", "rank", "dtype", "composite_spec"})
_TENSORFLOW = "/tensorflow/python/"
_DATASETS = "/tensorflow/python/data/"
_FROM_GENERATOR = "/tensorflow/python/data/ops/from_generator_op.py"
_OF_ANOTHER_GENERATOR = (
    "`Dataset.from_generator` makes this function for each dataset, and the generator of this one, or what that closes"
    " over, is another one. Whether one dataset could serve both is not known."
)
_LOCALS = ".<locals>."
#: Methods of datasets that run what they are given; of models, which build datasets of what they are given.
_RUN = frozenset({"reduce", "save"})
_OF_A_MODEL = frozenset({"evaluate", "fit", "predict"})
#: End the evidence of what closes over other numbers.
_AS_TENSORS = ("as a tensor would do.", "as tensors would do.")
_IS_A_LIBRARYS = (
    "It is a library's: a tf.function of yours, made once, that makes the object itself of what it is passed, and calls"
    " it, may need one trace."
)
_INSTEAD = {
    OTHER_TENSORS: f"its graph is the same but for tensors that it captures. {_IS_A_LIBRARYS}",
    OTHER_TENSORS_AND_NUMBERS: (
        f"its graph is the same but for tensors that it captures and for fractions. {_IS_A_LIBRARYS}"
    ),
}
_BUILDS_A_DATASET = (
    "A library builds the dataset that this is a part of anew in each call of its `{}`: fewer calls of that, by your"
    " line, need fewer traces."
)
_MAY_REFUSE = "It is a library's function; whether its code takes a tensor there is not known."
_CALLS_IT = "But a library calls it; whether your code decides that is not known."


def left_to_a_library(
    verdict: Verdict, changes: Sequence[Change], function: pb.Function, frames: Sequence[pb.Frame], *,
    is_nested: bool = False,
) -> Verdict | None:  # fmt: skip
    """What is known of a trace of a library's function; None: what was said holds. `frames`: innermost first."""
    file = _plain(function.file)
    said = verdict.evidence  # an array that the user's generator reads is no argument of TensorFlow's own functions
    is_another = " closes over another " in said and (said.endswith(COULD_SERVE_BOTH) or ONE_THAT_IS_PASSED in said)
    if is_another and function.library and file.endswith(_FROM_GENERATOR):
        return Verdict("unknown", _OF_ANOTHER_GENERATOR)  # nobody knows it by the names of TensorFlow's own functions
    if function.library and _DATASETS in file and verdict.word in ("avoidable", "unknown"):
        return _of_a_librarys_dataset(changes, frames)
    if not function.library or is_of_keras_or_tensorflow(file):
        return None
    for told, instead in _INSTEAD.items():  # its code is not the user's to write
        if told in verdict.evidence:
            return Verdict("unknown", verdict.evidence.replace(told, instead))
    if verdict.word != "avoidable" or {change.cause for change in changes} <= _OF_DATA:
        return None
    between = list(itertools.takewhile(lambda frame: not frame.user, frames))
    if _is_of_a_dataset(between) and not is_nested:  # within a graph it is built with each
        holds_numbers = verdict.evidence.endswith(_AS_TENSORS)  # which the library was passed, or chose
        return Verdict("unknown", f"{verdict.evidence} {_CALLS_IT}") if holds_numbers else None
    callers = [frame for frame in between if _TENSORFLOW not in _plain(frame.file)]
    if not callers:
        return _called_by_the_user(verdict, changes)
    if any(change.cause == "recreated_function" for change in changes):
        return Verdict("unknown", f"{verdict.evidence} {_made(function, file, callers)}")
    return Verdict("unknown", f"{verdict.evidence} {_CALLS_IT}")


def _called_by_the_user(verdict: Verdict, changes: Sequence[Change]) -> Verdict | None:
    """Its code is not the user's to write: what it closes over is passed to what makes it. And what `**kwargs` take may
    be handed on to any code."""
    made, marker, _ = verdict.evidence.partition(ONE_THAT_IS_PASSED)
    if marker:
        return Verdict("unknown", f"{made}{_IS_A_LIBRARYS}")
    if not verdict.evidence.startswith(EACH_NUMBER):
        return None
    handed_on = [change.path for change in changes if is_of_star_keywords(change.path)]
    if not handed_on:
        return Verdict(verdict.word, f"{verdict.evidence.removesuffix('.')}, where the library's code takes one.")
    return Verdict("unknown", f"{EACH_NUMBER} `{handed_on[0]}` is traced. {_MAY_REFUSE}")


def _of_a_librarys_dataset(changes: Sequence[Change], frames: Sequence[pb.Frame]) -> Verdict | None:
    """Of what TensorFlow makes of a dataset that another library builds when a model of its own is called."""
    between = list(itertools.takewhile(lambda frame: not frame.user, frames))
    makers = [frame for frame in between if not is_of_keras_or_tensorflow(frame.file)]
    if not makers or _is_of_a_dataset(between) or not any(change.cause == "recreated_function" for change in changes):
        return None
    return Verdict("unknown", _BUILDS_A_DATASET.format(makers[-1].function))


def _made(function: pb.Function, file: str, callers: Sequence[pb.Frame]) -> str:
    maker = function.qualname.rpartition(_LOCALS)[0].rpartition(_LOCALS)[2]
    name = maker.rpartition(".")[2]
    is_in_call = any(frame.function == name and _plain(frame.file) == file for frame in callers)
    if is_in_call and name == "__init__":
        of_class = maker.rpartition(".")[0].rpartition(".")[2]
        return f"A library makes it with each `{of_class}`: if your code makes those, one that is kept needs no other."
    if name and is_in_call:
        return f"A library makes it in each call of its `{name}`: fewer calls of that, by your line, need fewer traces."
    made = f"The library's `{maker}` makes it" if maker else "It is a library's, which calls it"
    return (
        f"{made}. If your code has it made anew, by making or compiling an object or a closure of the library's again,"
        " make that once and keep it; whether the library makes it anew itself is not known."
    )


def _is_of_a_dataset(frames: Sequence[pb.Frame]) -> bool:
    """Whether it is a part of a dataset that the user may build once: none that a call of a library builds and runs."""
    if not any(_DATASETS in _plain(frame.file) for frame in frames):
        return False
    return not any(
        frame.function in _OF_A_MODEL or (frame.function in _RUN and _DATASETS in _plain(frame.file))
        for frame in frames
    )


def _plain(file: str) -> str:
    return file.replace("\\", "/")
