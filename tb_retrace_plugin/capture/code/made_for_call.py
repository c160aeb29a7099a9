"""Whether a program makes the object that a call is passed for that call, and makes another one for the next; or for a
run of several what it passes, closes over, or calls a method of."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Sequence, Set

from tb_retrace_plugin.capture.code.call_site import CallSite
from tb_retrace_plugin.capture.code.filled_containers import FILL
from tb_retrace_plugin.capture.code.passed_in_lines import SELF, called_of, names_of_tf_functions, passed_at
from tb_retrace_plugin.capture.code.scopes import (
    LAMBDA,
    LOOPS,
    MODULE,
    Scope,
    is_stored,
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

#: What makes another object of one, or of a file; classes have names of their own kind.
_MAKE = frozenset({"clone", "clone_model", "deepcopy", "from_config", "from_pretrained", "load_model"})
_FIT = frozenset({"fit", "fit_generator", "train_on_batch"})
_BRANCHES = (ast.If, ast.Try, ast.Match)
_MOST_FUNCTIONS = 3
_MOST_TEXT = 60
_HOLD = (ast.Return, ast.Yield, ast.Assign, ast.AnnAssign, ast.NamedExpr, ast.Starred, ast.IfExp, ast.BoolOp)
_HOLD_ITEMS = (ast.Tuple, ast.List, ast.Set, ast.Dict, ast.DictComp, ast.ListComp, ast.SetComp, ast.GeneratorExp)
#: Of a Keras model, whose steps Keras traces for them; and what makes other steps of it.
_RUN = frozenset({"evaluate", "fit", "predict", "predict_on_batch", "test_on_batch", "train_on_batch"})
#: Of which it is the same one, with other values in its variables.
_SET = frozenset({"load_weights", "set_weights"})
_COMPILE = "compile"
#: Of generators of random numbers, and of searches for settings.
_DRAW = frozenset({
    *("Boolean", "Choice", "Float", "Int", "choice", "choices", "integers", "next", "pop", "randint", "random"),
    *("randrange", "sample", "shuffle", "suggest_categorical", "suggest_float", "suggest_int", "uniform"),
})  # fmt: skip
_known: dict[tuple[str, str, str], str] = {}
_instances_known: dict[tuple[str, str], str] = {}
_models_known: dict[tuple[str, Set[str]], str] = {}
_runs_known: dict[tuple[str, tuple[str, ...]], str] = {}


def made_for_each_call(site: CallSite, function: str, parameters: Sequence[str], path: str, file: str) -> str:
    """The code that makes it, of the same each time, such as `opt = Adam(0.1)` in the loop that calls, or `build()` in
    the call; "" where that is not seen, or where it is kept, or made for several calls, as far as the lines show.
    Nothing is run.

    `function`, `parameters`, `path`, `file`: as of `kept_object`.
    """
    key = site.stack_id, function, path
    return what_lines_show(lambda: _read(site.stack.frames, function, parameters, path, file), _known, key)


def instance_made_again(site: CallSite, function: str, file: str) -> str:
    """The code that makes the instance whose method is called, such as `agent = Agent(seed)`, and makes another one the
    next time, in a loop, or in a function that one calls; "" where that is not seen, or where such are kept, as far as
    the lines show. Nothing is run."""
    key = site.stack_id, function
    return what_lines_show(lambda: _read_instance(site.stack.frames, function, file), _instances_known, key)


def model_made_again(site: CallSite, *, is_compiled_alike: bool = False) -> str:
    """The code that makes the Keras model that is trained or asked there, such as `model = build()`, and makes one
    alike for the next run of several: of nothing that a loop around it, or a call of the function, gives. "" where that
    is not seen, or where such are kept, as far as the lines show. Nothing is run.

    `is_compiled_alike`: what `compile` is given is known to be the same, whatever gives it: but for a learning rate."""
    set_up = _RUN | {_COMPILE} if is_compiled_alike else _RUN
    return what_lines_show(lambda: _read_model(site.stack.frames, set_up), _models_known, (site.stack_id, set_up))


def passed_for_each_run(
    site: CallSite, function: str, parameters: Sequence[str], paths: Sequence[str], file: str
) -> str:
    """The code that makes all that a call is passed there, by the function itself or by those that call it, such as
    `model = build()` in a function that trains one for each fold, and makes such alike for the next run. "" where that
    is not seen, or where one of them is kept, as far as the lines show. Nothing is run.

    `function`, `parameters`, `file`: as of `kept_object`.
    """
    names = {function, *(names_of_tf_functions(function, file) if file else ())}
    key = site.stack_id, ("", function, *paths)
    return what_lines_show(lambda: _read_passed(site.stack.frames, names, parameters, paths), _runs_known, key)


def closed_over_for_each_run(site: CallSite, function: str, names: Sequence[str]) -> str:
    """The same of what a function made anew closes over, by the function that it is defined in."""
    key = site.stack_id, (function, *names)
    return what_lines_show(lambda: _read_closed_over(site.stack.frames, function, names), _runs_known, key)


def _read_passed(frames: Sequence[pb.Frame], called: Set[str], parameters: Sequence[str], paths: Sequence[str]) -> str:
    users, known = user_frames(list(frames)), _RUN
    for place, frame in enumerate(users[:_MOST_FUNCTIONS]):
        known |= called
        scope = scope_of(frame) if frame.function != LAMBDA else None
        calls = scope.calls(frame.line, called) if scope is not None else []
        if scope is None or len(calls) != 1:
            return ""
        passed = [passed_at(calls[0], parameters, path) for path in paths]
        names = [one.id for one in passed if isinstance(one, ast.Name)]
        if len(names) < len(paths):
            return ""
        if scope.is_given(names[0]):
            return _made_for_a_run(scope, names, users[place:], known)
        own = [] if isinstance(scope.node, ast.Module) else [one.arg for one in scope.node.args.args]
        parameters, paths, called = own[own[:1] == [SELF] :], names, {frame.function}
        if not set(paths) <= set(parameters):
            return ""
    return ""


def _read_closed_over(frames: Sequence[pb.Frame], function: str, names: Sequence[str]) -> str:
    users = user_frames(list(frames))
    for place, frame in enumerate(users[:_MOST_FUNCTIONS]):
        scope = scope_of(frame) if frame.function != LAMBDA else None
        if scope is None:
            return ""
        defined = [one for one in scope.parents if isinstance(one, ast.FunctionDef) and one.name == function]
        if defined:
            if isinstance(scope.node, ast.Module):  # what it has from outside of the loop stays
                last = max(defined, key=lambda one: (one.lineno <= frame.line, one.lineno))
                varying = _varying(scope, _loops(scope, last)) | scope.elsewhere
                names = [name for name in names if name in varying]
            loads = [one for one in scope.parents if isinstance(one, ast.Name) and one.id == function]
            tree = tree_of(frame.file)
            is_kept = tree is None or any(_may_keep(scope, tree, one) for one in loads)
            return "" if is_kept or not names else _made_for_a_run(scope, names, users[place:], _RUN)
    return ""


def _made_for_a_run(scope: Scope, names: Sequence[str], users: Sequence[pb.Frame], known: Set[str]) -> str:
    """The code that gives these names their values, joined as evidence quotes it. `known`: what runs is called so."""
    tree = tree_of(users[0].file)
    made = []
    for name in names:
        given = scope.given_once(name)
        if tree is None or given is None or not _makes(tree, given.value) or not _is_repeated(scope, given, users):
            return ""
        loads = scope.loads(name, given)
        if any(_may_keep(scope, tree, one) for one in loads):
            return ""
        before = [one for one in loads if one.lineno < users[0].line]
        if not _are_alike(scope, tree, given, before, {*names}, known):
            return ""
        made.append(_text(given))
    return "`, `".join(dict.fromkeys(made))


def _may_keep(scope: Scope, tree: ast.Module, load: ast.Name, within: int = 0) -> bool:
    """Also an object of a class that is made with it, such as a trainer's, a dictionary, or a function of the file."""
    if _holds(scope, load, frozenset()):
        return True
    call = _call_around(scope, load)
    given = [one for one in call.keywords if one.value is load] if call is not None else []
    if call is None or not (load in call.args or given):
        return False
    name = name_of(call)
    if name[:1].isupper() or name == "dict" or name in FILL:
        return True
    functions = [one for one in nodes_of(tree) if isinstance(one, ast.FunctionDef) and one.name == name]
    if len(functions) != 1 or within == _MOST_FUNCTIONS:
        return bool(functions)
    names = [one.arg for one in functions[0].args.args]
    names = names[1:] if names[:1] == [SELF] else names
    own = given[0].arg if given else next(iter(names[call.args.index(load) :]), None)
    if own is None:  # one of `*args`
        return True
    inner = scope_in(functions[0], tree)
    loads = [one for one in inner.parents if isinstance(one, ast.Name) and one.id == own and not is_stored(one)]
    return any(_may_keep(inner, tree, one, within + 1) for one in loads)


