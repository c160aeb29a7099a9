"""Names in a function's source whose value is printed, logged or asserted while it is traced, and is in no graph."""

from __future__ import annotations

import ast
import dis
import sys
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from types import CodeType

from tb_retrace_plugin.capture.code.kept_unused import kept_unused, may_keep_unused, only_gives
from tb_retrace_plugin.capture.code.source_tree import SourceTree, once_per_code, source_tree

_LOGGERS = frozenset({"getlogger", "get_logger", "log", "logger", "logging"})
_LOGS = frozenset({"critical", "debug", "error", "exception", "info", "log", "warn", "warning"})
_PUTS = frozenset({"append", "appendleft"})
_SAYS = frozenset({"print", "name_scope", *_LOGS, *_PUTS})
#: Of the bytecode of `assert`.
_ASSERTS = frozenset(dis.opmap[name] for name in ("LOAD_ASSERTION_ERROR", "LOAD_COMMON_CONSTANT") if name in dis.opmap)

#: Line and column, as the instruction that loads the name has them; until Python 3.10 line and name.
Place = tuple[int, int | str]


def only_said(code: CodeType) -> frozenset[Place]:
    """Places of those names; where there are no columns, not of one that is also read otherwise in that line."""
    source, names = names_said(code)
    if source is None or not names:
        return frozenset()
    if sys.version_info >= (3, 11):
        return frozenset((source.line + name.lineno, source.column + name.col_offset) for name in names)
    others = {node for node in ast.walk(source.tree) if isinstance(node, ast.Name)} - names
    read_besides = {(name.lineno, name.id) for name in others}
    only = {(name.lineno, name.id) for name in names} - read_besides
    return frozenset((source.line + line, name) for line, name in only)


def names_said(code: CodeType) -> tuple[SourceTree | None, set[ast.Name]]:
    """Names in arguments of `print`, of warnings, logging and `tf.name_scope`, in names of TensorFlow's operations, in
    an `if` that does no more, and in an `assert`, which AutoGraph leaves to Python; and what is put into a list that is
    not read there, or given to a name that is used for no more than that.

    None where the source is not to be had, or none is worth reading.
    """
    says = _SAYS.intersection(code.co_names) or _may_name(code) or not _ASSERTS.isdisjoint(code.co_code[::2])
    if not (says or may_keep_unused(code)):
        return None, set()
    source = source_tree(code)
    if source is None:
        return None, set()
    names = {name for part in said(source.tree) for name in ast.walk(part) if isinstance(name, ast.Name)}
    for part in kept_unused(source.tree, names):
        names.update(name for name in ast.walk(part) if isinstance(name, ast.Name))
    return source, names


@once_per_code
def only_put_into(code: CodeType) -> list[str]:
    """Names of lists with which it does nothing else: `traced_shapes.append(x.shape)`."""
    source = source_tree(code) if _PUTS.intersection(code.co_names) else None
    if source is None:
        return []
    puts = Counter(_kept_in(node.value) for node in ast.walk(source.tree) if isinstance(node, ast.Expr))
    names = Counter(node.id for node in ast.walk(source.tree) if isinstance(node, ast.Name))
    return [name for name, count in puts.items() if names[name] == count]


class Places:
    """Of what the instructions load, asked for in their order."""

    def __init__(self, code: CodeType) -> None:
        self._line = code.co_firstlineno

    def of(self, instruction: dis.Instruction) -> Place | None:
        if sys.version_info >= (3, 11):
            at = instruction.positions
            known = at is not None and at.lineno is not None and at.col_offset is not None
            return (at.lineno, at.col_offset) if known else None
        self._line = instruction.starts_line or self._line
        return self._line, str(instruction.argval)


def _may_name(code: CodeType) -> bool:
    """Whether it passes something by `name=`, which Python 3.10 has among the constants, too."""
    return "tf" in code.co_names and any(type(c) is tuple and "name" in c for c in code.co_consts)


def said(tree: ast.AST) -> Iterator[ast.AST]:
    """Where that is, in a function's source."""
    own = {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    named = Counter(ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.Name | ast.Attribute))
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _says(node.func):
            yield from node.args
            yield from node.keywords
        elif isinstance(node, ast.Call) and _is_an_operation(node.func):
            yield from (keyword for keyword in node.keywords if keyword.arg == "name")
        elif isinstance(node, ast.Expr) and (holder := _kept_in(node.value)) and named[holder] == 1:
            given = node.value.args if isinstance(node.value, ast.Call) else []
            yield from (one for one in given if isinstance(one, ast.Name) and one.id not in own)
        elif isinstance(node, ast.Assert):
            yield node
        elif isinstance(node, ast.If | ast.For) and _only_say([*node.body, *node.orelse], _own_names(node, named)):
            yield node.test if isinstance(node, ast.If) else node.iter


def _kept_in(call: ast.expr) -> str:
    """A list that something is put into: `self.history` of `self.history.append(step)`; "" of anything else."""
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or call.func.attr not in _PUTS:
        return ""
    return ast.unparse(call.func.value)


def _is_an_operation(called: ast.expr) -> bool:
    """`tf.identity`; a summary's name is written with it, and so are a variable's, a layer's and a metric's."""
    path = []
    while isinstance(called, ast.Attribute):
        path.append(called.attr)
        called = called.value
    is_tensorflow = isinstance(called, ast.Name) and called.id == "tf"
    return is_tensorflow and bool(path) and "summary" not in path and not path[0][:1].isupper()


def _only_say(statements: Iterable[ast.stmt], own: Collection[str]) -> bool:
    """`own`: names that are used in them alone."""
    return all(
        isinstance(one, ast.Pass)
        or (isinstance(one, ast.Expr) and isinstance(one.value, ast.Call) and _says(one.value.func))
        or (isinstance(one, ast.If | ast.For) and _only_say([*one.body, *one.orelse], own))
        or (isinstance(one, ast.Assign) and only_gives(one.value) and {*map(ast.unparse, one.targets)} <= {*own})
        for one in statements
    )


def _own_names(node: ast.If | ast.For, named: Mapping[str, int]) -> set[str]:
    within = Counter(one.id for one in ast.walk(node) if isinstance(one, ast.Name))
    return {name for name, count in within.items() if named[name] == count}


def _says(called: ast.expr) -> bool:
    """`tf.print` does not: its arguments are in the graph."""
    if isinstance(called, ast.Name):
        return called.id == "print"
    if not isinstance(called, ast.Attribute):
        return False
    of = called.value.func if isinstance(called.value, ast.Call) else called.value
    name = of.id if isinstance(of, ast.Name) else of.attr if isinstance(of, ast.Attribute) else ""
    warns = called.attr == "warn" and name == "warnings"
    return called.attr == "name_scope" or warns or (called.attr in _LOGS and name.strip("_").lower() in _LOGGERS)
