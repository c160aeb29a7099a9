"""Whether the object that a call is passed, or whose method it is, is one of several that the program keeps."""

from __future__ import annotations

import ast
from collections.abc import Sequence, Set
from typing import NamedTuple

from tb_retrace_plugin.capture.code.call_site import CallSite
from tb_retrace_plugin.capture.code.kept_beside import Kept, is_written_again, runs_once, where_it_is_put
from tb_retrace_plugin.capture.code.kept_by_key import given_by_key, is_cached, is_kept_by_key
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

SELF, ITSELF = "self", "()"
#: Frames of wrappers that are passed over to the line that names the function; and steps from one name to another.
_MOST_WRAPPERS = 3
_MOST_STEPS = 12
_MOST_TEXT = 60
_GIVE_ITEMS = frozenset({"items", "values", "copy"})
FILL = frozenset({"append", "add", "insert", "appendleft", "setdefault", "update", "extend"})
_GO_THROUGH = frozenset({"enumerate", "zip", "reversed", "sorted", "list", "tuple", "tqdm"})
#: Of `random`, NumPy's and a generator's, what gives some of what it is passed.
_PICK = frozenset({"choice", "choices", "permutation", "sample"})
_CALLED = ("call", "__call__")
_BUILTINS = frozenset({"bool", "enumerate", "float", "int", "len", "list", "print", "range", "str", "tuple", "zip"})
_LIBRARIES = frozenset({"K", "keras", "math", "np", "numpy", "tensorflow", "tf"})
_LAZY = frozenset({"map", "filter", "iter", "zip", "enumerate", "reversed"})
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


def _read(frames: Sequence[pb.Frame], function: str, parameters: Sequence[str], path: str, file: str) -> str:
    frames = list(frames)
    users, between = user_frames(frames), called_by_each(frames)
    path, _, within = path.partition("[")
    called = {function, *(names_of_tf_functions(function, file) if function and file else ())} - {""}
    # what a layer's call makes anew is not what that is called of
    most = 1 if path == SELF and function in _CALLED else _MOST_WRAPPERS
    for place in range(min(len(users), most)):
        frame = users[place]
        scope = scope_of(frame) if frame.function != LAMBDA else None
        if scope is None:
            return ""
        if path == SELF:
            found = _of_which(scope, frame.line, function, between[place], called)
        else:
            calls = scope.calls(frame.line, None if path == ITSELF else called)
            found = [one for call in calls if (one := passed_at(call, parameters, path)) is not None]
            if path == ITSELF:  # `self.fns[key] = step.get_concrete_function(…)`
                found = [item for call in calls for item in _put_as_concrete(scope, call)] or found
                if not found and any(
                    isinstance(call.func, ast.Attribute) and not _is_of_a_library(call.func) for call in calls
                ):
                    return ""  # `self.fn(x)`: what calls that is another thing
        if found:
            at = _At(scope, frame, users[place + 1 :], between[place + 1 :])
            if within and any(_is_put_into(at, one) for one in found):
                return ""
            shown = {text for one in found if (text := _kept(at, one))}
            return shown.pop()[:_MOST_TEXT] if len(shown) == 1 else ""
    return ""


def _is_put_into(at: _At, passed: ast.expr) -> bool:
    """Whether the file gives the container another item somewhere, by that name; True of what has none."""
    tree = tree_of(at.frame.file)
    if tree is None or not isinstance(passed, ast.Name | ast.Attribute):
        return True
    name = passed.attr if isinstance(passed, ast.Attribute) else passed.id
    return any(_filled_by(node) == name for node in nodes_of(tree))


def _put_as_concrete(scope: Scope, call: ast.Call) -> list[ast.expr]:
    """Into which items of others what `get_concrete_function` gives is put there."""
    put = scope.parents.get(call) if name_of(call) == "get_concrete_function" else None
    return [one for one in put.targets if isinstance(one, ast.Subscript)] if isinstance(put, ast.Assign) else []


def names_of_tf_functions(function: str, file: str) -> set[str]:
    """Those that the file gives a tf.function of it: `self.step = tf.function(self._step)`."""
    tree = tree_of(file)
    assigns = [node for node in (nodes_of(tree) if tree is not None else ()) if isinstance(node, ast.Assign)]
    return {
        target.attr if isinstance(target, ast.Attribute) else target.id
        for one in assigns
        if isinstance(one.value, ast.Call) and any(_name_of_own(arg) == function for arg in one.value.args)
        if "function" in ast.unparse(one.value.func)
        for target in one.targets
        if isinstance(target, ast.Attribute | ast.Name)
    }


def _name_of_own(node: ast.expr) -> str:
    """Of `self._step`, or `_step`."""
    if isinstance(node, ast.Name):
        return node.id
    is_own = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == SELF
    return node.attr if is_own and isinstance(node, ast.Attribute) else ""


def _of_which(
    scope: Scope, line: int, function: str, between: set[str], called_by: Set[str] = frozenset()
) -> list[ast.expr]:
    """Of what the line may call the method: `net.step(x)`, and `net.build(…)` or `net.fit(…)` where Keras calls it for
    that; of `call`, which `net(x)` runs, `net`, if no other such is called there."""
    holders = _holders(scope.calls(line, called_by or {function} if function else between))
    if holders or function not in _CALLED or (not between and function != "__call__"):
        return holders
    if between and (holders := _holders(scope.calls(line, between - {*_CALLED}))):
        return holders
    called = {ast.unparse(one.func): one.func for one in scope.calls(line, None) if not _is_of_a_library(one.func)}
    return [*called.values()] if len(called) == 1 else []


