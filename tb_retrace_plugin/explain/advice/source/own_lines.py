"""The call of a function that takes more than before, as the user's own lines have it."""

from __future__ import annotations

import ast
import copy
import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from tb_retrace_plugin.explain.advice.evidence.facts import Frame, FunctionFacts, Traced
from tb_retrace_plugin.explain.advice.evidence.key_defaults import told_defaults
from tb_retrace_plugin.explain.advice.evidence.listed import listed
from tb_retrace_plugin.explain.advice.source.call_lines import (
    Site,
    calling_frame,
    sites_elsewhere,
    sites_of,
    with_items,
)
from tb_retrace_plugin.explain.advice.source.code import without_comment
from tb_retrace_plugin.explain.advice.source.one_definition import PART
from tb_retrace_plugin.explain.advice.source.source_calls import Call
from tb_retrace_plugin.explain.advice.source.written_items import written_items
from tb_retrace_plugin.explain.what_if.candidate import Candidate

_MAX_LINES = 4
_LEFT_OUT = "_left_out_"
_MOST_HELPERS = 3
#: What Python makes a function of, and has the names of the one around it.
_WITHIN = frozenset({"<genexpr>", "<listcomp>", "<dictcomp>", "<setcomp>"})
_KEPT = re.compile(r"^kept_(\w+) = (\w+)(?=  # )", re.MULTILINE)
#: Of what is kept as the calling line has it, by a name.
_KEPT_SO = re.compile(r"^kept_\w+ = \w+  # .*$", re.MULTILINE)
_THERE = (ast.Name, ast.Attribute, ast.Subscript, ast.Constant)


def in_own_lines(function: FunctionFacts, part: str, wraps: Mapping[str, str]) -> str | None:
    """A part of code that defines the function with more parameters, and ends with a call of it by their names: with
    the lines that call in its place. None where it is no such part, or one of the lines cannot be written so.

    `wraps`: of what lies in an argument, how that is wrapped, as `call_code` has them."""
    match = PART.fullmatch(part)
    own = [path for path, _ in function.traces[0].lookup.signature.arguments if path != "self"]
    is_made_up = match is not None and match[5].removeprefix("….") in (
        function.name,
        function.called.removeprefix("…."),
    )
    passed = _passed(match[6], own) if match is not None and is_made_up else None
    known = sites_of(function, {}, Candidate())
    sites = [*known.values(), *sites_elsewhere(function, {}, known).values()]  # they have to pass what it takes, too
    if match is None or passed is None or not sites:
        return None
    lines: dict[str, None] = {}
    for site in sites:
        line = _line(function, site, passed, wraps, own)
        if line is None:
            return None
        lines[line] = None
    if len(lines) > _MAX_LINES:
        return None
    head = part[: match.start(5)]
    head = _KEPT.sub(lambda found: _made(found, sites), head)
    if helpers := _handed_on_by(function):
        are_called = "that is called" if len(helpers) == 1 else "these are called"
        head = _KEPT_SO.sub(rf"\g<0>; outside of {listed(helpers)}, if {are_called} for each", head)
    return head + "\n".join(lines)


def in_lines_of(function: FunctionFacts, part: str, traces: Sequence[Traced], otherwise: str) -> str:
    """Such a part, where other lines call it with something else: these in a comment, with what they are to pass.

    `traces`: of which the lines are to be written so."""
    frames = [calling_frame(function, trace) for trace in function.traces]
    own = {calling_frame(function, trace) for trace in traces}
    others = [one for one in dict.fromkeys(frames) if one is not None and one.source and one not in own]
    places = {(one.file, one.line) for one in others}
    of_these = [
        replace(trace, other_calls=tuple([o for o in trace.other_calls if (o.file, o.line) not in places]))
        for trace, frame in zip(function.traces, frames, strict=True)
        if frame in own
    ]
    written = in_own_lines(replace(function, traces=of_these), part, {}) if others and of_these else None
    said = [f"# and by hand, {otherwise}, in line {one.line}: {without_comment(one.source)}" for one in others]
    return "\n".join([written or part, *said])


def _handed_on_by(function: FunctionFacts) -> tuple[str, ...]:
    helpers = {helpers_of(trace) for trace in function.traces}
    return helpers.pop() if len(helpers) == 1 else ()


def helpers_of(trace: Traced) -> tuple[str, ...]:
    """The user's function with the line that calls, of which it may be a parameter what that passes, and those around
    it; up to one that is called with nothing."""
    users = [frame for frame in trace.stack if frame.user and frame.function not in _WITHIN]
    helpers = itertools.takewhile(lambda pair: _is_handed(*pair), itertools.pairwise(users))
    return tuple([inner.function for inner, _ in itertools.islice(helpers, _MOST_HELPERS)])


