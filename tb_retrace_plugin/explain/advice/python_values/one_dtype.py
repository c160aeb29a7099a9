"""An argument that comes in several dtypes; among them it may come as a Python number, a list of such, or None."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from tb_retrace_plugin.explain.advice.evidence.alone import alike_but_for
from tb_retrace_plugin.explain.advice.evidence.asked_for import others_than_asked_for, takes_one_dtype
from tb_retrace_plugin.explain.advice.evidence.facts import Fix, FunctionFacts
from tb_retrace_plugin.explain.advice.evidence.graph_pairs import GraphPair
from tb_retrace_plugin.explain.advice.evidence.in_datasets import is_given_to_tf_data
from tb_retrace_plugin.explain.advice.evidence.listed import listed
from tb_retrace_plugin.explain.advice.evidence.read_anew import MAY, READ_ANEW, values_read_anew
from tb_retrace_plugin.explain.advice.evidence.reading import is_declared, node_of, nodes_at
from tb_retrace_plugin.explain.advice.python_values.tensor_for_number import where_a_number_is_needed
from tb_retrace_plugin.explain.verdict.asked_for import ASKS
from tb_retrace_plugin.explain.what_if.candidate import Candidate, is_number, numbers_in, stacked_shape
from tb_retrace_plugin.schema.signature import Node

_CAUSES = ("dtype", "composite_spec", "python_type", "python_value", "structure")
#: What is lost by a cast to one of an earlier kind: a fraction, an imaginary part.
_KINDS = (("bool",), ("int", "uint"), ("float", "bfloat"), ("complex",))
_WHOLE = 1
_CAST = "tf.cast({{}}, tf.{})"
_CAST_BUT_STRINGS = "given if (given := tf.convert_to_tensor({{}})).dtype == tf.string else tf.cast(given, tf.{})"
#: Bits of digits that fractions of a dtype have: whole numbers beyond are rounded.
_DIGITS = {"float16": 11, "bfloat16": 8, "float32": 24, "float64": 53}
_BITS = re.compile(r"(u?)int(\d+)$")
#: Of fewer bits, whole numbers are soon exceeded: bytes of pictures.
_MANY_BITS = 32
_ASKED_FOR = f"Not replayed: the concrete functions that are asked for (`{ASKS}`) with a dtype each stay as they are."
#: Whose range is that of what is trained with; those of other fractions are exceeded.
_WIDE = frozenset({"float32", "float64", "complex64", "complex128"})
#: Composite tensors that `tf.cast` takes; the second of their parts has the dtype.
_CASTABLE = frozenset({"RaggedTensorSpec", "SparseTensorSpec", "IndexedSlicesSpec"})
_PART = "#1"
#: Of a group of traces that differ in dtypes alone: those that are looked at.
_MOST_TRACES = 10
#: Pairs of which graphs are read, for what they compute in.
_MOST_PAIRS = 3


@dataclass(frozen=True, slots=True)
class _Argument:
    """`seen`: the dtypes, in the order in which they came. `numbers`, `sequences`: whether it can be Python's, too.
    `strings`: whether it is a tensor of these in some calls, which is not cast."""

    seen: list[str]
    dtype: str
    is_composite: bool
    numbers: bool
    sequences: bool
    strings: bool


def propose(function: FunctionFacts) -> Fix | None:
    if all(map(is_given_to_tf_data, function.traces)):  # its arguments are elements, of datasets of several kinds
        return None
    found: dict[str, _Argument] = {}
    for path in dict.fromkeys(change.path for _, change in function.with_cause(*_CAUSES) if not change.is_of_a_key):
        if (argument := _argument(function, path)) is not None:
            found[path] = argument
    if not found:
        return None
    names, first = listed(list(found)), next(iter(found.values()))
    came = ", ".join(first.seen)
    if first.numbers or first.sequences:
        came += ", and as Python numbers"
    if any(trace.lookup.failed for trace in function.traces):
        came += "; not every trace succeeds"
    text = f"{names} of `{function.name}` {'comes' if len(found) == 1 else 'come'} in several dtypes ({came})."
    text += f" Cast to {first.dtype} before the call." if len(found) == 1 else " Cast each to one before the call."
    warnings = (
        _does_not_hold(path, argument)
        or _asks_for_the_dtype(function, path)
        or _of_whole_numbers(function, path, argument)
        or _gives_fractions(function, path, argument)
        for path, argument in found.items()
    )
    notes = [note for path, argument in found.items() for note in _of_other_digits(function, path, argument)]
    notes += takes_one_dtype(function, list(found))
    if any(one.strings for one in found.values()):
        text += " Strings stay as they are."
    assumes = "nothing is lost by the cast"
    rounded = dict.fromkeys(_rounded(argument) for argument in found.values())
    assumes += "".join(f" ({rounding})" for rounding in rounded if rounding)
    if any(one.numbers or one.sequences for one in found.values()):
        assumes += ", and that the code takes a tensor where Python numbers came"
    numbers = {path: one.dtype for path, one in found.items() if one.numbers}
    if numbers:
        notes += where_a_number_is_needed(function, numbers)
    if others_than_asked_for(function) is not function:  # a replay would cast those, too
        return Fix("one_dtype", text, None, evidence=_ASKED_FOR, warnings=_first(warnings), notes=notes)
    candidate = Candidate(
        dtypes={path + _PART if one.is_composite else path: one.dtype for path, one in found.items()},
        numbers=numbers,
        stacked={path: one.dtype for path, one in found.items() if one.sequences},
    )
    return Fix(
        "one_dtype", text, candidate,
        calls={path: (_CAST_BUT_STRINGS if one.strings else _CAST).format(one.dtype) for path, one in found.items()},
        assumes=assumes,
        warnings=_first(warnings), notes=notes,
    )  # fmt: skip


def _first(warnings: Iterator[str]) -> list[str]:
    return [warning for warning in warnings if warning][:1]


def _does_not_hold(path: str, argument: _Argument) -> str:
    """A warning where no dtype that comes holds the others' numbers: int32 and uint32."""
    for other in argument.seen:
        if _kind(other) == _kind(argument.dtype) and not _holds(argument.dtype, other):
            return (
                f"{MAY}{argument.dtype} does not hold every number of {other}: a cast of `{path}` makes others of those"
                " that it does not."
            )
    return ""


