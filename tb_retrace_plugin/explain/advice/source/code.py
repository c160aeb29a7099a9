"""Changes as Python, written as their user would: specifications, decorators, lines before a call."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Mapping, Sequence

from tb_retrace_plugin.explain.advice.evidence.facts import Frame, FunctionFacts
from tb_retrace_plugin.explain.advice.evidence.reading import chains_to, is_none, nodes_at
from tb_retrace_plugin.explain.what_if.replay import tensor_of_optional
from tb_retrace_plugin.schema.signature import Node, is_of_star_keywords

_DTYPES = frozenset(
    {
        *("bfloat16", "bool", "complex64", "complex128", "float16", "float32", "float64", "string"),
        *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    }
)
#: Of a specification; a hash in place of one is in other signs.
_NAME = re.compile(r"[\w./ :-]*", re.ASCII)
_WIDTH = 100
#: Before what is done with an argument that is None in some calls.
UNLESS_NONE = "None if {0} is None else "
#: With which a line is a whole statement.
_AROUND = ("\0", "\0 pass", "\0\nexcept: pass", "if 0: 0\n\0", "if 0: 0\n\0 pass", "try: 0\n\0", "try: 0\n\0 pass")


def shape_code(shape: tuple[int, ...] | None) -> str:
    return "None" if shape is None else "[" + ", ".join("None" if d < 0 else str(d) for d in shape) + "]"


def untrained(name: str) -> str:
    """Of an attribute: a `tf.Module` and a Keras model count it among their own variables, which are trained."""
    return ", trainable=False" if "." in name else ""


def spec_code(node: Node) -> str | None:
    """As an entry of an input signature; None if there is no way to write it as one."""
    if node.kind == "tensor":
        name = f", name={node.value!r}" if node.value else ""
        is_written_out = node.dtype in _DTYPES and _NAME.fullmatch(node.value)
        return f"tf.TensorSpec({shape_code(node.shape)}, tf.{node.dtype}{name})" if is_written_out else None
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
        if node.class_name:  # what is declared as a dictionary is passed as one, without the class's attributes
            return None
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
    if node.type_name == "OptionalSpec" and (tensor := tensor_of_optional(node)) is not None:
        element = spec_code(tensor)
        return element and f"tf.OptionalSpec({element})"
    return _indexed_slices_code(parts) if node.type_name == "IndexedSlicesSpec" and len(parts) == 5 else None


def _indexed_slices_code(parts: Sequence[Node]) -> str | None:
    """`IndexedSlices` are what the gradient of an embedding is."""
    shape, values, indices, dense, count = parts
    if values.dtype not in _DTYPES or indices.dtype not in _DTYPES or dense.dtype not in (*_DTYPES, ""):
        return None
    code = f"tf.IndexedSlicesSpec({shape_code(shape.shape)}, tf.{values.dtype}, tf.{indices.dtype}"
    is_plain = shape.shape is not None and count.shape == shape.shape[:1]
    if dense.dtype or not is_plain:
        code += f", tf.{dense.dtype}" if dense.dtype else ", None"
    return code + (")" if is_plain else f", {shape_code(count.shape)})")


def signature_code(arguments: Sequence[tuple[str, Node]]) -> str | None:
    """`@tf.function(input_signature=[…])`; None if an argument cannot be declared in one."""
    codes = []
    for path, node in arguments:
        code = spec_code(node)
        if code is None or is_of_star_keywords(path):
            return None
        codes.append(code)
    if not codes:
        return None
    return _declaration(codes)


def _declaration(codes: Sequence[str]) -> str:
    line = f"@tf.function(input_signature=[{', '.join(codes)}])"
    if len(line) <= _WIDTH:
        return line
    inner = "".join(f"        {code},\n" for code in codes)
    return f"@tf.function(\n    input_signature=[\n{inner}    ]\n)"


def with_added_specs(decorator: str, specs: Sequence[str]) -> str:
    """A `signature_code` that declares more parameters, after those that it has."""
    call = ast.parse(decorator.removeprefix("@"), mode="eval").body
    declared = call.keywords[0].value if isinstance(call, ast.Call) and call.keywords else None
    if not isinstance(declared, ast.List):
        return decorator
    codes = [ast.get_source_segment(decorator.removeprefix("@"), code) or "" for code in declared.elts]
    return _declaration([*codes, *specs])


def assignment(function: FunctionFacts, path: str, wrap: str, *, root: str = "", argument: str = "") -> str:
    """A line that replaces what is at `path`; "" if it lies in something that cannot be changed, or not in every call:
    but a key may be missing.

    `argument`: what the call passes for the parameter `root`.
    """
    chains = [chain for chain in chains_to(function, path) if not is_none(chain[-1][1]) or chain[-1][0] == path]
    container = next((chain[-2][0] for chain in chains if chain[-1][0] == path and len(chain) > 1), "")
    before = [chain[-1] for chain in chains if chain[-1][0] != path]
    if any(place != container or node.kind != "dict" for place, node in before):
        return ""
    if any(is_none(chain[-1][1]) for chain in chains):
        wrap = UNLESS_NONE + wrap.replace("{}", "{0}")
    kinds = {chain[-2][1].kind for chain in chains if len(chain) > 1}
    is_in_the_argument = all(len(chain) == 2 for chain in chains)  # else it lies in what may not be assigned to
    at = argument + path[len(root) :] if root else path
    owner, _, field = at.rpartition(".")
    if kinds <= {"dict", "list"}:
        line = f"{at} = {wrap.format(at)}"
    elif kinds == {"named_tuple"} and is_in_the_argument:
        line = f"{owner} = {owner}._replace({field}={wrap.format(at)})"
    elif kinds == {"attrs"} and is_in_the_argument:
        line = f"{owner} = attrs.evolve({owner}, {field}={wrap.format(at)})"
    else:
        return ""
    around = argument + container[len(root) :] if root else container
    there = f"{path[len(container) + 1 : -1]} in {around}" if before else ""
    return unless_around_is_none(function, path, line, root=root, argument=argument, there=there)


def unless_around_is_none(
    function: FunctionFacts, path: str, line: str, *, root: str = "", argument: str = "", there: str = ""
) -> str:
    """The line, to be run where nothing that `path` lies in is None. `there`: another condition, asked after that."""
    ends = [chain[-1] for chain in chains_to(function, path)]
    missing = dict.fromkeys(place for place, node in ends if is_none(node) and place != path)
    shown = [argument + place[len(root) :] if root else place for place in missing]
    conditions = [*(f"{place} is not None" for place in shown), *([there] if there else [])]
    return f"if {' and '.join(conditions)}: {line}" if conditions else line


def keyword_of(path: str, parameters: Sequence[str]) -> str:
    """`gain` for an argument of its own, `options['gain']`, that a `**options` takes; "" for others."""
    match = re.fullmatch(r"[^\W\d]\w*\['([^\W\d]\w*)'\]", path) if path in parameters else None
    return match[1] if match else ""


def is_dotted_name(text: str) -> bool:
    return all(part.isidentifier() for part in text.split("."))


def replacement(function: FunctionFacts, path: str, wrap: str, comment: str) -> str:
    """A line before the call that puts something else where `path` is."""
    arguments = [name for trace in function.traces for name, _ in trace.lookup.signature.arguments]
    if name := keyword_of(path, arguments):  # the caller's name: it has no `kwargs`
        return f"{name} = {wrap.format(name)}  # {comment}"
    line = assignment(function, path, wrap)
    return f"{line}  # {comment}" if line else f"{wrap.format(path)}  # in place of {path}, {comment}"


def with_wrapped_arguments(code: str, wraps: Mapping[str, str]) -> str:
    """Code whose last line is a call that passes each parameter as a variable of its name, some of them wrapped."""
    head, newline, line = code.rpartition("\n")
    for path, wrap in wraps.items():
        wrapped = wrap.format(path)
        if wrapped not in line:
            name = re.escape(path)
            line = re.sub(rf"(?:(?<=[( ])|(?<=[( ]{name}=)){name}(?=[,)])", wrapped.replace("\\", r"\\"), line)
    return head + newline + line


def whole_arguments(function: FunctionFacts, wraps: Mapping[str, str]) -> dict[str, str]:
    """Numbers in a tuple or list cannot be replaced in place: what holds them is made anew from them."""
    whole: dict[str, str] = {}
    for path, wrap in wraps.items():
        around = path.rpartition("[")[0]
        found = [node for node in nodes_at(function, around) if not is_none(node)] if around else []
        container = max(found, key=lambda node: len(node.children), default=None)  # of a list that grows the longest
        below = {around + key: child for key, child in container.children} if container is not None else {}
        if container is None or container.kind not in ("tuple", "list") or path not in below:
            whole[path] = wrap
        elif {wraps.get(inner) for inner in below} != {wrap}:
            whole[path] = wrap  # some of them only: no short way to write it
        elif container.kind == "list":
            whole[around] = f"[{wrap.format('n')} for n in {{}}]"
        else:
            whole[around] = f"tuple({wrap.format('n')} for n in {{}})"
    return whole


def source_line(frame: Frame | None) -> str:
    """The line's code; "" if it is not known."""
    return without_comment(frame.source) if frame is not None else ""


def parsed(line: str) -> ast.Module | None:
    """A line by itself; None if it is a part of a statement, but for a whole line of an `if` or a `try`. Places are
    those in the line: it is the first."""
    for around in _AROUND:
        try:
            tree = ast.parse(around.replace("\0", line))
            ast.increment_lineno(tree, -around.partition("\0")[0].count("\n"))
            return tree
        except (SyntaxError, ValueError, MemoryError, RecursionError):
            continue
    return None


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
