"""The source of the function, or of the module, that a line of a stack lies in. Nothing of it is run."""

from __future__ import annotations

import ast
import itertools
import linecache
from collections.abc import Callable, Hashable, Iterator, Sequence, Set
from typing import Any, NamedTuple

from tb_retrace_plugin.capture.failure import let_signals_through, problem_text
from tb_retrace_plugin.capture.notice import warn_once
from tb_retrace_plugin.explain.words.place import is_installed, is_of_keras_or_tensorflow
from tb_retrace_plugin.schema import retrace_pb2 as pb

MODULE = "<module>"
LAMBDA = "<lambda>"
INIT = "__init__"
#: Of a longer file nothing is said: parsing takes a second.
_MAX_LINES = 20_000
_MAX_FILES = 8
_BLOCKS = ("body", "orelse", "finalbody")
_MAX_KNOWN = 256
#: By which AutoGraph runs a loop's body as a function of its own.
_OPERATORS = "/tensorflow/python/autograph/operators/"
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
LOOPS = (ast.For, ast.AsyncFor, ast.While)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)

_trees: dict[int, tuple[ast.Module, list[ast.AST], Set[str]]] = {}
_files: dict[str, tuple[list[str], ast.Module | None]] = {}


class Scope(NamedTuple):
    """Its own nodes, without those of functions and classes in it, each with the one around it.

    `elsewhere`: names to which functions in the file give values that are not their own (`global model`).
    """

    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Module
    parents: dict[ast.AST, ast.AST]
    elsewhere: Set[str]

    def around(self, node: ast.AST) -> Iterator[ast.AST]:
        while (parent := self.parents.get(node)) is not None:
            yield parent
            node = parent

    def loops(self, node: ast.AST) -> int:
        """How many statements around it run it again and again."""
        return sum(isinstance(one, LOOPS) for one in self.around(node))

    def is_repeated(self, node: ast.AST) -> bool:
        """Also by a comprehension."""
        return any(isinstance(one, (*LOOPS, *COMPREHENSIONS)) for one in self.around(node))

    def loops_of(self, node: ast.AST, names: Set[str]) -> int:
        """Of those, the ones that give one of the names its value."""
        targets = [one.target for one in self.around(node) if isinstance(one, ast.For | ast.AsyncFor)]
        return sum(not names.isdisjoint(names_in(target)) for target in targets)

    def given_once(self, name: str) -> ast.Assign | None:
        """The one assignment to it, if nothing else gives it a value."""
        return self._given(self._stores(name))

    def given_at(self, node: ast.Name) -> ast.Assign | None:
        """The assignment that gives it the value that it has there; of several the one in the same loop."""
        stores = self._stores(node.id)
        loops = [one for one in self.around(node) if isinstance(one, LOOPS)]
        if len(stores) > 1 and loops:
            stores = [one for one in stores if loops[-1] in self.around(one)]
        return self._given(stores)

    def given_by_branches(self, name: str) -> list[ast.Assign]:
        """Assignments to it, of which an `if` runs one alone; none if something else gives it a value."""
        stores = self._stores(name)
        given = [one for one in (self._given([store]) for store in stores) if one is not None]
        pairs = itertools.combinations(given, 2)
        return given if len(given) == len(stores) and all(self._are_branches(*pair) for pair in pairs) else []

    def _are_branches(self, one: ast.AST, other: ast.AST) -> bool:
        above, beside = [one, *self.around(one)], [other, *self.around(other)]
        first = next(node for node in above if node in beside)
        if not isinstance(first, ast.If):
            return False
        ways = [lines[lines.index(first) - 1] in first.body for lines in (above, beside)]
        return ways[0] is not ways[1]

    def is_given(self, name: str) -> bool:
        return bool(self._stores(name))

    def is_given_again(self, node: ast.Name) -> bool:
        """Whether the loop that gives it a value does so again within."""
        loops = [one for one in self.around(node) if isinstance(one, ast.For)]
        own = next((one for one in loops if node.id in names_in(one.target)), None)
        return own is not None and sum(own in self.around(one) for one in self._stores(node.id)) > 1

    def _stores(self, name: str) -> list[ast.Name]:
        names = [node for node in self.parents if isinstance(node, ast.Name) and node.id == name]
        return [node for node in names if is_stored(node)]

    def _given(self, stores: list[ast.Name]) -> ast.Assign | None:
        if stores and stores[0].id in self.elsewhere:
            return None
        parent = self.parents[stores[0]] if len(stores) == 1 else None
        return parent if isinstance(parent, ast.Assign) and len(parent.targets) == 1 else None

    def calls(self, line: int, names: Set[str] | None) -> list[ast.Call]:
        """Those of functions or methods of these names at the line; None: of all."""
        found = [
            node
            for node in self.parents
            if isinstance(node, ast.Call)
            and (names is None or name_of(node) in names)
            and node.lineno <= line <= (node.end_lineno or node.lineno)
        ]
        return sorted(found, key=_place)

    def loads(self, name: str, given: ast.Assign) -> list[ast.Name]:
        """Those that may read what it is given there: not those before which it is surely given something else."""
        names = [node for node in self.parents if isinstance(node, ast.Name) and node.id == name]
        others = [one for one in self._stores(name) if given not in self.around(one)]
        return [
            node
            for node in names
            if isinstance(node.ctx, ast.Load) and not any(self._is_between(other, given, node) for other in others)
        ]

    def _is_between(self, other: ast.Name, given: ast.Assign, load: ast.Name) -> bool:
        """Whether whatever leads from the assignment to what is read gives the name another value, too."""
        statement = next((one for one in self.around(other) if isinstance(one, ast.stmt)), None)
        within = [load, *self.around(load)]
        if isinstance(statement, ast.For | ast.AsyncFor):
            return any(one in statement.body for one in within) and statement not in self.around(given)
        if statement is None or statement in within:
            return False
        block = self.parents[statement]
        lists = [value for _, value in ast.iter_fields(block) if isinstance(value, list) and statement in value]
        following = lists[0][lists[0].index(statement) + 1 :] if lists else []
        if not any(one in following for one in within):
            return False
        return _place(given) < _place(statement) or _place(given) > _place(load)