def _rounded(argument: _Argument) -> str:
    """Whole numbers that may be too large for the digits of fractions."""
    digits = _DIGITS.get(argument.dtype)
    found = [(dtype, _BITS.fullmatch(dtype)) for dtype in argument.seen]
    if digits is None or not any(of is not None and int(of[2]) - (not of[1]) > digits for _, of in found):
        return ""
    return f"{argument.dtype} holds each whole number up to {2**digits:,}, and rounds larger ones"


def _asks_for_the_dtype(function: FunctionFacts, path: str) -> str:
    """A warning where traces that the dtype alone tells apart were built otherwise; "" if none are known."""
    for group in alike_but_for(function, (path,), lambda node: node.shape if _dtype(node) else node):
        for (place, (node,)), (other, (another,)) in pairwise(group[:_MOST_TRACES]):
            if _dtype(node) == _dtype(another):
                continue
            pair = function.graphs.compare(place, other)
            dtypes = f"{_dtype(node)} and {_dtype(another)}"
            if pair is not None and not pair.casts:
                return (
                    f"{MAY}for {dtypes} the graphs differ in more than casts, so the code seems to"
                    f" ask for the dtype of `{path}`, and does with a cast one what it does for that dtype."
                )
            if pair is not None and pair.fractions is not None and not values_read_anew(function, place, other):
                was, now = pair.fractions
                return f"{MAY}for {dtypes} of `{path}` the graphs hold other numbers ({was:g} and {now:g}).{READ_ANEW}"
            return ""
    return ""


def _of_whole_numbers(function: FunctionFacts, path: str, argument: _Argument) -> str:
    """A warning where the graphs compute in whole numbers what they compute in fractions, or in more bits, for another
    dtype."""
    for operation, was, now in _computed(function, path):
        if _kind(was) == _kind(now) == _WHOLE and (narrow := next((d for d in (was, now) if d != argument.dtype), "")):
            wide = now if narrow == was else was
            bits = _BITS.fullmatch(narrow)
            if bits is not None and int(bits[2]) < _MANY_BITS and _holds(wide, narrow):
                return (
                    f"{MAY}for {narrow} of `{path}` the graphs compute `{operation}` in {narrow}, which wraps where it"
                    f" is exceeded, for the others in {wide}; and what comes of them is {wide} then."
                )
        whole = next((dtype for dtype in (was, now) if _kind(dtype) == _WHOLE), "")
        if whole and _kind(argument.dtype) > _WHOLE:
            return (
                f"{MAY}for {whole} of `{path}` the graphs compute `{operation}` in {whole}, for the others in"
                f" {now if whole == was else was}: whole numbers wrap and are divided otherwise, and what comes of them"
                " is whole."
            )
    return ""


def _gives_fractions(function: FunctionFacts, path: str, argument: _Argument) -> str:
    """A warning where what comes of whole numbers, with which nothing is computed, is whole: identifiers, say."""
    for pair in _of_other_dtypes(function, path):
        whole = next((dtype for dtype in pair.gives or () if _kind(dtype) == _WHOLE), "")
        if whole and pair.gives is not None and argument.dtype in pair.gives and _kind(argument.dtype) > _WHOLE:
            return (
                f"{MAY}for {whole} of `{path}` what it gives is of {whole}, and of {argument.dtype} then: nothing is"
                " looked up by fractions."
            )
    return ""


def _of_other_digits(function: FunctionFacts, path: str, argument: _Argument) -> list[str]:
    """A note where fractions of several dtypes are computed with as they came."""
    for _, was, now in _computed(function, path):
        if _kind(was) == _kind(now) > _WHOLE and argument.dtype in (was, now):
            return [f"What is computed of those that came as others has the digits of {argument.dtype} then."]
    return []


