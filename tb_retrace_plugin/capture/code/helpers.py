"""Functions of the user's that another one calls by name, or of a module or an object that it knows, methods that one
calls on `self`, and what `self(…)` runs, with what it passes of its parameters in their place."""

from __future__ import annotations

import ast
import copy
import functools
import re
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from types import CodeType, FunctionType, ModuleType
from typing import Any

from tb_retrace_plugin.capture import tf_seam
from tb_retrace_plugin.capture.code.call_site import is_user_file
from tb_retrace_plugin.capture.code.called_names import ALSO, calls_by_name, name_called, root_of
from tb_retrace_plugin.capture.code.code_names import names_of
from tb_retrace_plugin.capture.code.known_packages import is_known
from tb_retrace_plugin.capture.code.made_attributes import made_attributes
from tb_retrace_plugin.capture.code.methods_of_arguments import OfAnArgument
from tb_retrace_plugin.capture.code.other_names import by_parameters, parameters_of
from tb_retrace_plugin.capture.code.owning_class import owner_of
from tb_retrace_plugin.capture.code.sizes_of_computed import followed, names_read, names_stored
from tb_retrace_plugin.capture.code.source_tree import assigned_once, lies_in, source_tree
from tb_retrace_plugin.capture.values.static_attribute import MISSING, in_class

_CACHED = type(functools.lru_cache(id))
_VARIABLE = 0x04 | 0x08  # inspect's CO_VARARGS and CO_VARKEYWORDS
#: That are read for one function.
_MOST = 8
#: The same, with what those call in turn, each called by the one before.
_MOST_IN_TURN, MAX_DEPTH = 16, 4
#: Through which a number stays one.
STAY_NUMBERS = frozenset({"int", "float", "abs", "min", "max", "round"})
#: What `self(…)` runs, which of a Keras layer or model is the second.
_ITSELF = "self"
_CALLED = ("__call__", "call")
#: Ends a name of the helper's that only looks like one of the caller's.
_OTHER = "?"
IS_OTHER = re.compile(r"\w+\?")


def helpers_among(around: Mapping[str, Any]) -> dict[str, FunctionType]:
    """Plain functions of the user's, and what a tf.function was made of: it fails of what it is passed as well."""
    plain = ((name, tf_seam.plain_function(value)) for name, value in around.items())
    return {
        name: value for name, value in plain if type(value) is FunctionType and is_user_file(value.__code__.co_filename)
    }


def hashing_among(around: Mapping[str, Any]) -> set[str]:
    """Of `functools.lru_cache`: a tensor has no hash, whatever is cached."""
    return {name for name, value in around.items() if type(value) is _CACHED}


def called_on(around: Mapping[str, Any], code: CodeType) -> dict[str, FunctionType]:
    """`layers.decay` of a module, `schedule.at` of an object, what `model(…)` runs of one: also of packages that are
    installed, but for TensorFlow's own and those that it stands on, of which it is known what they take."""
    found: dict[str, FunctionType] = {}
    for name, holder in around.items():
        kind = type(holder)
        is_module = kind is ModuleType
        package = holder.__dict__.get("__name__") if is_module else in_class(kind, "__module__")
        if is_known(package):
            continue
        for each in code.co_names if is_module else (*code.co_names, *_CALLED):
            value = holder.__dict__.get(each) if is_module else in_class(kind, each)
            if type(value) is not FunctionType or (not is_module and value.__code__.co_varnames[:1] != (_ITSELF,)):
                continue
            if not is_known(str(value.__globals__.get("__name__", ""))):
                found[f"{name}.{each}"] = value
                if each in _CALLED and not is_module:
                    found.setdefault(name, value)
    return found


def methods_called(function: Any, code: CodeType) -> dict[str, FunctionType]:
    """`self.mask`: of the class that the function is a method of, found by its name; none that a subclass has anew,
    for which the instance is it is not known. A decorated one, too: it is traced with what it is passed."""
    found = owner_of(function)
    if found is None or code.co_varnames[:1] != (_ITSELF,):
        return {}
    below = [*_subclasses(found)]
    methods: dict[str, FunctionType] = {}
    for name in (*code.co_names, *_CALLED):
        attribute = in_class(found, name)
        value = tf_seam.plain_function(attribute.__func__ if type(attribute) is staticmethod else attribute)
        is_theirs = type(value) is FunctionType and is_user_file(value.__code__.co_filename)
        if is_theirs and all(in_class(each, name) is attribute for each in below):
            methods[f"self.{name}"] = value
            if name in _CALLED:
                methods.setdefault(_ITSELF, value)
    return {**_called_on_attributes(found, code), **methods}


def _called_on_attributes(found: type, code: CodeType) -> dict[str, FunctionType]:
    """`self.net`, which runs what its class has for that, and `self.schedule.at`: of objects that the class makes."""
    called: dict[str, FunctionType] = {}
    for name, kind in made_attributes(found).items() if _calls_what_it_has(found, code) else ():
        for each in (*code.co_names, *_CALLED) if name in code.co_names else ():
            value = tf_seam.plain_function(in_class(kind, each))
            if type(value) is FunctionType and is_user_file(value.__code__.co_filename):
                called[f"{_ITSELF}.{name}.{each}"] = value
                if each in _CALLED:
                    called.setdefault(f"{_ITSELF}.{name}", value)
    return called