def _is_of_a_library(called: ast.expr) -> bool:
    """`tf.reduce_mean`, `float`, and what is done with a result: `np.asarray(…).round`."""
    if isinstance(called, ast.Name):
        return called.id in _BUILTINS
    is_method = isinstance(called, ast.Attribute)
    while isinstance(called, ast.Attribute):
        called = called.value
    return is_method if isinstance(called, ast.Call) else isinstance(called, ast.Name) and called.id in _LIBRARIES


def _holders(calls: Sequence[ast.Call]) -> list[ast.expr]:
    return [call.func.value for call in calls if isinstance(call.func, ast.Attribute)]


def passed_at(call: ast.Call, parameters: Sequence[str], path: str) -> ast.expr | None:
    if path == ITSELF:
        return call.func if isinstance(call.func, ast.Subscript | ast.Name | ast.Call) else None
    if any(isinstance(one, ast.Starred) for one in call.args):
        return None
    by_name = [keyword.value for keyword in call.keywords if keyword.arg == path]
    place = parameters.index(path) if path in parameters else len(call.args)
    return by_name[0] if by_name else call.args[place] if place < len(call.args) else None


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
                _is_made_in_init(at, node.attr) or (shown and _is_filled_by_key(at, node.attr))
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
    if passed is None or not isinstance(call.func, ast.Name) or not _makes(at.frame.file, call):
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
        or not _makes(at.frame.file, given.value)
        or module.loops(given)
        or (not is_within and _is_filled(at.frame.file, module, name) and not (shown and _is_filled_by_key(at, name)))
    ):
        return ""
    return shown or _text(given)


def _made(at: _At, given: ast.Assign, name: str, shown: str, *, is_within: bool) -> str:
    """Of what a name is given here: one of several in it (`shown`; `is_within`: in an attribute of it), or itself."""
    if not _makes(at.frame.file, given.value):
        return ""
    if not runs_once(at.frame, at.outer):
        return "" if shown or at.scope.loops(given) else _returned(at, name)
    loops = at.scope.loops(given)
    if not loops:
        is_filled = shown and not is_within and _is_filled(at.frame.file, at.scope, name)
        return "" if is_filled else shown or _text(given)
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


def _is_made_in_init(at: _At, name: str) -> bool:
    """Whether nothing else in the file, or in one of those that call it, gives an attribute of that name a value, or
    fills what it holds."""
    files = dict.fromkeys(frame.file for frame in at.outer if frame.user)
    callers = [tree for file in files if file != at.frame.file and (tree := tree_of(file)) is not None]
    tree = tree_of(at.frame.file)
    return (
        tree is not None
        and _made_in_init_of(tree, name) is True
        and not any(_made_in_init_of(one, name) is False for one in callers)
    )


def _made_in_init_of(tree: ast.Module, name: str) -> bool | None:
    """None: nothing there does."""
    inits = [node for node in nodes_of(tree) if isinstance(node, ast.FunctionDef) and node.name == "__init__"]
    allowed = {id(node): scope for one in inits for scope in [scope_in(one, tree)] for node in scope.parents}
    found = [
        (node, allowed.get(id(node)))
        for node in nodes_of(tree)
        if _filled_by(node) == name
        or (isinstance(node, ast.Attribute) and node.attr == name and not isinstance(node.ctx, ast.Load))
    ]
    return all(scope is not None and scope.loops(node) <= 1 for node, scope in found) if found else None


def _is_filled(file: str, scope: Scope, name: str) -> bool:
    """Whether items are put into what has the name, other than once for each of several by the scope itself."""
    tree = tree_of(file)
    nodes = nodes_of(tree) if tree is not None else ()
    return any(node not in scope.parents or scope.loops(node) > 1 for node in nodes if _filled_by(node) == name)


def _filled_by(node: ast.AST) -> str:
    """The name, or the attribute's, of what an item is put into: `models[key] = …`, `self.models.append(…)`."""
    held: ast.expr | None = None
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
        held = node.value
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in FILL:
        held = node.func.value
    return held.attr if isinstance(held, ast.Attribute) else held.id if isinstance(held, ast.Name) else ""


def _text(given: ast.Assign) -> str:
    text = ast.unparse(given)
    return text if len(text) <= _MOST_TEXT else f"{ast.unparse(given.targets[0])} = …"


def _makes(file: str, value: ast.expr) -> bool:
    """Whether it is all there then: not where a generator makes one after the other."""
    if isinstance(value, ast.Call):
        tree = tree_of(file)
        functions = [node for node in nodes_of(tree) if isinstance(node, ast.FunctionDef)] if tree is not None else []
        called = [node for node in functions if node.name == name_of(value)]
        is_lazy = any(isinstance(node, ast.Yield | ast.YieldFrom) for one in called for node in ast.walk(one))
        return not is_lazy and name_of(value) not in _LAZY
    return isinstance(value, ast.List | ast.Tuple | ast.Dict | ast.ListComp | ast.DictComp)


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
        passed = _of_which(scope, caller.line, at.frame.function, at.between[0])
    else:
        calls = scope.calls(caller.line, {at.frame.function})
        given = (passed_at(call, parameters[1:] if is_method else parameters, name) for call in calls)
        passed = [one for one in given if one is not None]
    return (_At(scope, caller, at.outer[1:], at.between[1:]), passed[0]) if passed else None
