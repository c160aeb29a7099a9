"""What tf.function was passed, of a function that something else was made of first: a partial, a decorated one."""

from __future__ import annotations

from types import FunctionType, MethodType

from tb_retrace_plugin.capture.tf_seam.functions import TracedFunction, is_given_bound
from tb_retrace_plugin.explain.words.made_by_libraries import OF_A_DATASET
from tb_retrace_plugin.schema import retrace_pb2 as pb


def as_it_is_passed(traced: TracedFunction, function: pb.Function) -> pb.Function:
    """The record of a function, which is another's too; a copy with what is this trace's own, where there is that."""
    if traced.outer is traced.python and not traced.partials and _first_parameter(traced) != "self":  # nearly always
        return function
    passed, bound = _passed_as(traced, function), _bound_as(traced)
    is_partial = bool(traced.partials) and traced.structured is None
    # `tf.function(model.predict)`, whatever decorators its `def` has
    is_made = not (function.undecorated or function.library) and is_given_bound(traced)
    if not (passed or bound or is_partial or is_made):
        return function
    own = pb.Function()
    own.CopyFrom(function)
    own.undecorated = function.undecorated or is_made
    own.passed_as, own.bound_as = passed, bound
    own.keyword_only.extend(_passed_by_name(traced, own))
    own.bound_by_name.extend(dict.fromkeys(name for partial in traced.partials for name in partial.keywords))
    return own


def made_by_a_dataset(function: pb.Function) -> pb.Function:
    """The record of what tf.data makes of a tf.function, which counts its own traces beside it."""
    own = pb.Function()
    own.CopyFrom(function)
    own.variant = f"{OF_A_DATASET} {function.variant}".rstrip()
    return own


def _passed_by_name(traced: TracedFunction, function: pb.Function) -> tuple[str, ...]:
    """Parameters from the first that a partial binds by its name on: by place none of them can be passed, or declared
    in an input signature."""
    bound = {name for partial in traced.partials for name in partial.keywords}
    code = getattr(traced.python, "__code__", None)
    names = code.co_varnames[: code.co_argcount] if bound and code is not None else ()
    first = next((place for place, name in enumerate(names) if name in bound), len(names))
    return tuple(name for name in names[first:] if name not in function.keyword_only)


def _passed_as(traced: TracedFunction, function: pb.Function) -> str:
    """Of one that a call of tf.function was passed: above a decorated `def` is all that was made of it but partials."""
    if traced.structured is not None:
        return ""
    if traced.partials:
        owner = function.qualname.rpartition(".")[0]
        own = f"….{function.name}" if owner and not owner.endswith("<locals>") else function.name
        return f"functools.partial({own}, …)" if len(traced.partials) == 1 else "…"
    if not function.undecorated:
        return ""
    outer = getattr(traced.outer, "__func__", traced.outer)
    return "…" if type(outer) is FunctionType and outer is not traced.python else ""


def _bound_as(traced: TracedFunction) -> str:
    """`self` where it is passed as any argument is, as by a decorator above `tf.function`; another name where bound."""
    name = _first_parameter(traced)
    if traced.structured is not None:
        return ""
    if name == "self":
        # a partial of `Model.step` binds it by its place
        is_bound = traced.is_bound or any(partial.args for partial in traced.partials)
        return "" if is_bound else name
    return name if isinstance(traced.outer, MethodType) else ""


def _first_parameter(traced: TracedFunction) -> str:
    code = getattr(traced.python, "__code__", None)
    return str(code.co_varnames[0]) if code is not None and code.co_argcount else ""
