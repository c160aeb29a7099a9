"""Which calls in a source line are those of a function, and what they pass. All that is not certain is left alone."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from tb_retrace_plugin.explain.advice.source.code import is_dotted_name, keyword_of, parsed, without_comment
from tb_retrace_plugin.schema.signature import is_of_star_arguments

#: What a name in a program stands for unless somebody means harm.
_NOT_THE_USERS = frozenset({*dir(builtins), "tf", "tensorflow", "np", "numpy", "keras"})
#: Methods of Python's lists, sets, deques and queues that take what is to be kept.
_OF_CONTAINERS = frozenset({"add", "append", "appendleft", "extend", "insert", "put"})


@dataclass(frozen=True, slots=True)
class Call:
    """`given`: the arguments that are written out, by the paths of their parameters."""

    node: ast.Call
    given: Mapping[str, ast.expr]

    @property
    def has_stars(self) -> bool:
        return _has_stars(self.node)

    @property
    def options(self) -> ast.expr | None:
        """The `options` of `f(x, **options)`, where all that is not written out comes of it; None: it may not."""
        stars = [keyword.value for keyword in self.node.keywords if keyword.arg is None]
        if len(stars) != 1 or any(isinstance(argument, ast.Starred) for argument in self.node.args):
            return None
        return stars[0] if is_dotted_name(ast.unparse(stars[0])) else None


@dataclass(frozen=True, slots=True)
class CallingLine:
    """`code`: without its comment, in which the calls' columns are places. `bound`: names that the line itself gives a
    value before it calls. `of_a_partial`: what it calls is a `functools.partial` of the function."""

    code: str
    calls: tuple[Call, ...]
    bound: frozenset[str]
    of_a_partial: bool = False


def calling_line(
    source: str,
    name: str,
    parameters: Sequence[str],
    optional: Collection[str] = (),
    keyword_only: Collection[str] = (),
    *,
    any_name: bool = False,
) -> CallingLine | None:
    """The calls of `name` in a line; None if which these are, or what they pass, is not certain.

    `optional`: the parameters with a default value. `any_name`: the line is known to call the function, if need be by
    another name: then it is its only call that can be one.
    """
    code = without_comment(source)
    tree = parsed(code)
    if tree is None:
        return None
    if not code.isascii():
        _count_characters(tree, code)
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    found = [node for node in calls if _calls(node.func, name)]
    bound: Collection[str] = ()
    if not found:
        calls = _without_what_is_gone_through(tree, calls)
    candidates = found if found or _is_passed_on(tree, name) else calls
    if any_name and (bound := _bound_by_a_partial(candidates, parameters, optional)):
        found = candidates
        parameters = [path for path in parameters if path not in bound]
    if not found and any_name and not _is_passed_on(tree, name):
        found = [n for n in calls if not _is_not_theirs(n) and _can_take(n, parameters, optional, keyword_only)]
        if len(found) > 1:  # of `out.append(f(x))` the inner one
            found = [node for node in found if not _only_keeps(node, found)]
        if len(found) > 1:
            return None
    # methods of that name can be of other objects
    if len({ast.dump(node.func) for node in found}) != 1:
        return None
    if not all(_can_take(node, parameters, optional, keyword_only) for node in found):
        return None
    given = tuple(Call(node, _given(node, parameters, optional, keyword_only)) for node in found)
    return CallingLine(code, given, _bound(tree), bool(bound))


def handing_line(
    source: str, by: str, name: str, parameters: Sequence[str], optional: Collection[str], keyword_only: Collection[str]
) -> CallingLine | None:
    """The call in a line that hands the function to one of the user's (`by`), which calls it with all that it is passed
    after it: `run(step, x, n)`. None if there is not one, or what it passes is not certain."""
    code = without_comment(source)
    tree = parsed(code)
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)] if tree is not None else []
    calls = [call for call in calls if _calls(call.func, by)]
    names = {name, name.lstrip("_")}  # `step = tf.function(_step)`
    found = [
        (call, place)
        for call in calls
        for place, one in enumerate(call.args)
        if isinstance(one, ast.Name | ast.Attribute) and any(_calls(one, each) for each in names)
    ]
    if tree is None or len(calls) != 1 or len(found) != 1 or not code.isascii():
        return None
    call, place = found[0]
    handed = ast.copy_location(ast.Call(call.args[place], call.args[place + 1 :], call.keywords), call)
    if not (handed.args or handed.keywords) or not _can_take(handed, parameters, optional, keyword_only):
        return None
    return CallingLine(code, (Call(handed, _given(handed, parameters, optional, keyword_only)),), _bound(tree))


def passes_less(source: str, name: str, parameters: Sequence[str], optional: Collection[str]) -> bool:
    """Whether a call of that name leaves out what has no default: that is bound before, by whatever is called."""
    tree = parsed(without_comment(source))
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)] if tree is not None else []
    needed = sum(path not in optional for path in parameters)
    return all(path.isidentifier() for path in parameters) and any(
        _calls(call.func, name) and not _has_stars(call) and len(call.args) + len(call.keywords) < needed
        for call in calls
    )


def passes_on(source: str) -> bool:
    """Whether the line's one call hands on what it was given itself: `return f(*args, **kwargs)` of a decorator."""
    tree = parsed(without_comment(source))
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)] if tree is not None else []
    if len(calls) != 1:
        return False
    given = [argument for argument in calls[0].args if not (isinstance(argument, ast.Name) and argument.id == "self")]
    stars = [argument.value for argument in given if isinstance(argument, ast.Starred)]
    stars += [keyword.value for keyword in calls[0].keywords if keyword.arg is None]
    are_all = len(stars) == len(given) + len(calls[0].keywords)
    return bool(stars) and are_all and all(isinstance(star, ast.Name) for star in stars)


