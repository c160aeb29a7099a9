"""The calls that a change is made to, as Python: the user's own lines, or one made up from the parameters' names."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace

from tb_retrace_plugin.explain.advice.evidence.asked_for import is_asked_for, is_saved
from tb_retrace_plugin.explain.advice.evidence.facts import Frame, FunctionFacts, Traced
from tb_retrace_plugin.explain.advice.evidence.key_defaults import is_literal, told_defaults
from tb_retrace_plugin.explain.advice.evidence.reading import is_none, node_of, nodes_at
from tb_retrace_plugin.explain.advice.source.code import (
    UNLESS_NONE,
    assignment,
    is_dotted_name,
    keyword_of,
    without_comment,
)
from tb_retrace_plugin.explain.advice.source.copied_arguments import copied
from tb_retrace_plugin.explain.advice.source.edited_calls import with_edits
from tb_retrace_plugin.explain.advice.source.source_calls import (
    Call,
    CallingLine,
    calling_line,
    handing_line,
    passes_less,
    passes_on,
)
from tb_retrace_plugin.explain.advice.source.written_items import written_items
from tb_retrace_plugin.explain.what_if.candidate import Candidate, changed_node
from tb_retrace_plugin.schema.signature import parameter_of

#: Lines that are shown changed.
_MAX_LINES = 6
#: Where something is that is no argument of its own.
_PASSED = "what it passes for {}"
_IN_A_DEFAULT = "what {} has by default"


@dataclass(slots=True)
class Site:
    """A line that calls. `needed`: path -> how it is written there. `values`: of parameters with a default value."""

    parameters: list[str]
    is_direct: bool
    line: CallingLine | None = None
    needed: dict[str, str] = field(default_factory=dict)
    values: dict[str, set[str]] = field(default_factory=dict)


def call_code(function: FunctionFacts, wraps: Mapping[str, str], candidate: Candidate) -> str:
    """The calls with some arguments wrapped: `wraps` has `tf.constant({})` by the argument's path.

    The user's own lines where they can be read, else a call that is made up from the parameters' names.
    """
    sites = sites_of(function, wraps, candidate)
    defaults = _defaults(sites.values())
    changed: dict[str, None] = {}
    others: dict[str, None] = {}
    for frame, site in (*sites.items(), *sites_elsewhere(function, wraps, sites).items()):
        if not site.needed:
            continue
        code = _changed_code(function, site, defaults, candidate)
        if code:
            changed[code] = None
        elif frame is not None and (left_out := _left_out(function, frame, site)):
            others[left_out] = None
        elif frame is not None and frame.source:
            dtypes = dict.fromkeys(wrap.format("…") for wrap in site.needed.values() if ", tf." in wrap)
            by_hand = f"by hand, with {' and '.join(dtypes)}," if dtypes else "by hand"
            others[f"# and {by_hand} in line {frame.line}: {without_comment(frame.source)}"] = None
    lines = [*changed, *others] if changed else []
    if len(lines) > _MAX_LINES:
        lines[_MAX_LINES - 1 :] = [f"# … and so in {len(lines) - _MAX_LINES + 1} more lines"]
    if lines:
        return "\n".join(lines)
    needing = {frame: site for frame, site in sites.items() if site.needed}
    return _made_up(function, wraps, needing) if needing else ""


def _left_out(function: FunctionFacts, frame: Frame, site: Site) -> str:
    """The default values that a library's calls have, which the line makes; "" where they may pass something."""
    defaults, written = told_defaults(function), []
    for path, wrap in site.needed.items():
        nodes = [node_of(trace, path) for trace in function.traces if function.caller(trace) == frame]
        if site.is_direct or {node.value for node in nodes if node is not None} != {defaults.get(path)}:
            return ""
        written.append(f"{path}={wrap.format(defaults[path])}")
    return f"def {function.name}(…, {', '.join(written)}):  # the library's call in line {frame.line} leaves it out"


def variable_passed(function: FunctionFacts, parameter: str, traces: Iterable[Traced] | None = None) -> str:
    """The variable that calls pass for a parameter, where they pass but one; else, and if not known, its own name.
    `traces`: of whose calls alone."""
    frames = None if traces is None else {calling_frame(function, trace) for trace in traces}
    found: set[str] = set()
    for frame, site in sites_of(function, {}, Candidate()).items():
        if frames is not None and frame not in frames:
            continue
        if site.line is None:
            return parameter
        calls = [call for call in site.line.calls if parameter in call.given or call.has_stars]
        found.update(_held_in(call, parameter, site.line) for call in calls)
    found.discard("")
    (only,) = found if len(found) == 1 else ("",)
    return only or parameter


