"""The calls that a change is made to, as Python: the user's own lines, or one made up from the parameters' names."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from tb_retrace_plugin.explain.advice.code import assignment, parsed, without_comment
from tb_retrace_plugin.explain.advice.facts import Frame, FunctionFacts
from tb_retrace_plugin.explain.advice.reading import node_of, nodes_at
from tb_retrace_plugin.explain.candidate import Candidate, changed_node
from tb_retrace_plugin.schema.signature import Node

#: Lines that are shown changed.
_MAX_LINES = 6
#: What a name in a program stands for unless somebody means harm.
_NOT_THE_USERS = frozenset({*dir(builtins), "tf", "tensorflow", "np", "numpy", "keras"})
_UNLESS_NONE = "None if {0} is None else "


@dataclass(slots=True)
class _Site:
    """A line that calls. `needed`: path -> how it is written there. `omitted`: path -> the default that was taken."""

    parameters: list[str]
    is_direct: bool
    needed: dict[str, str] = field(default_factory=dict)
    omitted: dict[str, str] = field(default_factory=dict)


def call_code(function: FunctionFacts, wraps: Mapping[str, str], candidate: Candidate) -> str:
    """The calls with some arguments wrapped: `wraps` has `tf.constant({})` by the argument's path.

    The user's own lines where they can be read, else a call that is made up from the parameters' names.
    """
    sites = _sites(function, wraps, candidate)
    changed: dict[str, None] = {}
    others: dict[str, None] = {}
    for frame, site in sites.items():
        if not site.needed:
            continue
        line = _changed_line(function, frame, site) if frame is not None else None
        if line is not None:
            changed[line] = None
        elif frame is not None and frame.source:
            others[f"# and in line {frame.line}: {without_comment(frame.source)}"] = None
    lines = [*changed, *others] if changed else []
    if len(lines) > _MAX_LINES:
        lines[_MAX_LINES - 1 :] = [f"# … and so in {len(lines) - _MAX_LINES + 1} more lines"]
    if lines:
        return "\n".join(lines)
    parameters = next((site.parameters for site in sites.values() if site.needed), [])
    return _made_up(function, wraps, parameters)


def _sites(function: FunctionFacts, wraps: Mapping[str, str], candidate: Candidate) -> dict[Frame | None, _Site]:
    sites: dict[Frame | None, _Site] = {}
    for trace in function.traces:
        frame = function.caller(trace)
        site = sites.get(frame)
        if site is None:
            parameters = [path for path, _ in trace.lookup.signature.arguments if path != "self"]
            site = sites[frame] = _Site(parameters, function.calls_directly(trace))
        for path, wrap in wraps.items():
            node = node_of(trace, path)
            if node is None:
                continue
            if changed_node(node, path, candidate) != node:
                # within a trace it may be a tensor already, which `tf.constant` does not take
                site.needed[path] = wrap.replace("tf.constant(", "tf.convert_to_tensor(") if trace.nested else wrap
                if path in function.with_default and node.kind == "literal":
                    site.omitted[path] = node.value
    return sites


def _changed_line(function: FunctionFacts, frame: Frame, site: _Site) -> str | None:
    wraps = {
        # a call with None may well be served by another line's trace
        path: _UNLESS_NONE + wrap.replace("{}", "{0}") if any(map(_is_none, nodes_at(function, path))) else wrap
        for path, wrap in site.needed.items()
    }
    return rewritten(
        frame.source, function.name, site.parameters, wraps,
        optional=function.with_default, any_name=site.is_direct, defaults=site.omitted,
    )  # fmt: skip


def _is_none(node: Node) -> bool:
    return node.kind == "literal" and node.value == "None"


def _made_up(function: FunctionFacts, wraps: Mapping[str, str], parameters: Sequence[str]) -> str:
    if any(_keyword(path, parameters) for path in wraps):
        named = {_keyword(path, parameters) or path: wrap for path, wrap in wraps.items()}
        passed = (f"{name}={wrap.format(name)}" for name, wrap in named.items() if name.isidentifier())
        return f"{function.name}(…, {', '.join(passed)})"
    if any(path not in parameters or not path.isidentifier() for path in wraps):
        return "\n".join(filter(None, (assignment(function, path, wrap) for path, wrap in wraps.items())))
    if not all(path.isidentifier() for path in parameters):  # of `*args` and `**options`, which have names of their own
        passed = (f"{path}={wrap.format(path)}" for path, wrap in wraps.items())
        return f"{function.name}(…, {', '.join(passed)})"
    shown = [wraps.get(path, "{}").format(path) for path in parameters]
    return f"{function.name}({', '.join(shown)})"


def _keyword(path: str, parameters: Sequence[str]) -> str:
    """`gain` for an argument of its own, `options['gain']`, that a `**options` takes; "" for others."""
    match = re.fullmatch(r"[^\W\d]\w*\['([^\W\d]\w*)'\]", path) if path in parameters else None
    return match[1] if match else ""


def rewritten(
    source: str,
    name: str,
    parameters: Sequence[str],
    wraps: Mapping[str, str],
    *,
    optional: Collection[str] = (),
    any_name: bool = False,
    defaults: Mapping[str, str] | None = None,
) -> str | None:
    """A source line with the arguments of the calls of `name` wrapped; None if that cannot be done in it.

    Every argument of every such call that `wraps` names must be found in the line, or be left to the default value that
    `defaults` has for it, as code. `optional`: the parameters with a default value. `any_name`: the line is known to
    call the function, if need be by another name: it is its only call that passes every other parameter.
    """
    line = without_comment(source)
    tree = parsed(line)
    if tree is None or not line.isascii():
        return None
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    of_name = [node for node in calls if _calls(node.func, name)]
    if not of_name and any_name:
        of_name = [node for node in calls if _passes_all_but(optional, node, parameters)]
        if len(of_name) > 1:
            return None
    edits: list[tuple[int, int, str]] = []
    for node in of_name:
        edit = _edits_of_call(node, line, _given(node, parameters, optional), wraps, defaults or {})
        if edit is None:
            return None
        edits += edit
    if not edits:
        return None
    for start, end, text in sorted(edits, reverse=True):
        line = line[:start] + text + line[end:]
    return line


def _edits_of_call(
    call: ast.Call, line: str, given: Mapping[str, ast.expr], wraps: Mapping[str, str], defaults: Mapping[str, str]
) -> list[tuple[int, int, str]] | None:
    edits = []
    for path, wrap in wraps.items():
        argument = given.get(path)
        node = argument or call
        if node.end_col_offset is None or node.lineno != node.end_lineno:
            return None
        if argument is None:
            if path not in defaults or _has_stars(call):
                return None
            end = node.end_col_offset - 1
            text = f"{path}={wrap.removeprefix(_UNLESS_NONE).format(defaults[path])}"
            comma = "" if not given else " " if line[:end].rstrip().endswith(",") else ", "
            edits.append((end, end, comma + text))
            continue
        start, end = node.col_offset, node.end_col_offset
        if not _may_be_none(argument):
            wrap = wrap.removeprefix(_UNLESS_NONE)
        if not line[start:end].startswith(wrap.partition("{")[0]):
            edits.append((start, end, wrap.format(line[start:end])))
    return edits


def _may_be_none(argument: ast.expr) -> bool:
    """Not a number that is written out or computed."""
    if isinstance(argument, ast.Constant):
        return argument.value is None
    return not isinstance(argument, ast.BinOp | ast.UnaryOp | ast.Compare)


def _given(call: ast.Call, parameters: Sequence[str], optional: Collection[str]) -> dict[str, ast.expr]:
    """The arguments that are written out, by the paths of their parameters."""
    stars = [place for place, argument in enumerate(call.args) if isinstance(argument, ast.Starred)]
    paths = {_keyword(path, parameters): path for path in parameters}
    given = {paths.get(k.arg, k.arg): k.value for k in call.keywords if k.arg is not None}
    given.update(zip(parameters, call.args[: stars[0]] if stars else call.args, strict=False))
    positional = [name for name in parameters if name not in given]
    if len(stars) == 1 and not any(k.arg is None for k in call.keywords) and not {*positional} & {*optional}:
        given.update(zip(reversed(positional), reversed(call.args[stars[0] + 1 :]), strict=False))  # the last ones
    return given


def _has_stars(call: ast.Call) -> bool:
    return any(isinstance(argument, ast.Starred) for argument in call.args) or any(k.arg is None for k in call.keywords)


def _passes_all_but(optional: Collection[str], call: ast.Call, parameters: Sequence[str]) -> bool:
    """Whether it may be a call of a function of the user's with these parameters."""
    root = call.func
    while isinstance(root, ast.Attribute):
        root = root.value
    if _has_stars(call) or (isinstance(root, ast.Name) and root.id in _NOT_THE_USERS):
        return False
    given = {*parameters[: len(call.args)], *(keyword.arg for keyword in call.keywords)}
    fits = len(call.args) <= len(parameters) and given <= {*parameters}
    return fits and all(name in given or name in optional for name in parameters)


def _calls(function: ast.expr, name: str) -> bool:
    if isinstance(function, ast.Attribute):
        if function.attr == "get_concrete_function":
            return _calls(function.value, name)
        return function.attr == name
    return isinstance(function, ast.Name) and function.id == name
