"""How the graphs use a Python number that is an argument: as a constant of some dtype, or to decide what is built."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from tb_retrace_plugin.explain.advice.evidence.alone import alike_but_for, nodes_clause, with_graphs
from tb_retrace_plugin.explain.advice.evidence.constant_values import (
    has_values,
    holds_values,
    is_close,
    is_near,
    loses_digits,
)
from tb_retrace_plugin.explain.advice.evidence.facts import FunctionFacts, Traced
from tb_retrace_plugin.explain.advice.evidence.graph_pairs import Constant, GraphPair
from tb_retrace_plugin.explain.advice.evidence.read_anew import values_read_anew
from tb_retrace_plugin.explain.candidate import is_number
from tb_retrace_plugin.explain.change import Change
from tb_retrace_plugin.explain.diff import diff_signatures
from tb_retrace_plugin.explain.verdict.evidence import EACH_NUMBER
from tb_retrace_plugin.schema.signature import Node

#: Pairs of traces of which graphs are read, for one number.
_MOST_PAIRS = 2
#: Traces among which one of the same size is looked for.
_MOST_LOOKS = 8
FLOATS = ("float", "bfloat")
_NUMERIC = ("float", "bfloat", "int", "uint", "complex")
#: Attributes that are texts: what `tf.print(f"step {n}")` and the like write.
TEXTS = frozenset({("StringFormat", "template"), ("CheckNumerics", "message")})
#: Of a change's text: a value that is written out.
_VALUE = re.compile(r"\(?-?[\d.]+(e[-+]?\d+)?([-+][\d.]+(e[-+]?\d+)?)?j?\)?")
#: In the name of an operation.
_IN_A_NAME = re.compile(r"\d+(?:\.\d+)?(?:e[-+]?\d+)?")
#: The end of a name, or of a scope, where Keras and TensorFlow have numbered equal ones: `functional_1_1`.
_NUMBERED = re.compile(r"(_\d+)+(?=/|$)")


@dataclass(frozen=True, slots=True)
class Together:
    """What changed at once, and the sizes of both graphs: other operations, if they are of one."""

    paths: tuple[str, ...]
    before: int
    now: int


@dataclass(frozen=True, slots=True)
class Use:
    """`dtypes`: of the constants that differ where the number does. `example`: two values for which the graphs differ
    in nothing else, "" if there are none. `same_graphs`: two values for which they do not differ at all; `captures`:
    for which they differ in what they capture.

    `computed`: none of these constants, if any, is the number itself. `decides`: a clause, if something else than
    constants differs; `may_decide`: if that may be of its doing. `floats`: dtype of constants that differ where other
    things did too, and may be computed from it. `compiled_in`: XLA needs one of them while it compiles. `partly`: some
    are neither the number nor its sum or difference with 1. `seeds`: operation of which it is the seed, "" if of none.
    `only`: dtype of all constants that differ, if it is one of fractions. `beside`: some of the constants are the
    number and some are not. `by_itself`: one that is the number may be what `tf.constant` made. `attribute`: it is
    one of an operation, such as "`num_split` of `Split`", and no tensor can be; "" if it is none. `names`: of an
    operation, for two values, if it is named with the number. `resizes`: it sets the size of a constant. `anew`: what
    it seems to decide does not grow with it, and may be read anew by each trace. `texts`: two values for which the
    graphs hold other texts, "" if there are none. `others`: it reads other tensors from around it, too. `summaries`:
    nothing but those may hold it, by a step computed of it. `digits`: a value of which a float32 has too few digits for
    what Python computes of it, "" if none is known.
    """

    dtypes: tuple[str, ...] = ()
    example: str = ""
    same_graphs: str = ""
    captures: str = ""
    computed: bool = False
    decides: str = ""
    may_decide: Together | None = None
    floats: str = ""
    compiled_in: bool = False
    partly: bool = False
    seeds: str = ""
    beside: bool = False
    by_itself: bool = False
    attribute: str = ""
    only: str = ""
    names: tuple[str, str] | None = None
    resizes: bool = False
    anew: bool = False
    texts: str = ""
    others: bool = False
    summaries: bool = False
    digits: str = ""

    @property
    def dtype(self) -> str:
        """The one that all of them have, "" if that is not known."""
        return self.dtypes[0] if len(self.dtypes) == 1 else ""

    @property
    def is_constant(self) -> bool:
        """Whether all that is known of it is that it makes constants of one dtype."""
        return bool(self.example and self.dtype) and not (
            self.decides or self.may_decide or self.captures or self.resizes or self.texts
        )


def use_of(function: FunctionFacts, path: str) -> Use:
    """Of the argument at `path`."""
    use: Use = function.graphs.once(("use", path), lambda: _use_of(function, path))
    return use


def _use_of(function: FunctionFacts, path: str) -> Use:
    return _alone(function, path) or _beside_others(function, path)


def _alone(function: FunctionFacts, path: str) -> Use | None:
    """None if it never changed alone."""
    groups = [
        [(place, node) for place, (node,) in group if is_number(node)]
        for group in alike_but_for(function, (path,), lambda node: is_number(node) or node)
    ]
    if not any(groups):
        return None
    compared = []
    for (place, node), (other, another) in _pairs(function, groups):
        pair = function.graphs.compare(place, other)
        is_of_one_type = node.type_name == another.type_name  # a float needs no cast to one, and an int does
        if pair is not None and _is_first(function, place, other) and pair.renumbered:
            pair = replace(pair, captures=False)  # it made what later ones found made, an optimizer's state, say
        if pair is not None and (is_of_one_type or (pair.alike and pair.attribute is None)):
            if pair.captures and pair.names is not None and _captures_the_same(function, place, other):
                pair = replace(pair, captures=False)
            compared.append(((node.value, another.value), pair))
    by_nodes = _by_nodes(function, groups)
    use = use_in(compared, by_nodes)
    is_built_otherwise = bool(by_nodes) or any(not pair.alike for _, pair in compared)
    anew = is_built_otherwise and not all(_grow(function, group) for group in groups)
    later = [place for group in groups for place, _ in group[1:]]
    return replace(use, anew=anew, others=any(function.traces[place].other_tensors for place in later))


def use_in(compared: Sequence[tuple[tuple[str, str], GraphPair]], decides: str = "") -> Use:
    """`compared`: two values, and the graphs of two traces that they alone tell apart."""
    dtypes: dict[str, None] = {}
    example = same = captures = texts = digits = ""
    computed, partly, seeds = True, False, ""
    beside = by_itself = resizes = False
    attribute = ""
    names = None
    for (old, new), pair in compared:
        values = f"{old} and {new}"
        constants = [constant for constant in pair.constants if not constant.resized]
        resizes = resizes or len(constants) < len(pair.constants)
        own = [holds_values(constant, old, new) for constant in constants]
        beside = beside or (any(own) and any(map(_is_another, constants, own)))
        by_itself = by_itself or any(c.is_named_so and is_own for c, is_own in zip(constants, own, strict=True))
        attribute = attribute or _attribute_that_is(pair, old, new)
        dtypes |= dict.fromkeys(constant.dtype for constant in constants if constant.dtype.startswith(_NUMERIC))
        computed = computed and all(c.old is not None and not holds_values(c, old, new) for c in constants)
        digits = digits or (new if any(loses_digits(c, old, new) for c in constants) else "")
        partly = partly or not all(is_near(c, old, new) for c in constants)
        if pair.attribute is not None and pair.attribute[1] in ("seed", "seed2"):
            seeds = pair.attribute[0]
        names = names or (pair.names if _are_named_with(pair.names, old, new) else None)
        other = _other_than_numbers(values, pair)
        decides = decides or other
        has_texts = pair.attribute in TEXTS or any(constant.dtype == "string" for constant in constants)
        if has_texts:
            texts = texts or values
        if pair.alike and pair.captures:
            captures = captures or values
        elif has_texts:
            continue
        elif not other and pair.constants:
            example = example or values
        elif not other:
            same = same or values
    return Use(
        tuple(dtypes), example, "" if dtypes or captures else same, captures, computed and bool(dtypes), decides,
        compiled_in=any(constant.compiled_in for _, pair in compared for constant in pair.constants),
        partly=partly and bool(dtypes), seeds=seeds,
        beside=beside, by_itself=by_itself, attribute=attribute, names=names, resizes=resizes, texts=texts,
        summaries=bool(same) and not dtypes and all(pair.summaries for _, pair in compared), digits=digits,
    )  # fmt: skip


def _is_first(function: FunctionFacts, *places: int) -> bool:
    return any(function.traces[place].kind == "first" for place in places)


def _are_named_with(names: tuple[str, str] | None, old: str, new: str) -> bool:
    """Whether it may be the numbers that tell them apart: TensorFlow numbers equal names by itself, and Keras what is
    made in each trace (`functional_3`)."""
    if names is None:
        return False
    one, other = (_NUMBERED.sub("", name) for name in names)
    return one != other or all(_has_number(*pair) for pair in zip(names, (old, new), strict=True))


def _has_number(name: str, text: str) -> bool:
    if "." in text and text.replace(".", "_") in name:  # as people write it there
        return True
    return any(math.isclose(float(found), _number(text), rel_tol=1e-3) for found in _IN_A_NAME.findall(name))


def _is_another(constant: Constant, is_own: bool) -> bool:
    """Whether it is a fraction that is not the number; in a gradient it is TensorFlow that computes."""
    return not (is_own or constant.of_gradient) and constant.dtype.startswith(FLOATS) and constant.old is not None


def _attribute_that_is(pair: GraphPair, old: str, new: str) -> str:
    for operation, attribute, a, b in pair.numbers:
        if is_close(a, old, "float32") and is_close(b, new, "float32"):
            return f"`{attribute}` of `{operation}`"
    return ""


def _other_than_numbers(values: str, pair: GraphPair) -> str:
    """A clause on what of a pair says that the number is more than a constant."""
    if not pair.alike:
        return f"For {values} the graphs have other operations"
    if pair.attribute is not None and pair.attribute not in TEXTS:
        operation, attribute = pair.attribute
        return f"For {values} the graphs differ in `{attribute}` of `{operation}`"
    if odd := [constant for constant in pair.constants if not constant.dtype.startswith((*_NUMERIC, "string"))]:
        return f"For {values} the graphs differ in a {odd[0].dtype}"
    return ""


def _grow(function: FunctionFacts, group: Sequence[tuple[int, Node]]) -> bool:
    """Whether each larger number has a larger graph, as a loop over `range` has."""
    sizes = sorted((_number(node.value), _size(function, place)) for place, node in group)
    return all(one[1] < other[1] for one, other in pairwise(sizes) if one[0] != other[0])


def _number(text: str) -> float:
    try:
        return abs(complex(text))
    except ValueError:
        return 0.0


def _captures_the_same(function: FunctionFacts, one: int, other: int) -> bool:
    """Whether it was told from the objects, of variables: their names in graphs follow those of operations."""
    traces = function.traces
    later = traces[max(one, other)]
    return later.closest == min(one, other) and later.evidence.startswith(EACH_NUMBER)


def _by_nodes(function: FunctionFacts, groups: Iterable[Sequence[tuple[int, Node]]]) -> str:
    for group in groups:
        for (place, node), (other, another) in pairwise(group):
            before, now = function.traces[place].nodes, function.traces[other].nodes
            is_alone = node.type_name == another.type_name and not values_read_anew(function, place, other)
            if before != now and is_alone:
                return nodes_clause(f"{node.value} and {another.value}", before, now)
    return ""


def _pairs(
    function: FunctionFacts, groups: Iterable[Sequence[tuple[int, Node]]]
) -> Iterator[tuple[tuple[int, Node], tuple[int, Node]]]:
    """Of graphs of one size, whatever came between them; the first of each group before further ones."""
    found = [
        [
            pair
            for pair in pairwise(sorted(group, key=lambda member: _size(function, member[0])))
            if _size(function, pair[0][0]) == _size(function, pair[1][0])
        ]
        for group in groups
    ]
    ranked = sorted((rank, number) for number, pairs in enumerate(found) for rank in range(len(pairs)))
    yield from (found[number][rank] for rank, number in ranked[:_MOST_PAIRS])


def _size(function: FunctionFacts, place: int) -> int:
    return function.traces[place].nodes


# --- a number that never changed alone ---


def _beside_others(function: FunctionFacts, path: str) -> Use:
    """Of constants those that have the number's values tell; another number of nodes may be of the others' doing."""
    dtypes: dict[str, None] = {}
    may_decide: Together | None = None
    compiled_in = False
    floats: set[str] = set()
    is_seen, by_itself, attribute = False, False, ""
    every: set[str] = set()
    left = _MOST_PAIRS
    usable = dict(with_graphs(function))
    quiet: frozenset[tuple[str, str]] = function.graphs.once("quiet", lambda: _quiet(usable))
    for place, trace in usable.items():
        change = next((c for c in trace.changes if c.path == path and c.cause == "python_value"), None)
        if change is None or trace.closest is None or trace.closest not in usable:
            continue
        closest, changes = trace.closest, trace.changes
        before = usable[closest]
        if not all(map(_VALUE.fullmatch, (change.old, change.new))) or _is_wider(before, trace):
            continue
        others = [c for c in changes if c.path != path]
        if before.nodes != trace.nodes:
            if (path, change.cause) in quiet and any((c.path, c.cause) not in quiet for c in others):
                continue
            if any(c.cause == "python_value" and _decides_alone(function, c.path) for c in others):
                alike = _of_one_size(usable, place, [path, *(c.path for c in others)]) if left > 0 else None
                if alike is None:
                    continue
                closest, changes = alike
                change = next(c for c in changes if c.path == path)
                others = [c for c in changes if c.path != path]
            else:
                may_decide = may_decide or Together(tuple(c.path for c in changes), before.nodes, trace.nodes)
                continue
        if left > 0 and (pair := function.graphs.compare(closest, place)) is not None:
            left -= 1
            numbers = [use for c in others if c.cause == "python_value" and (use := _alone(function, c.path))]
            if (
                not pair.alike
                and all(c.cause == "python_value" for c in others)
                and all(n.is_constant for n in numbers)
            ):
                may_decide = may_decide or Together(tuple(c.path for c in changes), trace.nodes, trace.nodes)
            elsewhere = {dtype for use in numbers for dtype in use.dtypes}  # what others make by themselves is theirs
            constants = [constant for constant in pair.constants if not constant.resized]
            found = computed_floats(pair, [(c.old, c.new) for c in changes], elsewhere)
            theirs = [c for c in constants if any(has_values(c, other.old, other.new) for other in others)]
            every |= {constant.dtype for constant in constants if constant not in theirs} if pair.alike else {""}
            if pair.alike:
                floats = floats & {found} if is_seen else {found}  # it would make them wherever it changes
                is_seen = True
            own = [constant for constant in constants if holds_values(constant, change.old, change.new)]
            by_itself = by_itself or any(constant.is_named_so for constant in own)
            attribute = attribute or ("" if own else _attribute_that_is(pair, change.old, change.new))
            dtypes |= dict.fromkeys(constant.dtype for constant in own)
            if len(numbers) == len(others):
                own += [constant for constant in constants if constant.dtype not in elsewhere]
            compiled_in = compiled_in or any(constant.compiled_in for constant in own)
    return Use(
        tuple(dtypes), computed=is_seen and not dtypes, may_decide=may_decide, floats="".join(floats),
        compiled_in=compiled_in, attribute=attribute, by_itself=by_itself,
        only="".join(every) if len(every) == 1 and "".join(every).startswith(FLOATS) else "",
    )  # fmt: skip


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


def _decides_alone(function: FunctionFacts, path: str) -> bool:
    use = _alone(function, path)
    return use is not None and bool(use.decides)


def _is_wider(before: Traced, trace: Traced) -> bool:
    """Whether what it is compared with has unknown dimensions where it has none: the graph is another for that."""
    wide, narrow = (t.lookup.traced or t.lookup.signature for t in (before, trace))
    same = {change.path for change in trace.changes}
    return any(c.path not in same for c in diff_signatures(narrow, wide) if c.cause in ("shape", "rank"))


def _quiet(usable: Mapping[int, Traced]) -> frozenset[tuple[str, str]]:
    """What has changed how and left the graph of one size: where it did not, others are suspected first."""
    found: set[tuple[str, str]] = set()
    for trace in usable.values():
        before = usable.get(trace.closest) if trace.closest is not None else None
        if before is not None and before.nodes == trace.nodes:
            found |= {(change.path, change.cause) for change in trace.changes}
    return frozenset(found)


def computed_floats(pair: GraphPair, numbers: Collection[tuple[str, str]], elsewhere: Collection[str] = ()) -> str:
    """Dtype of float constants that differ and are none of the numbers; "" if there are none.

    `numbers`: what each was, and is. `elsewhere`: dtypes that others make by themselves.
    """
    constants = (constant for constant in pair.constants if not constant.resized)
    odd = (c for c in constants if c.dtype not in elsewhere and not any(has_values(c, *n) for n in numbers))
    return next((constant.dtype for constant in odd if constant.dtype.startswith(FLOATS)), "")


def deciding(function: FunctionFacts, paths: Iterable[str]) -> frozenset[str]:
    """Those that decide what is built, or may."""
    uses = {path: use_of(function, path) for path in paths}
    return frozenset(path for path, use in uses.items() if use.decides or use.may_decide or use.captures or use.texts)
