"""Changes as Python, written as their user would: specifications, decorators, and calls in the user's own words."""

from __future__ import annotations

import ast
import builtins
import io
import re
import tokenize
from collections.abc import Collection, Mapping, Sequence

from tb_retrace_plugin.explain.advice.facts import Frame, FunctionFacts, Traced
from tb_retrace_plugin.explain.advice.reading import containers_of, node_of, nodes_at
from tb_retrace_plugin.explain.what_if import Candidate, changed_node
from tb_retrace_plugin.schema.signature import Node

_DTYPES = frozenset(
    {
        *("bfloat16", "bool", "complex64", "complex128", "float16", "float32", "float64", "string"),
        *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    }
)
_WIDTH = 100
#: What a name in a program stands for unless somebody means harm.
_NOT_THE_USERS = frozenset({*dir(builtins), "tf", "tensorflow", "np", "numpy", "keras"})
#: Lines of the user's that are shown changed.
_MAX_LINES = 3


def shape_code(shape: tuple[int, ...] | None) -> str:
    return "None" if shape is None else "[" + ", ".join("None" if d < 0 else str(d) for d in shape) + "]"


def spec_code(node: Node) -> str | None:
    """As an entry of an input signature; None if there is no way to write it as one."""
    if node.kind == "tensor":
        return f"tf.TensorSpec({shape_code(node.shape)}, tf.{node.dtype})" if node.dtype in _DTYPES else None
    parts = [(key, spec_code(child)) for key, child in node.children]
    if node.kind == "composite":
        return _composite_code(node)
    if not parts or any(code is None for _, code in parts):
        return None
    codes = [f"{code}" for _, code in parts]
    if node.kind == "list":
        return "[" + ", ".join(codes) + "]"
    if node.kind == "tuple":
        return "(" + ", ".join(codes) + ("," if len(codes) == 1 else "") + ")"
    if node.kind == "dict":
        keys = [key[1:-1] for key, _ in parts]
        return "{" + ", ".join(f"{k}: {c}" for k, c in zip(keys, codes, strict=True)) + "}" if _plain(keys) else None
    if node.kind == "named_tuple":
        fields = ", ".join(f"{key[1:]}={code}" for key, code in parts)
        return f"{node.type_name}({fields})"
    return None


def _plain(keys: Sequence[str]) -> bool:
    """Whether keys are Python literals, not the repr of some object."""
    try:
        return all(isinstance(ast.literal_eval(key), str | int) for key in keys)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return False


def _composite_code(node: Node) -> str | None:
    parts = [child for _, child in node.children]
    if node.type_name == "RaggedTensorSpec" and len(parts) == 4:
        shape, dtype, rank, splits = parts
        is_rank = rank.value.isdecimal() and len(rank.value) < 4
        if dtype.dtype not in _DTYPES or splits.dtype not in ("int32", "int64") or not is_rank:
            return None
        code = f"tf.RaggedTensorSpec({shape_code(shape.shape)}, tf.{dtype.dtype}"
        plain = shape.shape is not None and int(rank.value) == len(shape.shape) - 1
        if splits.dtype != "int64":
            return f"{code}, {rank.value}, tf.{splits.dtype})"
        return code + (")" if plain else f", {rank.value})")
    if node.type_name == "SparseTensorSpec" and len(parts) == 2 and parts[1].dtype in _DTYPES:
        return f"tf.SparseTensorSpec({shape_code(parts[0].shape)}, tf.{parts[1].dtype})"
    return None


def signature_code(arguments: Sequence[tuple[str, Node]]) -> str | None:
    """`@tf.function(input_signature=[…])`; None if an argument cannot be declared in one."""
    codes = []
    for path, node in arguments:
        code = spec_code(node)
        if code is None or path.startswith("kwargs["):
            return None
        codes.append(code)
    if not codes:
        return None
    line = f"@tf.function(input_signature=[{', '.join(codes)}])"
    if len(line) <= _WIDTH:
        return line
    inner = "".join(f"        {code},\n" for code in codes)
    return f"@tf.function(\n    input_signature=[\n{inner}    ]\n)"


