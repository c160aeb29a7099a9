"""Where a file gives an attribute its value, and puts items into what it makes."""

from __future__ import annotations

import ast
import importlib.util
import sys
from collections.abc import Iterable, Sequence

from tb_retrace_plugin.capture.code.once_for_each import is_where_it_is_none, scopes_once_for_each
from tb_retrace_plugin.capture.code.scopes import Scope, name_of, nodes_of, tree_of
from tb_retrace_plugin.capture.values.static_attribute import static_attribute
from tb_retrace_plugin.explain.words.place import is_installed

FILL = frozenset({"append", "add", "insert", "appendleft", "setdefault", "update", "extend"})
_LAZY = frozenset({"map", "filter", "iter", "zip", "enumerate", "reversed"})


def is_put_into(file: str, passed: ast.expr) -> bool:
    """Whether the file gives the container another item somewhere, by that name; True of what has none."""
    tree = tree_of(file)
    if tree is None or not isinstance(passed, ast.Name | ast.Attribute):
        return True
    name = passed.attr if isinstance(passed, ast.Attribute) else passed.id
    return any(_filled_by(node) == name for node in nodes_of(tree))


def is_made_once(file: str, callers: Iterable[str], name: str) -> bool:
    """Whether nothing in the file, or in one of those that call it, gives an attribute of that name a value, or fills
    what it holds, but what runs once for each object."""
    trees = [tree for one in dict.fromkeys(callers) if one != file and (tree := tree_of(one)) is not None]
    tree = tree_of(file)
    if tree is None or any(_made_once_by(one, name, [tree, *trees]) is False for one in trees):
        return False
    made = _made_once_by(tree, name, trees)
    if made is None:  # by a class that one in it derives from
        of_bases = (one for base in _files_of_bases(file, tree) if (one := tree_of(base)) is not None)
        found = [_made_once_by(one, name, [tree, *trees]) for one in of_bases]
        return True in found and False not in found
    return made


def _files_of_bases(file: str, tree: ast.Module) -> list[str]:
    """Of the user's modules that it imports what its classes derive from: as they are loaded."""
    bases = {name_of_base for node in nodes_of(tree) if isinstance(node, ast.ClassDef) for name_of_base in _bases(node)}
    imported = [
        node
        for node in nodes_of(tree)
        if isinstance(node, ast.ImportFrom) and any((one.asname or one.name) in bases for one in node.names)
    ]
    packages = _packages_of(file) if any(node.level for node in imported) else []
    names = [name for node in imported for name in _absolute(node, packages)]
    files = [static_attribute(sys.modules.get(name), "__file__") for name in dict.fromkeys(names)]
    return [one for one in dict.fromkeys(files) if type(one) is str and not is_installed(one)]


def _packages_of(file: str) -> list[str]:
    """Those in which a file is loaded: under several names, perhaps."""
    modules = [one for one in list(sys.modules.values()) if static_attribute(one, "__file__") == file]
    packages = (static_attribute(one, "__package__") for one in modules)
    return [one for one in packages if type(one) is str]


def _absolute(node: ast.ImportFrom, packages: Iterable[str]) -> list[str]:
    """The names of what a `from` imports from, as Python resolves it."""
    if not node.level:
        return [node.module or ""]
    relative = "." * node.level + (node.module or "")
    return [importlib.util.resolve_name(relative, one) for one in packages if one and one.count(".") + 1 >= node.level]


def _bases(node: ast.ClassDef) -> list[str]:
    return [one.id for one in node.bases if isinstance(one, ast.Name)]


def _made_once_by(tree: ast.Module, name: str, trees: Sequence[ast.Module]) -> bool | None:
    """None: nothing there does."""
    found = [
        node
        for node in nodes_of(tree)
        if _filled_by(node) == name
        or (isinstance(node, ast.Attribute) and node.attr == name and not isinstance(node.ctx, ast.Load))
    ]
    if not found:
        return None
    once = scopes_once_for_each(tree, trees)

    def is_once(node: ast.AST) -> bool:
        scope = once.get(id(node))
        return scope.loops(node) <= 1 if scope is not None else is_where_it_is_none(node, name, tree)

    return all(map(is_once, found))


def is_filled(file: str, scope: Scope, name: str) -> bool:
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


def makes_all(file: str, value: ast.expr) -> bool:
    """Whether it is all there then: not where a generator makes one after the other."""
    if isinstance(value, ast.Call):
        tree = tree_of(file)
        functions = [node for node in nodes_of(tree) if isinstance(node, ast.FunctionDef)] if tree is not None else []
        called = [node for node in functions if node.name == name_of(value)]
        is_lazy = any(isinstance(node, ast.Yield | ast.YieldFrom) for one in called for node in ast.walk(one))
        return not is_lazy and name_of(value) not in _LAZY
    return isinstance(value, ast.List | ast.Tuple | ast.Dict | ast.ListComp | ast.DictComp)
