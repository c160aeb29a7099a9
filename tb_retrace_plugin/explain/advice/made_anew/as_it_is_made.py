"""How a tf.function that is made again and again is made now, as far as its line and its traces tell: it stays so."""

from __future__ import annotations

import ast

from tb_retrace_plugin.explain.advice.evidence.asked_for import is_asked_for
from tb_retrace_plugin.explain.advice.evidence.facts import FunctionFacts, Traced
from tb_retrace_plugin.explain.advice.evidence.reading import is_written_as_default
from tb_retrace_plugin.explain.advice.source.code import parsed, signature_code, source_line
from tb_retrace_plugin.explain.earlier_traces.history import has_unknown_dimension
from tb_retrace_plugin.explain.verdict.asked_for import ASKS

#: Where no line shows how it is made: a decorator's, or a factory's, of which nothing is recorded.
STAYS = "Give `tf.function` there whatever else it is given where it is made now, such as `autograph=False`."
_DECLARED = "@tf.function("
_PARTIAL = "functools.partial("
_OF_TENSORS = frozenset({"tensor", "composite"})
#: Stands for what the code that is shown leaves out.
_LEFT_OUT = "_left_out_"


def made_in(line: str, name: str) -> str:
    """The one `tf.function(…)` call in the line that is passed the function of that name; "" if none is, or several."""
    tree = parsed(line)
    found = [
        node
        for node in (ast.walk(tree) if tree is not None else ())
        if isinstance(node, ast.Call) and _makes_a_function(node.func) and _is_of(node, name)
    ]
    return ast.unparse(found[0]) if len(found) == 1 else ""


def known_keywords(function: FunctionFacts) -> tuple[str, ...]:
    """Of `tf.function`, but `autograph`, of which nothing is recorded."""
    found = []
    lookups = [trace.lookup for trace in function.traces]
    if signature := declared_with(function):
        found.append(signature)
    elif all(lookup.reduce_retracing for lookup in lookups):
        found.append("reduce_retracing=True")
    is_compiled = function.jit_compile and not function.compiled_in_part
    return (*found, "jit_compile=True") if is_compiled else tuple(found)


def with_bound(function: FunctionFacts) -> str:
    """What `tf.function` is given; of a `functools.partial` with the values that lines do not pass, if those tell."""
    opened, _, bound_there = function.passed.partition(", ")
    if not opened.startswith(_PARTIAL) or bound_there != "…)":
        return function.passed
    # where other values are bound, which differs is no argument of any call
    arguments = [pair for pair in function.traces[0].lookup.signature.arguments if pair[0] != "self"]
    needed = [path for path, _ in arguments if path not in function.with_default]
    passed = [_most_passed(function, trace) for trace in function.traces]
    if not needed or any(count is None or count >= len(needed) for count in passed):
        return function.passed
    bound = [(path, node.value) for path, node in arguments if path in needed and is_written_as_default(path, node)]
    as_many = {len(needed) - count for count in passed if count is not None}
    if as_many != {len(bound)}:
        return function.passed
    return f"{opened}, {', '.join(f'{path}={value}' for path, value in bound)})"


def binds_tensors(function: FunctionFacts) -> bool:
    """Whether a `functools.partial` binds what is no Python value: lines pass less than all that is none."""
    if not function.passed.startswith(_PARTIAL):
        return False
    arguments = [pair for pair in function.traces[0].lookup.signature.arguments if pair[0] != "self"]
    needed = [node for path, node in arguments if path not in function.with_default]
    tensors = sum(node.kind in _OF_TENSORS for node in needed)
    passed = [_most_passed(function, trace) for trace in function.traces]
    return any(count is not None and count < tensors for count in passed) and tensors == len(needed)


def _most_passed(function: FunctionFacts, trace: Traced) -> int | None:
    """How many arguments the call in the caller's line with most of them passes; None: not known."""
    tree = parsed(source_line(function.caller(trace))) if function.calls_directly(trace) else None
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)] if tree is not None else []
    if any(isinstance(a, ast.Starred) for call in calls for a in call.args) or not calls:
        return None
    if any(keyword.arg is None for call in calls for keyword in call.keywords):
        return None
    return max(len(call.args) + len(call.keywords) for call in calls)


def with_keywords(made: str, keywords: str) -> str:
    """A call of `tf.function`, with more of them; what it has of the same names they take the place of."""
    call, added = _call(made), _call(f"f({keywords})")
    if call is None or added is None:
        return f"{made[:-1]}, {keywords})"
    new = {keyword.arg for keyword in added.keywords}
    if "input_signature" in new:  # there is but one trace
        new.add("reduce_retracing")
    kept = [keyword for keyword in call.keywords if keyword.arg not in new]
    given = ", ".join([*map(ast.unparse, call.args), *(f"{one.arg}={ast.unparse(one.value)}" for one in kept)])
    given = given.replace(_LEFT_OUT, "…")
    if keywords.startswith("\n"):
        return f"tf.function(\n    {given},{keywords})" if given else f"tf.function({keywords})"
    return f"tf.function({', '.join(filter(None, (given, keywords)))})"


def _call(code: str) -> ast.Call | None:
    tree = parsed(code.replace("…", _LEFT_OUT))
    first = tree.body[0] if tree is not None and tree.body else None
    return first.value if isinstance(first, ast.Expr) and isinstance(first.value, ast.Call) else None


def _makes_a_function(called: ast.expr) -> bool:
    """Whether it is `tf.function`, of whatever name TensorFlow has there, or `function` that was imported from it."""
    if isinstance(called, ast.Name):
        return called.id == "function"
    return isinstance(called, ast.Attribute) and called.attr == "function" and isinstance(called.value, ast.Name)


def _is_of(call: ast.Call, name: str) -> bool:
    passed = [node for argument in call.args for node in ast.walk(argument)]
    if name == "<lambda>":
        return any(isinstance(node, ast.Lambda) for node in passed)
    names = {node.id for node in passed if isinstance(node, ast.Name)}
    return name in names | {node.attr for node in passed if isinstance(node, ast.Attribute)}


def declared_with(function: FunctionFacts) -> str:
    """`input_signature=[…]`, where every call is looked up with the same unknown dimensions, which none has by itself;
    "" if none is known."""
    first = function.traces[0].lookup.signature
    same = all(trace.lookup.signature.arguments == first.arguments for trace in function.traces)
    if not same or not has_unknown_dimension(first):
        return ""
    if any(t.nested or (is_asked_for(t) and not _is_asked_for_as_declared(function, t)) for t in function.traces):
        return ""
    code = signature_code([pair for pair in first.arguments if pair[0] != "self"])
    return code[len(_DECLARED) : -1] if code is not None else ""


def _is_asked_for_as_declared(function: FunctionFacts, trace: Traced) -> bool:
    """Whether the line asks for a concrete function of what is declared: it passes nothing."""
    tree = parsed(source_line(function.caller(trace)))
    nodes = list(ast.walk(tree)) if tree is not None else []
    called = [node.func for node in nodes if isinstance(node, ast.Call) and not (node.args or node.keywords)]
    asked = [node for node in nodes if isinstance(node, ast.Attribute) and node.attr == ASKS]
    return bool(asked) and all(node in called for node in asked)
