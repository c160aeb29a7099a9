"""What Python decides by a number, or by the numbers of a list: a tensor cannot, and each value needs a graph."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from tb_retrace_plugin.explain.advice.evidence.alone import alike_but_for
from tb_retrace_plugin.explain.advice.evidence.facts import Fix, FunctionFacts, Traced
from tb_retrace_plugin.explain.advice.evidence.listed import listed
from tb_retrace_plugin.explain.advice.evidence.reading import node_of, nodes_at
from tb_retrace_plugin.explain.advice.python_values.number_use import use_of
from tb_retrace_plugin.explain.advice.python_values.python_uses import by_its_range, is_gone_through
from tb_retrace_plugin.explain.advice.python_values.use import TEXTS
from tb_retrace_plugin.explain.differences.change import Change
from tb_retrace_plugin.explain.differences.paths import sequence_of
from tb_retrace_plugin.explain.verdict.asked_in_python import is_about
from tb_retrace_plugin.explain.verdict.decided_in_python import (
    IN_A_LAYER,
    LISTS,
    RECURS,
    UNCONVERTED,
    as_code,
    chooses_between,
    deciding_uses,
    fills_a_list,
    is_as_long,
    is_grown,
    is_of_a_part,
    is_written,
    may_decide,
)
from tb_retrace_plugin.explain.verdict.evidence import says_python_decides
from tb_retrace_plugin.explain.what_if.candidate import is_long, is_number, stacked_shape
from tb_retrace_plugin.schema.signature import Node

#: Where the source does not say how, and what the graphs do.
_OPERATIONS, _SIZES = "for other values the graphs have other operations", "each number is the size of what is built"
_MOST_TOLD = 3
#: As a change tells of one that is of another length.
_LIST = re.compile(r"(list|tuple) of \d+$")
#: Of traces that the list alone tells apart: those of which graphs are read.
_MOST_GROUPS = 2
#: Of one that holds no objects.
_OF_A_LIST = (" of a list", " of a tuple")
_NOT_REPLAYED = "Not replayed: the function would have to be written otherwise."


def decided_by(function: FunctionFacts, path: str) -> list[str]:
    """How Python decides by what is at `path`, as code; none if it is not known to."""
    found: list[str] = function.graphs.once(("decided by", path), lambda: _decided_by(function, path))
    return found


def _decided_by(function: FunctionFacts, path: str) -> list[str]:
    found = deciding_uses(function.python_uses, path)
    arguments = function.traces[0].lookup.signature.arguments if function.traces else ()
    found += [use for use in function.python_uses if chooses_between(use, arguments) and is_about(use, path)]
    possible = [use for use in function.python_uses if is_about(use, path) and may_decide(use)]
    if possible and _builds_otherwise(function, path, possible):
        found += possible
    found += [within.use for within in function.uses_within if within.decides and within.path == path]
    return list(dict.fromkeys(map(as_code, found)))


def _builds_otherwise(function: FunctionFacts, path: str, uses: Sequence[str]) -> bool:
    nodes = list(nodes_at(function, path))
    if any(map(is_number, nodes)):
        use = use_of(function, path)
        if not use.captures and all(one.endswith(_OF_A_LIST) and f"{path}[...]" in one for one in uses):
            return False  # by what a loop over its `range` has: that there are more operations is the loop's
        # what is looked up for two of them are mere numbers: something else decides
        is_other = use.decides or use.may_decide or use.captures or (any(map(is_written, uses)) and use.same_graphs)
        return bool(is_other) and not use.example
    return bool(other_graphs(function, path))


def other_graphs(function: FunctionFacts, path: str) -> str:
    """A clause, if for lists at `path` graphs are built otherwise though nothing else differs: not where they differ in
    constants alone, unless these are the sizes of what a loop in Python builds by each."""
    return str(function.graphs.once(("other graphs", path), lambda: _other_graphs(function, path)))


def _other_graphs(function: FunctionFacts, path: str) -> str:
    is_by_turns = is_gone_through(function, path)
    for group in alike_but_for(function, (path,), _shape)[:_MOST_GROUPS]:
        for (place, (node,)), (other, _) in pairwise(group[:3]):
            pair = function.graphs.compare(place, other)
            if pair is None or stacked_shape(node) is None:
                continue
            if not pair.alike:
                return _OPERATIONS
            if pair.attribute is not None and pair.attribute not in TEXTS:
                operation, attribute = pair.attribute
                return f"for other values the graphs differ in `{attribute}` of `{operation}`"
            if is_by_turns and any(constant.resized for constant in pair.constants):
                return _SIZES
    return ""


def _shape(node: Node) -> object:
    """Of a list of another shape the operations are others for that alone."""
    return node.kind, stacked_shape(node) or len(node.children)


def is_of_another_object(trace: Traced) -> bool:
    return any(change.cause == "recreated_function" for change in trace.changes)


def propose(function: FunctionFacts) -> Fix | None:
    found = function.with_cause("python_value", "structure")
    told = (trace for trace in function.traces if says_python_decides(trace.evidence))
    found += [(trace, c) for trace in told for c in trace.changes if c.cause in ("python_value", "structure")]
    # what another tf.function's partial binds, no call passes
    changes = [c for t, c in found if not (c.is_of_a_key or (c.path in t.bound_by_name and is_of_another_object(t)))]
    ways: dict[str, list[str]] = {}
    for path in dict.fromkeys(change.path for change in changes):
        nodes = list(nodes_at(function, sequence_of(path)))
        is_list = any(stacked_shape(node) is not None for node in nodes)
        whole = sequence_of(path) if is_list else path
        if whole in ways or not (is_list or any(map(is_number, nodes_at(function, path)))):
            continue
        how = decided_by(function, whole)
        if how or (any(map(is_long, nodes)) and other_graphs(function, whole)):  # of few, each may be a tensor
            ways[whole] = how
    if not ways:
        return None
    texts = [_told(function, path, how) for path, how in ways.items()]
    if grown := [path for path in _lists_that_grow(found) if path not in ways]:
        have, them = ("has", "it") if len(grown) == 1 else ("have", "them")
        texts.append(
            f"{listed(grown)} {have} another length at the same calls, which needs a trace for itself: pass one tensor"
            f" of the largest length in place of {them}, too."
        )
    return Fix("decided_in_python", " ".join(texts), None, evidence=_NOT_REPLAYED)


def _lists_that_grow(found: Sequence[tuple[Traced, Change]]) -> list[str]:
    """Lists that are of another length in traces in which what decides is another one."""
    changes = (change for trace, _ in found for change in trace.changes if change.cause == "structure")
    lengths = (c.path for c in changes if _LIST.match(c.old) and _LIST.match(c.new) and not c.is_of_a_key)
    return list(dict.fromkeys(lengths))


def _told(function: FunctionFacts, path: str, how: Sequence[str]) -> str:
    values = {_value(node) for trace in function.traces if (node := node_of(trace, path)) is not None}
    text = f"`{function.name}` is traced for each value of `{path}` ({function.at_least}{len(values)} so far), and"
    if how:
        text += f" Python decides by it what is built: {listed(list(how[:_MOST_TOLD]))}."
        is_number_alone = any(map(is_number, nodes_at(function, path)))
        text = by_its_range(text, path) if is_number_alone else text
        text += " No tensor can be passed there as the code is: each value needs a graph of its own, once."
    else:
        text += f" it decides what is built: {other_graphs(function, path)}. Each value needs a graph of its own, once."
    if not how and (clause := other_graphs(function, path)) != _OPERATIONS:
        why = "What comes of a tensor has unknown sizes." if clause == _SIZES else "TensorFlow takes no tensor for it."
        return f"{text} {why}"
    return f"{text} {_instead(function, path, how)}"


def _instead(function: FunctionFacts, path: str, how: Sequence[str]) -> str:
    if any(f"{use}{IN_A_LAYER}" in function.python_uses for use in how):
        return (
            "Keras runs a layer's `call` as Python does, without AutoGraph: where values are few, leave it; else pass"
            f" `{path}` as a tensor, and write a condition of the graph there (`tf.cond`, or `tf.where` of both"
            " results), and a loop by `tf.while_loop`."
        )
    if any(f"{use}{UNCONVERTED}" in function.python_uses for use in how):
        return (
            "AutoGraph does not convert the function: where values are few, leave it; else let it (no"
            f" `autograph=False`, no `do_not_convert`), and pass `{path}` as a tensor, of which it makes a loop, or a"
            " condition, of the graph."
        )
    if any(f"{use}{RECURS}" in function.python_uses for use in how):
        return f"Where values are few, leave it; else pass `{path}` as a tensor, and write a loop in its place."
    if any(map(is_grown, how)) and not any(map(fills_a_list, how)):
        return (
            f"Where values are few, leave it; else pass `{path}` as a tensor, and let the loop go on with tensors in"
            " place of the object that its turns change."
        )
    if any(map(is_grown, how)):
        return (
            f"Where values are few, leave it; else pass `{path}` as a tensor, and let the loop fill a `tf.TensorArray`"
            " in place of the list."
        )
    if any(map(is_as_long, how)):
        return (
            "A shape that is as long has to be known: where values are few, leave it. For another list pass"
            f" `{path}` as a tensor, and make a tensor in its place, by `tf.fill`."
        )
    if any(use.startswith(LISTS) for use in how):
        return (
            f"Where values are few, leave it; else build what the largest `{path}` needs at every call, or one tensor"
            " of all, by `tf.map_fn` over `tf.range`."
        )
    if any(use.startswith("for … in ") or is_of_a_part(use) for use in how):
        return "Where values are few, leave it; else go through all at every call, and let a mask leave some out."
    one = f"each item of `{path}`" if any("[...]" in use for use in how) or not how else f"`{path}`"
    if f"{path}[...]" in "".join(how) and any(map(is_number, nodes_at(function, path))):
        one = "`i`"
    return (
        f"Where values are few, leave it; else let the graph choose: pass `{path}` as a tensor, and choose by"
        f" `tf.switch_case` with {one} between functions that each build one."
    )


def _value(node: Node) -> object:
    return (node.value, tuple(_value(child) for _, child in node.children))