def called_on(function: FunctionFacts) -> str:
    """The variable whose method it is where it is called, if all lines have one name for that; else ""."""
    found: set[str] = set()
    for site in sites_of(function, {}, Candidate()).values():
        if site.line is None:
            return ""
        for call in site.line.calls:
            held = call.node.func.value if isinstance(call.node.func, ast.Attribute) else None
            text = "" if held is None else ast.unparse(held)
            found.add(text if is_dotted_name(text) and text.partition(".")[0] not in site.line.bound else "")
    (only,) = found if len(found) == 1 else ("",)
    return only


def lines_without_the_variable(function: FunctionFacts, parameter: str, frames: Collection[Frame | None]) -> list[str]:
    """Comments on those lines that pass something else than `variable_passed` for it: what is written out there."""
    name = variable_passed(function, parameter)
    lines = []
    for frame, site in sites_of(function, {}, Candidate()).items():
        if frame is None or frame not in frames or site.line is None or name == parameter:
            continue
        if any(parameter in call.given and _held_in(call, parameter, site.line) != name for call in site.line.calls):
            lines.append(f"# and by hand in line {frame.line}: {without_comment(frame.source)}")
    return lines


def is_written_at_a_call(function: FunctionFacts, parameter: str, traces: Iterable[Traced]) -> bool:
    """Whether a line that calls for these traces passes something else than a variable for it: what is made there."""
    frames = {calling_frame(function, trace) for trace in traces}
    lines = [site.line for frame, site in sites_of(function, {}, Candidate()).items() if frame in frames]
    calls = [(call, line) for line in lines if line is not None for call in line.calls if parameter in call.given]
    return any(not _held_in(call, parameter, line) for call, line in calls)


def calling_frame(function: FunctionFacts, trace: Traced) -> Frame | None:
    """The user's line that calls it: of a decorator above it that hands on what it is passed, the line that calls that,
    where it does so by the function's name, or hands it the function, too (`run(step, x)`)."""
    outer, line = line_around(function, trace)
    return outer if line is not None else function.caller(trace)


def rewritten_call(function: FunctionFacts, trace: Traced, wraps: Mapping[str, str]) -> str | None:
    """The line that calls for a trace, or hands the function on, with the arguments wrapped that `wraps` names; None if
    that cannot be done in it."""
    _, line = line_around(function, trace)
    frame = function.caller(trace)
    if line is None and frame is not None:
        parameters = [path for path, _ in trace.lookup.signature.arguments if path != "self"]
        line = calling_line(
            frame.source, function.name, parameters, function.with_default, function.keyword_only,
            any_name=function.calls_directly(trace),
        )  # fmt: skip
    return with_edits(line, wraps, {}, (), function.with_default) if line is not None else None


def line_around(
    function: FunctionFacts, trace: Traced, *, handed: bool = False
) -> tuple[Frame | None, CallingLine | None]:
    """The line that calls what hands on all that it is passed; None where its own call is the user's line. `handed`:
    only where it hands it the function: what a decorator made has the function's name, and is none."""
    users = [frame for frame in trace.stack if frame.user]
    place = next((i for i, frame in enumerate(users) if not passes_on(frame.source)), 0)
    if place == 0:
        return None, None
    outer, parameters = users[place], [path for path, _ in trace.lookup.signature.arguments if path != "self"]
    optional, by_name = function.with_default, function.keyword_only
    line = None if handed else calling_line(outer.source, function.name, parameters, optional, by_name)
    by = users[place - 1].function
    return outer, line or handing_line(outer.source, by, function.name, parameters, optional, by_name)