def _count_characters(tree: ast.Module, code: str) -> None:
    """Columns are bytes: makes them characters."""
    line = code.encode()
    for node in ast.walk(tree):
        if isinstance(node, ast.expr):
            node.col_offset = len(line[: node.col_offset].decode("utf-8", "replace"))
            node.end_col_offset = len(line[: node.end_col_offset].decode("utf-8", "replace"))


def _by_place(parameters: Sequence[str], keyword_only: Collection[str]) -> list[str]:
    """Those that a call can pass without their names, in order."""
    return [path for path in parameters if path not in keyword_only and not keyword_of(path, parameters)]


def _given(
    call: ast.Call, parameters: Sequence[str], optional: Collection[str], keyword_only: Collection[str]
) -> dict[str, ast.expr]:
    by_place = _by_place(parameters, keyword_only)
    stars = [place for place, argument in enumerate(call.args) if isinstance(argument, ast.Starred)]
    paths = {keyword_of(path, parameters): path for path in parameters}
    given = {paths.get(k.arg, k.arg): k.value for k in call.keywords if k.arg is not None}
    given.update(zip(by_place, call.args[: stars[0]] if stars else call.args, strict=False))
    positional = [name for name in by_place if name not in given]
    if len(stars) == 1 and not any(k.arg is None for k in call.keywords) and not {*positional} & {*optional}:
        given.update(zip(reversed(positional), reversed(call.args[stars[0] + 1 :]), strict=False))  # the last ones
    return given


def _has_stars(call: ast.Call) -> bool:
    return any(isinstance(argument, ast.Starred) for argument in call.args) or any(k.arg is None for k in call.keywords)


def _can_take(
    call: ast.Call, parameters: Sequence[str], optional: Collection[str], keyword_only: Collection[str]
) -> bool:
    """Whether a function with these parameters takes the call."""
    by_place = _by_place(parameters, keyword_only)
    takes_more = any(map(is_of_star_arguments, by_place))  # `*args`, of which a call may pass any number
    paths = {keyword_of(path, parameters): path for path in parameters}
    plain = [argument for argument in call.args if not isinstance(argument, ast.Starred)]
    by_keyword = {paths.get(k.arg, k.arg) for k in call.keywords if k.arg is not None}
    if (len(plain) > len(by_place) and not takes_more) or not by_keyword <= {*parameters}:
        return False
    given = {*by_place[: len(plain)], *by_keyword}
    return _has_stars(call) or all(name in given or name in optional for name in parameters)


