"""A function's source with what its own names stand for in their place: `k = cfg['k']`, `x, y = batch`, and `arch[...]`
for `op` of `for op in arch`; and with names that mean no parameter where they are read left out: a lambda's `k`, `n`
after `n = 3`. Arguments of calls are where they end up (spread_arguments.py)."""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from types import CodeType
from typing import TypeAlias

from tb_retrace_plugin.capture.code.source_tree import lies_in
from tb_retrace_plugin.capture.code.spread_arguments import with_arguments_in_place

_VARIABLE = 0x04 | 0x08  # inspect's CO_VARARGS and CO_VARKEYWORDS
#: Ends what a name becomes that is another one's; no name has it.
_OTHER = "?"
_Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_SCOPES = (*_FUNCTIONS, *_COMPREHENSIONS, ast.ClassDef)
#: What may lie in a parameter, or hold what does.
_MAY_LIE = (ast.Name, ast.Attribute, ast.Subscript, ast.Tuple)
_TARGETS = frozenset({"targets", "target", "optional_vars"})


def parameters_of(code: CodeType) -> set[str]:
    """With `args` of `*args` and `kwargs` of `**kwargs`, without `self`."""
    count = code.co_argcount + code.co_kwonlyargcount + (code.co_flags & _VARIABLE).bit_count()
    return set(code.co_varnames[:count]) - {"self"}


def by_parameters(tree: ast.AST, code: CodeType, parameters: Collection[str], around: Collection[str] = ()) -> ast.AST:
    """The tree, or a copy in which names are what lies in a parameter; not those that are assigned to again.

    `around`: names from around the function that are asked about as well.
    """
    own, known = parameters_of(code), {*parameters, *around}
    if not _may_mean_others(tree, known):
        return with_arguments_in_place(tree)
    whole = copy.deepcopy(tree)
    function = next((node for node in ast.walk(whole) if isinstance(node, _FUNCTIONS) and _taken(node) == own), None)
    if function is None:
        return tree
    _Reader({*parameters}, known).read(function)
    return with_arguments_in_place(whole)


def _taken(function: _Function) -> set[str]:
    of = function.args
    more = [each for each in (of.vararg, of.kwarg) if each is not None]
    return {each.arg for each in (*of.posonlyargs, *of.args, *of.kwonlyargs, *more)} - {"self"}


def _may_mean_others(tree: ast.AST, known: set[str]) -> bool:
    """Whether a name may stand for what lies in a parameter, or one of `known` for something else."""
    bound: Counter[str] = Counter()
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.NamedExpr) and isinstance(node.value, _MAY_LIE):
            return True
        if isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Store):
            return True
        if isinstance(node, ast.For):
            return True
        bound.update(_bound(node))
    parameters = [node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)]
    return any(bound[name] > (name in parameters) for name in known)


def _bound(node: ast.AST) -> list[str]:
    """Names that the node itself gives a meaning."""
    if isinstance(node, ast.Name):
        return [] if isinstance(node.ctx, ast.Load) else [node.id]
    if isinstance(node, ast.arg):
        return [node.arg]
    if isinstance(node, ast.alias):
        return [(node.asname or node.name).partition(".")[0]]
    if isinstance(node, ast.MatchMapping):
        return [node.rest] if node.rest else []
    if isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar):
        return [node.name] if node.name else []
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [node.name]
    return []


def _own(scope: ast.AST) -> Iterator[ast.AST]:
    """What lies in a scope, without what lies in scopes within it but for what those assign to in it."""
    waiting = [*ast.iter_child_nodes(scope)]
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, _SCOPES):
            for each in ast.walk(node):
                if isinstance(each, ast.Nonlocal):
                    yield from (ast.Name(name, ast.Store()) for name in each.names)
                elif isinstance(each, ast.NamedExpr):
                    yield each.target
        else:
            waiting += ast.iter_child_nodes(node)