def _read_model(frames: Sequence[pb.Frame], known: Set[str]) -> str:
    """`known`: what is called of a model and makes it no other one."""
    users = user_frames(list(frames))
    scope = scope_of(users[0]) if users and users[0].function != LAMBDA else None
    tree = tree_of(users[0].file) if users else None
    if scope is None or tree is None:
        return ""
    calls = scope.calls(users[0].line, _RUN)
    holders = [call.func.value for call in calls if isinstance(call.func, ast.Attribute)]
    if len(holders) != 1 or not isinstance(holders[0], ast.Name):
        return ""
    text, given = _instance(scope, tree, holders[0], users), scope.given_at(holders[0])
    if not text or given is None:
        return ""
    before = [one for one in scope.loads(holders[0].id, given) if one.lineno < users[0].line]
    return text if _are_alike(scope, tree, given, before, {holders[0].id}, known) else ""


def _are_alike(
    scope: Scope, tree: ast.Module, given: ast.Assign, before: Sequence[ast.Name], made: Set[str], known: Set[str]
) -> bool:
    """Whether what is made there, and is called of it `before`, is of nothing that a loop around it, or a call of the
    function, gives, but for what is `made` alike itself."""
    varying = _varying(scope, _loops(scope, given))
    others = [one for one in before if (call := _call_around(scope, one)) is None or name_of(call) not in _SET]
    set_up = [call for one in others if (call := _call_around(scope, one)) is not None and name_of(call) not in known]
    tests = [around.test for one in others for around in scope.around(one) if isinstance(around, ast.If)]
    own = names_in(given.value)
    if _COMPILE in known:
        own -= _for_compile_alone(tree, given.value)
    read = own.union(*map(names_in, [*set_up, *tests])) - made
    made_by = [one for one in nodes_of(tree) if isinstance(one, ast.FunctionDef) and one.name in read]
    if any(_draws(one) for one in (given.value, *set_up, *made_by)):
        return False
    return varying.isdisjoint(read.union(*map(_read_from_around, made_by)))


