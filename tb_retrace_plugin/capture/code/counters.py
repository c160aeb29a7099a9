"""Numbers from around it that a function counts and does not read: `self.calls += 1`. They count its traces. And lists
that it adds to, and does not read: `history.append(loss)`. They get an item in each trace."""

from __future__ import annotations

import ast
import dis
from types import CodeType

from tb_retrace_plugin.capture.code.grown_lists import GROW, grown_lists, stacks
from tb_retrace_plugin.capture.code.source_tree import once_per_code, source_tree

_MOST = 8
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
#: Of the bytecode of `+=` and `-=`, operations of their own until Python 3.10, and of what local variables are given.
_BINARY, _COUNTS, _CACHE = dis.opmap.get("BINARY_OP", -1), (13, 23), dis.opmap.get("CACHE", -1)
_OWN = frozenset(dis.opmap[name] for name in ("INPLACE_ADD", "INPLACE_SUBTRACT") if name in dis.opmap)
_LOCAL = frozenset(number for name, number in dis.opmap.items() if name.startswith("STORE_FAST"))


@once_per_code
def counters(code: CodeType) -> list[str]:
    """As they are written, `history.append(…)` of a list; none that is a local variable's, nor one that a function made
    in it counts."""
    source = source_tree(code) if _may_count(code) or not GROW.isdisjoint(code.co_names) else None
    if source is None:
        return []
    own = next((n for n in ast.walk(source.tree) if isinstance(n, _FUNCTIONS)), None)
    nodes = list(ast.walk(source.tree))
    inner = {id(part) for node in nodes if isinstance(node, _FUNCTIONS) and node is not own for part in ast.walk(node)}
    outside = {name for node in nodes if isinstance(node, ast.Global | ast.Nonlocal) for name in node.names}
    read = {ast.unparse(node) for node in nodes if isinstance(getattr(node, "ctx", None), ast.Load)}
    found: dict[str, None] = {}
    for node in nodes:
        if not isinstance(node, ast.AugAssign) or not isinstance(node.op, ast.Add | ast.Sub) or id(node) in inner:
            continue
        text = ast.unparse(node.target)
        root: ast.expr = node.target
        while isinstance(root, ast.Attribute | ast.Subscript):
            root = root.value
        if not isinstance(root, ast.Name) or not isinstance(node.value, ast.Constant) or text in read:
            continue
        is_local = root.id in {*code.co_varnames, *code.co_cellvars} - set(code.co_varnames[: code.co_argcount])
        if root.id in outside if root is node.target else not is_local:
            found[text] = None
    return [*found, *_added_to(code, nodes, inner)][:_MOST]


def _added_to(code: CodeType, nodes: list[ast.AST], inner: set[int]) -> dict[str, None]:
    """In every trace: what an `if` adds (a layer, say, in the first one) is meant to be there once."""
    chosen = {id(part) for node in nodes if isinstance(node, ast.If) for part in ast.walk(node)}
    stored = {ast.unparse(n) for n in nodes if isinstance(getattr(n, "ctx", None), ast.Store)}
    known, found = {text.removesuffix("()") for text in grown_lists(code)}, dict[str, None]()
    known |= stacks(nodes[0]) if nodes else set()
    for node in nodes:
        call = node.value if isinstance(node, ast.Expr) else None
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or id(node) in inner | chosen:
            continue
        of, root = call.func.value, call.func.value
        while isinstance(root, ast.Attribute | ast.Subscript):
            root = root.value
        own = {*code.co_varnames, *code.co_cellvars} - ({code.co_varnames[0]} if code.co_argcount else set())
        if call.func.attr not in GROW or not isinstance(root, ast.Name) or root.id in own:
            continue
        is_first_argument = root is of and root.id in code.co_varnames  # a list that is passed is a copy of it
        if not is_first_argument and ast.unparse(of) not in known | stored:
            found[f"{ast.unparse(of)}.{call.func.attr}(…)"] = None
    return found


def _may_count(code: CodeType) -> bool:
    """By its bytecode: parsing takes longer."""
    counts = False
    for op, of in zip(code.co_code[::2], code.co_code[1::2], strict=True):
        if counts and op != _CACHE:
            if op not in _LOCAL:
                return True
            counts = False
        counts = counts or op in _OWN or (op == _BINARY and of in _COUNTS)
    return False
