"""Objects of Python's that a loop changes at each of its turns: a circuit that gets its gates, a program its steps."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import Any

from tb_retrace_plugin.capture.code.gone_through import loops_over_numbers
from tb_retrace_plugin.capture.code.source_tree import assigned_once

#: Whose objects change in the graph: variables, layers, metrics, `tf.TensorArray`s.
_OF_THE_GRAPH = frozenset({"tensorflow", "keras", "tf_keras"})


def changed_by_loops(tree: ast.AST, parameters: set[str], known: Mapping[str, Any]) -> Iterator[str]:
    """`circuit.rotate(…) in range(n)`, of an object that the code makes, and asks for something besides; and `… | … in
    range(n)`, whose result nothing takes: in the graph's loop that a tensor makes of it, the one turn that is traced
    leaves tensors in the object that are none outside. `known`: what it reads from around it, by name."""
    made = {name for name, value in assigned_once(tree).items() if _makes_an_object(value, known)}
    for loop, numbers in loops_over_numbers(tree, parameters):
        lines = [node for line in loop.body for node in ast.walk(line)]
        within = {id(node) for node in lines}
        besides = {
            node.id
            for node in ast.walk(tree)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and id(node) not in within
        }
        values = [node.value for node in lines if isinstance(node, ast.Expr)]
        changes = [text for value in values if (text := _change(value, made & besides))]
        yield from (f"{text} in range({number})" for number in numbers for text in changes[:1])


def _change(value: ast.expr, made: set[str]) -> str:
    if isinstance(value, ast.BinOp):
        return f"… {ast.unparse(ast.BinOp(ast.Name('a'), value.op, ast.Name('b')))[2:-2]} …"
    called = value.func if isinstance(value, ast.Call) else None
    if isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name) and called.value.id in made:
        return f"{called.value.id}.{called.attr}(…)"
    return ""


def _makes_an_object(value: ast.expr, known: Mapping[str, Any]) -> bool:
    """Of a class that TensorFlow knows nothing of."""
    kind = _found(value.func, known) if isinstance(value, ast.Call) else None
    return isinstance(kind, type) and _OF_THE_GRAPH.isdisjoint(
        base.__module__.partition(".")[0] for base in kind.__mro__
    )


def _found(node: ast.expr, known: Mapping[str, Any]) -> Any:
    """By its name, or as a module has it; None of all else. Nothing of the program's is run."""
    if isinstance(node, ast.Name):
        return known.get(node.id)
    module = _found(node.value, known) if isinstance(node, ast.Attribute) else None
    return vars(module).get(node.attr) if type(module) is ModuleType and isinstance(node, ast.Attribute) else None