def _for_compile_alone(tree: ast.Module, made: ast.expr) -> set[str]:
    """Names of what the function that makes a model is passed, and gives to nothing but `compile`: `build(rate)`."""
    called = made.func.id if isinstance(made, ast.Call) and isinstance(made.func, ast.Name) else ""
    makers = [one for one in nodes_of(tree) if isinstance(one, ast.FunctionDef) and one.name == called]
    if not isinstance(made, ast.Call) or len(makers) != 1 or any(isinstance(one, ast.Starred) for one in made.args):
        return set()
    loads = [one for one in ast.walk(makers[0]) if isinstance(one, ast.Name) and not is_stored(one)]
    compiles = [one for one in ast.walk(makers[0]) if isinstance(one, ast.Call) and name_of(one) == _COMPILE]
    inside = {id(one) for call in compiles for part in (*call.args, *call.keywords) for one in ast.walk(part)}
    given = [one for one in ast.walk(makers[0]) if isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Name)]
    elsewhere = {one.id for one in loads if id(one) not in inside}
    for one in given:  # `optimizer = Adam(rate)`, which `compile` is given
        if isinstance(one.targets[0], ast.Name) and one.targets[0].id not in elsewhere:
            inside |= {id(part) for part in ast.walk(one.value)}
    elsewhere = {one.id for one in loads if id(one) not in inside}
    names = [one.arg for one in (*makers[0].args.posonlyargs, *makers[0].args.args)]
    passed = {**dict(zip(names, made.args, strict=False)), **{one.arg or "": one.value for one in made.keywords}}
    others = set[str]().union(*(names_in(value) for name, value in passed.items() if name in elsewhere or not name))
    return set[str]().union(*map(names_in, passed.values())) - others