def _bound_by_a_partial(
    calls: Sequence[ast.Call], parameters: Sequence[str], optional: Collection[str]
) -> Collection[str]:
    """Parameters that the line's one call leaves out and that have no default, as a `functools.partial` has them: by
    name, or the first ones. None where the names of what is passed do not tell which."""
    if len(calls) != 1 or _has_stars(calls[0]) or _is_not_theirs(calls[0]):
        return ()
    passed, by_keyword = calls[0].args, {keyword.arg for keyword in calls[0].keywords}
    needed = [path for path in parameters if path not in optional and path not in by_keyword]
    missing = len(needed) - len(passed)
    if missing <= 0 or not all(path.isidentifier() for path in parameters) or not by_keyword <= {*parameters}:
        return ()
    names = [argument.id if isinstance(argument, ast.Name) else "" for argument in passed]
    for bound in (needed[len(passed) :], needed[:missing]):
        taken = [path for path in parameters if path not in bound and path not in by_keyword]
        pairs = [(name, path) for name, path in zip(names, taken, strict=False) if name in parameters]
        if pairs and all(name == path for name, path in pairs):
            return bound
    return ()


def _is_not_theirs(call: ast.Call) -> bool:
    root = call.func
    while isinstance(root, ast.Attribute):
        root = root.value
    return isinstance(root, ast.Name) and root.id in _NOT_THE_USERS


def _only_keeps(call: ast.Call, others: Collection[ast.Call]) -> bool:
    """Whether it puts what one of the others gives into a list or such."""
    if not (isinstance(call.func, ast.Attribute) and call.func.attr in _OF_CONTAINERS):
        return False
    return any(node in others for argument in call.args for node in ast.walk(argument))


def _without_what_is_gone_through(tree: ast.Module, calls: Sequence[ast.Call]) -> list[ast.Call]:
    """Of `[f(x) for x in batches(data, 3)]` the one of `f`: a tensor is rarely gone through."""
    loops = [node for node in ast.walk(tree) if isinstance(node, ast.For | ast.comprehension)]
    within = {id(node) for loop in loops for node in ast.walk(loop.iter)}
    others = [call for call in calls if id(call) not in within and not _is_not_theirs(call)]
    return others or list(calls)


def _calls(function: ast.expr, name: str) -> bool:
    if isinstance(function, ast.Attribute):
        if function.attr == "get_concrete_function":
            return _calls(function.value, name)
        return function.attr == name
    return isinstance(function, ast.Name) and function.id == name


def _is_passed_on(tree: ast.Module, name: str) -> bool:
    """Whether the line passes the function to another, such as `starmap(step, calls)`, which calls it."""
    passed = [
        argument
        for call in ast.walk(tree)
        if isinstance(call, ast.Call)
        for argument in (*call.args, *(keyword.value for keyword in call.keywords))
    ]
    return any(isinstance(argument, ast.Name | ast.Attribute) and _calls(argument, name) for argument in passed)


def _bound(tree: ast.Module) -> frozenset[str]:
    """All that it gives a value, but for what it assigns the result to; and for the parameters of a function that the
    line is all of, `def score(self, x): return f(x, self.model)`, as in one of several lines."""
    first = tree.body[0] if len(tree.body) == 1 else None
    after = [*ast.walk(first.targets[0])] if isinstance(first, ast.Assign) and len(first.targets) == 1 else []
    stored = [node for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
    own = [*ast.walk(first.args)] if isinstance(first, ast.FunctionDef | ast.AsyncFunctionDef) else []
    parameters = [node.arg for node in ast.walk(tree) if isinstance(node, ast.arg) and node not in own]
    return frozenset([*parameters, *(node.id for node in stored if node not in after)])
