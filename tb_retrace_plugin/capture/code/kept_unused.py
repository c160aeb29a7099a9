"""What local names are given of which nothing comes but what is printed: unused ones, and times that only say how long
tracing took."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from inspect import CO_VARARGS, CO_VARKEYWORDS
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
    """Whether it asks a clock, a local name is given something that the code reads, and never used, or a function made
    in it leaves out what it is passed."""
    if not CLOCKS.isdisjoint(code.co_names) or any(map(_leaves_some_out, code.co_consts)):
        return True
    if len(code.co_varnames) == code.co_argcount:
        return False
    used: Counter[str] = Counter()
    given: set[str] = set()
    before, in_place = "", False
    for one in instructions(code):
        if one.opname.startswith("LOAD_FAST"):
            used[one.argval] += 1
        elif one.opname == "STORE_FAST" and (before in _READS or in_place):
            given.add(one.argval)
            used[one.argval] -= in_place  # `k += self.eps` uses none but its own
        if one.opname not in ("CACHE", "STORE_FAST"):  # `a, b = self.a, self.b`
            before = one.opname
            in_place = before.startswith("INPLACE_") or (before == "BINARY_OP" and one.argrepr.endswith("="))
        elif one.opname == "STORE_FAST":
            in_place = False
    return any(used[name] <= 0 for name in given)


def _leaves_some_out(constant: object) -> bool:
    """Of the code of a function: a parameter that it does not read."""
    if not isinstance(constant, CodeType) or not constant.co_varnames:
        return False
    rest = bool(constant.co_flags & CO_VARARGS) + bool(constant.co_flags & CO_VARKEYWORDS)
    taken = constant.co_varnames[: constant.co_argcount + constant.co_kwonlyargcount + rest]
    loaded = {one.argval for one in instructions(constant) if one.opname.startswith("LOAD")}
    return not loaded.issuperset(taken)


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
    for one in _passed_unread(nodes):
        left.subtract(n.id for n in ast.walk(one) if isinstance(n, ast.Name) and n not in said)
        yield one
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


def _passed_unread(nodes: Sequence[ast.AST]) -> Iterator[ast.expr]:
    """What functions made in it are passed for parameters that they do not read: `scale(x, self.step)`."""
    made = {node.name: node for node in nodes[2:] if isinstance(node, ast.FunctionDef) and not node.decorator_list}
    lambdas = (node for node in nodes if isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda))
    of_names = {ast.unparse(node.targets[0]): node.value for node in lambdas if len(node.targets) == 1}
    stored = Counter(node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
    stored.update(node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.ClassDef))
    stored.update(node.arg for node in nodes if isinstance(node, ast.arg))
    functions: dict[str, ast.FunctionDef | ast.Lambda] = {**made, **of_names}  # type: ignore[dict-item]
    for node in nodes if functions else ():
        name = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
        if isinstance(node, ast.Call) and name in functions and stored[name] == 1:
            yield from _left_out(node, functions[name])


def _left_out(call: ast.Call, function: ast.FunctionDef | ast.Lambda) -> Iterator[ast.expr]:
    if any(isinstance(one, ast.Starred) for one in call.args) or any(one.arg is None for one in call.keywords):
        return
    of = function.args
    read = {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    by_place = [one.arg for one in (*of.posonlyargs, *of.args)]
    taken, more = {*by_place, *(one.arg for one in of.kwonlyargs)}, [of.vararg.arg] if of.vararg is not None else []
    by_place += more * (len(call.args) - len(by_place))
    passed = [*zip(by_place, call.args, strict=False)]
    rest = of.kwarg.arg if of.kwarg is not None else ""
    passed += [(str(one.arg) if one.arg in taken else rest, one.value) for one in call.keywords]
    yield from (value for name, value in passed if name not in read and only_gives(value))


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
        yield from (pair for pair in pairs if not isinstance(pair[0], ast.Tuple) and only_gives(pair[1]))
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Attribute):
        called, given = node.value.func, node.value.args
        yield from ((called.value, one) for one in given if called.attr in _PUTS and only_gives(one))


def only_gives(value: ast.expr) -> bool:
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