def _is_handed(inner: Frame, outer: Frame) -> bool:
    name = inner.function
    return name.isidentifier() and re.search(rf"\b{name}\((?!\))", outer.source) is not None


def _passed(arguments: str, own: list[str]) -> dict[str, ast.expr] | None:
    """What the call that is made up passes, by parameter."""
    try:
        call = ast.parse(f"f({arguments.replace('…', _LEFT_OUT)})", mode="eval").body
    except SyntaxError:
        return None
    if not isinstance(call, ast.Call) or len(call.args) > len(own):
        return None
    passed = dict(zip(own, call.args, strict=False))
    return passed | {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg is not None}


def _line(
    function: FunctionFacts, site: Site, passed: Mapping[str, ast.expr], wraps: Mapping[str, str], own: list[str],
) -> str | None:  # fmt: skip
    if site.line is None or not site.line.calls:
        return None
    line = with_items(site.line, wraps.keys())
    edits: list[tuple[int, int, str]] = []
    for call in line.calls:
        found = None if call.has_stars else _edits(function, call, line.code, passed, wraps, own)
        if found is None:
            return None
        edits += found
    code = line.code
    for start, end, text in sorted(edits, reverse=True):
        code = code[:start] + text + code[end:]
    return code


def _edits(
    function: FunctionFacts, call: Call, code: str, passed: Mapping[str, ast.expr], wraps: Mapping[str, str],
    own: list[str],
) -> list[tuple[int, int, str]] | None:  # fmt: skip
    edits: list[tuple[int, int, str]] = []
    added: list[str] = []
    defaults = told_defaults(function)
    given = dict(call.given)
    for name in own:
        if name not in given and name in defaults:
            given[name] = ast.parse(defaults[name], mode="eval").body
    for name, value in passed.items():
        if isinstance(value, ast.Name) and value.id == name:
            continue
        text = _Given(own, given).written(value)
        if text is None:
            return None
        argument = call.given.get(name)
        if argument is None:
            added.append(f"{name}={text}")
        elif argument.lineno != argument.end_lineno:
            return None
        else:
            edits.append((argument.col_offset, argument.end_col_offset or 0, text))
    for path, wrap in wraps.items():
        argument = call.given.get(path)
        if argument is None and wrap == path:  # of what is kept by that name this line passes none
            continue
        if argument is None or argument.lineno != argument.end_lineno:
            return None
        start, end = argument.col_offset, argument.end_col_offset or 0
        edits.append((start, end, wrap.format(code[start:end])))
    if added:
        end = (call.node.end_col_offset or 0) - 1
        edits.append((end, end, ("" if code[:end].rstrip().endswith(("(", ",")) else ", ") + ", ".join(added)))
    spans = sorted((start, end) for start, end, _ in edits)
    overlap = any(one[1] > other[0] for one, other in itertools.pairwise(spans))
    return None if overlap else edits


@dataclass
class _Given(ast.NodeTransformer):
    """Parameters' names replaced by what a call passes for them."""

    own: list[str]
    given: Mapping[str, ast.expr]
    failed: bool = False

    def written(self, value: ast.expr) -> str | None:
        """None where that would be made once more."""
        names = [node for node in ast.walk(value) if isinstance(node, ast.Name)]
        if any(not isinstance(node.ctx, ast.Load) and node.id in self.own for node in names):  # of a comprehension
            return None
        text = ast.unparse(self.visit(copy.deepcopy(value)))
        return None if self.failed else text.replace(_LEFT_OUT, "…")

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        root: ast.expr = node
        while isinstance(root, ast.Attribute | ast.Subscript):
            root = root.value
        argument = self.given.get(root.id) if isinstance(root, ast.Name) and root.id in self.own else None
        if argument is None or not isinstance(root, ast.Name):
            return self.generic_visit(node)
        items = written_items(root.id, argument)
        if (item := items.get(ast.unparse(node))) is not None:
            return item
        self.failed = self.failed or not isinstance(argument, _THERE)
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id not in self.own:
            return node
        self.failed = self.failed or node.id not in self.given
        return self.given.get(node.id, node)


def _made(found: re.Match[str], sites: list[Site]) -> str:
    """`kept_settings = settings` as the variable that calls pass, or as what they make: `Settings(…)`."""
    name = found[1]
    calls = [call for site in sites if site.line is not None for call in site.line.calls]
    texts = {ast.unparse(call.given[name]) for call in calls if name in call.given}
    nodes = [call.given[name] for call in calls if name in call.given]
    if found[2] != name or not nodes:
        return found[0]
    if len(texts) == 1 and isinstance(nodes[0], ast.Name | ast.Attribute):
        return f"kept_{name} = {texts.pop()}"
    makers = {ast.unparse(node.func) if isinstance(node, ast.Call) else "" for node in nodes} - {""}
    return f"kept_{name} = {makers.pop()}(…)" if len(makers) == 1 else found[0]