class _Reader:
    """Goes through a function as it runs.

    `_others`: names, and items such as `cfg['k']`, that mean something else from here on. `_follows`: names that hold
    what follows from a parameter. `_stands_for`: what lies in one, by name. `_places`: names that have each place of
    a list by turns. `_stored`: how often this scope assigns.
    """

    def __init__(self, parameters: set[str], known: set[str]) -> None:
        self._parameters, self._known = parameters, known
        self._others: set[str] = set()
        self._follows = set(parameters)
        self._stands_for: dict[str, ast.expr] = {}
        self._places: set[str] = set()
        self._stored: Counter[str] = Counter()
        self._is_first_look = False

    def read(self, function: _Function) -> None:
        self._stored = Counter(name for node in _own(function) for name in _bound(node))
        body: list[ast.AST] = [*function.body] if isinstance(function.body, list) else [function.body]
        if any(isinstance(node, _FUNCTIONS) for part in body for node in ast.walk(part)):
            # functions within it may read what is assigned after them
            others, follows, was_first = set(self._others), set(self._follows), self._is_first_look
            self._is_first_look = True
            self._each(copy.deepcopy(body))
            self._others, self._follows, self._is_first_look = others, follows, was_first
        body = self._each(body)
        function.body = body if isinstance(function.body, list) else body[0]  # type: ignore[assignment]

    def _each(self, nodes: list[ast.AST]) -> list[ast.AST]:
        found = []
        for node in nodes:
            with self._branch(isinstance(node, ast.ExceptHandler | ast.match_case)):
                # a dictionary has None in place of a key for `**more`
                found.append(self._visited(node) if isinstance(node, ast.AST) else node)
        return found

    @contextmanager
    def _branch(self, is_one: bool = True) -> Iterator[None]:
        """What is assigned there may be as it was after it."""
        others, follows = self._others, self._follows
        if is_one:
            self._others, self._follows = set(others), set(follows)
        yield
        if is_one:
            self._others, self._follows = others & self._others, follows | self._follows

    def _visited(self, node: ast.AST) -> ast.AST:
        if isinstance(node, ast.Name | ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Load):
            if self._others and (text := ast.unparse(node)) in self._others:
                return ast.Name(text + _OTHER, ast.Load())
            if isinstance(node, ast.Name):  # each its own: what is done with the tree may change it in place
                found = self._stands_for.get(node.id)
                return node if found is None else copy.deepcopy(found)
            if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Name) and node.slice.id in self._places:
                node.value = self._expression(node.value)
                node.slice = ast.Constant(...) if lies_in(node.value, self._parameters) else node.slice
                return node
        if isinstance(node, _SCOPES):
            self._scope(node)
        elif isinstance(node, ast.For | ast.AsyncFor | ast.comprehension):
            node.iter = self._expression(node.iter)
            self._bind(node.target, node.iter)
            if isinstance(node, ast.For):
                self._bind_items(node.target, node.iter)
            if isinstance(node, ast.comprehension):  # whose names are its own, whatever they hold
                self._others |= self._known.intersection(_all_bound(node.target))
                self._bind_items(node.target, node.iter, is_own=True)
            self._fields(node, "iter")
        elif isinstance(node, ast.Match):
            node.subject = self._expression(node.subject)
            for case in node.cases:
                with self._branch():
                    self._bind_names(_all_bound(case.pattern), follows=self._follows_from(node.subject))
                    self._fields(case)
        else:
            if isinstance(node, ast.ExceptHandler):
                self._bind_names(_bound(node))
            self._fields(node)
            self._bind_after(node)
        return node

    def _expression(self, node: ast.expr) -> ast.expr:
        found = self._visited(node)
        return found if isinstance(found, ast.expr) else node

    def _fields(self, node: ast.AST, *done: str) -> None:
        fields = [name for name in node._fields if name not in done]
        for name in sorted(fields, key=lambda name: name in _TARGETS):  # what is assigned is computed first
            value = getattr(node, name, None)
            if isinstance(value, list):
                with self._branch(bool(value) and isinstance(value[0], ast.stmt) and not isinstance(node, ast.With)):
                    setattr(node, name, self._each(value))
            elif isinstance(value, ast.AST):
                setattr(node, name, self._visited(value))

    def _scope(self, node: ast.AST) -> None:
        if isinstance(node, _FUNCTIONS):
            of = node.args
            of.defaults = [self._expression(each) for each in of.defaults]
            of.kw_defaults = [each and self._expression(each) for each in of.kw_defaults]
        if isinstance(node, _COMPREHENSIONS):
            first = node.generators[0]
            first.iter = self._expression(first.iter)
        if not (self._is_first_look and isinstance(node, _FUNCTIONS)):
            self._within(node)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            self._bind_names([node.name], follows=True)

    def _within(self, node: ast.AST) -> None:
        kept = self._others, self._follows, self._stands_for, self._places, self._stored
        of_targets = [each.target for each in getattr(node, "generators", [])]
        nodes = [within for each in of_targets for within in ast.walk(each)] or [*_own(node)]
        outer = {name for each in nodes if isinstance(each, ast.Global | ast.Nonlocal) for name in each.names}
        local = {name for each in nodes for name in _bound(each)} - outer
        self._others = (self._others - local) | (local & self._known)
        self._follows = self._follows - local
        self._stands_for = {name: value for name, value in self._stands_for.items() if name not in local}
        self._places = self._places - local
        if isinstance(node, _FUNCTIONS):
            self.read(node)
        else:
            self._stored = Counter()  # a class's names are not those of what is in it
            parts = ("body",) if isinstance(node, ast.ClassDef) else ("generators", "elt", "key", "value")
            for name in parts:
                value = getattr(node, name, None)
                if isinstance(value, list):
                    setattr(node, name, self._each(value))
                elif isinstance(value, ast.AST):
                    setattr(node, name, self._visited(value))
        self._others, self._follows, self._stands_for, self._places, self._stored = kept

    def _bind_after(self, node: ast.AST) -> None:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                for one, value in _one_by_one(target, node.value):
                    self._bind(one, value, may_stand=len(node.targets) == 1)
        elif isinstance(node, ast.AnnAssign | ast.NamedExpr) and node.value is not None:
            self._bind(node.target, node.value, may_stand=True)
        elif isinstance(node, ast.withitem) and node.optional_vars is not None:
            self._bind(node.optional_vars, node.context_expr)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            self._bind_names([name for each in node.names for name in _bound(each)])

    def _bind(self, target: ast.AST, value: ast.expr, *, may_stand: bool = False) -> None:
        follows = self._follows_from(value)
        self._bind_names(_all_bound(target), follows=follows)
        if isinstance(target, ast.Attribute | ast.Subscript) and not follows and lies_in(target, self._parameters):
            self._others.add(ast.unparse(target))
        if may_stand and lies_in(value, self._parameters):
            for name, part in _named(target, value):
                if self._stored[name] == 1 and name not in self._parameters:
                    self._stands_for[name] = part

    def _bind_items(self, target: ast.expr, value: ast.expr, *, is_own: bool = False) -> None:
        """`op` of `for op in arch`, and of `for w, op in zip(ws, arch)`, stands for `arch[...]`, as `w` and `op` of
        `for w, op in arch` do, and `w` of `for name, w in ws.items()` for `ws[...]`; `i` of `for i in range(n)`, which
        is a tensor if `n` is, for `n[...]`; and with `i` of `for i in range(len(arch))`, and of `for i, op in
        enumerate(arch)`, so does `arch[i]`. `is_own`: the target's names are a comprehension's."""
        called = value.func.id if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) else ""
        names, lists = [target], [value]
        is_numbered = called == "enumerate" and isinstance(target, ast.Tuple)
        place = target.elts[0] if is_numbered and isinstance(target, ast.Tuple) else target
        if isinstance(place, ast.Name) and (is_numbered or _is_of_places(value)):
            self._places.add(place.id)
        if isinstance(value, ast.Call) and isinstance(target, ast.Tuple) and called in ("zip", "enumerate"):
            names, lists = (target.elts, value.args) if called == "zip" else (target.elts[1:], value.args)
        elif isinstance(value, ast.Call) and called in ("range", "reversed"):
            lists = self._gone_through(value)
        elif isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and not value.args:
            of_a_key = target.elts[1:] if isinstance(target, ast.Tuple) else []
            names = {"values": [target], "items": of_a_key}.get(value.func.attr, [])
            lists = [value.func.value]
        elif isinstance(value, ast.Subscript) and isinstance(value.slice, ast.Slice):
            lists = [value.value]
        for one, each in zip(names, lists, strict=False):
            if not lies_in(each, self._parameters):
                continue
            for name in one.elts if isinstance(one, ast.Tuple) else [one]:  # of `for dx, dy in shifts`
                is_once = isinstance(name, ast.Name) and (is_own or self._stored[name.id] == 1)
                if isinstance(name, ast.Name) and name.id not in self._parameters and is_once:
                    self._stands_for[name.id] = ast.Subscript(each, ast.Constant(...), ast.Load())

    def _gone_through(self, value: ast.expr) -> list[ast.expr]:
        """The list, or the number that says how often: the last of `range(1, n + 1)`."""
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "reversed":
            return [one for each in value.args for one in self._gone_through(each)]
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "range":
            return [one for each in value.args for one in _numbers_of(each, self._parameters)][-1:]
        return [value]

    def _follows_from(self, value: ast.AST) -> bool:
        return any(isinstance(each, ast.Name) and each.id in self._follows for each in ast.walk(value))

    def _bind_names(self, names: Sequence[str], *, follows: bool = False) -> None:
        self._others.difference_update(names)
        self._places.difference_update(names)
        if follows:
            self._follows.update(names)
        else:
            self._follows.difference_update(names)
            self._others.update(self._known.intersection(names))