def sites_of(function: FunctionFacts, wraps: Mapping[str, str], candidate: Candidate) -> dict[Frame | None, Site]:
    """By the user's line, those that call; `needed` of them is what is wrapped and the candidate changes there."""
    sites: dict[Frame | None, Site] = {}
    values = {*candidate.numbers, *candidate.stacked}
    saved = all(map(is_saved, function.traces))
    for trace in function.traces:
        asked_for = is_asked_for(trace)
        if is_saved(trace) and not saved:  # with what other lines have passed
            continue
        if asked_for and wraps and values.isdisjoint(wraps):  # a specification is not computed with
            continue
        frame = calling_frame(function, trace)
        site = sites.get(frame)
        if site is None:
            is_inner = frame == function.caller(trace)
            parameters = [path for path, _ in trace.lookup.signature.arguments]
            if not (function.self_is_passed and is_inner):  # above, it is the decorator that has it
                parameters = [path for path in parameters if path != "self"]
            site = sites[frame] = Site(parameters, is_inner and function.calls_directly(trace))
            if not is_inner:
                _, site.line = line_around(function, trace)
            elif frame is not None:
                site.line = calling_line(
                    frame.source, function.name, parameters, function.with_default, function.keyword_only,
                    any_name=site.is_direct,
                )  # fmt: skip
        for path, wrap in wraps.items():
            node = node_of(trace, path)
            if node is None or (asked_for and (path not in values or node.kind in ("tensor", "composite"))):
                continue
            if path in function.with_default:
                site.values.setdefault(path, set()).add(node.value if node.kind == "literal" else "")
            if changed_node(node, path, candidate) != node:
                # within a trace it may be a tensor already, which `tf.constant` does not take
                in_trace = trace.nested or "convert_to_tensor" in site.needed.get(path, "")
                site.needed[path] = wrap.replace("tf.constant(", "tf.convert_to_tensor(") if in_trace else wrap
    _write_alike(sites)
    for site in sites.values():  # which of them the first trace needed is chance
        site.needed = {path: site.needed[path] for path in wraps if path in site.needed}
    return sites


def sites_elsewhere(
    function: FunctionFacts, wraps: Mapping[str, str], sites: Mapping[Frame | None, Site]
) -> dict[Frame | None, Site]:
    """Lines that call it as traced ones do, and have no trace of their own: with a changed call's they would have."""
    # of a statement over several lines each may be found
    traced = {part for frame in sites if frame is not None for part in ((frame.file, frame.line), frame.source)}
    known = [site for site in sites.values() if site.line is not None and site.line.calls]
    called = {ast.unparse(call.node.func) for site in known if site.line is not None for call in site.line.calls}
    found: dict[Frame | None, Site] = {}
    for frame in {one: None for trace in function.traces for one in trace.other_calls}:
        parameters = known[0].parameters if known else []
        line = calling_line(frame.source, function.name, parameters, function.with_default, function.keyword_only)
        if (
            line is None
            or not traced.isdisjoint(((frame.file, frame.line), frame.source))
            or ast.unparse(line.calls[0].node.func) not in called
        ):
            continue
        # what lies in an argument may be another there
        of_arguments = {path: wrap for path, wrap in wraps.items() if path in parameters}
        needed = {}
        for path, wrap in of_arguments.items():
            if all(_may_be_python(call, path) for call in line.calls):
                # what has a name may be a tensor already, of a trace, which `tf.constant` does not take
                is_written = all(_is_written_out(call, path) for call in line.calls)
                needed[path] = wrap if is_written else wrap.replace("tf.constant(", "tf.convert_to_tensor(")
        found[frame] = Site(parameters, False, line, needed)
    return found


def _may_be_python(call: Call, path: str) -> bool:
    """Whether what a call passes is not written as a tensor, or as None."""
    given = call.given.get(path)
    is_none = isinstance(given, ast.Constant) and given.value is None
    return not is_none and not (isinstance(given, ast.Call) and ast.unparse(given.func).startswith("tf."))


def _is_written_out(call: Call, path: str) -> bool:
    given = call.given.get(path)
    if given is None:  # or it lies in what is passed as `**`
        return call.options is None
    return not any(isinstance(node, ast.Name) for node in ast.walk(given))


def _write_alike(sites: Mapping[Frame | None, Site]) -> None:
    """One line is written in one way: AutoGraph's frame and Python's own may have other names for the function."""
    places: dict[tuple[str, int], list[Site]] = {}
    for frame, site in sites.items():
        if frame is not None:
            places.setdefault((frame.file, frame.line), []).append(site)
    for same in places.values():
        for path in {path for site in same for path in site.needed}:
            code = max((site.needed[path] for site in same if path in site.needed), key=len)
            for site in same:
                if path in site.needed:
                    site.needed[path] = code


