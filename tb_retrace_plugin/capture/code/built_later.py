"""What a library's helpers are passed for steps of a dataset after the function: `batch(size)`, of another size each
time. Of the user's own helpers advice shows the lines, which can be taken in two. The source alone is read."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence

from tb_retrace_plugin.capture.code.scopes import Scope, is_stored, name_of, names_in, scope_of, what_lines_show
from tb_retrace_plugin.explain.words.place import is_of_keras_or_tensorflow
from tb_retrace_plugin.schema import retrace_pb2 as pb

#: Steps for which no function is made, and which are given a number.
_STEPS = frozenset({"batch", "padded_batch", "ragged_batch", "repeat", "shard", "skip", "take"})
_MAX_HELPERS = 6
_OTHERWISE, _ALIKE = "otherwise", "alike"

_known: dict[str, str] = {}


def is_built_otherwise_each_time(stack_id: str, frames: Sequence[pb.Frame]) -> bool:
    """Of the stack of a function of tf.data's: whether libraries' helpers that build and return the dataset pass such a
    step what a loop around the call of the user's sets anew."""
    found = what_lines_show(lambda: _OTHERWISE if _is_built_otherwise(frames) else _ALIKE, _known, stack_id)
    return found == _OTHERWISE


def _is_built_otherwise(frames: Sequence[pb.Frame]) -> bool:
    given: set[str] = set()
    within: Scope | None = None
    for frame in _helpers(frames):
        scope = scope_of(frame)
        if scope is None:
            return False
        parameters = {one.arg for one in _parameters(scope)}
        if within is not None:
            calls = scope.calls(frame.line, {getattr(within.node, "name", "")})
            if len(calls) != 1:
                return False
            passed = _passed(calls[0], _parameters(within), given)
            if any(_is_set_by_a_loop(scope, calls[0], name) for name in passed):
                return True
            given = passed & parameters
        if not frame.user and _is_returned(scope, frame.line):
            given |= {name for name in _given_to_steps(scope, frame.line) if name in parameters}
        if not given:
            return False
        within = scope
    return False


def _helpers(frames: Sequence[pb.Frame]) -> Iterator[pb.Frame]:
    """The user's frames and other libraries' around TensorFlow's own, which come first."""
    first = next((i for i, frame in enumerate(frames) if not is_of_keras_or_tensorflow(frame.file)), len(frames))
    for frame in frames[first : first + _MAX_HELPERS]:
        if is_of_keras_or_tensorflow(frame.file):
            return
        yield frame


def _parameters(scope: Scope) -> list[ast.arg]:
    if isinstance(scope.node, ast.Module):
        return []
    arguments = scope.node.args
    return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]


def _passed(call: ast.Call, parameters: Sequence[ast.arg], given: Collection[str]) -> set[str]:
    """Names in what the call passes for these of the parameters."""
    names = [one.arg for one in parameters]
    if isinstance(call.func, ast.Attribute) and names[:1] in (["self"], ["cls"]):
        del names[0]
    passed = [value for name, value in zip(names, call.args, strict=False) if name in given]
    passed += [keyword.value for keyword in call.keywords if keyword.arg in given]
    return {name for value in passed for name in names_in(value)}


def _is_set_by_a_loop(scope: Scope, call: ast.Call, name: str) -> bool:
    """By one around the call: as its target, or by a statement in it."""
    if scope.loops_of(call, {name}):
        return True
    loops = [one for one in scope.around(call) if isinstance(one, ast.For | ast.While)]
    stores = [one for one in scope.parents if isinstance(one, ast.Name) and one.id == name and is_stored(one)]
    return any(loop in scope.around(one) for one in stores for loop in loops)


def _is_returned(scope: Scope, line: int) -> bool:
    """Whether it builds and returns the dataset, and does not go through it."""
    later = [one for one in scope.parents if getattr(one, "lineno", 0) >= line]
    loops = [one for one in later if isinstance(one, ast.For) and one.lineno > line]
    return not loops and any(isinstance(one, ast.Return) and one.value is not None for one in later)


def _given_to_steps(scope: Scope, line: int) -> Iterator[str]:
    """Names that are passed, as they are, to steps in the line and after it."""
    for call in scope.parents:
        if isinstance(call, ast.Call) and name_of(call) in _STEPS and (call.end_lineno or 0) >= line:
            values = [*call.args, *(keyword.value for keyword in call.keywords)]
            yield from (value.id for value in values if isinstance(value, ast.Name))
