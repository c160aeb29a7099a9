"""Whether the object that a call is passed, or whose method it is, is one of several that the program keeps."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import NamedTuple

from tb_retrace_plugin.capture.code.call_site import CallSite
from tb_retrace_plugin.capture.code.filled_containers import is_filled, is_made_once, is_put_into, makes_all
from tb_retrace_plugin.capture.code.kept_beside import Kept, is_written_again, runs_once, where_it_is_put
from tb_retrace_plugin.capture.code.kept_by_key import given_by_key, is_cached, is_kept_by_key
from tb_retrace_plugin.capture.code.passed_in_lines import (
    CALLED,
    ITSELF,
    SELF,
    called_of,
    is_of_a_library,
    names_of_tf_functions,
    passed_at,
)
from tb_retrace_plugin.capture.code.scopes import (
    COMPREHENSIONS,
    INIT,
    LAMBDA,
    Scope,
    called_as,
    called_by_each,
    is_stored,
    module_of,
    name_of,
    names_in,
    nodes_of,
    scope_in,
    scope_of,
    tree_of,
    user_frames,
    what_lines_show,
)
from tb_retrace_plugin.schema import retrace_pb2 as pb

#: Frames of wrappers that are passed over to the line that names the function; and steps from one name to another.
_MOST_WRAPPERS = 3
_MOST_STEPS = 12
_MOST_TEXT = 60
_GIVE_ITEMS = frozenset({"items", "values", "copy"})
_GO_THROUGH = frozenset({"enumerate", "zip", "reversed", "sorted", "list", "tuple", "tqdm"})
#: Of `random`, NumPy's and a generator's, what gives some of what it is passed.
_PICK = frozenset({"choice", "choices", "permutation", "sample"})
_known: dict[tuple[str, str, str], str] = {}


def kept_object(site: CallSite, function: str, parameters: Sequence[str], path: str, file: str = "") -> str:
    """The code that shows it, such as `models[name]` or `for model in models`; "" where it is not seen, or where such
    are made again and again, as far as the lines show. Nothing is run.

    `function`: the name of what is called, "" of a method of Keras'; or what the `file` has of it:
    `self.step = tf.function(self._step)`, `step = tf.function(_step)`.
    `path`: SELF of the object that this is a method of, or one of the
    `parameters`, without that, or what lies in it (`pair[0]`: whether the program keeps the pair); ITSELF of what is
    called, by whatever name.
    """
    key = site.stack_id, function, path
    return what_lines_show(lambda: _read(site.stack.frames, function, parameters, path, file), _known, key)


class _At(NamedTuple):
    """A line of the user's, with what calls it around it.

    `between`: by each of these, functions of Keras and TensorFlow on the way.
    """

    scope: Scope
    frame: pb.Frame
    outer: Sequence[pb.Frame]
    between: Sequence[set[str]]

    @property
    def callers(self) -> list[str]:
        """Files."""
        return [frame.file for frame in self.outer if frame.user]


def _read(frames: Sequence[pb.Frame], function: str, parameters: Sequence[str], path: str, file: str) -> str:
    frames = list(frames)
    users, between = user_frames(frames), called_by_each(frames)
    path, _, within = path.partition("[")
    called = {function, *(names_of_tf_functions(function, file) if function and file else ())} - {""}
    # what a layer's call makes anew is not what that is called of
    most = 1 if path == SELF and function in CALLED else _MOST_WRAPPERS
    for place in range(min(len(users), most)):
        frame = users[place]
        scope = scope_of(frame) if frame.function != LAMBDA else None
        if scope is None:
            return ""
        if path == SELF:
            found = called_of(scope, frame.line, function, between[place], called)
        else:
            calls = scope.calls(frame.line, None if path == ITSELF else called)
            found = [one for call in calls if (one := passed_at(call, parameters, path)) is not None]
            if path == ITSELF:  # `self.fns[key] = step.get_concrete_function(…)`
                found = [item for call in calls for item in _put_as_concrete(scope, call)] or found
                if not found and any(
                    isinstance(call.func, ast.Attribute) and not is_of_a_library(call.func) for call in calls
                ):
                    return ""  # `self.fn(x)`: what calls that is another thing
        if found:
            at = _At(scope, frame, users[place + 1 :], between[place + 1 :])
            if within and any(is_put_into(at.frame.file, one) for one in found):
                return ""
            shown = [text for one in found if (text := _kept(at, one))]
            as_one = "; ".join(dict.fromkeys(shown))
            are_all = len(shown) == len(found) or (path == ITSELF and as_one in shown)  # `len(fn(x))` calls more
            return as_one[:_MOST_TEXT] if are_all else ""
    return ""


def _put_as_concrete(scope: Scope, call: ast.Call) -> list[ast.expr]:
    """Into which items of others what `get_concrete_function` gives is put there."""
    put = scope.parents.get(call) if name_of(call) == "get_concrete_function" else None
    return [one for one in put.targets if isinstance(one, ast.Subscript)] if isinstance(put, ast.Assign) else []


def _kept(at: _At, node: ast.expr, shown: str = "") -> str:
    """Follows what the expression stands for to where the object, or what holds several (`shown`), is made."""
    is_within = bool(shown)  # in an attribute of what is followed
    for _ in range(_MOST_STEPS):
        if isinstance(node, ast.Subscript):
            if not isinstance(node.slice, ast.Constant):
                shown = shown or ast.unparse(node)
            node = node.value
        elif isinstance(node, ast.List | ast.Tuple):  # that is gone through: `for net in (self.actor, self.critic)`
            found = [_kept(at, one, shown) for one in node.elts]
            return found[0] if found and all(found) else ""
        elif isinstance(node, ast.Attribute):
            if (written := _written_by(at, node)) is not None:
                node = written
                continue
            if not isinstance(node.value, ast.Name | ast.Attribute) or not (
                is_made_once(at.frame.file, at.callers, node.attr) or (shown and _is_filled_by_key(at, node.attr))
            ):
                return ""
            node, is_within = node.value, True
        elif isinstance(node, ast.Call):
            held = _gone_through(node)
            if held is None and is_cached(tree_of(at.frame.file), node):
                return shown or ast.unparse(node)
            item = None if held is not None else _item_given(at, node)
            if item is not None and isinstance(node.func, ast.Name):  # of a dictionary at module level
                return ast.unparse(item) if isinstance(item.value, ast.Name) else ""
            if item is not None and isinstance(node.func, ast.Attribute):
                shown, held = shown or ast.unparse(item), node.func.value
            held = _written_by(at, node.func) if held is None and not (node.args or node.keywords) else held
            if held is None:
                return _made_for(at, node, shown) if is_within else ""
            node = held
        elif isinstance(node, ast.IfExp):
            found = [_kept(at, one) for one in (node.body, node.orelse)]
            return shown or found[0] if all(found) else ""
        elif not isinstance(node, ast.Name):
            return ""
        elif (loop := _loop_over(at.scope, node)) is not None:
            target, through = loop
            if at.scope.is_given_again(node):
                return ""
            node = through
            shown = shown or f"for {ast.unparse(target)} in {ast.unparse(node)}"
        elif (given := at.scope.given_at(node)) is not None:
            is_cached_one = is_cached(tree_of(at.frame.file), given.value)
            if not (_stands_for_another(given.value) or is_cached_one) and _item_given(at, given.value) is None:
                return _made(at, given, node.id, shown, is_within=is_within)
            node = given.value
        elif len(given_by := at.scope.given_by_branches(node.id)) > 1:
            found = [_made(at, one, node.id, shown, is_within=is_within) for one in given_by]
            return found[0] if all(found) else ""
        elif node.id == SELF and at.frame.function == INIT:
            kept = _kept_by_its_maker(at)
            return shown or kept if kept else ""
        elif (argument := _argument(at, node.id)) is not None:
            at, node = argument
        else:
            return _of_the_module(at, node.id, shown, is_within=is_within)
    return ""


def _written_by(at: _At, called: ast.expr) -> ast.List | ast.Tuple | None:
    """What a method or property of that name gives, if the file has one alone, and that gives a list of what the object
    has: `[agent.actor, agent.critic]`."""
    tree = tree_of(at.frame.file)
    if tree is None or not isinstance(called, ast.Attribute):
        return None
    named = [node for node in nodes_of(tree) if isinstance(node, ast.FunctionDef) and node.name == called.attr]
    returns = [node.value for one in named[:1] for node in scope_in(one, tree).parents if isinstance(node, ast.Return)]
    if len(named) != 1 or len(returns) != 1 or not isinstance(returns[0], ast.List | ast.Tuple):
        return None
    parts = [one for one in returns[0].elts if isinstance(one, ast.Attribute) and _is_self(one.value)]
    if len(parts) < len(returns[0].elts):
        return None
    return ast.Tuple([ast.Attribute(called.value, one.attr, ast.Load()) for one in parts], ast.Load())


def _made_for(at: _At, call: ast.Call, shown: str) -> str:
    """Of what holds it and is made where that is passed, or its method called, in a line that runs once:
    `train(Agent())`."""
    passed = next((one for one in at.scope.around(call) if isinstance(one, ast.Call)), None)
    if passed is None or not isinstance(call.func, ast.Name) or not makes_all(at.frame.file, call):
        return ""
    is_once = not at.scope.is_repeated(call) and runs_once(at.frame, at.outer)
    return shown or ast.unparse(call) if is_once and not is_written_again(passed, at.frame.file) else ""


def _item_given(at: _At, value: ast.expr) -> ast.Subscript | None:
    """Of a function in the file that makes what it has not made yet for a key, and keeps it."""
    tree = tree_of(at.frame.file)
    item = given_by_key(tree, value) if tree is not None and isinstance(value, ast.Call) else None
    if tree is None or item is None or isinstance(item.slice, ast.Constant):
        return None
    held = item.value
    name = held.id if isinstance(held, ast.Name) else ""
    if isinstance(held, ast.Attribute) and _is_self(held.value):
        name = held.attr
    return item if name and is_kept_by_key(tree, name) else None


def _is_filled_by_key(at: _At, name: str) -> bool:
    tree = tree_of(at.frame.file)
    return tree is not None and is_kept_by_key(tree, name)


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == SELF


def _of_the_module(at: _At, name: str, shown: str, *, is_within: bool) -> str:
    module = module_of(at.frame)
    if module is None or _is_own(at.scope, name):
        return ""
    given = module.given_once(name)
    if (
        given is None
        or not makes_all(at.frame.file, given.value)
        or module.loops(given)
        or (not is_within and is_filled(at.frame.file, module, name) and not (shown and _is_filled_by_key(at, name)))
    ):
        return ""
    return shown or _text(given)


def _made(at: _At, given: ast.Assign, name: str, shown: str, *, is_within: bool) -> str:
    """Of what a name is given here: one of several in it (`shown`; `is_within`: in an attribute of it), or itself."""
    if not makes_all(at.frame.file, given.value):
        return ""
    if not runs_once(at.frame, at.outer):
        return "" if shown or at.scope.loops(given) else _returned(at, name)
    loops = at.scope.loops(given)
    if not loops:
        is_put_into_it = shown and not is_within and is_filled(at.frame.file, at.scope, name)
        return "" if is_put_into_it else shown or _text(given)
    uses = [where_it_is_put(at.scope, use, {given}, as_it_is=True) for use in at.scope.loads(name, given)]
    kept = next((one for one in uses if isinstance(one, Kept)), None)
    is_once = kept is not None and loops == kept.loops == at.scope.loops(kept.by)
    return ast.unparse(kept.by) if kept is not None and is_once and not shown else ""


def _kept_by_its_maker(at: _At) -> str:
    """Of an object whose `__init__` calls its method: the line that makes it keeps it, and runs once."""
    made, outer = at.frame, list(at.outer)
    while outer and (scope := scope_of(outer[0])) is not None and scope.calls(outer[0].line, {INIT}):
        made, outer = outer[0], outer[1:]  # `super().__init__(…)`, of the class that is made
    scope = scope_of(outer[0]) if outer and outer[0].function != LAMBDA else None
    calls = scope.calls(outer[0].line, {called_as(made)}) if scope is not None else []
    if scope is None or len(calls) != 1 or scope.loops(calls[0]) or not runs_once(outer[0], outer[1:]):
        return ""
    kept = where_it_is_put(scope, calls[0], set(), as_it_is=True)
    if isinstance(kept, Kept):
        return ast.unparse(kept.by)
    given = scope.parents[calls[0]]
    if not isinstance(given, ast.Assign) or len(given.targets) != 1:
        return ""
    (target,) = given.targets
    is_once = isinstance(target, ast.Attribute) or (isinstance(target, ast.Name) and bool(scope.given_once(target.id)))
    return _text(given) if is_once else ""


def _returned(at: _At, name: str) -> str:
    """By a function that is called for each, to a line that runs once and gives it a name."""
    returns = [node.value for node in at.scope.parents if isinstance(node, ast.Return)]
    scope = scope_of(at.outer[0]) if at.outer and at.outer[0].function != LAMBDA else None
    if scope is None or not any(isinstance(value, ast.Name) and value.id == name for value in returns):
        return ""
    calls = scope.calls(at.outer[0].line, {at.frame.function})
    given = scope.parents[calls[0]] if len(calls) == 1 else None
    is_named = isinstance(given, ast.Assign) and len(given.targets) == 1 and isinstance(given.targets[0], ast.Name)
    if not is_named or not isinstance(given, ast.Assign) or scope.loops(given):
        return ""
    return _text(given) if runs_once(at.outer[0], at.outer[1:]) else ""


def _text(given: ast.Assign) -> str:
    text = ast.unparse(given)
    return text if len(text) <= _MOST_TEXT else f"{ast.unparse(given.targets[0])} = …"


def _stands_for_another(value: ast.expr) -> bool:
    """`models[name]`, `self.model`, `other`, `random.choice(models)`, or one of two such."""
    if isinstance(value, ast.IfExp):
        return _stands_for_another(value.body) and _stands_for_another(value.orelse)
    return isinstance(value, ast.Subscript | ast.Attribute | ast.Name) or _is_picked(value)


def _gone_through(call: ast.Call) -> ast.expr | None:
    """What it has the items of: `models.items()`, `enumerate(models)`."""
    if isinstance(call.func, ast.Attribute) and call.func.attr in _GIVE_ITEMS and not call.args:
        return call.func.value
    if _is_picked(call):
        return call.args[0]
    is_plain = isinstance(call.func, ast.Name) and call.func.id in _GO_THROUGH and bool(call.args)
    return call.args[0] if is_plain else None


def _is_picked(value: ast.expr) -> bool:
    return isinstance(value, ast.Call) and name_of(value) in _PICK and bool(value.args)


def _loop_over(scope: Scope, name: ast.Name) -> tuple[ast.expr, ast.expr] | None:
    """Target and what is gone through, of a loop or a comprehension around it that gives the name its value."""
    for around in scope.around(name):
        pairs = [(around.target, around.iter)] if isinstance(around, ast.For) else []
        if isinstance(around, COMPREHENSIONS):
            pairs = [(one.target, one.iter) for one in around.generators]
        for target, through in pairs:
            if name.id in names_in(target):
                return target, _part_of(target, through, name.id)
    return None


def _part_of(target: ast.expr, through: ast.expr, name: str) -> ast.expr:
    """Of `for x, model in zip(rows, models)`, `models`."""
    if not isinstance(through, ast.Call) or not isinstance(target, ast.Tuple):
        return through
    if name_of(through) == "zip" and len(target.elts) == len(through.args):
        return next(arg for one, arg in zip(target.elts, through.args, strict=True) if name in names_in(one))
    return through


def _is_own(scope: Scope, name: str) -> bool:
    """Whether it is a variable of the function's own, or of a module's that is given values more than once."""
    if isinstance(scope.node, ast.Module):
        return True
    return name in _parameters(scope) or any(
        isinstance(node, ast.Name) and node.id == name and is_stored(node) for node in scope.parents
    )


def _parameters(scope: Scope) -> list[str]:
    if isinstance(scope.node, ast.Module):
        return []
    arguments = scope.node.args
    return [one.arg for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]


def _argument(at: _At, name: str) -> tuple[_At, ast.expr] | None:
    """What the function's caller passes by that name, or calls it a method of."""
    parameters = _parameters(at.scope)
    if name not in parameters or not at.outer:
        return None
    caller = at.outer[0]
    scope = scope_of(caller) if caller.function != LAMBDA else None
    if scope is None:
        return None
    is_method = parameters[0] == SELF
    if is_method and name == SELF:
        passed = called_of(scope, caller.line, at.frame.function, at.between[0])
    else:
        calls = scope.calls(caller.line, {at.frame.function})
        given = (passed_at(call, parameters[1:] if is_method else parameters, name) for call in calls)
        passed = [one for one in given if one is not None]
    return (_At(scope, caller, at.outer[1:], at.between[1:]), passed[0]) if passed else None