def _defaults(sites: Collection[Site]) -> dict[str, str]:
    """Values that parameters have where no call of a line passes them: elsewhere they may have been passed."""
    found: dict[str, set[str]] = {}
    for site in sites:
        calls = site.line.calls if site.line is not None else ()
        for path, values in site.values.items():
            is_left_out = calls and not any(path in call.given or call.has_stars for call in calls)
            if is_left_out and len(values) == 1:
                found.setdefault(path, set()).update(values)
    return {path: text for path, values in found.items() if len(values) == 1 and is_literal(text := min(values))}


def _only_values(site: Site) -> dict[str, str]:
    """Of a line that passes a dictionary as `**`: what that may leave out, and is the same at each of its calls."""
    has_options = site.line is not None and all(call.options is not None for call in site.line.calls)
    found = site.values.items() if has_options else ()
    return {path: text for path, values in found if len(values) == 1 and is_literal(text := min(values))}


def _changed_code(function: FunctionFacts, site: Site, defaults: Mapping[str, str], candidate: Candidate) -> str:
    """The line with what it needs, and lines before it for what lies in an argument; "" if that cannot be written."""
    if site.line is None:
        return ""
    before: dict[str, None] = {}
    site.line = with_items(site.line, site.needed.keys())
    wraps = _copies(function, site, site.line)
    for path, wrap in site.needed.items():
        if _root_of(path, site.parameters) in wraps:
            continue
        if path in site.parameters:
            # a call with None may well be served by another line's trace
            may_be_none = any(map(is_none, nodes_at(function, path)))
            wraps[path] = UNLESS_NONE + wrap.replace("{}", "{0}") if may_be_none else wrap
            continue
        root = _root_of(path, site.parameters)
        if all(path in call.given for call in site.line.calls):  # it is written there
            wraps[path] = wrap
            continue
        for call in site.line.calls:
            argument = _held_in(call, root, site.line)
            line = assignment(function, path, wrap, root=root, argument=argument) if argument else ""
            if not line:
                return ""
            before[line] = None
    changed = ""
    if any(_is_passed_elsewhere(site, site.line, path) for path in wraps):
        return ""
    if wraps:
        floats = {path for path, dtype in candidate.numbers.items() if dtype == "float32"}
        known = {**_only_values(site), **told_defaults(function), **defaults}
        changed = with_edits(site.line, wraps, known, floats, function.with_default) or ""
        if not changed:
            return ""
        if "…, **" in changed:
            changed += "  # …: the value that the parameter has by default"
    return "\n".join([*before, changed] if changed else before)


def _is_passed_elsewhere(site: Site, line: CallingLine, path: str) -> bool:
    """Whether the line leaves it out, and it has several values there: a `functools.partial` passes it, say."""
    is_left_out = path in site.parameters and not any(path in call.given or call.has_stars for call in line.calls)
    return is_left_out and len(site.values.get(path, set()) - {""}) > 1


def with_items(line: CallingLine, needed: Collection[str]) -> CallingLine:
    """With what is needed of what is written out within the arguments, where all calls have it there."""
    calls = []
    for call in line.calls:
        items = {path: item for root, node in call.given.items() for path, item in written_items(root, node).items()}
        found = {path: items[path] for path in needed if path in items and path not in call.given}
        calls.append(replace(call, given={**call.given, **found}))
    return replace(line, calls=tuple(calls))


def _root_of(path: str, parameters: Collection[str]) -> str:
    """The parameter in whose argument it lies; "" if it is one itself."""
    return next((p for p in parameters if path.startswith((f"{p}.", f"{p}["))), "")


def _copies(function: FunctionFacts, site: Site, line: CallingLine) -> dict[str, str]:
    """Of arguments that hold what is needed what is passed in their place, where each call passes a variable, or what
    lies in one: also one that the line itself gives a value, as a loop over a list."""
    within: dict[str, dict[str, str]] = {}
    for path, wrap in site.needed.items():
        if path not in site.parameters:
            within.setdefault(_root_of(path, site.parameters), {})[path] = wrap
    held = {r: inner for r, inner in within.items() if all(_is_looked_up(call.given.get(r)) for call in line.calls)}
    found = {root: copied(function, root, inner) for root, inner in held.items()}
    return {root: wrap for root, wrap in found.items() if wrap}


def _is_looked_up(node: ast.AST | None) -> bool:
    """Whether it is there, and may be written twice: `self.cfg`, `request["params"]`, no call."""
    if isinstance(node, ast.Subscript):
        return _is_looked_up(node.value) and (isinstance(node.slice, ast.Constant) or _is_looked_up(node.slice))
    return _is_looked_up(node.value) if isinstance(node, ast.Attribute) else isinstance(node, ast.Name)


