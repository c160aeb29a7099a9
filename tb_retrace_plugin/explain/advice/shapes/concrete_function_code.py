"""`step.get_concrete_function(…)`, as the line that calls the function would write it."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence, Set

from tb_retrace_plugin.explain.advice.evidence.facts import FunctionFacts, Traced
from tb_retrace_plugin.explain.advice.evidence.library_code import RESTORED
from tb_retrace_plugin.explain.advice.evidence.listed import listed
from tb_retrace_plugin.explain.advice.evidence.passed_objects import is_a_method
from tb_retrace_plugin.explain.advice.shapes.shapes import is_open
from tb_retrace_plugin.explain.advice.source.call_lines import line_around
from tb_retrace_plugin.explain.advice.source.code import is_dotted_name, keyword_of, shape_code, spec_code
from tb_retrace_plugin.explain.advice.source.own_lines import helpers_of
from tb_retrace_plugin.explain.advice.source.source_calls import Call, CallingLine, calling_line
from tb_retrace_plugin.schema.signature import Node, is_of_star_arguments

ASKS = ".get_concrete_function("
#: Of TensorFlow: with which a loaded object calls its `__call__`.
_CALLS_AN_OBJECT = "_call_attribute"
_AROUND = {"list": "[{}]", "tuple": "({})", "dict": "{{{}}}"}


def is_loaded(function: FunctionFacts) -> bool:
    return function.file.replace("\\", "/").endswith(RESTORED)


def code_that_asks(
    function: FunctionFacts, trace: Traced, arguments: Sequence[tuple[str, Node]], held: set[str], each: set[str],
    beside: set[str], kept: Mapping[str, str], asked_with: Mapping[str, str], own: Set[tuple[str, int]] = frozenset(),
    named: Set[str] = frozenset(),
) -> str | None:  # fmt: skip
    """`step.get_concrete_function(…)` as its caller would write it; None if that is not known.

    `held`: arguments for which what the call passes can be named: nothing but shapes tells them apart in any call, or
    in those of its line, which is no other kind's. `each`: of these several objects, which the parameter's name stands
    for where the line has none (`models[name]`). `beside`: of which the name is taken, where it has one.
    `asked_with`: as a Fix has it. `own`: dimensions that are unknown here, of which each of those objects has one size.
    `named`: of which each function object has a value of its own, which has to be called by its name.
    """
    parameters = [path for path, _ in arguments]
    line = _line_of(function, trace, arguments)
    call = line.calls[0] if line is not None else None
    made = {path for path in kept.keys() & held if path.isidentifier() and _is_made_by_a_call(function, path)}
    shown: list[str] = []
    by_keyword = False
    for path, node in arguments:
        is_named = path in beside or path in named
        code = _held(call, path, line) if is_named and call is not None and line is not None else None
        if code is None and path in named:
            return None
        code = asked_with.get(path) or code or _of_own_sizes(node, path, own, call, line) or _argument_code(node)
        # what it passes has the sizes of that call
        if code is None and call is not None and line is not None and path in held and not is_open(node):
            given = call.given.get(path)
            is_handed = given is None and call.has_stars  # in what stands for several arguments
            is_kept = path in each and (is_handed or isinstance(given, ast.Subscript | ast.Name | ast.Attribute))
            is_asked_anew = path in kept and isinstance(call.given.get(path), ast.Attribute) and is_a_method(node)
            code = (
                kept[path] if is_asked_anew or path in made else _held(call, path, line) or (path if is_kept else None)
            )
        name = keyword_of(path, parameters)
        if node.kind == "absent":
            by_keyword = True
            continue
        in_place = is_of_star_arguments(path) and not by_keyword
        if code is None or not (path.isidentifier() or name or in_place):
            return None
        by_keyword = by_keyword or bool(name) or path in function.keyword_only
        shown.append(f"{name or path}={code}" if by_keyword else code)
    shown += [f"{path}={code}" for path, code in asked_with.items() if path not in parameters]
    callee = _callee(function, trace, call, line)
    return f"{callee}{ASKS}{', '.join(shown)})" if callee else None


def by_one_name(code: list[str]) -> list[str]:
    """Of one function object: where a line of several calls does not say of what one is, by the name of the others."""
    known = {name for line in code if not (name := line.partition(ASKS)[0]).startswith("…")}
    return [f"{name}{ASKS}{line.partition(ASKS)[2]}" for name in known for line in code] if len(known) == 1 else code


def _line_of(function: FunctionFacts, trace: Traced, arguments: Sequence[tuple[str, Node]]) -> CallingLine | None:
    frame = function.caller(trace)
    if frame is None:
        return None
    _, line = line_around(function, trace, handed=True)
    if line is not None:
        return line
    parameters = [path for path, _ in arguments]
    values = {path for path, node in arguments if node.kind == "literal"} if function.library else set()
    optional = function.with_default | values  # what is loaded does not say which have defaults
    any_name = function.calls_directly(trace)
    return calling_line(frame.source, function.name, parameters, optional, function.keyword_only, any_name=any_name)


def _is_made_by_a_call(function: FunctionFacts, path: str) -> bool:
    """`step(x, Config(2.0))`, in some line."""
    for trace in function.traces:
        arguments = [pair for pair in trace.lookup.signature.arguments if pair[0] != "self"]
        line = _line_of(function, trace, arguments)
        if line is not None and isinstance(line.calls[0].given.get(path), ast.Call):
            return True
    return False


def _callee(function: FunctionFacts, trace: Traced, call: Call | None, line: CallingLine | None) -> str:
    loaded = "…" if is_loaded(function) else ""
    called = call.node.func if call is not None else None
    if isinstance(called, ast.Subscript) and line is not None and _is_of_a_registry(called, line):
        return line.code[called.col_offset : called.end_col_offset]
    is_bound = isinstance(called, ast.Name) and line is not None and called.id in line.bound
    if call is None or called is None or line is None or is_bound or isinstance(called, ast.Subscript):
        is_named = function.name.isidentifier() and not (function.library or function.is_object or function.passed_as)
        if is_named and function.undecorated:  # itself it has no traces
            return compiled_name(function)
        return function.name_where_made if is_named else loaded
    text = line.code[called.col_offset : called.end_col_offset]
    if not is_dotted_name(text) or text.partition(".")[0] in line.bound:
        # `self.model(name).score(x)`, of what is loaded
        return f"….{called.attr}" if is_loaded(function) and isinstance(called, ast.Attribute) else ""
    if line.of_a_partial:
        return f"{text}.func"
    is_called = function.name == "__call__" or any(frame.function == _CALLS_AN_OBJECT for frame in trace.stack)
    is_called = is_called and not text.endswith("__call__")
    return f"{text}.__call__" if is_called else text


def _is_of_a_registry(called: ast.Subscript, line: CallingLine) -> bool:
    """`STEPS["train"]`, as it is before the line is run."""
    base = ast.unparse(called.value)
    is_there = is_dotted_name(base) and base.partition(".")[0] not in line.bound
    return is_there and isinstance(called.slice, ast.Constant)


def of_a_helper(function: FunctionFacts, code: Sequence[str], several: Sequence[str]) -> str:
    """What the code names of the user's function with the line that calls: outside of it, it has another name, if any.

    `several`: names that stand for each object."""
    helper = next(iter(helpers_of(function.traces[0])), "")
    nodes = [node for line in (code if helper else ()) for node in ast.walk(ast.parse(line.replace("…", "_")))]
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    passed = [one for call in calls for one in (*call.args, *(keyword.value for keyword in call.keywords))]
    names = dict.fromkeys(one.id for one in passed if isinstance(one, ast.Name))
    own = [name for name in names if name not in (*several, "_") and not name.startswith("kept_")]
    return f", with {listed(own)} as `{helper}` has {'it' if len(own) == 1 else 'them'}" if own else ""


def compiled_name(function: FunctionFacts) -> str:
    """A name for what a call of `tf.function` makes."""
    return f"compiled_{function.name.lstrip('_')}"


def _held(call: Call, path: str, line: CallingLine) -> str | None:
    """The variable that the call passes, if it is there before the line is run."""
    argument = call.given.get(path)
    text = line.code[argument.col_offset : argument.end_col_offset] if argument is not None else ""
    return text if is_dotted_name(text) and text.partition(".")[0] not in line.bound else None


def _of_own_sizes(
    node: Node, path: str, own: Set[tuple[str, int]], call: Call | None, line: CallingLine | None
) -> str | None:
    """`tf.TensorSpec([None, image.shape[1]], tf.float32)`: of a tensor that the call passes."""
    if node.kind != "tensor" or node.shape is None or not any((path, at) in own for at in range(len(node.shape))):
        return None
    name = (_held(call, path, line) if call is not None and line is not None else None) or path
    shape = [f"{name}.shape[{at}]" if (path, at) in own else str(size) for at, size in enumerate(node.shape)]
    code = spec_code(node)
    sizes = ", ".join("None" if size == "-1" else size for size in shape)
    return code.replace(shape_code(node.shape), f"[{sizes}]", 1) if code is not None else None


def _member(value: str) -> str | None:
    """`Mode.TRAIN`, of an Enum, and what `Flag.A|B` stands for; None of all else."""
    kind, _, names = value.rpartition(".")
    members = [f"{kind}.{name}" for name in names.split("|")]
    return " | ".join(members) if kind and all(map(is_dotted_name, members)) else None


def _argument_code(node: Node) -> str | None:
    """As an argument of `get_concrete_function`, which takes Python values beside specifications."""
    if node.kind == "literal":
        if node.type_name == "float" and node.value in ("inf", "-inf"):
            return f"float({node.value!r})"
        try:
            return node.value if repr(ast.literal_eval(node.value)) == node.value else None
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return _member(node.value) if node.value.startswith(f"{node.type_name}.") else None
    if node.kind == "object" and (member := _member(node.value)) is not None:
        return member
    if (code := spec_code(node)) is not None:
        return code
    parts = [(key, _argument_code(child)) for key, child in node.children]
    if any(code is None for _, code in parts):
        return None
    if node.kind == "named_tuple":
        return f"{node.type_name}({', '.join(f'{key[1:]}={code}' for key, code in parts)})"
    if node.kind not in _AROUND:
        return None
    inner = ", ".join(f"{key[1:-1]}: {code}" if node.kind == "dict" else str(code) for key, code in parts)
    if node.kind == "tuple" and len(parts) == 1:
        inner += ","
    code = _AROUND[node.kind].format(inner)
    if not node.class_name:
        return code
    return f"{node.class_name}({code})" if node.class_name.isidentifier() else None
