"""An `input_signature` given as code: read as data, never run.

What is understood is what TensorFlow's `input_signature` takes: tensor, ragged and sparse specifications, those of
indexed slices, and lists, tuples, dictionaries and named tuples of them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

Shape = tuple[int, ...] | None

DTYPES = frozenset(
    {
        *("bfloat16", "bool", "complex64", "complex128", "float16", "float32", "float64", "string"),
        *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
        *("half", "double"),
    }
)
_OF_INDICES = ("dense_shape_dtype", "indices_shape")
_SAME = {"half": "float16", "double": "float64"}
_PARAMETERS = {
    "TensorSpec": ("shape", "dtype", "name"),
    "RaggedTensorSpec": ("shape", "dtype", "ragged_rank", "row_splits_dtype"),
    "SparseTensorSpec": ("shape", "dtype"),
    "IndexedSlicesSpec": ("shape", "dtype", "indices_dtype", "dense_shape_dtype", "indices_shape"),
    "OptionalSpec": ("element_spec",),
}
_EXAMPLE = "such as [tf.TensorSpec([None, 10], tf.float32)]"
_MAX_CODE = 100_000
_MAX_DEPTH = 50


class InputSignatureError(ValueError):
    """The code is no input signature; the message says which part of it, and what is allowed."""


@dataclass(frozen=True, slots=True)
class Spec:
    """`word`: of TensorFlow's class. `shape`: None for an unknown rank, -1 for a dimension.

    `ragged_rank` is None where TensorFlow takes it from the shape; `dense_shape_dtype` is "" where there is none. Of an
    OptionalSpec shape and dtype are those of its one tensor.
    """

    word: str
    shape: Shape = None
    dtype: str = "float32"
    name: str = ""
    ragged_rank: int | None = None
    row_splits_dtype: str = "int64"
    indices_dtype: str = "int64"
    dense_shape_dtype: str = ""
    indices_shape: Shape = None


@dataclass(frozen=True, slots=True)
class Nest:
    """`word`: list, tuple, dict or named_tuple. `keys`: a dictionary's keys, a named tuple's field names ("" if given
    by position); `type_name`: the named tuple's, a name in the user's program."""

    word: str
    items: tuple[Declared, ...]
    keys: tuple[str | int, ...] = ()
    type_name: str = ""


Declared = Spec | Nest


def parse_input_signature(code: str) -> tuple[Declared, ...]:
    """One entry per argument.

    `code`: `[…]`, `(…)`, specifications with commas between them, `input_signature=[…]` or a whole
    `@tf.function(input_signature=[…])`. Raises InputSignatureError.
    """
    found = _expression(code)
    if isinstance(found, ast.Call) and _name(found.func) in ("tf.function", "function", "tensorflow.function"):
        declared = [keyword.value for keyword in found.keywords if keyword.arg == "input_signature"]
        others = [keyword.arg or "**" for keyword in found.keywords if keyword.arg != "input_signature"]
        if not declared or others or found.args:
            raise InputSignatureError("Of @tf.function(…) only input_signature=[…] can be given here.")
        found = declared[0]
    entries = found.elts if isinstance(found, ast.List | ast.Tuple) else [found]
    if not entries:
        raise InputSignatureError(f"The input signature is empty; it has one specification per argument, {_EXAMPLE}.")
    return tuple([_declared(entry, 0) for entry in entries])


def specs_in(declared: Sequence[Declared]) -> Iterator[Spec]:
    for one in declared:
        if isinstance(one, Spec):
            yield one
        else:
            yield from specs_in(one.items)


def _expression(code: str) -> ast.expr:
    text = code.strip().removeprefix("@").strip()
    if text.startswith("input_signature") and "=" in text:
        text = text.partition("=")[2].strip()
    if len(text) > _MAX_CODE:
        raise InputSignatureError("The input signature is too long to be one.")
    try:
        return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        reason = getattr(error, "msg", None) or str(error)
        raise InputSignatureError(f"The input signature is not Python ({reason}). Give a list, {_EXAMPLE}.") from None


def _declared(node: ast.expr, depth: int) -> Declared:
    if depth > _MAX_DEPTH:
        raise InputSignatureError("The input signature is nested too deeply.")
    if isinstance(node, ast.List | ast.Tuple):
        items = tuple([_declared(item, depth + 1) for item in node.elts])
        return Nest("list" if isinstance(node, ast.List) else "tuple", items)
    if isinstance(node, ast.Dict):
        return _dict(node, depth)
    if isinstance(node, ast.Call):
        name = _name(node.func)
        word = name.rpartition(".")[2]
        if word in _PARAMETERS and name.partition(".")[0] in (word, "tf", "tensorflow"):
            return _spec(word, node)
        if isinstance(node.func, ast.Name):
            return _named_tuple(node, depth)
    if isinstance(node, ast.Constant) and node.value is None:
        raise InputSignatureError(
            "An argument cannot be declared as None: TensorFlow takes a specification for each. "
            "A tensor of any shape is tf.TensorSpec(None)."
        )
    raise InputSignatureError(
        f"{_shown(node)} is no specification. Allowed are tf.TensorSpec, tf.RaggedTensorSpec, tf.SparseTensorSpec, "
        "tf.IndexedSlicesSpec, tf.OptionalSpec, and lists, tuples, dictionaries and named tuples of them."
    )


def _dict(node: ast.Dict, depth: int) -> Nest:
    keys: list[str | int] = []
    for key in node.keys:
        value = key.value if isinstance(key, ast.Constant) else None
        if not isinstance(value, str | int) or isinstance(value, bool):
            what = "**" if key is None else _shown(key)
            raise InputSignatureError(f"{what} is no key of a dictionary here: strings and whole numbers are.")
        keys.append(value)
    return Nest("dict", tuple([_declared(value, depth + 1) for value in node.values]), tuple(keys))


def _named_tuple(node: ast.Call, depth: int) -> Nest:
    """Whether the name is that of a named tuple is known only in the program."""
    assert isinstance(node.func, ast.Name)
    keys = ["" for _ in node.args]
    for keyword in node.keywords:
        if keyword.arg is None:
            raise InputSignatureError(f"{_shown(node)}: ** cannot be read.")
        keys.append(keyword.arg)
    values = [*node.args, *(keyword.value for keyword in node.keywords)]
    if not values:
        raise InputSignatureError(f"{_shown(node)} has no fields.")
    return Nest("named_tuple", tuple([_declared(value, depth + 1) for value in values]), tuple(keys), node.func.id)


def _spec(word: str, node: ast.Call) -> Spec:
    parameters = _PARAMETERS[word]
    given: dict[str, ast.expr] = {}
    if len(node.args) > len(parameters) or any(isinstance(value, ast.Starred) for value in node.args):
        raise InputSignatureError(f"{_shown(node)}: tf.{word} takes {', '.join(parameters)}.")
    given.update(zip(parameters, node.args, strict=False))
    for keyword in node.keywords:
        if keyword.arg not in parameters or keyword.arg in given:
            raise InputSignatureError(f"{_shown(node)}: tf.{word} takes {', '.join(parameters)}, each once.")
        given[keyword.arg] = keyword.value
    if word == "OptionalSpec":
        return _optional(node, given)
    if word == "TensorSpec" and "shape" not in given:
        raise InputSignatureError(f"{_shown(node)} has no shape: tf.TensorSpec(None) is a tensor of any shape.")
    shape = _shape(given["shape"]) if "shape" in given else None
    dtype = _dtype(given["dtype"]) if "dtype" in given else "float32"
    if word == "TensorSpec":
        return Spec(word, shape, dtype, name=_text(given.get("name")))
    if word == "SparseTensorSpec":
        return Spec(word, shape, dtype)
    if word == "IndexedSlicesSpec":
        return _indexed(shape, dtype, given)
    rank = _ragged_rank(given.get("ragged_rank"))
    splits = _dtype(given["row_splits_dtype"]) if "row_splits_dtype" in given else "int64"
    if splits not in ("int32", "int64"):
        raise InputSignatureError(f"{_shown(node)}: row_splits_dtype is tf.int32 or tf.int64.")
    if shape is None and rank is None:
        raise InputSignatureError(f"{_shown(node)}: without a shape, a ragged_rank is needed.")
    return Spec(word, shape, dtype, ragged_rank=rank, row_splits_dtype=splits)


def _indexed(shape: Shape, dtype: str, given: dict[str, ast.expr]) -> Spec:
    """As TensorFlow has it, there are as many indices as rows where their number is not given."""
    indices = _dtype(given["indices_dtype"]) if "indices_dtype" in given else "int64"
    dense, count = (None if _is_none(given.get(name)) else given.get(name) for name in _OF_INDICES)
    return Spec(
        "IndexedSlicesSpec", shape, dtype, indices_dtype=indices,
        dense_shape_dtype=_dtype(dense) if dense is not None else "",
        indices_shape=_shape(count) if count is not None else None if shape is None else shape[:1],
    )  # fmt: skip


def _optional(node: ast.Call, given: dict[str, ast.expr]) -> Spec:
    element = _declared(given["element_spec"], _MAX_DEPTH) if "element_spec" in given else None
    if not isinstance(element, Spec) or element.word != "TensorSpec" or element.name:
        raise InputSignatureError(f"{_shown(node)}: only tf.OptionalSpec(tf.TensorSpec(…)) can be read here.")
    return Spec("OptionalSpec", element.shape, element.dtype)


def _is_none(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _shape(node: ast.expr) -> Shape:
    if isinstance(node, ast.Constant) and node.value is None:
        return None
    if isinstance(node, ast.Call) and _name(node.func).rpartition(".")[2] == "TensorShape" and len(node.args) == 1:
        return _shape(node.args[0])
    if not isinstance(node, ast.List | ast.Tuple):
        raise InputSignatureError(f"{_shown(node)} is no shape: [None, 10] is one, and None for any rank.")
    return tuple([_dimension(item) for item in node.elts])


def _dimension(node: ast.expr) -> int:
    if isinstance(node, ast.Constant):
        if node.value is None:
            return -1
        if type(node.value) is int and 0 <= node.value < 2**63:
            return node.value
    raise InputSignatureError(f"{_shown(node)} is no dimension: a whole number is one, and None where it is unknown.")


def _dtype(node: ast.expr) -> str:
    name = _name(node)
    word = name.rpartition(".")[2] if name.startswith(("tf.", "tensorflow.")) else ""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        word = node.value
    if word not in DTYPES:
        raise InputSignatureError(f"{_shown(node)} is no dtype: tf.float32 is one.")
    return _SAME.get(word, word)


def _text(node: ast.expr | None) -> str:
    if node is None or (isinstance(node, ast.Constant) and node.value is None):
        return ""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    raise InputSignatureError(f"{_shown(node)} is no name: a string is one.")


def _ragged_rank(node: ast.expr | None) -> int | None:
    if node is None or (isinstance(node, ast.Constant) and node.value is None):
        return None
    if isinstance(node, ast.Constant) and type(node.value) is int and 0 <= node.value < 100:
        return node.value
    raise InputSignatureError(f"{_shown(node)} is no ragged_rank: a small whole number is one.")


def _name(node: ast.expr) -> str:
    """`tf.TensorSpec` as text; "" for what is no dotted name."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join(reversed([*parts, node.id])) if isinstance(node, ast.Name) else ""


def _shown(node: ast.expr) -> str:
    try:
        text = " ".join(ast.unparse(node).split())
    except RecursionError:  # more deeply nested code is parsed than written again
        return "This"
    return f"`{text if len(text) <= 80 else text[:79] + '…'}`"
