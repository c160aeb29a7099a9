"""What a program makes when it is first asked for by a key, and keeps: `if k not in self.fns: self.fns[k] = …`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tb_retrace_plugin.capture.code.scopes import Scope, name_of, nodes_of, scope_in

_LETS_GO = frozenset({"pop", "popleft", "popitem", "clear", "remove", "update"})
#: Of `functools`; and how many these keep at least, of what a program may go through by turns.
_CACHES = frozenset({"cache", "lru_cache"})
_FEW = 16
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def is_kept_by_key(tree: ast.Module, name: str) -> bool:
    """Of a dictionary by its own name, or the attribute's: whether all that is put into it in the file is what it did
    not have yet, and nothing takes any of it out, or begins it anew other than in an `__init__`, at module level, or
    where there is none."""
    if not any(_is_put(node, name) for node in nodes_of(tree)):  # mostly
        return False
    for scope in _scopes(tree):
        for node in scope.parents:
            if isinstance(node, ast.Attribute) and node.attr in _LETS_GO and _name(node.value) == name:
                return False
            if isinstance(node, ast.Subscript) and _is_put(node, name):
                if isinstance(node.ctx, ast.Del) or not _is_where_it_lacks(scope, node):
                    return False
            elif _name(node) == name and not isinstance(getattr(node, "ctx", None), ast.Load):
                begins = isinstance(scope.node, ast.Module) or scope.node.name == "__init__"
                if scope.loops(node) or not (begins or _asks(scope, node, {name})):
                    return False
    return True


def _is_put(node: ast.AST, name: str) -> bool:
    """Also where it is taken out."""
    return isinstance(node, ast.Subscript) and _name(node.value) == name and not isinstance(node.ctx, ast.Load)


def given_by_key(tree: ast.Module, call: ast.Call) -> ast.Subscript | None:
    """What a function of that name gives, if there is one in the file: an item of a dictionary, as it is written
    there."""
    functions = [node for node in nodes_of(tree) if isinstance(node, _FUNCTIONS) and node.name == name_of(call)]
    if len(functions) != 1:
        return None
    scope = scope_in(functions[0], tree)
    returns = [node.value for node in scope.parents if isinstance(node, ast.Return)]
    items = {ast.unparse(item): item for value in returns for item in _items(scope, value)}
    is_each = bool(returns) and all(any(_items(scope, value)) for value in returns)
    return next(iter(items.values())) if is_each and len(items) == 1 else None


def is_cached(tree: ast.Module | None, call: ast.expr) -> bool:
    """Whether a function of that name, if there is one in the file, makes what it gives once for each key, by
    `functools.cache`; not where that keeps but a few."""
    name = name_of(call) if isinstance(call, ast.Call) else ""
    functions = [one for one in (nodes_of(tree) if tree is not None and name else ()) if isinstance(one, _FUNCTIONS)]
    named = [one for one in functions if one.name == name]
    return len(named) == 1 and any(map(_caches, named[0].decorator_list))


def _caches(decorator: ast.expr) -> bool:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    given = [*decorator.args, *(one.value for one in decorator.keywords)] if isinstance(decorator, ast.Call) else []
    most = given[0].value if given and isinstance(given[0], ast.Constant) else None
    return _name(called) in _CACHES and not (isinstance(most, int) and most < _FEW)


def _items(scope: Scope, value: ast.expr | None) -> Iterator[ast.Subscript]:
    """The items that it is, or that it is put into."""
    if isinstance(value, ast.Subscript):
        yield value
    if not isinstance(value, ast.Name):
        return
    for node in scope.parents:
        if isinstance(node, ast.Assign) and any(_name(one) == value.id for one in [*node.targets, node.value]):
            yield from (one for one in node.targets if isinstance(one, ast.Subscript))


def _is_where_it_lacks(scope: Scope, put: ast.Subscript) -> bool:
    """Whether an `if` around it, or before it that returns, asks whether that is there: by `in`, or what `get` gives;
    or where its absence has raised a KeyError."""
    names = {_name(put.value)}
    for node in scope.parents:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and name_of(node.value) == "get":
            held = node.value.func
            if isinstance(held, ast.Attribute) and _name(held.value) in names:
                names |= {_name(one) for one in node.targets}
    return _asks(scope, put, names - {""}) or any(
        isinstance(one, ast.ExceptHandler) and one.type is not None and _name(one.type) == "KeyError"
        for one in scope.around(put)
    )


def _asks(scope: Scope, node: ast.AST, names: set[str]) -> bool:
    """Whether it is come to only where what was asked is not there."""
    within: ast.AST = node
    for one in scope.around(node):
        if isinstance(one, ast.If) and _is_not_there(one.test, names, is_met=within in one.body):
            return True
        within = one
    before = (
        one
        for one in scope.parents
        if isinstance(one, ast.If) and isinstance(one.body[-1], ast.Return) and one.lineno < getattr(node, "lineno", 0)
    )
    return any(_is_not_there(one.test, names, is_met=False) for one in before)


def _is_not_there(test: ast.expr, names: set[str], *, is_met: bool) -> bool:
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        asked = test.operand
        return (is_met and _name(asked) in names) or _is_not_there(asked, names, is_met=not is_met)
    if not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return False
    asks_for_none = isinstance(test.comparators[0], ast.Constant) and test.comparators[0].value is None
    asked = test.left if asks_for_none else test.comparators[0]
    lacks = (ast.Is,) if asks_for_none else (ast.NotIn,)
    has = (ast.IsNot,) if asks_for_none else (ast.In,)
    return _name(asked) in names and isinstance(test.ops[0], lacks if is_met else has)


def _name(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _scopes(tree: ast.Module) -> Iterator[Scope]:
    yield scope_in(tree, tree)
    yield from (scope_in(node, tree) for node in nodes_of(tree) if isinstance(node, _FUNCTIONS))
