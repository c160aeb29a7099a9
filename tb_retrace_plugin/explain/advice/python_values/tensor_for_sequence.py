"""Lists of Python numbers: each number is a constant of the graph, each length a structure. A tensor is neither."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tb_retrace_plugin.explain.advice.evidence.alone import alike_but_for
from tb_retrace_plugin.explain.advice.evidence.asked_for import others_than_asked_for, takes_tensors
from tb_retrace_plugin.explain.advice.evidence.facts import Fix, FunctionFacts
from tb_retrace_plugin.explain.advice.evidence.graph_pairs import GraphPair
from tb_retrace_plugin.explain.advice.evidence.listed import listed
from tb_retrace_plugin.explain.advice.evidence.read_anew import MAY
from tb_retrace_plugin.explain.advice.evidence.reading import is_none, nodes_at
from tb_retrace_plugin.explain.advice.python_values.decided_in_python import decided_by, other_graphs
from tb_retrace_plugin.explain.advice.python_values.python_uses import (
    is_given_whole,
    needs_its_length,
    what_goes_through,
)
from tb_retrace_plugin.explain.differences.paths import sequence_of
from tb_retrace_plugin.explain.what_if.candidate import Candidate, is_long, numbers_in, stacked_shape
from tb_retrace_plugin.schema.signature import Node

_CAUSES = ("structure", "python_value", "python_type")
_INT32 = 2**31 - 1
NO_CONSTANT = "`tf.constant` takes no tensor: where the code gives it that, `tf.convert_to_tensor` does."
COMPUTED = (
    "In the graphs are other numbers than its own, which are computed from these in Python: compute them before the"
    " call, and pass them as the tensor."
)
LENGTHENED = (
    "the graphs hold longer lists that begin or end with its numbers. Of a list Python makes those by `+` and `*`, and"
    " a tensor is added to and multiplied with instead, without an error: `tf.concat` and `tf.tile` take one."
)
_UNROLLED = (
    "For {} and {} items in `{}` the graphs have {:,} and {:,} nodes: each length needs a trace of its own. Where"
    " nothing but a `for` goes through it, and no Python list collects in it, `tf.TensorSpec([None], …)` may do for"
    " all lengths."
)
IN_PYTHON = "What goes through it in Python, such as a `for` that unpacks its items, may not take a tensor."


def propose(function: FunctionFacts) -> Fix | None:
    dtypes, wraps, in_tensors = {}, {}, {}
    changed = [change.path for _, change in function.with_cause(*_CAUSES) if not change.is_of_a_key]
    for path in dict.fromkeys(map(sequence_of, changed)):
        found = dtype_of_list(function, path)
        if found is not None and not _decides(function, path):
            dtypes[path], is_plain = found
            if dtypes[path] == "int32" and _becomes_fractions(function, path):
                dtypes[path], is_plain = "float32", False
            nodes = nodes_at(others_than_asked_for(function), path)
            in_tensors[path] = any(node.kind == "tensor" for node in nodes)
            wraps[path] = "tf.constant({})" if is_plain else f"tf.constant({{}}, tf.{dtypes[path]})"
    if not dtypes:
        return None
    is_one, values = len(dtypes) == 1, "bools" if set(dtypes.values()) == {"bool"} else "numbers"
    if all(in_tensors.values()):
        text = (
            f"{listed(list(dtypes))} of `{function.name}` {'is' if is_one else 'are'} a list of Python {values} in some"
        )
        text += f" calls and a tensor in others. Pass {'a tensor' if is_one else 'tensors'} at every call."
    else:
        what = f"a list of Python {values}" if is_one else f"lists of Python {values}"
        text = (
            f"{listed(list(dtypes))} of `{function.name}` {'is' if is_one else 'are'} {what}, and it is traced for each"
        )
        text += f" combination of their values. Pass {'it as a tensor' if is_one else 'them as tensors'} at every call."
    through = {path: what_goes_through(function, path) for path in dtypes}
    text += "".join(f" {sentence}" for sentences in through.values() for sentence in sentences)
    longer = [path for path in dtypes if _is_known_to_be_lengthened(function, path)]
    notes = takes_tensors(function, dtypes)
    told = {path for path in dtypes if through[path] or is_given_whole(function, path)}
    if any(_is_known_to_be_computed(function, path) for path in dtypes.keys() - told):
        notes.append(COMPUTED)
    elif not all(_is_known_to_be_whole(function, path) for path in dtypes.keys() - told):
        notes.append(IN_PYTHON)
    if any(_is_known_to_be_made_a_tensor(function, path) and not through[path] for path in dtypes):
        notes.append(NO_CONSTANT)
    unrolled = {path: lengths for path in dtypes if (lengths := _unrolled_lengths(function, path))}
    for path, ((length, size), (other, larger), *_) in unrolled.items():
        notes.append(_UNROLLED.format(length, other, path, size, larger))
    return Fix(
        "tensor_for_python_sequence", text, Candidate(stacked=dtypes), calls=wraps,
        assumes="the code works on a tensor there, and that the numbers stay of one Python type",
        warnings=[f"{MAY}of {listed(longer)} {LENGTHENED}"] if longer else [], notes=notes,
        lengths_known=frozenset(p for p in dtypes if p in unrolled or needs_its_length(function, p)),
    )  # fmt: skip


def _decides(function: FunctionFacts, path: str) -> bool:
    """Whether it is known that its numbers are more than data."""
    if is_given_whole(function, path):
        return False
    is_known = bool(decided_by(function, path) or other_graphs(function, path))
    return is_known or _decides_the_size(function, path)


def _decides_the_size(function: FunctionFacts, path: str) -> bool:
    """Whether graphs for which it alone differs have other numbers of nodes: then its numbers are no mere constants.

    A list that is short in some calls may as well be a setting: its numbers are taken for data where some graph tells.
    """
    groups = alike_but_for(function, (path,), lambda node: node.kind)
    if any(len({function.traces[place].nodes for place, _ in group}) > 1 for group in groups):
        return not _unrolled_lengths(function, path)
    sequences = [node for node in nodes_at(function, path) if node.kind != "tensor"]
    if all(map(is_long, sequences)) or len(sequences) < len(list(nodes_at(function, path))):
        return False
    changed = [trace for trace, change in function.with_cause("structure") if change.path == path]
    before = [None if trace.closest is None else function.traces[trace.closest] for trace in changed]
    return not all(b is not None and 0 != b.nodes == t.nodes for b, t in zip(before, changed, strict=True))


def _unrolled_lengths(function: FunctionFacts, path: str) -> list[tuple[int, int]]:
    """(length, nodes of the graph), where its length decides what is built and its numbers do not: of other ones, of as
    many, graphs differ in constants alone; [] where that is not known."""
    nodes: dict[int, set[int]] = {}
    are_data = False
    if is_given_whole(function, path):
        return []
    for group in alike_but_for(function, (path,), lambda node: node.kind):
        of_length: dict[int, list[int]] = {}
        for place, (node,) in group:
            of_length.setdefault(len(node.children), []).append(place)
        for length, places in of_length.items():
            nodes.setdefault(length, set()).update(function.traces[place].nodes for place in places)
            pair = function.graphs.compare(*places[:2]) if len(places) > 1 else None
            if pair is not None and not pair.alike:
                return []
            are_data |= pair is not None
    if not are_data or len(nodes) < 2 or any(len(found) > 1 for found in nodes.values()):
        return []
    return sorted((length, found.pop()) for length, found in nodes.items())


def _is_known_to_be_whole(function: FunctionFacts, path: str) -> bool:
    return bool(function.graphs.once(("whole", path), lambda: _is_used_whole(function, path)))


def _is_used_whole(function: FunctionFacts, path: str) -> bool:
    """Whether graphs for which it alone differs differ in constants that are no single numbers."""
    pair = next((pair for _, pair in _pairs(function, path)), None)
    if pair is None or not pair.alike:
        return False
    return bool(pair.constants) and all(constant.old is None for constant in pair.constants)


def _becomes_fractions(function: FunctionFacts, path: str) -> bool:
    """Whether graphs for which it alone differs hold float32 in its place, which whole ones are made of Python's."""
    return bool(function.graphs.once(("fractions", path), lambda: _are_fractions(function, path)))


