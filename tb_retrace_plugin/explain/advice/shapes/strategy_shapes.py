"""Batches of changing sizes that `strategy.run` passes a tf.function: it makes its own, decorated as that is."""

from __future__ import annotations

from dataclasses import replace

from tb_retrace_plugin.explain.advice.evidence.facts import Fix, FunctionFacts
from tb_retrace_plugin.explain.advice.evidence.library_code import is_of_a_strategy
from tb_retrace_plugin.explain.advice.shapes.shapes import (
    changing,
    changing_paths,
    propose_input_signature,
    propose_reduce_retracing,
)
from tb_retrace_plugin.explain.what_if.candidate import NO_CHANGE
from tb_retrace_plugin.schema.signature import is_of_star_keywords

_OF_ITS_OWN = "`strategy.run` makes a function of its own of a tf.function, decorated as that is, and "
_LEAVES_OUT = (
    "Or batch with `drop_remainder=True`, if the smaller ones are a dataset's last batches: it leaves those examples"
    " out."
)


def propose_signature(function: FunctionFacts) -> Fix | None:
    return _of_the_users(function, propose_input_signature(function, NO_CHANGE)) if _can_be(function) else None


def propose_reduce(function: FunctionFacts) -> Fix | None:
    return _of_the_users(function, propose_reduce_retracing(function)) if _can_be(function) else None


def propose_each(function: FunctionFacts) -> Fix | None:
    """Of tf.functions that are passed so much else that one signature does not go for all."""
    if not _can_be(function) or propose_input_signature(function, NO_CHANGE) is not None:
        return None
    text = (
        f"{_OF_ITS_OWN}{_changing(function)} shape, as `strategy.run` is passed them. Declare each tf.function that it"
        f" is given with unknown dimensions (`input_signature=`). {_LEAVES_OUT}"
    )
    return Fix("input_signature", text, None, evidence="Not replayed: each has another signature.")


def _can_be(function: FunctionFacts) -> bool:
    if not is_of_a_strategy(function) or not changing_paths(function):
        return False
    paths = [path for trace in function.traces for path, _ in trace.lookup.signature.arguments]
    return not any(map(is_of_star_keywords, paths))


def _changing(function: FunctionFacts) -> str:
    return changing(function, changing_paths(function)).replace(f" of `{function.name}`", "")


def _of_the_users(function: FunctionFacts, fix: Fix | None) -> Fix | None:
    if fix is None:
        return None
    text = _OF_ITS_OWN + fix.text.replace(f" of `{function.name}`", "", 1).replace(" shape.", " shape in its calls.", 1)
    code = f"{fix.decorator}  # of the tf.function that `strategy.run` is given"
    return replace(fix, text=text, decorator="", other=code, outside=None, notes=[*fix.notes, _LEAVES_OUT])
