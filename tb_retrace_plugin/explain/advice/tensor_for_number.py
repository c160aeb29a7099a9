"""A Python number that takes many values: each is a constant of a graph of its own. A tensor is not."""

from __future__ import annotations

from collections.abc import Mapping

from tb_retrace_plugin.explain.advice.code import listed, plural, whole_arguments
from tb_retrace_plugin.explain.advice.facts import Fix, FunctionFacts
from tb_retrace_plugin.explain.advice.reading import containers_of, nodes_at
from tb_retrace_plugin.explain.what_if import Candidate, is_number

_INT32 = 2**31 - 1
NEEDS_A_NUMBER = "What needs a Python number, such as `tf.split`, cannot take one."
_FIXED = frozenset({"composite", "custom_nest"})


def propose(function: FunctionFacts) -> Fix | None:
    changed = dict.fromkeys(change.path for _, change in function.with_cause("python_value", "python_type"))
    paths = dict.fromkeys(other for path in changed for other in _of_one_list(function, path))
    dtypes, wraps, values = {}, {}, {}
    for path in paths:
        found = number_dtype(function, path)
        if found is not None:
            dtypes[path], is_plain, values[path] = found
            wraps[path] = "tf.constant({})" if is_plain else f"tf.constant({{}}, tf.{dtypes[path]})"
    if not dtypes:
        return None
    names = listed(list(dtypes))
    has_bools = "bool" in dtypes.values()
    noun, them = ("value", "the Python values") if has_bools else ("number", "values of the Python numbers")
    if set(values.values()) == {1}:
        text = f"{names} of `{function.name}` is a Python number in some calls and a tensor in others."
    elif len(dtypes) == 1:
        seen = function.at_least + plural(next(iter(values.values())), "value")
        text = f"`{function.name}` is traced for each value of the Python {noun} {names} ({seen} so far)."
    else:
        text = f"`{function.name}` is traced for each combination of {them} {names}."
    text += f" Pass {'it as a tensor' if len(dtypes) == 1 else 'them as tensors'} at every call."
    text += where_a_number_is_needed(function, dtypes)
    # written as `tuple(… for n in size)`, a number's container becomes one kind of sequence too
    whole = whole_arguments(function, wraps)
    kinds = {
        path: "list" if code.startswith("[") else "tuple"
        for path, code in whole.items()
        if path not in wraps and len({node.kind for node in nodes_at(function, path)}) > 1
    }
    assumes = "the code works on a tensor there"
    assumes += ", and that no call passes an equal number of another Python type"
    if by_default := [path for path in dtypes if path in function.with_default]:
        assumes += f", or leaves {listed(by_default)} to {'its' if len(by_default) == 1 else 'their'} default"
    return Fix(
        "tensor_for_python_number", text, Candidate(numbers=dtypes, sequences=kinds), calls=whole,
        assumes=assumes,
    )  # fmt: skip


def where_a_number_is_needed(function: FunctionFacts, dtypes: Mapping[str, str]) -> str:
    """A sentence on what cannot take a tensor for these numbers; "" where none of them is whole.

    With the sizes of two graphs where the numbers alone made them differ: then they decide what is built.
    """
    if all(dtype.startswith(("float", "bfloat", "bool")) for dtype in dtypes.values()):
        return ""
    for trace in function.avoidable:
        if trace.closest is None or trace.lookup.failed or any(change.path not in dtypes for change in trace.changes):
            continue
        before, now = function.traces[trace.closest].nodes, trace.nodes
        if before and now and before != now and all(change.cause == "python_value" for change in trace.changes):
            values = f"{trace.changes[0].old} and {trace.changes[0].new}"
            return (
                f" For {values} the graphs have {before} and {now} nodes, so the number decides what is built: a loop"
                f" over `tf.range` may take a tensor, {NEEDS_A_NUMBER[0].lower()}{NEEDS_A_NUMBER[1:]}"
            )
    return f" {NEEDS_A_NUMBER}"


def number_dtype(function: FunctionFacts, path: str) -> tuple[str, bool, int] | None:
    """(dtype, whether `tf.constant` gives it unasked, number of values); None if a tensor cannot stand for it."""
    if any(node.kind in _FIXED for node in containers_of(function, path)):
        return None  # the class declares what its field is
    if _is_one_of_bools(function, path):
        return "bool", True, 2
    types, values = set(), set()
    for node in nodes_at(function, path):
        if is_number(node):
            types.add(node.type_name)
            values.add(node.value)
        elif node.kind != "tensor":
            return None
    tensors = {node.dtype for node in nodes_at(function, path, failed=False) if node.kind == "tensor"}
    if not values or len(tensors) > 1:
        return None
    natural = "float32"
    if types == {"int"}:
        natural = "int32" if all(map(fits_int32, values)) else "int64"
    dtype = tensors.pop() if tensors else natural
    if natural == "float32" and not dtype.startswith(("float", "bfloat")):
        return None  # a tensor of whole numbers cannot hold them
    if not dtype.startswith(("float", "bfloat", "int", "uint")):
        return None
    plain = dtype == natural and (types == {"int"} or types == {"float"}) and natural != "int64"
    return dtype, plain, len(values)


def _of_one_list(function: FunctionFacts, path: str) -> list[str]:
    """The path; of a bool in a list those of all bools in it: the others change at another call."""
    if not _is_one_of_bools(function, path):
        return [path]
    parent = path.rpartition("[")[0]
    return [parent + key for key, node in next(nodes_at(function, parent)).children if node.type_name == "bool"]


def _is_one_of_bools(function: FunctionFacts, path: str) -> bool:
    """Whether a bool in a list or tuple of several is all that is passed there: one alone chooses the code, mostly."""
    around = list(nodes_at(function, path.rpartition("[")[0]))
    nodes = [node for node in nodes_at(function, path) if node.kind != "tensor" or node.dtype != "bool"]
    if not nodes or any(node.type_name != "bool" for node in nodes):
        return False
    several = [sum(child.type_name == "bool" for _, child in node.children) > 1 for node in around]
    return any(several) and all(node.kind in ("list", "tuple") for node in around)


def fits_int32(value: str) -> bool:
    """Of a recorded whole number: whether `tf.constant` takes it without being told a dtype."""
    try:
        return abs(int(value)) <= _INT32
    except ValueError:  # too long to be recorded in full
        return False