def _are_fractions(function: FunctionFacts, path: str) -> bool:
    pair = next((pair for _, pair in _pairs(function, path)), None)
    if pair is None or not pair.alike or not pair.constants:
        return False
    return all(constant.dtype == "float32" and not constant.resized for constant in pair.constants)


def _is_known_to_be_made_a_tensor(function: FunctionFacts, path: str) -> bool:
    return bool(function.graphs.once(("made a tensor", path), lambda: _is_made_a_tensor(function, path)))


def _is_made_a_tensor(function: FunctionFacts, path: str) -> bool:
    """Whether graphs for which it alone differs differ in what `tf.constant` may have made of it."""
    pair = next((pair for _, pair in _pairs(function, path)), None)
    if pair is None or not pair.alike:
        return False
    return any(c.is_named_so and isinstance(c.old, tuple) for c in pair.constants)


def _is_known_to_be_computed(function: FunctionFacts, path: str) -> bool:
    return bool(function.graphs.once(("computed", path), lambda: _is_computed(function, path)))


def _is_computed(function: FunctionFacts, path: str) -> bool:
    """Whether graphs for which it alone differs differ in fractions that are none of its numbers."""
    for node, pair in _pairs(function, path):
        if node.kind == "tensor":
            continue
        kept = [c.old if isinstance(c.old, tuple) else (c.old,) for c in pair.constants if c.old is not None]
        if not pair.alike or not kept or any(not isinstance(value, float) for values in kept for value in values):
            return False
        numbers = [number.value for number in numbers_in(node)]
        return not all(_is_one_of(value, numbers) for values in kept for value in values)
    return False