def _held_in(call: Call, root: str, line: CallingLine) -> str:
    """The variable that a call passes for a parameter, if there is one before the line is run."""
    argument = call.given.get(root)
    text = line.code[argument.col_offset : argument.end_col_offset] if argument is not None else ""
    return text if is_dotted_name(text) and text.partition(".")[0] not in line.bound else ""


def _made_up(function: FunctionFacts, wraps: Mapping[str, str], sites: Mapping[Frame | None, Site]) -> str:
    parameters = next((site.parameters for site in sites.values()), [])
    # that of a call within a trace goes for the others, too
    wraps = {
        path: max((site.needed[path] for site in sites.values() if path in site.needed), key=len, default=wrap)
        for path, wrap in wraps.items()
    }
    sources = [frame.source for frame in sites if frame is not None and frame.source]
    if any(path not in parameters for path in wraps):
        roots = {path: parameter_of(path) for path in wraps}
        lines = {path: assignment(function, path, wrap) for path, wrap in wraps.items()}
        where = {root: _IN_A_DEFAULT if _is_left_out(function, sites, root) else _PASSED for root in roots.values()}
        said = {
            root: f"  # before each call, in {text.format(root)}" if sources else "" for root, text in where.items()
        }
        written = [line + said[roots[path]] for path, line in lines.items() if line]
        others = [
            f"# and {wraps[p].format(p)} by hand, in {where[roots[p]].format(roots[p])}" for p in lines if not lines[p]
        ]
        if written:
            return "\n".join([*written, *others])
        # nothing can be assigned to, as in a tuple
        places = [f"{wraps[p].format(p)}  # in place of {p}, in {where[roots[p]].format(roots[p])}" for p in lines]
        if len(places) > _MAX_LINES:
            places[_MAX_LINES - 1 :] = [f"# … and so in {len(places) - _MAX_LINES + 1} more places"]
        return "\n".join(places)
    wraps = {
        path: UNLESS_NONE + wrap.replace("{}", "{0}") if any(map(is_none, nodes_at(function, path))) else wrap
        for path, wrap in wraps.items()
    }
    is_named = any(re.search(rf"\b{re.escape(function.name)}\(", source) for source in sources)
    if any(passes_less(source, function.name, parameters, function.with_default) for source in sources):
        is_named = False
    if sources and (not is_named or any(re.search(r"[(,]\s*\*", source) for source in sources)):
        # no call is written with the function's name and its parameters
        passed = {keyword_of(path, parameters) or path: wrap for path, wrap in wraps.items()}
        lines = {name: wrap.format(name) for name, wrap in passed.items()}
        return "\n".join(f"{code}  # in place of {name}, at each call" for name, code in lines.items() if code != name)
    if any(keyword_of(path, parameters) for path in wraps):
        named = {keyword_of(path, parameters) or path: wrap for path, wrap in wraps.items()}
        arguments = (f"{name}={wrap.format(name)}" for name, wrap in named.items() if name.isidentifier())
        return f"{function.name}(…, {', '.join(arguments)})"
    if not all(path.isidentifier() for path in parameters):  # of `*args` and `**options`, which have names of their own
        if not all(path.isidentifier() for path in wraps):
            return "\n".join(f"{w.format(path)}  # in place of {path}, at each call" for path, w in wraps.items())
        arguments = (f"{path}={wrap.format(path)}" for path, wrap in wraps.items())
        return f"{function.name}(…, {', '.join(arguments)})"
    by_name = {path: f"{path}=" for path in parameters if path in function.keyword_only}
    shown = [by_name.get(path, "") + wraps.get(path, "{}").format(path) for path in parameters]
    left_out = [f"{path}: {_IN_A_DEFAULT.format('it')}" for path in wraps if _is_left_out(function, sites, path)]
    return f"{function.name}({', '.join(shown)}){'  # ' if left_out else ''}{', '.join(left_out)}"


def _is_left_out(function: FunctionFacts, sites: Mapping[Frame | None, Site], parameter: str) -> bool:
    """Whether no call passes anything for it: what differs is in its default value, which is the same object."""
    calls = [call for site in sites.values() for call in (site.line.calls if site.line is not None else ())]
    is_known = parameter in function.with_default and all(site.line and site.line.calls for site in sites.values())
    return is_known and not any(parameter in call.given or call.has_stars for call in calls)
