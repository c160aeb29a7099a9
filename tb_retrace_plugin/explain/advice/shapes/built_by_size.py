"""Whether a dimension decides what is built, numbers that change with it included: a rate that falls as texts grow."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice, pairwise

from tb_retrace_plugin.explain.advice.evidence.alone import Member, alike_but_for
from tb_retrace_plugin.explain.advice.evidence.facts import FunctionFacts, Traced
from tb_retrace_plugin.explain.advice.evidence.reading import node_of
from tb_retrace_plugin.explain.advice.evidence.sizes_asked_for import size_changes
from tb_retrace_plugin.explain.advice.evidence.unrolled import other_shapes, unrolled, without_sizes_and_numbers
from tb_retrace_plugin.explain.advice.python_values.number_use import use_of
from tb_retrace_plugin.explain.advice.python_values.python_uses import is_asked_in_python, is_read
from tb_retrace_plugin.explain.differences.value_texts import is_close
from tb_retrace_plugin.schema.signature import parameter_of

#: Ends a clause: no loop is of the size's doing.
AS_AN_ATTRIBUTE = "for which TensorFlow takes a Python number alone"
#: Pairs of which graphs are read.
_MOST_PAIRS = 2
#: As capture/code/asked_sizes.py and sizes_of_computed.py write it.
_OVER = re.compile(r"(for … in range\((.+)\.shape\[(-?\d+)\]\))(?: follows (\.\w+(?:, \.\w+)*))?")


def built_by_size(function: FunctionFacts, paths: Sequence[str]) -> str:
    """A clause on two traces of other sizes of tensors at `paths`; "" if nothing says so."""
    if found := unrolled(function, paths):
        return found
    numbers = dict.fromkeys(change.path for _, change in function.with_cause("python_value"))
    constants = [
        path
        for path in numbers
        if path not in paths and (use_of(function, path).is_constant or _is_a_size(function, path, paths))
    ]
    found = unrolled(function, paths, constants) if constants else ""
    return found or _gone_over(function, paths) or _sets_an_attribute(function, paths, list(numbers))


def _is_a_size(function: FunctionFacts, number: str, paths: Sequence[str]) -> bool:
    """Whether it is the same dimension's in all traces, as a `len` of a batch that is passed beside it, and the source
    that is read does nothing with it but compute: what is built depends on the size then, whichever tells of it."""
    if not is_read(function) or is_asked_in_python(function, number):
        return False
    sizes: set[tuple[str, int]] | None = None
    for trace in function.traces:
        node = node_of(trace, number)
        if node is None or node.type_name != "int":
            return False
        shapes = [(path, found.shape or ()) for path in paths if (found := node_of(trace, path)) is not None]
        those = {(path, axis) for path, shape in shapes for axis, size in enumerate(shape) if str(size) == node.value}
        sizes = those if sizes is None else sizes & those
    return bool(sizes)


def _sets_an_attribute(function: FunctionFacts, paths: Sequence[str], numbers: Sequence[str]) -> str:
    """A size that an operation has as a number of its own, or a multiple of it: no tensor can be one. Other numbers may
    change as well, but none that is as large."""
    others = [path for path in numbers if path not in paths]
    for group in alike_but_for(function, (*paths, *others), without_sizes_and_numbers):
        members = [(place, nodes[: len(paths)]) for place, nodes in group]
        told = (other_shapes(paths, *pair) for pair in pairwise(members))
        differ = (found for found in zip(told, *zip(*pairwise(group), strict=True), strict=True) if found[0])
        for shapes, one, other in islice(differ, _MOST_PAIRS):
            pair = function.graphs.compare(one[0], other[0])
            if pair is None or not pair.alike:
                continue
            sizes = {
                (before, now)
                for a, b in zip(one[1], other[1], strict=True)
                for before, now in zip(a.shape or (), b.shape or (), strict=False)
                if before != now
            }
            for operation, attribute, old, new in pair.numbers:
                follows = any(old * now == new * before and old % before == 0 for before, now in sizes)
                if old != new and follows and not _is_passed(one, other, len(paths), old, new):
                    return (
                        f"For {shapes} the graphs have {old:g} and {new:g} as `{attribute}` of `{operation}`,"
                        f" {AS_AN_ATTRIBUTE}"
                    )
    return ""


def _is_passed(one: Member, other: Member, first: int, old: float, new: float) -> bool:
    """Whether a number beside them is the one in the one trace and the other in the other."""
    pairs = zip(one[1][first:], other[1][first:], strict=True)
    return any(is_close(old, a.value, "float32") and is_close(new, b.value, "float32") for a, b in pairs)


def sizes_gone_over(function: FunctionFacts, paths: Sequence[str]) -> Iterator[tuple[str, str, int]]:
    """Loops of its source over sizes of tensors at `paths`, or of what is computed of these: the text, the path and the
    dimension."""
    for use in function.python_uses:
        found = _OVER.fullmatch(use)
        if found is None:
            continue
        told, whole, axis, roots = found.groups("")
        of = {root.removeprefix(".") for root in roots.split(", ")} if roots else set()
        yield from ((told, path, int(axis)) for path in paths if path == whole or parameter_of(path) in of)


def _gone_over(function: FunctionFacts, paths: Sequence[str]) -> str:
    """By its source, which tells of two sizes as of many; not where a graph of another size has as many nodes."""
    for use, path, axis in sizes_gone_over(function, paths):
        if size_changes(function, path, axis):
            sizes = [(size_of(trace, path, axis), trace.nodes) for trace in function.traces if trace.nodes]
            is_computed = not use.startswith(f"for … in range({path}.")  # of which it may be another dimension
            by_nodes = {nodes: size for size, nodes in sizes}
            is_of_each = all(by_nodes[nodes] == size for size, nodes in sizes)
            if is_of_each if is_computed else len(by_nodes) >= len({size for size, _ in sizes}):
                return f"`{use}` in it goes over a size that changes"
    return ""


def size_of(trace: Traced, path: str, axis: int) -> int | None:
    node = node_of(trace, path)
    shape = node.shape if node is not None else None
    return shape[axis] if shape is not None and -len(shape) <= axis < len(shape) else None
