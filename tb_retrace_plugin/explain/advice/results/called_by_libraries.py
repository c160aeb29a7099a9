"""What a library calls by itself, such as a loss of the user's that Keras is given: no line of the user's passes to
it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from tb_retrace_plugin.explain.advice.evidence.facts import Fix, Frame, FunctionFacts, Traced
from tb_retrace_plugin.explain.advice.results.no_data import PADS
from tb_retrace_plugin.explain.words.made_by_libraries import is_of_a_trainer
from tb_retrace_plugin.explain.words.place import is_installed, is_of_keras, is_of_keras_or_tensorflow, short_path

_GIVEN = (
    "Keras makes the calls: what Keras is given has to be so, which are the arrays that `fit` takes, or what a layer or"
    " a loss is called with."
)
_LEFT_OUT = (
    "Keras makes the calls, within a function of its own: the arrays that it is given (`fit`, `train_on_batch`) have to"
    " be so. Or leave out the `tf.function`: nothing is traced here then, and Keras 3 has AutoGraph convert no `if` and"
    " no loop on tensors, which take `tf.where`, `tf.cond` or `tf.while_loop`."
)
_GIVEN_TO = "`{0}` makes the calls of `{1}`: what it is given, or hands on, has to be so."
_TAKES_NO_MORE = (
    "`{0}` makes the calls of `{1}`, and passes what it does: where that is no argument more, keep what changes in a"
    " tf.Variable (`trainable=False`) that `{1}` reads, assign to it, and keep what the library has made of `{1}`."
)


def told_of_the_caller(function: FunctionFacts, fixes: Sequence[Fix]) -> list[str]:
    """A note, where what is passed is to be changed, and a library passes it."""
    are_added, are_changed = any(fix.added for fix in fixes), any(fix.calls or fix.rule in PADS for fix in fixes)
    if all(map(_is_called_by_keras, function.traces)):
        notes = [_LEFT_OUT if all(map(_is_part_of_a_step, function.traces)) else _GIVEN]
        return notes if are_changed else []
    libraries = {_library_that_calls(trace) for trace in function.traces}
    if function.library or "" in libraries or not (are_added or are_changed):
        return []
    note = _TAKES_NO_MORE if are_added else _GIVEN_TO
    return [note.format(" and ".join(sorted(libraries)), function.name)]


def _library_that_calls(trace: Traced) -> str:
    """Of which the code is that called it, outside of TensorFlow; "" of the user's own."""
    caller = next((frame for frame in trace.stack if not _is_of_tensorflow(frame)), None)
    if caller is None or caller.user or not is_installed(caller.file):
        return ""
    return short_path(caller.file).replace("\\", "/").partition("/")[0].removesuffix(".py")


def _is_called_by_keras(trace: Traced) -> bool:
    """Whether what called it, outside of TensorFlow, is Keras' own code."""
    caller = next((frame for frame in trace.stack if not _is_of_tensorflow(frame)), None)
    return caller is not None and not caller.user and is_of_keras(caller.file)


def _is_part_of_a_step(trace: Traced) -> bool:
    """Whether Keras called it while it traced a step, with no code of the user's between."""
    theirs = takewhile(lambda frame: not frame.user, trace.stack)
    return trace.nested and any(is_of_a_trainer(frame.file) for frame in theirs)


def _is_of_tensorflow(frame: Frame) -> bool:
    return not frame.user and is_of_keras_or_tensorflow(frame.file) and not is_of_keras(frame.file)