def _is_known_to_be_lengthened(function: FunctionFacts, path: str) -> bool:
    return bool(function.graphs.once(("lengthened", path), lambda: _is_lengthened(function, path)))


def _is_lengthened(function: FunctionFacts, path: str) -> bool:
    """Whether graphs for which it alone differs differ in constants that have its numbers and more."""
    for node, pair in _pairs(function, path):
        if node.kind == "tensor":
            continue
        numbers = [number.value for number in numbers_in(node)]
        kept = [constant.old for constant in pair.constants if isinstance(constant.old, tuple)]
        return any(_begins_or_ends_with(values, numbers) for values in kept if len(values) > len(numbers))
    return False


def _pairs(function: FunctionFacts, path: str) -> Iterator[tuple[Node, GraphPair]]:
    """What it is in one of two traces that it alone tells apart, and their graphs: of each kind the first two, read
    when they are asked for."""
    for group in alike_but_for(function, (path,), lambda node: node.kind):
        (place, (node,)), (other, _) = group[:2]
        pair = function.graphs.compare(place, other)
        if pair is not None:
            yield node, pair


def _begins_or_ends_with(values: Sequence[float], numbers: Sequence[str]) -> bool:
    ends = values[: len(numbers)], values[-len(numbers) :]
    return bool(numbers) and any(all(_is_one_of(v, [n]) for v, n in zip(end, numbers, strict=True)) for end in ends)


def _is_one_of(value: float, numbers: Sequence[str]) -> bool:
    try:
        return any(abs(value - float(number)) <= 1e-6 * abs(value) for number in numbers)
    except ValueError:  # hidden, or too long to be recorded in full
        return True


def dtype_of_list(function: FunctionFacts, path: str) -> tuple[str, bool] | None:
    """As `dtype_of`; also of short ones of several lengths that the code hands on as they are, such as shapes. A tensor
    that every call with it failed of tells nothing, but that none of its dtype does."""
    others = others_than_asked_for(function)
    nodes = list(nodes_at(others, path))
    works = {node.dtype for node in nodes_at(others, path, failed=False) if node.kind == "tensor"}
    fails = {node.dtype for node in nodes if node.kind == "tensor"} - works
    nodes = [node for node in nodes if node.kind != "tensor" or node.dtype in works]
    several = len({len(node.children) for node in nodes if node.children}) > 1
    handed_on = is_given_whole(function, path)
    if handed_on or any(node.kind == "tensor" for node in nodes):  # None stays what it is
        nodes = [node for node in nodes if not is_none(node)]
    found = dtype_of(nodes, may_be_short=several and handed_on)
    return None if found is not None and found[0] in fails else found


def dtype_of(nodes: list[Node], *, may_be_short: bool = False) -> tuple[str, bool] | None:
    """(dtype, whether `tf.constant` gives it unasked); None if a tensor cannot stand for what is passed there."""
    tensors = {node.dtype for node in nodes if node.kind == "tensor"}
    sequences = [node for node in nodes if node.kind != "tensor"]
    if len(tensors) > 1 or not sequences or any(stacked_shape(node) is None for node in sequences):
        return None
    if not tensors and not may_be_short and not any(map(is_long, sequences)):
        return None
    numbers = [number for node in sequences for number in numbers_in(node)]
    types = {number.type_name for number in numbers}
    fits = all(fits_int32(number.value) for number in numbers) if types == {"int"} else False
    natural = "bool" if types == {"bool"} else ("int32" if fits else "int64") if types == {"int"} else "float32"
    if "complex" in types or ("bool" in types and len(types) > 1):
        return None
    (dtype,) = tensors or {natural}
    if types == {"bool"}:
        return (dtype, True) if dtype == "bool" else None
    if types == {"int"} and dtype.startswith(("int", "uint", "float", "bfloat")):
        return dtype, dtype == "int32" and fits
    if dtype.startswith(("float", "bfloat")):
        # a list of whole numbers that equals one of floats finds its trace, and would be a tensor of int32
        maybe_whole = any(all(is_whole(number.value) for number in numbers_in(node)) for node in sequences)
        return dtype, dtype == "float32" and not maybe_whole
    return None  # a tensor of whole numbers cannot hold them


def is_whole(value: str) -> bool:
    """Of a recorded number: whether an `int` can be equal to it. Not known of one that is hidden."""
    try:
        return float(value).is_integer()
    except ValueError:
        return False


def fits_int32(value: str) -> bool:
    """Of a recorded whole number: whether `tf.constant` takes it without being told a dtype."""
    try:
        return abs(int(value)) <= _INT32
    except ValueError:  # too long to be recorded in full
        return False
