"""What Keras calls by itself, such as a loss of the user's that is decorated: no line of the user's passes to it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from tb_retrace_plugin.explain.advice.evidence.facts import Fix, Frame, FunctionFacts, Traced
from tb_retrace_plugin.explain.advice.results.no_data import PADS
from tb_retrace_plugin.explain.words.made_by_libraries import is_of_a_trainer
from tb_retrace_plugin.explain.words.place import is_of_keras, is_of_keras_or_tensorflow

_GIVEN = (
    "Keras makes the calls: what Keras is given has to be so, which are the arrays that `fit` takes, or what a layer or"
    " a loss is called with."
)
_LEFT_OUT = (
    "Keras makes the calls, within a function of its own: the arrays that it is given (`fit`, `train_on_batch`) have to"
    " be so. Or leave out the `tf.function`: nothing is traced here then, and Keras 3 has AutoGraph convert no `if` and"
    " no loop on tensors, which take `tf.where`, `tf.cond` or `tf.while_loop`."
)


def told_of_the_caller(function: FunctionFacts, fixes: Sequence[Fix]) -> list[str]:
    """A note, where what is passed is to be changed, and Keras passes it."""
    if not any(fix.calls or fix.rule in PADS for fix in fixes) or not all(map(_is_called_by_keras, function.traces)):
        return []
    return [_LEFT_OUT if all(map(_is_part_of_a_step, function.traces)) else _GIVEN]


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
