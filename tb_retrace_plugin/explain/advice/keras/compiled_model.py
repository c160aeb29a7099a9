"""A Keras model or layer that the user makes a tf.function of, called with changing shapes: what to declare there."""

from __future__ import annotations

from dataclasses import replace

from tb_retrace_plugin.explain.advice.evidence.facts import Fix, FunctionFacts
from tb_retrace_plugin.explain.advice.evidence.library_code import is_called_by_the_user
from tb_retrace_plugin.explain.advice.shapes.shapes import propose_input_signature, propose_reduce_retracing
from tb_retrace_plugin.explain.what_if.candidate import NO_CHANGE
from tb_retrace_plugin.schema.signature import is_of_star_keywords

#: Keras makes tf.functions of its own loops alone, which it calls itself.
_KERAS = ("/keras/src/", "/tf_keras/src/")
_DECORATOR = "@tf.function("


def propose_signature(function: FunctionFacts) -> Fix | None:
    if not _is_compiled_by_the_user(function):
        return None
    arguments = [path for trace in function.traces for path, _ in trace.lookup.signature.arguments]
    if any(is_of_star_keywords(path) for path in arguments):  # they cannot be declared
        return None
    return _where_it_is_made(propose_input_signature(function, NO_CHANGE))


def propose_reduce(function: FunctionFacts) -> Fix | None:
    return _where_it_is_made(propose_reduce_retracing(function)) if _is_compiled_by_the_user(function) else None


def _is_compiled_by_the_user(function: FunctionFacts) -> bool:
    file = function.file.replace("\\", "/")
    return any(part in file for part in _KERAS) and all(map(is_called_by_the_user, function.traces))


def _where_it_is_made(fix: Fix | None) -> Fix | None:
    if fix is None or not fix.decorator.startswith(_DECORATOR):
        return None
    declared = fix.decorator[len(_DECORATOR) :]
    space = "" if declared.startswith("\n") else " "
    return replace(fix, decorator="", other=f"compiled = tf.function(…,{space}{declared}")