def _draws(node: ast.AST) -> bool:
    """Whether it calls what may give something else each time, such as a choice of layers."""
    return any(isinstance(one, ast.Call) and name_of(one) in _DRAW for one in ast.walk(node))


def _read_from_around(function: ast.FunctionDef) -> set[str]:
    names = [node for node in ast.walk(function) if isinstance(node, ast.Name)]
    own = {node.arg for node in ast.walk(function.args) if isinstance(node, ast.arg)}
    return {node.id for node in names} - own - {node.id for node in names if is_stored(node)}


def _read_instance(frames: Sequence[pb.Frame], function: str, file: str) -> str:
    users = user_frames(list(frames))
    called = {function, *(names_of_tf_functions(function, file) if file else ())}
    for place, frame in enumerate(users):
        scope = scope_of(frame) if frame.function != LAMBDA else None
        tree = tree_of(frame.file)
        holders = called_of(scope, frame.line, function, set(), called) if scope is not None else []
        if scope is None or tree is None or len({ast.unparse(one) for one in holders}) != 1:
            return ""
        (holder,) = holders[:1]
        if not isinstance(holder, ast.Name):
            return ""
        if holder.id != SELF:
            return _instance(scope, tree, holder, users[place:])
        function, called = frame.function, {frame.function}  # a method of its own calls it
    return ""


def _instance(scope: Scope, tree: ast.Module, holder: ast.Name, users: Sequence[pb.Frame]) -> str:
    given = scope.given_at(holder)
    if given is None or not _makes(tree, given.value):
        return ""
    if any(_holds(scope, one, frozenset()) for one in scope.loads(holder.id, given)):
        return ""
    return _text(given) if _is_repeated(scope, given, users) else ""


def _read(frames: Sequence[pb.Frame], function: str, parameters: Sequence[str], path: str, file: str) -> str:
    users = user_frames(list(frames))
    scope = scope_of(users[0]) if users and users[0].function != LAMBDA else None
    tree = tree_of(users[0].file) if users else None
    if scope is None or tree is None:
        return ""
    names = {function, *(names_of_tf_functions(function, file) if file else ())}
    calls = scope.calls(users[0].line, names)
    passed = [(call, one) for call in calls if (one := passed_at(call, parameters, path)) is not None]
    made = {_made(scope, tree, call, one, names) for call, one in passed}
    text = made.pop() if len(made) == 1 else ""
    return text if text and all(_is_repeated(scope, call, users) for call, _ in passed) else ""


def _made(scope: Scope, tree: ast.Module, call: ast.Call, node: ast.expr, names: Set[str]) -> str:
    if isinstance(node, ast.Call):
        return _text(node) if _makes(tree, node) and _is_made_alike(scope, tree, node) else ""
    given = scope.given_at(node) if isinstance(node, ast.Name) else None
    if given is None or not isinstance(node, ast.Name) or not _makes(tree, given.value):
        return ""
    loops = _loops(scope, call)
    if _loops(scope, given) != loops or not _is_made_alike(scope, tree, given.value):
        return ""
    if not set(_branches(scope, given)) <= set(_branches(scope, call)):  # it stays for the calls after
        return ""
    loads = scope.loads(node.id, given)
    if any(_loops(scope, one) != loops or _holds(scope, one) for one in loads):
        return ""
    if sum(_is_passed(scope, one, names) for one in loads) > 1:  # it is for several calls
        return ""
    return _text(given)


