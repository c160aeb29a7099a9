"""A source line that calls, with some arguments of its calls wrapped."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Mapping, Sequence

from tb_retrace_plugin.explain.advice.source.code import UNLESS_NONE, keyword_of
from tb_retrace_plugin.explain.advice.source.source_calls import Call, CallingLine, calling_line

#: Name of what a call computes for an argument that may be None.
_GIVEN = "given"
_CAST = "tf.cast("
#: Python's own, which never give None.
_GIVE_NUMBERS = frozenset({"abs", "bool", "complex", "float", "int", "len", "round"})
#: What is not None, whatever is in it.
_WRITTEN_OUT = (
    *(ast.BinOp, ast.UnaryOp, ast.Compare, ast.List, ast.Tuple, ast.Dict, ast.Set, ast.ListComp, ast.DictComp),
    *(ast.SetComp, ast.GeneratorExp, ast.JoinedStr, ast.Lambda),
)
_AS_FLOAT32 = ", tf.float32)"
#: What a method is called on without brackets.
_BEFORE_A_DOT = (ast.Name, ast.Attribute, ast.Subscript, ast.Call)
#: As Python reads it; what is a name or a sum may be an `int`.
_FLOAT = re.compile(r"-?(\d+\.\d*|\.\d+)(e[+-]?\d+)?|-?\d+e[+-]?\d+", re.IGNORECASE)


def rewritten(
    source: str,
    name: str,
    parameters: Sequence[str],
    wraps: Mapping[str, str],
    *,
    optional: Collection[str] = (),
    keyword_only: Collection[str] = (),
    any_name: bool = False,
    defaults: Mapping[str, str] | None = None,
    floats: Collection[str] = (),
) -> str | None:
    """A source line with the arguments of the calls of `name` wrapped; None if that cannot be done in it.

    Every argument of every such call that `wraps` names must be found in the line, or be left to the default value that
    `defaults` has for it, as code. `optional`, `any_name`: see `calling_line`. `floats`: of float32 tensors.
    """
    line = calling_line(source, name, parameters, {*optional, *(defaults or {})}, keyword_only, any_name=any_name)
    return with_edits(line, wraps, defaults or {}, floats, optional) if line is not None else None


def with_edits(
    line: CallingLine,
    wraps: Mapping[str, str],
    defaults: Mapping[str, str],
    floats: Collection[str],
    optional: Collection[str],
) -> str | None:
    """As `rewritten`, of a line that has been read."""
    edits: list[tuple[int, int, str]] = []
    for call in line.calls:
        edit = _edits_of_call(call, line.code, wraps, defaults, floats, optional)
        if edit is None:
            return None
        edits += edit
    if not edits:
        return None
    code = line.code
    for start, end, text in sorted(edits, reverse=True):
        code = code[:start] + text + code[end:]
    return code


def _edits_of_call(
    call: Call,
    line: str,
    wraps: Mapping[str, str],
    defaults: Mapping[str, str],
    floats: Collection[str],
    optional: Collection[str],
) -> list[tuple[int, int, str]] | None:
    edits = []
    omitted = []
    in_options: dict[str, str] = {}
    for path, wrap in wraps.items():
        argument = call.given.get(path)
        node = argument or call.node
        if node.end_col_offset is None or node.lineno != node.end_lineno:
            return None
        if argument is None:
            if call.options is not None and _keyword(path):
                in_options[path] = wrap
                continue
            if path not in defaults or call.has_stars:
                return None
            if defaults[path] != "None":
                omitted.append(f"{path}={_wrapped(wrap.removeprefix(UNLESS_NONE), defaults[path])}")
            continue
        done = wrap.removeprefix(UNLESS_NONE)
        if wrap.startswith(UNLESS_NONE):
            argument = _besides_none(argument)
            if _is_none(argument):
                continue
            if not _may_be_none(argument):
                wrap = wrap.removeprefix(UNLESS_NONE)
            elif isinstance(argument, ast.NamedExpr):  # has its value by that name from then on
                head, tail = wrap.split("{0}", 1)
                wrap = f"{head}({{0}}){tail.replace('{0}', argument.target.id)}"
            elif not isinstance(argument, ast.Name | ast.Attribute | ast.Subscript | ast.Constant):
                wrap = wrap.replace("{0}", "({1} := {0})", 1).replace("({0}", "({1}")  # evaluated once
        if isinstance(argument, ast.NamedExpr) and "{" not in wrap:  # the line goes on with that name
            argument = argument.value
        start, end = argument.col_offset, argument.end_col_offset or 0
        if path in floats and _is_whole(argument):  # served by the trace of an equal float
            wrap = re.sub(r"(?<=\{\})\)$|(?<=\{0\})\)$", ", tf.float32)", wrap)
        if not _is_wrapped(done, line[start:end]):
            is_whole = not done.startswith("{") or isinstance(argument, _BEFORE_A_DOT)
            edits.append((start, end, _wrapped(wrap, line[start:end] if is_whole else f"({line[start:end]})")))
    if omitted:
        end = (call.node.end_col_offset or 0) - 1
        is_first = not call.node.args and not call.node.keywords
        comma = "" if is_first else " " if line[:end].rstrip().endswith(",") else ", "
        edits.append((end, end, comma + ", ".join(omitted)))
    if in_options and (options := call.options) is not None:
        start, end = options.col_offset, options.end_col_offset or 0
        edits.append((start, end, _options(line[start:end], in_options, optional, defaults)))
    return edits


def _options(name: str, wraps: Mapping[str, str], optional: Collection[str], defaults: Mapping[str, str]) -> str:
    """What is passed as `**` in place of `**name`: `{**name, 'lr': tf.constant(name['lr'])}`. With what is not there by
    default, which is a Python value where it is left out: `…` where it is not known."""
    keys = {_keyword(path): wrap for path, wrap in wraps.items()}
    if not {*optional} & wraps.keys():
        added = (f"{key!r}: {wrap.format(f'{name}[{key!r}]', _GIVEN)}" for key, wrap in keys.items())
        return f"{{**{name}, {', '.join(added)}}}"
    by_wrap: dict[str, list[str]] = {}
    for key, wrap in keys.items():
        by_wrap.setdefault(_in_brackets(wrap.format("v", _GIVEN)), []).append(key)
    chosen = "".join(
        f"{code} if k {f'== {alike[0]!r}' if len(alike) == 1 else f'in {tuple(alike)!r}'} else "
        for code, alike in by_wrap.items()
    )
    left_out = [path for path in wraps if path in optional and path.isidentifier() and defaults.get(path) != "None"]
    items = [f"{path!r}: {defaults.get(path, '…')}" for path in left_out]
    whole = f"{{{', '.join([*items, f'**{name}'])}}}" if items else name
    return f"{{k: {chosen}v for k, v in {whole}.items()}}"


def _in_brackets(code: str) -> str:
    return f"({code})" if " if " in code else code


def _keyword(path: str) -> str:
    """As what a parameter is passed by keyword: `gain` for `options['gain']` of a `**options` too; "": as none."""
    return path if path.isidentifier() else keyword_of(path, [path])


def _is_wrapped(wrap: str, code: str) -> bool:
    """Whether an argument is written so already: cast to that dtype, or made a tensor."""
    head, _, tail = wrap.replace("{0}", "{}").partition("{}")
    return code.startswith(head) and (head not in ("", _CAST) or code.endswith(tail))


def _besides_none(argument: ast.expr) -> ast.expr:
    """The 0.5 of `None if greedy else 0.5`: None stays what it is."""
    if isinstance(argument, ast.IfExp):
        ways = [way for way in (argument.body, argument.orelse) if not _is_none(way)]
        return _besides_none(ways[0]) if len(ways) == 1 else argument
    return argument


def _is_none(argument: ast.expr) -> bool:
    return isinstance(argument, ast.Constant) and argument.value is None


def _may_be_none(argument: ast.expr) -> bool:
    """Not a number that is written out or computed, nor a list, a dictionary or a function that is written out."""
    if isinstance(argument, ast.Constant):
        return argument.value is None
    if isinstance(argument, ast.Call) and isinstance(argument.func, ast.Name):
        return argument.func.id not in _GIVE_NUMBERS
    return not isinstance(argument, _WRITTEN_OUT)


def _is_whole(argument: ast.expr) -> bool:
    """Whether a whole number, or a bool, is written out."""
    if isinstance(argument, ast.UnaryOp):
        argument = argument.operand
    return isinstance(argument, ast.Constant) and isinstance(argument.value, int)


def _wrapped(wrap: str, code: str) -> str:
    if _FLOAT.fullmatch(code) and _CAST not in wrap:  # which `tf.constant` makes a float32 unasked
        wrap = wrap.replace(_AS_FLOAT32, ")")
    return wrap.format(code, _GIVEN)