def _calls_what_it_has(found: type, code: CodeType) -> bool:
    """Whether it may: it reads an attribute that the class itself lacks."""
    return any(
        name.base == "self" and name.path and isinstance(name.path[0], str) and in_class(found, name.path[0]) is MISSING
        for _, name in names_of(code).by_text
    )


def _subclasses(found: type) -> Iterator[type]:
    those: list[type] = type.__subclasses__(found)
    for each in those:
        yield each
        yield from _subclasses(each)


def called_with(
    tree: ast.AST, parameters: set[str], helpers: Mapping[str, FunctionType], *, as_passed: bool = False
) -> Iterator[tuple[FunctionType, ast.AST]]:
    """Each helper that is called, and its source as if it were the caller's: `math.exp(n)` of `decay(n)` where that
    writes `math.exp(step)`, or `decay(n / 2)`. `as_passed`: but for what it gives another value, or is computed."""
    calls = [*_calls_of(tree, parameters, helpers)]
    lists = _lists_in(tree, parameters) if calls and not as_passed else {}
    for helper, call, name in calls:
        passed = _passed(call, helper.__code__, is_method=_is_method(name, helper))
        if not as_passed:
            passed = {path: _listed(value, lists) for path, value in passed.items()}
        passed = {
            path: value
            for path, value in passed.items()
            if lies_in(value, parameters)
            or _has_such(value, parameters, of_computed=not as_passed)
            or (not as_passed and _is_computed(value, parameters))
        }
        if as_passed:
            passed = {one: value for one, value in passed.items() if one not in names_of(helper.__code__).reassigned}
        source = source_tree(helper.__code__) if passed else None
        if source is not None:
            own = by_parameters(source.tree, helper.__code__, set(passed))
            yield helper, _InPlace(passed, parameters).visit(copy.deepcopy(own))


def called_in_turn(
    tree: ast.AST, parameters: set[str], function: Any, code: CodeType,
    helpers_of: Callable[[Any, CodeType], Mapping[str, FunctionType]], *, as_passed: bool = False,
) -> Iterator[tuple[FunctionType, ast.AST]]:  # fmt: skip
    """The same, and of each what it calls with what it is passed. `helpers_of`: a function that is in `tree`."""

    def called(tree: ast.AST, function: Any, code: CodeType, depth: int) -> Iterator[tuple[FunctionType, ast.AST]]:
        for helper, within in called_with(tree, parameters, helpers_of(function, code), as_passed=as_passed):
            yield helper, within
            if depth < MAX_DEPTH:
                yield from called(within, helper, helper.__code__, depth + 1)

    return islice(called(tree, function, code, 1), _MOST_IN_TURN)


def computed_in_turn(
    tree: ast.AST, follows: Mapping[str, set[str]], parameters: set[str], function: Any, code: CodeType,
    helpers_of: Callable[[Any, CodeType], Mapping[str, FunctionType]],
) -> Iterator[tuple[ast.AST, Mapping[str, set[str]]]]:  # fmt: skip
    """Each helper's source, and what its names are computed of where they are no parameter of the caller's as it is:
    `.x` of `loss(net(x), y)`; and of those that it calls with that. `follows`: names of the caller's, and the
    parameters that they are computed of."""

    def called(
        tree: ast.AST, known: Mapping[str, set[str]], own: set[str], function: Any, code: CodeType, depth: int
    ) -> Iterator[tuple[ast.AST, Mapping[str, set[str]]]]:
        for helper, call, name in _calls_of(tree, {*known}, helpers_of(function, code)):
            passed = _passed(call, helper.__code__, is_method=_is_method(name, helper))
            read = {path: names_read(value) & known.keys() for path, value in passed.items()}
            of = {path: set().union(*(known[each] for each in found)) for path, found in read.items() if found}
            source = source_tree(helper.__code__) if of else None
            if source is None:
                continue
            within = by_parameters(source.tree, helper.__code__, {*of})
            # a name of the caller's own is told by that, where it is asked for one call below
            told = own if depth > 1 else {*known}
            as_it_is = {path for path in of if lies_in(passed[path], told)}
            inner = followed(within, {*of})
            of |= {name: set().union(*(of[each] for each in found)) for name, found in inner.items()}
            yield within, {name: found for name, found in of.items() if name not in as_it_is}
            if depth < MAX_DEPTH:
                own_of_it = {path for path in passed if lies_in(passed[path], own)}
                yield from called(within, of, own_of_it, helper, helper.__code__, depth + 1)

    return islice(called(tree, follows, parameters, function, code, 1), _MOST_IN_TURN)


