"""Whether a program keeps what a line makes beside what that has made before, as datasets of several splits."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tb_retrace_plugin.capture.code.call_site import CallSite
from tb_retrace_plugin.schema import retrace_pb2 as pb

#: Once: as far as the lines show it is done one time in the program, for each of several.
KEPT_ONCE, KEPT_AGAIN = "once", "again"
#: Of a longer file nothing is said: parsing takes a second.
_MAX_LINES = 20_000
_MAX_FILES = 8
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
#: Of a dataset, what gives something else.
_USES = frozenset({"reduce", "save", "cardinality", "get_single_element", "element_spec"})
_KEEPS = frozenset({"append", "add", "insert", "appendleft"})


class _Scope(NamedTuple):
    """A function's own nodes, or a module's, each with the one around it."""

    parents: dict[ast.AST, ast.AST]

    def around(self, node: ast.AST) -> Iterator[ast.AST]:
        while (parent := self.parents.get(node)) is not None:
            yield parent
            node = parent

    def loops(self, node: ast.AST) -> int:
        return sum(isinstance(one, _LOOPS) for one in self.around(node))


class _Kept(NamedTuple):
    """`loops`: of those around the statement that does it, how many are its own."""

    by: ast.AST
    loops: int


_files: dict[str, tuple[list[str], ast.Module | None]] = {}
#: By the stack's digest: in a loop the same lines make one after the other.
_known: dict[str, str] = {}
_MAX_KNOWN = 256


def kept_beside(site: CallSite) -> str:
    """Of the call that makes it: KEPT_ONCE, KEPT_AGAIN, or "" of what is not seen to be kept. Nothing is run."""
    known = _known.get(site.stack_id)
    if known is None:
        if len(_known) >= _MAX_KNOWN:
            _known.clear()
        known = _known[site.stack_id] = _read(site.stack.frames)
    return known


def _read(frames: Sequence[pb.Frame]) -> str:
    """Each frame's function is called in the next one's line."""
    inner = {frame.function for frame in _until_the_user(frames)}
    kept = False
    for frame in (frame for frame in frames if frame.user):
        if frame.function.startswith("<") and frame.function != "<module>":
            if frame.function == "<lambda>":
                return KEPT_AGAIN if kept else ""
            continue  # a comprehension: the function around it is at the same line
        scope = _scope(frame)
        calls = [] if scope is None else _calls(scope, frame.line, inner)
        if scope is None or not calls:
            return KEPT_AGAIN if kept else ""
        if kept:
            if any(map(scope.loops, calls)) or any(isinstance(one, _COMPREHENSIONS) for one in scope.around(calls[0])):
                return KEPT_AGAIN
        else:
            where = _where_it_goes(scope, calls)
            if where is None:
                return ""
            if isinstance(where, _Kept):
                if scope.loops(where.by) > where.loops:
                    return KEPT_AGAIN
                kept = True
        if frame.function == "<module>":  # whatever runs it, or imports it, does so once
            break
        inner = {frame.function}
    return KEPT_ONCE if kept else ""


def _until_the_user(frames: Sequence[pb.Frame]) -> Iterator[pb.Frame]:
    for frame in frames:
        if frame.user:
            return
        yield frame


def _tree(file: str) -> ast.Module | None:
    lines = linecache.getlines(file)
    known = _files.get(file)
    if known is None or known[0] is not lines:
        tree = None
        if 0 < len(lines) <= _MAX_LINES:
            try:
                tree = ast.parse("".join(lines))
            except (SyntaxError, ValueError, MemoryError, RecursionError):
                tree = None
        if len(_files) >= _MAX_FILES:
            _files.clear()
        known = _files[file] = lines, tree
    return known[1]


def _scope(frame: pb.Frame) -> _Scope | None:
    tree = _tree(frame.file)
    if tree is None:
        return None
    outer: ast.AST | None = tree if frame.function == "<module>" else None
    if outer is None:
        functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
        around = [f for f in functions if f.name == frame.function and f.lineno <= frame.line <= (f.end_lineno or 0)]
        outer = max(around, key=lambda f: f.lineno, default=None)
    if outer is None:
        return None
    parents: dict[ast.AST, ast.AST] = {}
    todo = [outer]
    while todo:
        node = todo.pop()
        for child in ast.iter_child_nodes(node):
            parents[child] = node
            if not isinstance(child, _FUNCTIONS):
                todo.append(child)
    return _Scope(parents)


def _calls(scope: _Scope, line: int, names: set[str]) -> list[ast.Call]:
    return [
        node
        for node in scope.parents
        if isinstance(node, ast.Call)
        and _name_of(node) in names
        and node.lineno <= line <= (node.end_lineno or node.lineno)
    ]


def _name_of(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _where_it_goes(scope: _Scope, calls: Sequence[ast.Call]) -> _Kept | str | None:
    """What keeps it; "" where the function returns it; None where neither is seen."""
    apart = [c for c in calls if not any(other is not c and c in scope.around(other) for other in calls)]
    if len({ast.dump(call) for call in apart}) > 1:
        return _Kept(apart[0], 0)
    found = [_climb(scope, call, set()) for call in calls]
    kept = [one for one in found if isinstance(one, _Kept)]
    return kept[0] if kept else "" if "" in found else None


def _climb(scope: _Scope, node: ast.AST, seen: set[str]) -> _Kept | str | None:
    """From an expression that is, or holds, what was made."""
    for parent in scope.around(node):
        if isinstance(parent, ast.Return):
            return ""
        if isinstance(parent, _COMPREHENSIONS):
            is_element = parent.value is node if isinstance(parent, ast.DictComp) else parent.elt is node
            return _Kept(parent, 0) if is_element else None
        if isinstance(parent, ast.Call) and parent.func is not node:
            is_kept = isinstance(parent.func, ast.Attribute) and parent.func.attr in _KEEPS
            return _Kept(parent, 1) if is_kept else None
        if isinstance(parent, ast.Assign):
            return _given(scope, parent, seen)
        if isinstance(parent, ast.Attribute) and parent.attr in _USES:
            return None
        if not isinstance(parent, ast.Attribute | ast.Call | ast.Tuple | ast.List | ast.Dict | ast.IfExp):
            return None
        node = parent
    return None


def _given(scope: _Scope, assign: ast.Assign, seen: set[str]) -> _Kept | str | None:
    """Where the names that it is given lead."""
    found: list[_Kept | str | None] = []
    for target in assign.targets:
        if isinstance(target, ast.Subscript) and not isinstance(target.slice, ast.Constant):
            return _Kept(assign, 1)
        if isinstance(target, ast.Name) and target.id not in seen:
            seen.add(target.id)
            uses = [n for n in scope.parents if isinstance(n, ast.Name) and n.id == target.id]
            found += [_climb(scope, use, seen) for use in uses if isinstance(use.ctx, ast.Load)]
    kept = [one for one in found if isinstance(one, _Kept)]
    return kept[0] if kept else "" if "" in found else None