def _place(node: ast.stmt | ast.expr) -> tuple[int, int]:
    return node.lineno, node.col_offset


def is_stored(node: ast.Name) -> bool:
    return not isinstance(node.ctx, ast.Load)


def names_in(node: ast.AST) -> set[str]:
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}


def name_of(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def scope_of(frame: pb.Frame) -> Scope | None:
    """None of a lambda, and where the source is not to be had."""
    tree = tree_of(frame.file)
    if tree is None or frame.function == MODULE:
        return None if tree is None else scope_in(tree, tree)
    functions = [node for node in nodes_of(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    around = [f for f in functions if f.name == frame.function and f.lineno <= frame.line <= (f.end_lineno or 0)]
    return scope_in(max(around, key=lambda f: f.lineno), tree) if around else None


def called_as(frame: pb.Frame) -> str:
    """The name by which its function is called: of an `__init__`, the class's."""
    tree = tree_of(frame.file) if frame.function == INIT else None
    classes = [node for node in (nodes_of(tree) if tree is not None else ()) if isinstance(node, ast.ClassDef)]
    around = [one for one in classes if one.lineno <= frame.line <= (one.end_lineno or 0)]
    return max(around, key=lambda one: one.lineno).name if around else frame.function


def module_of(frame: pb.Frame) -> Scope | None:
    tree = tree_of(frame.file)
    return scope_in(tree, tree) if tree is not None else None


def user_frames(frames: Sequence[pb.Frame]) -> list[pb.Frame]:
    """Innermost first, without comprehensions and without what AutoGraph makes of a loop's or an `if`'s lines: the
    function around them is there, too."""
    return [frame for frame, _ in _users(frames)]


def called_by_each(frames: Sequence[pb.Frame]) -> list[set[str]]:
    """By each of the `user_frames`, on its way to the one within, what `called_by_the_user` has of the innermost."""
    return [_of_keras_and_tensorflow(between) for _, between in _users(frames)]


def _users(frames: Sequence[pb.Frame]) -> list[tuple[pb.Frame, list[pb.Frame]]]:
    """Each with what lies between it and the one within."""
    found: list[tuple[pb.Frame, list[pb.Frame]]] = []
    between: list[pb.Frame] = []
    for frame in frames:
        if not frame.user:
            between.append(frame)
        elif not frame.function.startswith("<") or frame.function in (MODULE, LAMBDA):
            if not (found and _is_around(frame, found[-1][0], between)):
                found.append((frame, between))
            between = []
    return found


def _is_around(frame: pb.Frame, within: pb.Frame, between: Sequence[pb.Frame]) -> bool:
    """Whether it runs the same function, of which the frame within is a loop's body; in a graph TensorFlow's own
    functions run that."""
    is_the_same = (frame.file, frame.function) == (within.file, within.function)
    ends = (between[0], between[-1]) if between else ()
    return is_the_same and bool(ends) and all(_OPERATORS in one.file.replace("\\", "/") for one in ends)


def called_by_the_user(frames: Sequence[pb.Frame]) -> set[str]:
    """Functions of Keras and TensorFlow that a user's line calls, and those that these call; none where another library
    lies between: what that makes is its own."""
    return _of_keras_and_tensorflow(list(itertools.takewhile(lambda frame: not frame.user, frames)))


def _of_keras_and_tensorflow(frames: Sequence[pb.Frame]) -> set[str]:
    if any(is_installed(frame.file) and not is_of_keras_or_tensorflow(frame.file) for frame in frames):
        return set()
    return {frame.function for frame in frames}


def scope_in(outer: ast.FunctionDef | ast.AsyncFunctionDef | ast.Module, tree: ast.Module) -> Scope:
    parents: dict[ast.AST, ast.AST] = {}
    todo: list[ast.AST] = [outer]
    while todo:
        node = todo.pop()
        for child in ast.iter_child_nodes(node):
            parents[child] = node
            if not isinstance(child, _FUNCTIONS):
                todo.append(child)
    return Scope(outer, parents, _walked(tree)[2])


def nodes_of(tree: ast.Module) -> list[ast.AST]:
    """All of its nodes, which are gone through once: what lines show is looked for in all of a file's functions."""
    return _walked(tree)[1]


def _walked(tree: ast.Module) -> tuple[ast.Module, list[ast.AST], Set[str]]:
    """And names that its functions give values to that are not their own."""
    known = _trees.get(id(tree))
    if known is None or known[0] is not tree:
        nodes = list(ast.walk(tree))
        given = (node.names for node in nodes if isinstance(node, ast.Global | ast.Nonlocal))
        if len(_trees) >= _MAX_FILES:
            _trees.clear()
        known = _trees[id(tree)] = tree, nodes, frozenset(name for names in given for name in names)
    return known


def what_lines_show(read: Callable[[], str], known: dict[Any, str], key: Hashable) -> str:
    """What `read` finds, remembered by the key; "" where it fails, which is told once."""
    found = known.get(key)
    if found is None:
        try:
            found = read()
        except Exception as error:  # a trace is recorded whatever the lines are
            let_signals_through(error)
            warn_once("source:lines", f"Retrace: lines of a stack: {problem_text(error)}. What they show is left out.")
            found = ""
        if len(known) >= _MAX_KNOWN:
            known.clear()
        known[key] = found
    return found


def _take_apart(tree: ast.Module) -> None:
    """`a, b = make(), make()` as one assignment after the other."""
    for node in ast.walk(tree):
        for name in _BLOCKS:
            block = getattr(node, name, None)
            if isinstance(block, list) and any(isinstance(one, ast.Assign) for one in block):
                block[:] = [each for one in block for each in _one_by_one(one)]


def _one_by_one(line: ast.stmt) -> list[ast.stmt]:
    """Of values that are made there alone: others may be of the names that are given them."""
    target = line.targets[0] if isinstance(line, ast.Assign) and len(line.targets) == 1 else None
    if not isinstance(line, ast.Assign) or not isinstance(target, ast.Tuple) or not isinstance(line.value, ast.Tuple):
        return [line]
    pairs = list(zip(target.elts, line.value.elts, strict=False))
    are_made = all(isinstance(one, ast.Name | ast.Attribute) and isinstance(value, ast.Call) for one, value in pairs)
    if not are_made or len(pairs) < len(target.elts) or len(pairs) < len(line.value.elts):
        return [line]
    if not {one.id for one in target.elts if isinstance(one, ast.Name)}.isdisjoint(names_in(line.value)):
        return [line]
    return [ast.copy_location(ast.Assign([one], value), line) for one, value in pairs]


def tree_of(file: str) -> ast.Module | None:
    lines = linecache.getlines(file)
    known = _files.get(file)
    if known is None or known[0] is not lines:
        tree = None
        if 0 < len(lines) <= _MAX_LINES:
            try:
                tree = ast.parse("".join(lines))
                _take_apart(tree)
            except (SyntaxError, ValueError, MemoryError, RecursionError):
                tree = None
        if len(_files) >= _MAX_FILES:
            _files.clear()
        known = _files[file] = lines, tree
    return known[1]
