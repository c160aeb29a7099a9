"""Sizes that the code is known to ask for in Python, and that are None once they are unknown."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from tb_retrace_plugin.explain.advice.evidence.facts import FunctionFacts
from tb_retrace_plugin.explain.advice.evidence.listed import listed
from tb_retrace_plugin.explain.advice.evidence.reading import node_of
from tb_retrace_plugin.explain.verdict.asked_in_python import EACH
from tb_retrace_plugin.explain.what_if.candidate import stacked_shape
from tb_retrace_plugin.schema.signature import parameter_of

#: What a shape is given to, what comes before it, the tensor, which sizes of its shape, and what comes after.
_MADE = re.compile(
    r"([\w.]+)\((…, )?(… \+ |\[(?:…, )?\*)?(.+?)\.shape(?:\[(-?\d*:-?\d*(?::-?\d*)?)\])?( \+ …|(?:, …)?\])?\)"
)
_UNSTACKED = re.compile(r"([\w.]+)\((.+)\) of shape")
#: After what it is a part of.
_SLICED = re.compile(r"\[[^\[\]]*:[^\[\]]*\]$")
_LAST_KEY = re.compile(r"\[[^\[\]]+\]$")
#: As capture/code/asked_lengths.py writes these.
_BY_LENGTH = re.compile(r"(.+) sliced by (.+)")
_LENGTH = re.compile(r"len\((.+)\) computed")
#: As a module is imported, whose functions take no tensor that has no value yet, `tf.shape(x)` neither.
_NUMPY = ("np.", "numpy.", "math.")
_ASKED = re.compile(r"(?!\[)(.+)\.shape\[(-?\d+)\]")
#: Of what is computed of parameters, as capture/code/sizes_of_computed.py writes it.
_COMPUTED = re.compile(r"(.+) follows (\.\w+(?:, \.\w+)*)")
_REPEATED = re.compile(r"\[…\] \* (.+)\.shape\[(-?\d+)\]")


def sizes_asked_for(function: FunctionFacts, paths: Sequence[str]) -> str:
    """A note, if its source asks for sizes of tensors at `paths` that change; "" if none is known."""
    made = (
        _repeats(function, paths),
        _made_of_shapes(function, paths),
        _unstacked(function, paths),
        _sliced_by_lengths(function, paths),
        _computed_of_lengths(function, paths),
    )
    told = (_none_then(function, paths), *made, _of_computed(function, paths))
    return " ".join(filter(None, told))


def _made_of_shapes(function: FunctionFacts, paths: Sequence[str]) -> str:
    """Of `tf.zeros(x.shape)`, which fails."""
    made = [(use, *found.groups("")) for use in function.python_uses if (found := _MADE.fullmatch(use))]
    uses = {
        use: f"{_in_the_graph(called)}({first}{_of_tensors(path, part, before, after)})"
        if _in_the_graph(called)
        else ""
        for use, called, first, before, path, part, after in made
        if _changes(function, paths, path, _slice(part))
    }
    if not uses:
        return ""
    fails = "fails" if len(uses) == 1 else "fail"
    instead = [each for each in uses.values() if each]
    does = f", and {listed(instead)} {'does' if len(instead) == 1 else 'do'} not" if instead else ""
    return f"{listed(list(uses))} in it {fails} then{does}."


def _of_tensors(path: str, part: str, before: str, after: str) -> str:
    """`tf.shape(x)`, `tf.concat([tf.shape(x)[:-1], …], 0)`."""
    shape = f"tf.shape({path})[{part}]" if part else f"tf.shape({path})"
    more_before, more_after = ("…, " if "…" in before else ""), (", …" if "…" in after else "")
    return f"tf.concat([{more_before}{shape}{more_after}], 0)" if more_before or more_after else shape


def _slice(part: str) -> slice:
    return slice(*(int(bound) if bound else None for bound in part.split(":"))) if part else slice(None)


def _unstacked(function: FunctionFacts, paths: Sequence[str]) -> str:
    """Of `tf.unstack(x)`, which makes a list."""
    found = {use: known for use in function.python_uses if (known := _UNSTACKED.fullmatch(use))}
    uses = {f"{known[1]}({known[2]})": known[2] for known in found.values()}
    of = {use: _SLICED.sub("", made) for use, made in uses.items()}
    uses = {use: one for use, one in uses.items() if of[use] in paths and size_changes(function, of[use], 0)}
    if not uses:
        return ""
    makes, fails = ("makes a list", "fails") if len(uses) == 1 else ("make lists", "fail")
    mapped = listed([f"tf.map_fn(…, {path})" for path in dict.fromkeys(uses.values())])
    return f"{listed(list(uses))} in it {makes} of a size that has to be known, and {fails} then: {mapped} takes any."


def _sliced_by_lengths(function: FunctionFacts, paths: Sequence[str]) -> str:
    """Of `self.noise[:len(x)]`, where that is an array."""
    found = [known for use in function.python_uses if (known := _BY_LENGTH.fullmatch(use))]
    uses = list(dict.fromkeys(one[1] for one in found if one[2] in paths and size_changes(function, one[2], 0)))
    if not uses:
        return ""
    what = listed([f"tf.convert_to_tensor({use.partition('[')[0]})" for use in uses[:1]])
    fails = "fails" if len(uses) == 1 else "fail"
    return (
        f"{listed(uses)} in it {fails} of an array or a list: `len` of an unknown size is a tensor, by which {what} can"
        " be sliced."
    )


def _computed_of_lengths(function: FunctionFacts, paths: Sequence[str]) -> str:
    """Of `loss / (len(x) * rate)`, where that is a tensor."""
    found = [known[1] for use in function.python_uses if (known := _LENGTH.fullmatch(use))]
    of = [path for path in found if path in paths and size_changes(function, path, 0)]
    if not of:
        return ""
    are, it, meets = ("is a tensor", "it", "it meets") if len(of) == 1 else ("are tensors", "them", "they meet")
    lengths = listed([f"len({path})" for path in of])
    cast = f"`tf.cast` {it} where {meets} fractions"
    return f"{lengths} in it {are} of int32 then: {cast}; NumPy, `math` and lists take none."


def _in_the_graph(called: str) -> str:
    """What takes a shape that is a tensor; "" where that draws other numbers."""
    if not called.startswith(_NUMPY):
        return called
    if called.endswith(".prod"):
        return "tf.reduce_prod"
    return "" if ".random." in called else f"tf.{called.partition('.')[2]}"


def _repeats(function: FunctionFacts, paths: Sequence[str]) -> str:
    """Of `[1] * x.shape[0]`: with a tensor in its place nothing fails, and something else is computed."""
    found = {use: known for use in function.python_uses if (known := _REPEATED.fullmatch(use))}
    uses = {
        use: f"tf.fill([tf.shape({known[1]})[{known[2]}]], …)"
        for use, known in found.items()
        if known[1] in paths and size_changes(function, known[1], int(known[2]))
    }
    if not uses:
        return ""
    repeats = "repeats a list" if len(uses) == 1 else "repeat lists"
    return (
        f"{listed(list(uses))} in it {repeats}, and a tensor there multiplies what is in it instead, without an error:"
        f" write {listed(list(uses.values()))}."
    )


def _changes(function: FunctionFacts, paths: Sequence[str], path: str, part: slice) -> bool:
    """Whether a size of that part of the shape does."""
    ranks = {
        len(node.shape)
        for trace in function.traces
        if (node := node_of(trace, path)) is not None and node.kind == "tensor" and node.shape is not None
    }
    axes = range(max(ranks, default=0))[part]
    return path in paths and any(size_changes(function, path, axis) for axis in axes)


def variables_need_sizes(function: FunctionFacts) -> bool:
    """Whether first calls of several function objects, such as of instances of a layer, create variables, and it asks
    for a size that changes: what each creates cannot be of an unknown one. Not where one object has served several."""
    made = {trace.lookup.object_number for trace in function.traces if trace.kind == "variable_creation"}
    creates = len(made) > 1
    asked = [found for use in function.python_uses if (found := _ASKED.fullmatch(use))] if creates else []
    of_each = [one for one in of_each_object(function) if one.traces[0].lookup.object_number in made]
    return any(
        size_changes(function, found[1], int(found[2]))
        and not any(size_changes(one, found[1], int(found[2])) for one in of_each)
        for found in asked
    )


def of_each_object(function: FunctionFacts) -> list[FunctionFacts]:
    """With the traces of one tf.function object each, for what is asked of their shapes alone."""
    numbers = dict.fromkeys(trace.lookup.object_number for trace in function.traces)
    if len(numbers) == 1:
        return [function]
    return [replace(function, traces=[t for t in function.traces if t.lookup.object_number == one]) for one in numbers]


def _none_then(function: FunctionFacts, paths: Sequence[str]) -> str:
    asked = [(found[1], int(found[2])) for use in function.python_uses if (found := _ASKED.fullmatch(use))]
    sizes = [(path, axis) for path, axis in asked if _one_changes(function, paths, path, axis)]
    if not sizes:
        return ""
    shapes = listed([f"{path}.shape[{axis}]" for path, axis in sizes])
    tensors = listed([f"tf.shape({path})[{axis}]" for path, axis in sizes])
    are, it, tensor = ("is", "it", "is a tensor") if len(sizes) == 1 else ("are", "them", "are tensors")
    meets = "it meets" if len(sizes) == 1 else "they meet"
    return (
        f"{shapes} in it {are} None then: what Python computes of {it} fails, and an `if` that compares {it} with a"
        f" number is not met, without an error. {tensors} {tensor} of int32: `tf.cast` {it} where {meets} fractions."
    )


def _of_computed(function: FunctionFacts, paths: Sequence[str]) -> str:
    """Of `hidden.shape[1]`: whether that is the size of an argument is not known, but a place of both is mostly one."""
    return _told_of_computed(
        function,
        paths,
        lambda path, axis: size_changes(function, path, axis),
        lambda path, part: _changes(function, paths, path, part),
        # of a parameter that is given another value its own sizes are told
        apart=frozenset(path for trace in function.traces[:1] for path, _ in trace.lookup.signature.arguments),
    )


def sizes_of_numbers(function: FunctionFacts, paths: Sequence[str]) -> str:
    """As above, of what is computed of numbers that may be sizes, and are to be tensors; "" if none is known."""
    return _told_of_computed(function, paths, lambda path, axis: True, lambda path, part: True)


def _told_of_computed(
    function: FunctionFacts, paths: Sequence[str], is_size: Callable[[str, int], bool],
    is_shape: Callable[[str, slice], bool], apart: frozenset[str] = frozenset(),
) -> str:  # fmt: skip
    asked: dict[str, str] = {}
    made: dict[str, str] = {}
    of: dict[str, None] = {}
    for use, roots in [found.groups() for text in function.python_uses if (found := _COMPUTED.fullmatch(text))]:
        parameters = [root.removeprefix(".") for root in roots.split(", ")]
        its = [path for path in paths if parameter_of(path) in parameters]
        own = apart.difference(parameters)  # what is computed of itself is a helper's, of that name
        if size := _ASKED.fullmatch(use):
            changing = [path for path in its if size[1] not in own and is_size(path, int(size[2]))]
            asked |= {use: f"tf.shape({size[1]})[{size[2]}]"} if changing else {}
        elif shape := _MADE.fullmatch(use):
            called, first, before, name, part, after = shape.groups("")
            changing = [path for path in its if name not in own and is_shape(path, _slice(part))]
            instead = f"{_in_the_graph(called)}({first}{_of_tensors(name, part, before, after)})"
            made |= {use: instead if _in_the_graph(called) else ""} if changing else {}
        else:
            continue
        of |= dict.fromkeys(changing)
    told = []
    if asked:
        follow, it = ("follows", "it") if len(asked) == 1 else ("follow", "them")
        told.append(
            f"{listed([*asked])} in it {follow} from {listed([*of])}, and may be None then: what Python computes of"
            f" {it} fails, and an `if` or a slice does something else, without an error. {listed([*asked.values()])}"
            f" {'is a tensor' if len(asked) == 1 else 'are tensors'}."
        )
    if made:
        fails = "fails" if len(made) == 1 else "fail"
        known = [code for code in made.values() if code]
        does = f" {listed(known)} {'does' if len(known) == 1 else 'do'} not." if known else ""
        told.append(f"{listed([*made])} in it {fails} where a size is unknown that follows from {listed([*of])}.{does}")
    return " ".join(told)


def _one_changes(function: FunctionFacts, paths: Sequence[str], asked: str, axis: int) -> bool:
    """Of the tensor, or of what a loop over a list has by turns, `frames[...]`."""
    of = [path for path in paths if asked in (path, _LAST_KEY.sub(EACH, path))]
    return any(size_changes(function, path, axis) for path in of)


def size_changes(function: FunctionFacts, path: str, axis: int) -> bool:
    """Whether tensors at `path`, and lists of numbers in their place, have several, or are of several ranks."""
    nodes = [node for trace in function.traces if (node := node_of(trace, path)) is not None]
    known = {node.shape if node.kind == "tensor" else stacked_shape(node) for node in nodes}
    shapes = {shape for shape in known if shape is not None}
    found = {shape[axis] for shape in shapes if -len(shape) <= axis < len(shape)}
    return len(found) > 1 or len({len(shape) for shape in shapes}) > 1