def call_code(function: FunctionFacts, wraps: Mapping[str, str], candidate: Candidate) -> str:
    """The calls with some arguments wrapped: `wraps` has `tf.constant({})` by the argument's path.

    The user's own lines where they can be read, else a call that is made up from the parameters' names.
    """
    lines: dict[str, None] = {}
    known: set[tuple[Frame | None, frozenset[str]]] = set()
    parameters: list[str] = []
    for trace in function.traces:
        needed = {path: wrap for path, wrap in wraps.items() if _differs(trace, path, candidate)}
        frame = function.caller(trace)
        if not needed or (frame, frozenset(needed)) in known:
            continue
        known.add((frame, frozenset(needed)))
        parameters = [path for path, _ in trace.lookup.signature.arguments if path != "self"]
        may_be_omitted = function.with_default if function.calls_directly(trace) else None
        changed = None
        if frame is not None:
            changed = rewritten(frame.source, function.name, parameters, needed, may_be_omitted)
        if changed is not None:
            lines[changed] = None
            if len(lines) == _MAX_LINES:
                break
    if lines:
        return "\n".join(lines)
    if any(_keyword(path, parameters) for path in wraps):
        named = {_keyword(path, parameters) or path: wrap for path, wrap in wraps.items()}
        passed = (f"{name}={wrap.format(name)}" for name, wrap in named.items() if name.isidentifier())
        return f"{function.name}(…, {', '.join(passed)})"
    if any(path not in parameters or not path.isidentifier() for path in wraps):
        return "\n".join(filter(None, (_assignment(function, path, wrap) for path, wrap in wraps.items())))
    shown = [wraps.get(path, "{}").format(path) for path in parameters]
    return f"{function.name}({', '.join(shown)})"


def _keyword(path: str, parameters: Sequence[str]) -> str:
    """`gain` for an argument of its own, `options['gain']`, that a `**options` takes; "" for others."""
    match = re.fullmatch(r"[^\W\d]\w*\['([^\W\d]\w*)'\]", path) if path in parameters else None
    return match[1] if match else ""


def _assignment(function: FunctionFacts, path: str, wrap: str) -> str:
    """A line that replaces what is at `path`; "" if it lies in something that cannot be changed."""
    *_, container = [None, *containers_of(function, path)]
    if container is None or container.kind in ("dict", "list"):
        return f"{path} = {wrap.format(path)}"
    owner, _, field = path.rpartition(".")
    if container.kind == "named_tuple" and owner.isidentifier():
        return f"{owner} = {owner}._replace({field}={wrap.format(path)})"
    if container.kind == "attrs" and owner.isidentifier():
        return f"{owner} = attrs.evolve({owner}, {field}={wrap.format(path)})"
    return ""


def replacement(function: FunctionFacts, path: str, wrap: str, comment: str) -> str:
    """A line before the call that puts something else where `path` is."""
    line = _assignment(function, path, wrap)
    return f"{line}  # {comment}" if line else f"{wrap.format(path)}  # in place of {path}, {comment}"


def with_wrapped_arguments(code: str, wraps: Mapping[str, str]) -> str:
    """Code whose last line is a call that passes each parameter by its name, with some of them wrapped."""
    head, newline, line = code.rpartition("\n")
    for path, wrap in wraps.items():
        wrapped = wrap.format(path)
        if wrapped not in line:
            line = re.sub(rf"(?<=[( ]){re.escape(path)}(?=[,)])", wrapped.replace("\\", r"\\"), line)
    return head + newline + line


def whole_arguments(function: FunctionFacts, wraps: Mapping[str, str]) -> dict[str, str]:
    """Numbers in a tuple or list cannot be replaced in place: the argument is made anew from them."""
    whole: dict[str, str] = {}
    for path, wrap in wraps.items():
        root = re.split(r"[.\[]", path, maxsplit=1)[0]
        container = next(nodes_at(function, root), None)
        if root == path or container is None:
            whole[path] = wrap
            continue
        below = {root + key: child for key, child in container.children}
        if container.kind not in ("tuple", "list") or path not in below:
            whole[path] = wrap
        elif {wraps.get(inner) for inner in below} != {wrap}:
            whole[path] = wrap  # some of them only: no short way to write it
        elif container.kind == "list":
            whole[root] = f"[{wrap.format('n')} for n in {{}}]"
        else:
            whole[root] = f"tuple({wrap.format('n')} for n in {{}})"
    return whole


