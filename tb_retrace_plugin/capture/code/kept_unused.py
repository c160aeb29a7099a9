"""What local names are given of which nothing comes but what is printed: unused ones, and times that only say how long
tracing took."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from types import CodeType
from typing import TypeGuard

from tb_retrace_plugin.capture.code.instructions import instructions

CLOCKS = frozenset({
    "monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns", "process_time", "strftime", "time", "time_ns",
})  # fmt: skip
#: Of Python's own, that do nothing else than give a value.
_GIVE = frozenset({"abs", "bool", "float", "format", "int", "len", "max", "min", "repr", "round", "str"})
_READ_LOCALS = frozenset({"eval", "exec", "locals", "vars"})
_PUTS = frozenset({"append", "appendleft"})
#: Instructions before a name is given what something was read for; none of them calls anything.
_READS = frozenset({
    "BINARY_OP", "BINARY_SUBSCR", "BUILD_MAP", "LOAD_ATTR", "LOAD_DEREF", "LOAD_GLOBAL", "ROT_TWO", "SWAP",
})  # fmt: skip
_Assign = ast.Assign | ast.AnnAssign | ast.AugAssign


def may_keep_unused(code: CodeType) -> bool:
    """Whether it asks a clock, or a local name is given something that the code reads, and never used."""
    if not CLOCKS.isdisjoint(code.co_names):
        return True
    if len(code.co_varnames) == code.co_argcount:
        return False
    used, given, before = set(), set(), ""
    for one in instructions(code):
        if one.opname.startswith("LOAD_FAST"):
            used.add(one.argval)
        elif one.opname == "STORE_FAST" and before in _READS:
            given.add(one.argval)
        before = before if one.opname in ("CACHE", "STORE_FAST") else one.opname  # `a, b = self.a, self.b`
    return not given <= used


def kept_unused(tree: ast.AST, said: Collection[ast.AST]) -> Iterator[ast.AST]:
    """`said`: names that are only said."""
    nodes = [*ast.walk(tree)]
    names = [node for node in nodes if isinstance(node, ast.Name)]
    if not _READ_LOCALS.isdisjoint(name.id for name in names):
        return
    left = Counter(name.id for name in names if isinstance(name.ctx, ast.Load) and name not in said)
    left.update(name for node in nodes if isinstance(node, ast.Global | ast.Nonlocal) for name in node.names)
    loaded = (n for n in nodes if isinstance(n, ast.Name | ast.Attribute | ast.Subscript) and type(n.ctx) is ast.Load)
    read = Counter(map(ast.unparse, loaded))
    todo = [pair for node in nodes for pair in _given(node)]
    while todo:
        unused = [
            (target, value)
            for target, value in todo
            if (_is_a_local(target) and not left[ast.unparse(target)]) or _is_a_duration(value, target, read)
        ]
        if not unused:
            return
        todo = [pair for pair in todo if pair not in unused]
        for _, value in unused:
            left.subtract(n.id for n in ast.walk(value) if isinstance(n, ast.Name) and n not in said)
            yield value


def given_names(tree: ast.AST) -> list[tuple[list[ast.expr], ast.expr]]:
    """Where local names that are given something are read, if anywhere, with what that is."""
    given = [(target.id, value) for node in ast.walk(tree) for target, value in _given(node) if _is_a_local(target)]
    loads: dict[str, list[ast.expr]] = {name: [] for name, _ in given}
    for node in ast.walk(tree) if given else ():
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            if node.id in _READ_LOCALS:
                return []
            loads.get(node.id, []).append(node)
        elif isinstance(node, ast.Global | ast.Nonlocal):
            loads = {name: one for name, one in loads.items() if name not in node.names}
    return [(loads[name], value) for name, value in given if name in loads]


def _given(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """What is given to what, where computing it does nothing else."""
    if isinstance(node, _Assign) and node.value is not None:
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target
        if isinstance(node, ast.Assign) and len(node.targets) > 1:
            return
        pairs = [(target, node.value)]
        if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
            both = target.elts, node.value.elts
            starred = any(isinstance(one, ast.Starred) for some in both for one in some)
            pairs = [] if starred or len(both[0]) != len(both[1]) else [*zip(*both, strict=True)]
        yield from (pair for pair in pairs if not isinstance(pair[0], ast.Tuple) and _only_gives(pair[1]))
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Attribute):
        called, given = node.value.func, node.value.args
        yield from ((called.value, one) for one in given if called.attr in _PUTS and _only_gives(one))


def _only_gives(value: ast.expr) -> bool:
    for node in ast.walk(value):
        if isinstance(node, ast.Await | ast.Yield | ast.YieldFrom | ast.NamedExpr | ast.Lambda):
            return False
        if isinstance(node, ast.Call) and not (_asks_a_clock(node) or getattr(node.func, "id", "") in _GIVE):
            return False
    return True


def _asks_a_clock(node: ast.AST) -> bool:
    """`time.time()`, `perf_counter()`."""
    if not isinstance(node, ast.Call):
        return False
    of = node.func.value if isinstance(node.func, ast.Attribute) else None
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    return name in CLOCKS and (of is None or isinstance(of, ast.Name))


def _is_a_local(target: ast.expr) -> TypeGuard[ast.Name]:
    return isinstance(target, ast.Name) and isinstance(target.ctx, ast.Store)


def _is_a_duration(value: ast.expr, target: ast.expr, read: Mapping[str, int]) -> bool:
    """`time.time() - started`, kept in what the code does not read."""
    is_one = isinstance(value, ast.BinOp) and isinstance(value.op, ast.Sub) and any(map(_asks_a_clock, ast.walk(value)))
    is_put = isinstance(getattr(target, "ctx", None), ast.Load)
    return is_one and not _is_a_local(target) and read.get(ast.unparse(target), 0) <= is_put
