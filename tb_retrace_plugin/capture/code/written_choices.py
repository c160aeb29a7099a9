"""Arguments by which code chooses among what is written, or kept, there, and with which it does nothing else."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from types import CodeType, FunctionType
from typing import Any

from tb_retrace_plugin.capture.code.helpers import MAX_DEPTH, called_with
from tb_retrace_plugin.capture.code.made_keys import text_made_of
from tb_retrace_plugin.capture.code.methods_of_arguments import methods_of_arguments
from tb_retrace_plugin.capture.code.other_names import by_parameters, parameters_of
from tb_retrace_plugin.capture.code.python_uses import called_by
from tb_retrace_plugin.capture.code.source_tree import assigned_once, lies_in, once_per_code, source_tree

#: Of texts, that give one for each, or ask one thing of it.
_GIVE_A_TEXT = frozenset({"lower", "upper", "strip", "casefold", "removeprefix", "removesuffix"})
_ASK_A_TEXT = frozenset({"startswith", "endswith"})
#: Where it is only for whoever reads along.
_ARE_SAID = (ast.Raise, ast.Assert)
_SAY = frozenset({"print", "debug", "info", "warning", "error", "isinstance"})
_TESTS = (ast.If, ast.IfExp, ast.While)
#: Helpers' calls that are followed in all.
_MOST_CALLS = 24
_MOST_TEXT = 60
#: A dictionary that the code has where it looks something up.
WRITTEN_THERE = "{…}"


@once_per_code
def written_choices(code: CodeType, function: Any) -> list[str]:
    """`mode: mode == 'train'`, `arm: self.A[arm]`: of its parameters, what it closes over, and what lies in them, those
    that the code, with that of helpers that it passes them, compares with constants alone, or by which it looks up what
    it has there; what does that may be a part of texts, too (`f"loss/{arm}"`)."""
    parameters = parameters_of(code) | {*code.co_freevars}
    source = source_tree(code) if parameters else None
    if source is None:
        return []
    walk = _Walk(parameters)
    try:
        walk.through(by_parameters(source.tree, code, parameters), function, code, 1)
    except RecursionError:
        return []
    others = (*walk.others, *(walk.in_texts - walk.looked_up))
    return [
        f"{path}: {how}"
        for path, how in walk.choices.items()
        if len(how) <= _MOST_TEXT and not any(path == other or _lies_below(path, other) for other in others)
    ]


@once_per_code
def choices_by_names(code: CodeType, function: Any) -> list[str]:
    """The same of what the code reads by name, such as `self.phase`, and does nothing else with itself."""
    source = source_tree(code)
    if source is None:
        return []
    above = {id(child): node for node in ast.walk(source.tree) for child in ast.iter_child_nodes(node)}
    choices: dict[str, str] = {}
    others: set[str] = set()
    for node in ast.walk(source.tree):
        parent = above.get(id(node))
        if not isinstance(node, ast.Name | ast.Attribute) or not isinstance(node.ctx, ast.Load):
            continue
        if _chooses(node, parent):
            choices.setdefault(ast.unparse(node), _told(node, parent))
        elif not isinstance(parent, ast.Attribute) and not _is_said(parent, above):
            others.add(ast.unparse(node))
    return [f"{name}: {how}" for name, how in choices.items() if name not in others and len(how) <= _MOST_TEXT]


def choice_by(choices: list[str], path: str) -> str:
    """How it chooses by what is passed there, as code; "" where that is not known."""
    return next((each.removeprefix(f"{path}: ") for each in choices if each.startswith(f"{path}: ")), "")


def asks_for_a_text(how: str) -> bool:
    """`mode == 'minimum'`: beside `mode == 1`, say, which could be asked of a tensor."""
    try:
        return _asks_for_a_text(ast.parse(how, mode="eval").body)
    except SyntaxError:  # `match mode`
        return False


def _asks_for_a_text(node: ast.AST | None) -> bool:
    return isinstance(node, ast.Compare) and any(
        isinstance(each, ast.Constant) and isinstance(each.value, str) for each in ast.walk(node)
    )


def _lies_below(path: str, other: str) -> bool:
    return path.startswith((f"{other}.", f"{other}["))


class _Walk:
    """`choices`: by path, how the first one chooses, a test if there is any, one for a text before others (`texts`).
    `looked_up`: of these, those by which something is looked up.
    `in_texts`: paths of which texts are made; `others`: with which something else is done."""

    def __init__(self, parameters: set[str]) -> None:
        self._parameters = parameters
        self.choices: dict[str, str] = {}
        self.looked_up: set[str] = set()
        self.tested: set[str] = set()
        self.texts: set[str] = set()
        self.in_texts: set[str] = set()
        self.others: set[str] = set()
        self._calls = 0
        self._methods: Mapping[str, FunctionType] = {}

    def through(self, tree: ast.AST, function: Any, code: CodeType, depth: int) -> None:
        helpers = called_by(function, code)
        self._methods = methods_of_arguments(function, code)
        aliases = {id(value) for value in assigned_once(tree).values()}
        above = {id(child): node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
        for node in _outermost(tree, self._parameters):
            if id(node) not in aliases:  # what it stands for is read in its place
                self._use(node, above, helpers, depth)

    def _use(
        self, node: ast.expr, above: Mapping[int, ast.AST], helpers: Mapping[str, FunctionType], depth: int
    ) -> None:
        path, parent = ast.unparse(node), above.get(id(node))
        if isinstance(node, ast.Attribute) and isinstance(parent, ast.Call) and parent.func is node:
            path = ast.unparse(node.value)
            if node.attr in _GIVE_A_TEXT:
                node, parent = parent, above.get(id(parent))
            elif node.attr in _ASK_A_TEXT and all(map(_is_written, parent.args)):
                self.choices.setdefault(path, ast.unparse(parent))
                self.tested.add(path)
                return
            elif read := _read_of_itself(self._methods.get(f"{path}.{node.attr}")):
                self.others.update(f"{path}.{name}" for name in read)
                return
        call = above.get(id(parent)) if isinstance(parent, ast.keyword) else parent
        if (text := text_made_of(parent, above)) is not None:  # of `self.heads[f"{task}_head"]`
            node, parent = text, above.get(id(text))
            if not _chooses(node, parent):
                if not _is_said(parent, above):
                    self.in_texts.add(path)
                return
        tested = node
        while isinstance(parent, ast.BoolOp):  # what `or` gives goes on, but in a test
            tested, parent = parent, above.get(id(parent))
        if isinstance(tested, ast.BoolOp) and not _chooses(tested, parent):
            self.others.add(path)
        elif _chooses(tested, parent):
            if isinstance(parent, ast.Subscript | ast.Call):
                self.choices.setdefault(path, _told(tested, parent))
                self.looked_up.add(path)
            elif path not in self.tested or (path not in self.texts and _asks_for_a_text(parent)):
                self.choices[path] = _told(tested, parent)
                self.tested.add(path)
                self.texts.update([path] if _asks_for_a_text(parent) else [])
        elif isinstance(call, ast.Call) and call.func is not node:
            if _name_of(call.func) not in _SAY:
                self._passed(path, call, helpers, depth)
        elif not _is_said(parent, above):
            self.others.add(path)

    def _passed(self, path: str, call: ast.Call, helpers: Mapping[str, FunctionType], depth: int) -> None:
        self._calls += 1
        if depth > MAX_DEPTH or self._calls > _MOST_CALLS:
            self.others.add(path)
            return
        alone = ast.Call(call.func, [*map(_without_calls, call.args)], call.keywords)
        for helper, within in called_with(alone, self._parameters, helpers):
            self.through(within, helper, helper.__code__, depth + 1)
            return
        self.others.add(path)


def _read_of_itself(method: FunctionType | None) -> set[str]:
    """Attributes that a method of a parameter reads of that, `x` of `return tf.shape(self.x)[0]`; nothing where it does
    something else with it, as calling another of its methods."""
    source = source_tree(method.__code__) if method is not None else None
    nodes = [*ast.walk(source.tree)] if source is not None else []
    of_it = [n for n in nodes if isinstance(n, ast.Attribute) and ast.unparse(n.value) == "self"]
    called = {id(n.func) for n in nodes if isinstance(n, ast.Call)}
    whole = sum(isinstance(n, ast.Name) and n.id == "self" for n in nodes)
    is_read_alone = whole == len(of_it) and not any(id(n) in called or isinstance(n.ctx, ast.Store) for n in of_it)
    return {n.attr for n in of_it} if is_read_alone else set()


def _outermost(tree: ast.AST, parameters: set[str]) -> Iterator[ast.expr]:
    """What is a parameter, or lies in one; nothing within that, nor in annotations."""
    if isinstance(tree, ast.expr) and lies_in(tree, parameters):
        if isinstance(getattr(tree, "ctx", None), ast.Load):
            yield tree
        return
    for name, value in ast.iter_fields(tree):
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and name not in ("annotation", "returns", "decorator_list"):
                yield from _outermost(child, parameters)


def _chooses(node: ast.expr, parent: ast.AST | None) -> bool:
    if isinstance(parent, ast.Compare):
        is_among = isinstance(parent.ops[0], ast.In | ast.NotIn) and parent.left is node
        if is_among and _is_kept(parent.comparators[0]):
            return len(parent.ops) == 1
        return all(each is node or _is_written(each) for each in (parent.left, *parent.comparators))
    if isinstance(parent, ast.Subscript):
        is_written = isinstance(parent.value, ast.Dict)  # `{16: tf.float16, 32: tf.float32}[bits]`
        return parent.slice is node and (is_written or _is_kept(parent.value)) and isinstance(parent.ctx, ast.Load)
    if isinstance(parent, ast.Call):
        return _looks_up(node, parent)
    if isinstance(parent, ast.Match):
        return all(isinstance(case.pattern, ast.MatchValue | ast.MatchAs | ast.MatchOr) for case in parent.cases)
    if isinstance(parent, ast.UnaryOp):
        return isinstance(parent.op, ast.Not)
    return isinstance(parent, _TESTS) and parent.test is node


def _looks_up(node: ast.expr, call: ast.Call) -> bool:
    """`self.heads.get(task)`, `getattr(tf.nn, name)`."""
    if isinstance(call.func, ast.Name) and call.func.id == "getattr":
        return call.args[1:2] == [node] and all(map(_is_written, call.args[2:]))
    if not isinstance(call.func, ast.Attribute) or call.func.attr != "get" or not _is_kept(call.func.value):
        return False
    return call.args[:1] == [node] and all(map(_is_written, call.args[1:])) and not call.keywords


def _is_kept(node: ast.expr) -> bool:
    """`self.heads`, `self.optimizers['critics']`, `self.nets[kind]`."""
    while isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant | ast.Name):
        node = node.value
    return isinstance(node, ast.Name | ast.Attribute)


def _told(node: ast.expr, parent: ast.AST | None) -> str:
    if isinstance(parent, ast.Subscript) and isinstance(parent.value, ast.Dict):
        return f"{WRITTEN_THERE}[{ast.unparse(node)}]"
    if isinstance(parent, ast.Compare | ast.Subscript | ast.Call):
        return ast.unparse(parent)
    return f"match {ast.unparse(node)}" if isinstance(parent, ast.Match) else f"if {ast.unparse(node)}"


def _is_written(node: ast.expr) -> bool:
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        return all(map(_is_written, node.elts))
    return isinstance(node, ast.Constant)


def _is_said(node: ast.AST | None, above: Mapping[int, ast.AST]) -> bool:
    """Whether it is a part of what is raised, or printed."""
    while node is not None and not isinstance(node, ast.stmt):
        if isinstance(node, ast.Call) and _name_of(node.func) in _SAY:
            return True
        node = above.get(id(node))
    return isinstance(node, _ARE_SAID)


def _name_of(called: ast.expr) -> str:
    return called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")


def _without_calls(node: ast.expr) -> ast.expr:
    """A name in place of what calls something itself: it is another call's doing."""
    return ast.Name("…", ast.Load()) if any(isinstance(each, ast.Call) for each in ast.walk(node)) else node