def _differs(trace: Traced, path: str, candidate: Candidate) -> bool:
    """Whether this call is one of those to change."""
    node = node_of(trace, path)
    return node is not None and changed_node(node, path, candidate) != node


def rewritten(
    source: str,
    name: str,
    parameters: Sequence[str],
    wraps: Mapping[str, str],
    may_be_omitted: Collection[str] | None = None,
) -> str | None:
    """A source line with the arguments of the calls of `name` wrapped; None if that cannot be done in it.

    Every argument of every such call that `wraps` names must be found in the line. `may_be_omitted`: given where the
    line is known to call the function, if need be by another name: its only call that passes every other parameter.
    """
    line = without_comment(source)
    tree = None
    for ending in ("", " pass"):
        try:
            tree = ast.parse(line + ending)
            break
        except (SyntaxError, ValueError, MemoryError, RecursionError):
            continue
    if tree is None or not line.isascii():
        return None
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    of_name = [node for node in calls if _calls(node.func, name)]
    if not of_name and may_be_omitted is not None:
        of_name = [node for node in calls if _passes_all_but(may_be_omitted, node, parameters)]
        if len(of_name) > 1:
            return None
    edits: list[tuple[int, int, str]] = []
    for node in of_name:
        if _has_stars(node):
            return None
        given = dict(zip(parameters, node.args, strict=False))
        given.update({k.arg: k.value for k in node.keywords if k.arg is not None})
        for path, wrap in wraps.items():
            argument = given.get(_keyword(path, parameters) or path)
            if argument is None or argument.end_col_offset is None or argument.lineno != argument.end_lineno:
                return None
            start, end = argument.col_offset, argument.end_col_offset
            head = wrap.partition("{}")[0]
            if not line[start:end].startswith(head):
                edits.append((start, end, wrap.format(line[start:end])))
    if not edits:
        return None
    for start, end, text in sorted(edits, reverse=True):
        line = line[:start] + text + line[end:]
    return line


def _has_stars(call: ast.Call) -> bool:
    return any(isinstance(argument, ast.Starred) for argument in call.args) or any(k.arg is None for k in call.keywords)


def _passes_all_but(may_be_omitted: Collection[str], call: ast.Call, parameters: Sequence[str]) -> bool:
    """Whether it may be a call of a function of the user's with these parameters."""
    root = call.func
    while isinstance(root, ast.Attribute):
        root = root.value
    if _has_stars(call) or (isinstance(root, ast.Name) and root.id in _NOT_THE_USERS):
        return False
    given = {*parameters[: len(call.args)], *(keyword.arg for keyword in call.keywords)}
    fits = len(call.args) <= len(parameters) and given <= {*parameters}
    return fits and all(name in given or name in may_be_omitted for name in parameters)


def _calls(function: ast.expr, name: str) -> bool:
    if isinstance(function, ast.Attribute):
        if function.attr == "get_concrete_function":
            return _calls(function.value, name)
        return function.attr == name
    return isinstance(function, ast.Name) and function.id == name


def source_line(frame: Frame | None) -> str:
    """The line's code; "" if it is not known."""
    return without_comment(frame.source) if frame is not None else ""


def without_comment(source: str) -> str:
    line = source.strip()
    try:
        for token in tokenize.generate_tokens(io.StringIO(line).readline):
            if token.type == tokenize.COMMENT:
                return line[: token.start[1]].rstrip()
    except (tokenize.TokenError, SyntaxError):  # a part of a statement
        pass
    return line


def plural(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def traces_text(before: int, after: int, noun: str = "trace") -> str:
    """What a change does to a number of traces, in one wording everywhere: `20 traces → 1`."""
    return f"{plural(before, noun)} → {after:,}"


def listed(names: Sequence[str]) -> str:
    """`x`, `y` and `z`, each as code."""
    shown = ["`" + name.replace("`", "'") + "`" for name in dict.fromkeys(names)]
    if len(shown) > 4:
        shown[3:] = [f"{len(shown) - 3} more"]
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)