def _calls_of(
    tree: ast.AST, own: set[str], helpers: Mapping[str, FunctionType]
) -> Iterator[tuple[FunctionType, ast.Call, str]]:
    by_name: dict[str, list[FunctionType]] = {}
    for key in _not_of(own, helpers):
        by_name.setdefault(key.partition(ALSO)[0], []).append(helpers[key])
    calls = calls_by_name(tree) if by_name else iter(())
    return islice(((helper, call, name) for call, name in calls for helper in by_name.get(name, ())), _MOST)


def _not_of(own: set[str], helpers: Mapping[str, FunctionType]) -> set[str]:
    """Those that no name of the caller's own hides."""
    others = own - {_ITSELF}
    return {name for name in helpers if type(name) is OfAnArgument or (name not in own and root_of(name) not in others)}


def _is_method(name: str, helper: FunctionType) -> bool:
    """Not a module's function, nor a static method; of `model(…)` what its class has for that."""
    is_of_one = "." in name or name == _ITSELF or helper.__name__ in _CALLED
    return is_of_one and helper.__code__.co_varnames[:1] == (_ITSELF,)


def _passed(call: ast.Call, code: CodeType, *, is_method: bool) -> dict[str, ast.expr]:
    """Parameters of the helper's -> what the call passes for them."""
    if code.co_flags & _VARIABLE or any(isinstance(each, ast.Starred) for each in call.args):
        return {}
    names = code.co_varnames[is_method : code.co_argcount]
    given = dict(zip(names, call.args, strict=False))
    return given | {each.arg: each.value for each in call.keywords if each.arg in parameters_of(code)}


def _lists_in(tree: ast.AST, parameters: set[str]) -> dict[str, ast.expr]:
    """Local names that stand for a list that is written there: `pair = [n, n * 2]`."""
    kinds = (ast.List, ast.Tuple, ast.ListComp)
    once = assigned_once(tree).items()
    return {name: value for name, value in once if isinstance(value, kinds) and name not in parameters}


def _listed(value: ast.expr, lists: Mapping[str, ast.expr]) -> ast.expr:
    """The list that a name stands for; of `[n * k for k in (1, 2)]` one with what each is computed of."""
    value = lists.get(value.id, value) if isinstance(value, ast.Name) else value
    if not isinstance(value, ast.ListComp):
        return value
    targets = {name for one in value.generators for name in names_stored(one.target)}
    return ast.List([_WithOnes(targets).visit(copy.deepcopy(value.elt))], ast.Load())


class _WithOnes(ast.NodeTransformer):
    """What a comprehension's own names have is a number, as far as what is computed with it goes."""

    def __init__(self, names: set[str]) -> None:
        self._names = names

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.Constant(1) if node.id in self._names else node


def _has_such(value: ast.expr, parameters: set[str], *, of_computed: bool = False) -> bool:
    """`model([x, mask])`, `model({"ids": ids})`: something of it is, or is computed of one (`of_computed`)."""
    parts = value.elts if isinstance(value, ast.List | ast.Tuple) else []
    parts = value.values if isinstance(value, ast.Dict) else parts
    if any(isinstance(part, ast.Starred) for part in parts):  # of which places are not known
        return False
    return any(lies_in(part, parameters) or (of_computed and _is_computed(part, parameters)) for part in parts)


def _is_computed(value: ast.expr, parameters: set[str]) -> bool:
    """Of one of them and of constants, by Python's operators and what leaves a number one: `min(1.0, n / 3)`."""
    if isinstance(value, ast.BinOp):
        parts = [value.left, value.right]
    elif isinstance(value, ast.UnaryOp):
        parts = [value.operand]
    elif isinstance(value, ast.Call) and not value.keywords and name_called(value.func) in STAY_NUMBERS:
        parts = value.args
    else:
        return False
    return any(lies_in(part, parameters) or _is_computed(part, parameters) for part in parts) and all(
        isinstance(part, ast.Constant) or lies_in(part, parameters) or _is_computed(part, parameters) for part in parts
    )


class _InPlace(ast.NodeTransformer):
    def __init__(self, passed: Mapping[str, ast.expr], parameters: set[str]) -> None:
        self._passed, self._parameters = passed, parameters

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id in self._passed and isinstance(node.ctx, ast.Load):
            return copy.deepcopy(self._passed[node.id])
        return ast.Name(node.id + _OTHER, node.ctx) if node.id in self._parameters else node

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        """`x` of `inputs[0]` where `[x, mask]` is passed; of `inputs[...]`, which a loop has by turns, what may be a
        number."""
        self.generic_visit(node)
        key = node.slice.value if isinstance(node.slice, ast.Constant) else None
        if key is ... and isinstance(node.value, ast.List | ast.Tuple):
            such = (
                one for one in node.value.elts if lies_in(one, self._parameters) or _is_computed(one, self._parameters)
            )
            return next(such, node)
        if isinstance(node.value, ast.List | ast.Tuple) and type(key) is int and 0 <= key < len(node.value.elts):
            return node.value.elts[key]
        if isinstance(node.value, ast.Dict) and type(key) is str:
            keys = (each.value if isinstance(each, ast.Constant) else None for each in node.value.keys)
            return next((value for each, value in zip(keys, node.value.values, strict=True) if each == key), node)
        return node
