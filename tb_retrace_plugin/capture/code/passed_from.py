"""Of which of a function's parameters what it passes on may be a part, as far as its source tells. Nothing is run."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from types import CodeType

from tb_retrace_plugin.capture.code.code_names import variadic_of
from tb_retrace_plugin.capture.code.source_tree import source_tree
from tb_retrace_plugin.capture.code.unreached import parameters_of

#: By a function's parameters: those of the outermost one of which they may be a part.
Roots = Mapping[str, frozenset[str]]


def roots_of(code: CodeType) -> Roots:
    return {name: frozenset({name}) for name in all_parameters(code)}


def all_parameters(code: CodeType) -> tuple[str, ...]:
    return (*parameters_of(code), *variadic_of(code))


def passed_from(caller: CodeType, roots: Roots, called: str, callee: CodeType, *, is_bound: bool) -> Roots:
    """`called`: as the caller's code has it, in a call or as what is passed to one (`map(total, tree)`). Where it is
    not seen what is passed, all parameters may have all of it."""
    everything = frozenset().union(*roots.values())
    source = source_tree(caller)
    calls = [] if source is None else [call for call in _calls(source.tree) if _is_in(call, called)]
    parameters = all_parameters(callee)
    if source is None or not calls:
        return dict.fromkeys(parameters, everything)
    known = _of_local_names(source.tree, roots)
    found = dict.fromkeys(parameters, frozenset[str]())
    named = parameters_of(callee)[is_bound:]
    for call in calls:
        is_open = ast.unparse(call.func) != called or any(isinstance(one, ast.Starred) for one in call.args)
        if is_open or any(keyword.arg is None for keyword in call.keywords):
            given = _roots_in(call, known)
            found = {name: before | given for name, before in found.items()}
            continue
        pairs = [*zip(named, call.args, strict=False), *((one.arg or "", one.value) for one in call.keywords)]
        beyond = [(name, value) for name in variadic_of(callee) for value in call.args[len(named) :]]
        for name, value in (*pairs, *beyond):
            found[name] = found.get(name, frozenset()) | _roots_in(value, known)
        if is_bound and isinstance(call.func, ast.Attribute):
            found[parameters[0]] |= _roots_in(call.func.value, known)
    return found


def _calls(tree: ast.AST) -> Iterator[ast.Call]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.Call))


def _is_in(call: ast.Call, called: str) -> bool:
    return called in (ast.unparse(one) for one in (call.func, *call.args))


def _of_local_names(tree: ast.AST, roots: Roots) -> dict[str, frozenset[str]]:
    """Also of what is computed of the parameters, gone through, or put into what is: all that its lines name."""
    known = {name: {*of} for name, of in roots.items()}
    while True:
        before = sum(map(len, known.values()))
        for node in ast.walk(tree):
            targets, values = _given(node)
            given = {root for value in values for root in _roots_in(value, known)}
            for target in targets:
                for name in _names_in(target):
                    known.setdefault(name, set()).update(given)
        if sum(map(len, known.values())) == before:
            return {name: frozenset(of) for name, of in known.items()}


def _given(node: ast.AST) -> tuple[list[ast.expr], list[ast.expr]]:
    if isinstance(node, ast.Assign):
        return node.targets, [node.value]
    if isinstance(node, ast.For | ast.comprehension):
        return [node.target], [node.iter]
    if isinstance(node, ast.AugAssign | ast.AnnAssign | ast.NamedExpr) and node.value is not None:
        return [node.target], [node.value]
    if isinstance(node, ast.withitem) and node.optional_vars is not None:
        return [node.optional_vars], [node.context_expr]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):  # `todo.append(x)`
        return [node.func.value], [*node.args, *(keyword.value for keyword in node.keywords)]
    return [], []


def _roots_in(node: ast.AST, known: Mapping[str, set[str] | frozenset[str]]) -> frozenset[str]:
    return frozenset(root for name in _names_in(node) for root in known.get(name, ()))


def _names_in(node: ast.AST) -> Iterator[str]:
    return (one.id for one in ast.walk(node) if isinstance(one, ast.Name))