def _computed(function: FunctionFacts, path: str) -> list[tuple[str, str, str]]:
    found: list[tuple[str, str, str]] = function.graphs.once(
        ("computed in", path),
        lambda: [pair.computes for pair in _of_other_dtypes(function, path) if pair.computes is not None],
    )
    return found


def _of_other_dtypes(function: FunctionFacts, path: str) -> list[GraphPair]:
    found: list[GraphPair] = function.graphs.once(
        ("of other dtypes", path), lambda: list(_pairs_of_other_dtypes(function, path))
    )
    return found


def _pairs_of_other_dtypes(function: FunctionFacts, path: str) -> Iterator[GraphPair]:
    """Of traces that the dtype alone, or with sizes, tells apart."""
    read = 0
    # one that creates variables computes in the same dtypes
    groups = alike_but_for(
        function, (path,), lambda node: len(node.shape or ()) if _dtype(node) else node, first_ones=True
    )
    for group in groups:
        dtypes: set[str] = set()
        for (place, (node,)), (other, (another,)) in pairwise(group[:_MOST_TRACES]):
            if _dtype(node) == _dtype(another) or {_dtype(node), _dtype(another)} <= dtypes or read == _MOST_PAIRS:
                continue
            dtypes |= {_dtype(node), _dtype(another)}
            read += 1
            pair = function.graphs.compare(place, other)
            if pair is not None:
                yield pair


def cast_path(path: str) -> str:
    """Of the argument that is cast, where a candidate names the part of it that has the dtype."""
    return path.removesuffix(_PART)


def _argument(function: FunctionFacts, path: str) -> _Argument | None:
    """None if it does not come in several dtypes, or as something that cannot be cast."""
    come = [node for node in nodes_at(others_than_asked_for(function), path) if not _is_none(node)]
    nodes = [node for node in come if not _is_of_strings(node)]
    seen = list(dict.fromkeys(dtype for node in nodes if (dtype := _dtype(node))))
    if len(seen) < 2 or any(_kind(dtype) < 0 for dtype in seen):
        return None
    python = [node for node in nodes if not _dtype(node)]
    numbers = [node for node in python if is_number(node)]
    sequences = [node for node in python if stacked_shape(node) is not None]
    composites = [node for node in nodes if node.kind == "composite"]
    if len(numbers) + len(sequences) < len(python) or (composites and len(composites) < len(nodes)):
        return None
    if len({(node.type_name, node.identity) for node in composites}) > 1:
        return None
    strings = len(nodes) < len(come)
    if (python or composites) and strings:
        return None
    if python and (path in function.python_numbers or is_declared(function, path)):
        return None
    dtype = _chosen(function, path)
    types = {node.type_name for node in (*numbers, *(one for node in sequences for one in numbers_in(node)))}
    if not dtype or "bool" in types or any(_kind(of_type) > _kind(dtype) for of_type in types):
        return None
    return _Argument(seen, dtype, bool(composites), bool(numbers), bool(sequences), strings)


def _chosen(function: FunctionFacts, path: str) -> str:
    """Of those that lose nothing of the others but precision, the dtype of most traces that succeeded; "": of none.

    Of whole numbers, and where some have a range as small as float16's, one that holds the others' goes before.
    """
    working = [node_of(trace, path) for trace in function.traces if not trace.lookup.failed]
    counts = Counter(dtype for node in working if node is not None and (dtype := _dtype(node)))
    if not counts:
        return ""
    widest = max(map(_kind, counts))
    of_it = [dtype for dtype, _ in counts.most_common() if _kind(dtype) == widest]  # of as many, the first
    if widest == _WHOLE or not _WIDE.issuperset(of_it):
        return next((one for one in of_it if all(_holds(one, other) for other in of_it)), max(of_it, key=_range))
    return of_it[0]


def _holds(dtype: str, other: str) -> bool:
    """Whether it has each number of the other one, of the same kind, but for digits of fractions in float32."""
    whole, of_other = _BITS.fullmatch(dtype), _BITS.fullmatch(other)
    if whole is not None and of_other is not None:
        signed, other_signed = not whole[1], not of_other[1]
        fits = int(whole[2]) - signed >= int(of_other[2]) - other_signed
        return fits and (signed or not other_signed)
    return dtype == other or dtype in _WIDE


def _range(dtype: str) -> tuple[int, bool]:
    """Greater for what holds larger numbers; of two, for what holds negative ones."""
    digits = re.sub(r"\D", "", dtype)
    return int(digits or 0), not dtype.startswith("u")


def _dtype(node: Node) -> str:
    """Of a tensor, or a composite one that can be cast; "" of what is neither."""
    if node.kind == "tensor":
        return node.dtype
    is_castable = node.kind == "composite" and node.type_name in _CASTABLE
    return dict(node.children).get(_PART, node).dtype if is_castable else ""


def _kind(dtype: str) -> int:
    """-1 of what is no number."""
    return next((place for place, names in enumerate(_KINDS) if dtype.startswith(names)), -1)


def _is_of_strings(node: Node) -> bool:
    return node.kind == "tensor" and node.dtype == "string"


def _is_none(node: Node) -> bool:
    return node.kind == "literal" and node.value == "None"
