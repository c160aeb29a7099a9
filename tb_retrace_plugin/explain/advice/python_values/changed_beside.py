"""A number's use, where others changed whenever it did."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from tb_retrace_plugin.explain.advice.evidence.alone import with_graphs
from tb_retrace_plugin.explain.advice.evidence.constant_values import (
    has_values,
    holds_values,
)
from tb_retrace_plugin.explain.advice.evidence.facts import FunctionFacts, Traced
from tb_retrace_plugin.explain.advice.evidence.graph_pairs import Constant
from tb_retrace_plugin.explain.advice.evidence.read_anew import values_read_anew
from tb_retrace_plugin.explain.advice.evidence.reading import node_of
from tb_retrace_plugin.explain.advice.python_values.changed_alone import use_where_alone
from tb_retrace_plugin.explain.advice.python_values.use import (
    FLOATS,
    Together,
    Use,
    are_one_constant,
    attribute_that_is,
    computed_floats,
)
from tb_retrace_plugin.explain.differences.change import Change
from tb_retrace_plugin.explain.differences.diff import diff_signatures
from tb_retrace_plugin.explain.differences.value_texts import are_bools, is_whole
from tb_retrace_plugin.explain.verdict.evidence import CHOSEN_BY

#: Pairs of traces of which graphs are read, for one number.
_MOST_PAIRS = 2
#: Traces among which one of the same size is looked for.
_MOST_LOOKS = 8
_SIZE = re.compile(r"\d+")
#: Of a change's text: a value that is written out.
_VALUE = re.compile(r"\(?-?[\d.]+(e[-+]?\d+)?([-+][\d.]+(e[-+]?\d+)?)?j?\)?")


def use_beside_others(function: FunctionFacts, path: str) -> Use:
    """Of constants those that have the number's values tell; another number of nodes may be of the others' doing."""
    dtypes: dict[str, None] = {}
    may_decide: Together | None = None
    compiled_in = False
    floats: set[str] = set()
    is_seen, by_itself, attribute, same = False, False, "", ""
    are_others = False
    every: set[str] = set()
    left = _MOST_PAIRS
    usable = dict(with_graphs(function))
    quiet: frozenset[tuple[str, ...]] = function.graphs.once("quiet", lambda: _quiet(usable))
    for place, trace in usable.items():
        change = next((c for c in trace.changes if c.path == path and c.cause == "python_value"), None)
        if change is None or trace.closest is None or trace.closest not in usable:
            continue
        closest, changes = trace.closest, trace.changes
        before = usable[closest]
        if not all(map(_VALUE.fullmatch, (change.old, change.new))):
            continue
        is_wider = _is_wider(before, trace)
        if is_wider and before.nodes != trace.nodes:
            continue
        others = [c for c in changes if c.path != path]
        if any(trace.evidence.startswith(CHOSEN_BY.format(c.path)) for c in others):
            continue  # what is built is of its doing
        if before.nodes != trace.nodes:
            if values_read_anew(function, closest, place):
                continue
            if _kind(change) in quiet and any(_kind(c) not in quiet for c in others):
                continue
            if any(c.cause == "python_value" and _is_suspected_before(change, c) for c in others):
                continue
            if any(c.cause == "python_value" and _decides_alone(function, c.path) for c in others):
                alike = _of_one_size(usable, place, [path, *(c.path for c in others)]) if left > 0 else None
                if alike is None:
                    continue
                closest, changes = alike
                change = next(c for c in changes if c.path == path)
                others = [c for c in changes if c.path != path]
            else:
                may_decide = may_decide or Together(tuple(c.path for c in changes if c.path), before.nodes, trace.nodes)
                continue
        if left > 0 and (pair := function.graphs.compare(closest, place)) is not None:
            left -= 1
            if is_wider and not pair.alike:
                continue
            numbers = [use for c in others if c.cause == "python_value" and (use := use_where_alone(function, c.path))]
            if (
                not pair.alike
                and all(c.cause == "python_value" for c in others)
                and all(n.is_constant for n in numbers)
            ):
                may_decide = may_decide or Together(tuple(c.path for c in changes if c.path), trace.nodes, trace.nodes)
            elsewhere = {dtype for use in numbers for dtype in use.dtypes}  # what others make by themselves is theirs
            constants = [constant for constant in pair.constants if not constant.resized]
            found = computed_floats(pair, [(c.old, c.new) for c in changes], elsewhere)
            theirs = [c for c in constants if any(has_values(c, other.old, other.new) for other in others)]
            every |= {constant.dtype for constant in constants if constant not in theirs} if pair.alike else {""}
            are_numbers = all(c.cause == "python_value" for c in changes)
            are_others = are_others or not pair.alike or bool(pair.constants) or pair.captures or not are_numbers
            if not are_one_constant(change.old, change.new):
                same = same or f"{change.old} and {change.new}"
            if pair.alike:
                floats = floats & {found} if is_seen else {found}  # it would make them wherever it changes
                is_seen = True
            own = [constant for constant in constants if holds_values(constant, change.old, change.new)]
            lists = [_numbers_around(one, path) for one in (usable[closest], trace)]
            own = [c for c in own if _is_whole_list(c, *lists)] or _without_sizes(own, change, others)
            by_itself = by_itself or any(constant.is_named_so for constant in own)
            attribute = attribute or ("" if own else attribute_that_is(pair, change.old, change.new))
            dtypes |= dict.fromkeys(c.dtype for c in own if not c.is_cast or all(one.is_cast for one in own))
            if len(numbers) == len(others):
                own += [constant for constant in constants if constant.dtype not in elsewhere]
            compiled_in = compiled_in or any(constant.compiled_in for constant in own)
    same = "" if are_others or may_decide or attribute else same
    return Use(
        tuple(dtypes), same_graphs=same, computed=is_seen and not (dtypes or same), may_decide=may_decide,
        floats="".join(floats), compiled_in=compiled_in, attribute=attribute, by_itself=by_itself,
        only="".join(every) if len(every) == 1 and "".join(every).startswith(FLOATS) else "",
    )  # fmt: skip


def _numbers_around(trace: Traced, path: str) -> list[str]:
    """All of the list or tuple that the number is in."""
    around = node_of(trace, path.rpartition("[")[0])
    return [] if around is None else [node.value for _, node in around.children]


def _is_whole_list(constant: Constant, old: list[str], new: list[str]) -> bool:
    """Whether it is the list as a whole, such as a shape that is passed: no size of a tensor, then."""
    if not (isinstance(constant.old, tuple) and isinstance(constant.new, tuple)):
        return False
    if not len(constant.old) == len(old) == len(new) == len(constant.new) > 1:
        return False
    pairs = zip(constant.old, constant.new, old, new, strict=True)
    return all(has_values(Constant(constant.dtype, a, b), one, other) for a, b, one, other in pairs)


def _without_sizes(own: list[Constant], change: Change, others: Sequence[Change]) -> list[Constant]:
    """Beside a fraction that holds the number, none that a gradient, or a size that is the same, explains: of a batch
    whose `len` is passed shapes hold it, too, and gradients of means."""
    fractions = [constant for constant in own if constant.dtype.startswith(FLOATS)]
    if not fractions:
        return own
    sizes = [zip(_SIZE.findall(c.old), _SIZE.findall(c.new), strict=False) for c in others if c.cause == "shape"]
    is_a_size = any((change.old, change.new) in pairs for pairs in sizes)
    in_shapes = [c for c in own if is_a_size and isinstance(c.old, tuple) and not c.of_slice]
    rest = [c for c in own if not (c.of_gradient or c in in_shapes)]
    if is_a_size and all(constant.of_gradient for constant in fractions):
        # the code's own are shapes, too: of that very number, say, as `tf.reshape(x, [n])`
        return rest or [c for c in own if not c.of_gradient] or own
    return [c for c in own if c in fractions or c in rest]


def _of_one_size(
    usable: Mapping[int, Traced], place: int, paths: Sequence[str]
) -> tuple[int, tuple[Change, ...]] | None:
    """An earlier trace whose graph is of that one's size, with what differs: other numbers at `paths`, the first of
    them included. Where another number decided, it had the same say in both."""
    trace, looks = usable[place], 0
    for earlier, before in usable.items():
        if earlier >= place or looks == _MOST_LOOKS:
            return None
        if before.nodes != trace.nodes or before.lookup.object_number != trace.lookup.object_number:
            continue
        looks += 1
        changes = diff_signatures(before.lookup.signature, trace.lookup.signature)
        if paths[0] in [c.path for c in changes] and all(
            c.path in paths and c.cause == "python_value" and all(map(_VALUE.fullmatch, (c.old, c.new)))
            for c in changes
        ):
            return earlier, tuple(changes)
    return None


def _is_suspected_before(change: Change, other: Change) -> bool:
    """A flag, which mostly chooses what is built; and a whole number before a fraction."""
    return are_bools(other.old, other.new) or (is_whole(other.new) and not is_whole(change.new))


def _decides_alone(function: FunctionFacts, path: str) -> bool:
    use = use_where_alone(function, path)
    return use is not None and bool(use.decides)


def _is_wider(before: Traced, trace: Traced) -> bool:
    """Whether what it is compared with has unknown dimensions where it has none: the graph is another for that."""
    wide, narrow = (t.lookup.traced or t.lookup.signature for t in (before, trace))
    same = {change.path for change in trace.changes}
    return any(c.path not in same for c in diff_signatures(narrow, wide) if c.cause in ("shape", "rank"))


def _quiet(usable: Mapping[int, Traced]) -> frozenset[tuple[str, ...]]:
    """What has changed how and left the graph of one size: where it did not, others are suspected first."""
    found: set[tuple[str, ...]] = set()
    for trace in usable.values():
        before = usable.get(trace.closest) if trace.closest is not None else None
        if before is not None and before.nodes == trace.nodes:
            found |= set(map(_kind, trace.changes))
    return frozenset(found)


def _kind(change: Change) -> tuple[str, ...]:
    """Of Python values that are no numbers, a text say, each may choose otherwise."""
    if change.cause == "python_value" and not all(map(_VALUE.fullmatch, (change.old, change.new))):
        return change.path, change.cause, change.old, change.new
    return change.path, change.cause