def _all_bound(node: ast.AST) -> list[str]:
    return [name for each in ast.walk(node) for name in _bound(each)]


def _one_by_one(target: ast.expr, value: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
    """Also of `k, n = cfg["k"], cfg["n"]`."""
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        return list(zip(target.elts, value.elts, strict=True))
    return [(target, value)]


def _named(target: ast.AST, value: ast.expr) -> list[tuple[str, ast.expr]]:
    if isinstance(target, ast.Name):
        return [(target.id, value)]
    parts = target.elts if isinstance(target, ast.Tuple | ast.List) else []
    if any(isinstance(part, ast.Starred) for part in parts) or _is_shape(value):
        return []
    items = [ast.Subscript(value, ast.Constant(number), ast.Load()) for number in range(len(parts))]
    return [(part.id, item) for part, item in zip(parts, items, strict=True) if isinstance(part, ast.Name)]


def _numbers_of(value: ast.expr, parameters: set[str]) -> Iterator[ast.expr]:
    """What lies in a parameter, of `n - 1` and `n // k`."""
    if isinstance(value, ast.BinOp | ast.UnaryOp):
        for part in (value.left, value.right) if isinstance(value, ast.BinOp) else (value.operand,):
            yield from _numbers_of(part, parameters)
    elif lies_in(value, parameters):
        yield value


def _is_of_places(value: ast.expr) -> bool:
    """`range(len(arch))`, also `range(1, len(arch) - 1)` and `reversed(…)` of it."""
    if not (isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.args):
        return False
    if value.func.id == "reversed":
        return _is_of_places(value.args[0])
    calls = [one for each in value.args for one in ast.walk(each) if isinstance(one, ast.Call)]
    return value.func.id == "range" and any(isinstance(one.func, ast.Name) and one.func.id == "len" for one in calls)


def _is_shape(value: ast.expr) -> bool:
    """Whose parts are sizes, and are read as such."""
    return isinstance(value, ast.Attribute) and value.attr == "shape"