def _makes(tree: ast.Module, node: ast.expr, within: int = 0) -> bool:
    """Whether each time it gives an object that was not there before."""
    if not isinstance(node, ast.Call):
        return False
    name = name_of(node)
    if name.lstrip("_")[:1].isupper() or name in _MAKE:
        return True
    functions = [one for one in nodes_of(tree) if isinstance(one, ast.FunctionDef) and one.name == name]
    if len(functions) != 1 or functions[0].decorator_list or within == _MOST_FUNCTIONS:
        return False
    scope = scope_in(functions[0], tree)
    returns = [one.value for one in scope.parents if isinstance(one, ast.Return)]
    return bool(returns) and all(value is not None and _gives(scope, tree, value, within) for value in returns)


def _gives(scope: Scope, tree: ast.Module, value: ast.expr, within: int) -> bool:
    if not isinstance(value, ast.Name):
        return _makes(tree, value, within + 1)
    given = scope.given_once(value.id)
    if given is None or not _makes(tree, given.value, within + 1):
        return False
    return not any(_holds(scope, one) for one in scope.loads(value.id, given) if one is not value)


def _is_made_alike(scope: Scope, tree: ast.Module, made: ast.expr) -> bool:
    """Whether it is made of the same each time: of nothing that a loop around it, or a call of the function, gives."""
    varying = _varying(scope, _loops(scope, made)[:1])
    calls = [one for one in ast.walk(made) if isinstance(one, ast.Call)]
    return varying.isdisjoint(names_in(made)) and all(_makes(tree, one) for one in calls)


def _varying(scope: Scope, loops: Sequence[ast.AST]) -> set[str]:
    """Names that one of the loops gives a value, any in the scope if there is none; and parameters."""
    varying = {
        name.id
        for name in scope.parents
        if isinstance(name, ast.Name) and is_stored(name) and (not loops or any(o in loops for o in scope.around(name)))
    }
    if not isinstance(scope.node, ast.Module):
        varying |= {one.arg for one in ast.walk(scope.node.args) if isinstance(one, ast.arg)}
    return varying


def _loops(scope: Scope, node: ast.AST) -> list[ast.AST]:
    return [one for one in scope.around(node) if isinstance(one, LOOPS)]


def _branches(scope: Scope, node: ast.AST) -> list[ast.AST]:
    return [one for one in scope.around(node) if isinstance(one, _BRANCHES)]


def _holds(scope: Scope, load: ast.Name, fit: Set[str] = _FIT) -> bool:
    """Whether it stays where it is put there, for a later call, or is for a run of several, as one that is fitted."""
    parent = scope.parents[load]
    if isinstance(parent, ast.Attribute):
        return parent.attr in fit
    if isinstance(parent, ast.Call) and load in parent.args:
        return isinstance(parent.func, ast.Attribute) and parent.func.attr in FILL
    return isinstance(parent, (*_HOLD, *_HOLD_ITEMS))


def _is_passed(scope: Scope, load: ast.Name, names: Set[str]) -> bool:
    call = _call_around(scope, load)
    return call is not None and name_of(call) in names


def _call_around(scope: Scope, node: ast.AST) -> ast.Call | None:
    return next((one for one in scope.around(node) if isinstance(one, ast.Call)), None)


def _is_repeated(scope: Scope, call: ast.AST, users: Sequence[pb.Frame]) -> bool:
    """By a loop around it, or around the lines that call the function that it is in."""
    if scope.is_repeated(call):
        return True
    for within, frame in itertools.pairwise(users):
        if within.function == MODULE:
            return False
        outer = scope_of(frame) if frame.function != LAMBDA else None
        calls = outer.calls(frame.line, {within.function}) if outer is not None else []
        if outer is None or not calls:
            return False
        if all(map(outer.is_repeated, calls)):
            return True
    return False


def _text(node: ast.AST) -> str:
    text = ast.unparse(node)
    return text if len(text) <= _MOST_TEXT else f"{text.partition('(')[0]}(…)"
