"""A Keras model or layer that the user makes a tf.function of, called with changing shapes: what to declare there."""

from __future__ import annotations

from dataclasses import replace

from tb_retrace_plugin.explain.advice.evidence.facts import Fix, FunctionFacts
from tb_retrace_plugin.explain.advice.evidence.library_code import is_called_by_the_user
from tb_retrace_plugin.explain.advice.shapes import traced_beforehand
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


def propose_beforehand(function: FunctionFacts) -> Fix | None:
    """Where it is passed `training` by its name, say, which no input signature declares."""
    if not _is_compiled_by_the_user(function) or propose_signature(function) is not None:
        return None
    return traced_beforehand.propose(function, NO_CHANGE)


def propose_reduce(function: FunctionFacts) -> Fix | None:
    if _is_compiled_by_the_user(function):
        return _where_it_is_made(propose_reduce_retracing(function))
    fix = propose_reduce_retracing(function) if _is_a_call(function) else None
    made = "….call = tf.function(….call, reduce_retracing=True)  # where it is made"
    return replace(fix, decorator="", other=made) if fix is not None else None


def _is_compiled_by_the_user(function: FunctionFacts) -> bool:
    return _is_of_keras(function) and all(map(is_called_by_the_user, function.traces))


def _is_a_call(function: FunctionFacts) -> bool:
    """`model.call = tf.function(model.call)`, which the model calls, with what it may be told besides."""
    return function.name == "call" and _is_of_keras(function) and all(map(function.caller, function.traces))


def _is_of_keras(function: FunctionFacts) -> bool:
    return any(part in function.file.replace("\\", "/") for part in _KERAS)


def _where_it_is_made(fix: Fix | None) -> Fix | None:
    if fix is None or not fix.decorator.startswith(_DECORATOR):
        return None
    declared = fix.decorator[len(_DECORATOR) :]
    space = "" if declared.startswith("\n") else " "
    return replace(fix, decorator="", other=f"compiled = tf.function(…,{space}{declared}")
