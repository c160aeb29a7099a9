"""Sizes that code asks for of what it computes of its parameters: unknown ones, it may be, where those of these are."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Mapping
from itertools import chain

from tb_retrace_plugin.capture.code.asked_ranks import asked_ranks
from tb_retrace_plugin.capture.code.asked_sizes import asked_sizes, gone_over, made_of_shapes

#: Of a tensor that are no values of it, and what asks for them in the graph: nothing that is computed of these has a
#: size that follows.
_NOT_ITS_VALUES = frozenset({"shape", "get_shape", "dtype", "rank", "size"})
_SHAPES = frozenset({"shape", "get_shape", "ndim"})
#: Ends a name that means something else from there on, as other_names.py writes it.
_OTHER = "?"
_LOOPS = (ast.For, ast.While)
_LATER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def sizes_of_computed(tree: ast.AST, follows: Mapping[str, set[str]]) -> Iterator[str]:
    """`hidden.shape[1] follows .x`, `tf.ones(hidden.shape) follows .x, .mask`, `for … in range(hidden.shape[1]) follows
    .x`: a name of `followed`, and the parameters that it is computed of, with a dot before each, so that none is taken
    for a number that is asked for."""
    for name in sorted(_asked(tree) & follows.keys()):
        of = ", ".join(f".{parameter}" for parameter in sorted(follows[name]))
        for text in chain(asked_sizes(tree, {name}), made_of_shapes(tree, {name}), gone_over(tree, {name})):
            if text.partition(" of ")[0] == text:
                yield f"{text.replace(name, name.removesuffix(_OTHER))} follows {of}"
        for text in asked_ranks(tree, {name}):
            yield f"{text.replace(name, name.removesuffix(_OTHER))} follows {of}"


def followed(tree: ast.AST, parameters: set[str]) -> Mapping[str, set[str]]:
    """Names that a function assigns what it computes of parameters to, with these; of one that is a parameter itself,
    such as `x` of `x = crop(x, size)`, the others."""
    assigned = _all_assigned(tree)
    follows: dict[str, set[str]] = {}
    grown = True
    while grown:  # names of names, in whatever order they stand
        grown = False
        for _, names, read in assigned:
            of = (read & parameters).union(*(follows.get(name, set()) for name in read))
            for name in names:
                others = of - {name}
                grown = grown or not others <= follows.get(name, set())
                follows.setdefault(name, set()).update(others)
    return {name: of for name, of in follows.items() if of}


def without_earlier(tree: ast.AST, parameters: set[str], follows: Mapping[str, set[str]]) -> ast.AST:
    """The tree, or a copy in which a name has another one where it is read before anything that follows from parameters
    is assigned to it."""
    assigned: dict[str, list[ast.AST]] = {}
    for node, names, read in _all_assigned(tree):
        for name in names & follows.keys():
            if (read & parameters).union(*(follows.get(one, set()) for one in read)) - {name}:
                assigned.setdefault(name, []).append(node)
    if not assigned:
        return tree
    nodes = [*ast.walk(tree)]
    loops, later = (
        [{id(each) for each in ast.walk(node)} for node in nodes if isinstance(node, kinds)]
        for kinds in (_LOOPS, _LATER)
    )
    earlier = [
        isinstance(node, ast.Name)
        and node.id in assigned
        and not any(_may_come_before(one, node, loops, later) for one in assigned[node.id])
        for node in nodes
    ]
    if not any(earlier):
        return tree
    whole = copy.deepcopy(tree)
    for node, is_earlier in zip(ast.walk(whole), earlier, strict=True):
        if is_earlier and isinstance(node, ast.Name):
            node.id = f"{node.id}{_OTHER}{_OTHER}"
    return whole


def _may_come_before(assignment: ast.AST, load: ast.Name, loops: list[set[int]], later: list[set[int]]) -> bool:
    """`loops`: what lies in each; `later`: what lies in each function or lambda, which may run later than it stands."""
    if isinstance(assignment, ast.NamedExpr) or getattr(assignment, "end_lineno", 0) < load.lineno:
        return True
    return any(id(load) in within and id(assignment) in within for within in loops) or any(
        id(load) in within and id(assignment) not in within for within in later
    )


def _all_assigned(tree: ast.AST) -> list[tuple[ast.AST, set[str], set[str]]]:
    return [(node, *pair) for node in ast.walk(tree) for pair in _assigned(node)]


def _assigned(node: ast.AST) -> Iterator[tuple[set[str], set[str]]]:
    """What is assigned to, and what is read for it."""
    if isinstance(node, ast.Assign):
        for target in node.targets:
            both = isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple)
            if both and len(target.elts) == len(node.value.elts):  # type: ignore[attr-defined]
                pairs = zip(target.elts, node.value.elts, strict=True)  # type: ignore[attr-defined]
                yield from ((names_stored(one), names_read(value)) for one, value in pairs)
            else:
                yield names_stored(target), names_read(node.value)
    elif isinstance(node, ast.AnnAssign | ast.AugAssign | ast.NamedExpr) and node.value is not None:
        yield names_stored(node.target), names_read(node.value)


def names_stored(target: ast.AST) -> set[str]:
    """Names that an assignment, or a loop, gives a value."""
    elements = target.elts if isinstance(target, ast.Tuple | ast.List) else [target]
    return {each.id for each in elements if isinstance(each, ast.Name)}


def names_read(value: ast.AST) -> set[str]:
    """Names that are read for their values: not `x` of `x.shape` and `tf.shape(x)`."""
    if isinstance(value, ast.Attribute) and value.attr in _NOT_ITS_VALUES:
        return set()
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr in _NOT_ITS_VALUES:
        return set()
    if (sources := _differentiated_by(value)) is not None:  # a gradient has the shape of what it is by
        return names_read(sources)
    own = {value.id} if isinstance(value, ast.Name) else set()
    return own.union(*map(names_read, ast.iter_child_nodes(value)))


def _differentiated_by(value: ast.AST) -> ast.AST | None:
    """`x` of `tape.gradient(loss, x)`."""
    if not (isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr == "gradient"):
        return None
    if len(value.args) > 1:
        return value.args[1]
    return next((one.value for one in value.keywords if one.arg == "sources"), None)


def _asked(tree: ast.AST) -> set[str]:
    """Names whose shape is asked for."""
    return {
        node.value.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr in _SHAPES and isinstance(node.value, ast.Name)
    }
