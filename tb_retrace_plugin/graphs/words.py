"""The answer to "is this second graph really different?" in words. Only what is verified is said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tb_retrace_plugin.graphs.attributes import type_name, value_text
from tb_retrace_plugin.graphs.difference import CHANGED, IN_A, IN_B, Difference, GraphDifference, changed_parts
from tb_retrace_plugin.graphs.substitution import Substitution, one_substitution, ops_of, same_structure

_MOST = 5
_MAX_NAME = 100


@dataclass(slots=True)
class _Changes:
    """What differs in nodes that are on both sides. `constants`: (name, old and new) of the first ones."""

    attributes: int = 0
    shapes: int = 0
    devices: int = 0
    constant_count: int = 0
    constants: list[tuple[str, str]] = field(default_factory=list)
    type_count: int = 0
    types: Counter[tuple[str, str]] = field(default_factory=Counter)
    others: Counter[str] = field(default_factory=Counter)  # by key
    example: str = ""


def sentence_and_details(
    difference: Difference, *, left_out: int = 0, one_trace: bool = False
) -> tuple[str, list[str]]:
    """A sentence to be read first, and further lines, the most telling first.

    `left_out`: attributes too large to be kept on either side; what they held is not known. `one_trace`: both sides are
    the same trace, not only of the same graph.
    """
    if one_trace:
        return f"One trace on both sides: {_ops_text(difference)}.", []
    counts = difference.counts()
    changes = _changes(difference)
    ops = _ops_text(difference)
    kept = "" if not left_out else f" as far as recorded ({_count(left_out, 'large constant')} not kept)"
    if same_structure(difference):
        if not counts["changed"]:
            if not counts["renamed"]:
                return f"The same graph{kept}: {ops}. It was paid for twice.", []
            renamed = f"{_count(counts['renamed'], 'node')} in it {'has' if counts['renamed'] == 1 else 'have'}"
            return f"The same graph{kept}, but for names: {ops}; {renamed} another name. It was paid for twice.", []
        what = _and(
            [_count(n, noun) for n, noun in ((changes.attributes, "attribute"), (changes.shapes, "output shape")) if n]
        )
        differ = f"{what} {'differs' if changes.attributes + changes.shapes == 1 else 'differ'}"
        if (found := one_substitution(difference)) is not None:
            all_of_it = _substitution_text(found, certain=not left_out)
            return f"Same structure{kept}: {ops}; {differ}, {all_of_it}", _details(difference, changes)
        return f"Same structure{kept}: {ops}; {differ}{_only(changes)}.", _details(difference, changes)
    parts = []
    gone, new = _one_sided(difference, IN_A), _one_sided(difference, IN_B)
    of = f"{_total(difference, 'a'):,}"
    if gone:
        parts.append(f"{gone:,} of {of} ops {'is' if gone == 1 else 'are'} gone")
    if new:
        parts.append(f"{f'{new:,}' if gone else _count(new, 'op')} {'is' if new == 1 else 'are'} new")
    if not parts:
        parts.append(
            f"{_count(counts['rewired'], 'op')} of {of} {'takes' if counts['rewired'] == 1 else 'take'} other inputs"
        )
    return f"Another structure: {_and(parts)}.", _details(difference, changes)


def _substitution_text(found: Substitution, *, certain: bool) -> str:
    sizes = f"{_size(found.old)} → {_size(found.new)}"
    names = _and(list(dict.fromkeys(f"`{_name(place.name)}`" for place in found.places))[:_MOST])
    if found.is_batch:
        what, unknown = "the batch dimension", "an unknown batch size"
    else:
        dimensions = sorted({place.dimension for place in found.places})
        noun = "dimension" if len(dimensions) == 1 else "dimensions"
        what = f"{noun} {_and([str(d) for d in dimensions])} of {names}"
        unknown = f"that {noun} unknown" if len(dimensions) == 1 else "those dimensions unknown"
    if not certain:
        return f"all {what} ({sizes})."
    if found.new is None:
        return f"all {what} ({sizes}): the second graph serves the first one's shapes too."
    if found.old is None:
        return f"all {what} ({sizes}): the first graph serves the second one's shapes too."
    return f"all {what} ({sizes}): one graph with {unknown} would have served both."


def _only(changes: _Changes) -> str:
    """What can be said of all attributes that differ, if anything."""
    if changes.shapes:
        return ""
    if changes.constant_count == changes.attributes:
        return ", only the values of constants" if changes.attributes > 1 else ", the value of a constant"
    if changes.type_count == changes.attributes and len(changes.types) == 1:
        ((old, new),) = changes.types
        return f", all {old} → {new}" if changes.attributes > 1 else f", {old} → {new}"
    return ""


def _details(difference: Difference, changes: _Changes) -> list[str]:
    lines: list[str] = []
    lines += _functions(difference)
    for flag, word in ((IN_A, "Gone"), (IN_B, "New")):
        ops, scopes, total = _one_sided_parts(difference, flag)
        if total:
            lines.append(f"{word}: {_listed(ops, '×')}.")
            if total > 2 and scopes:
                lines.append(f"{word} in: {_listed(scopes, 'in')}.")
    counts = difference.counts()
    if counts["rewired"]:
        lines.append(f"{_count(counts['rewired'], 'node')} on both sides {_takes(counts['rewired'])} other inputs.")
    if changes.shapes and not same_structure(difference):
        lines.append(f"{_count(changes.shapes, 'output shape')} on both sides {_differs(changes.shapes)}.")
    for (old, new), number in changes.types.most_common(_MOST):
        lines.append(f"{_count(number, 'type')}: {old} → {new}.")
    if changes.constant_count:
        listed = [f"{name}: {text}" for name, text in changes.constants]
        more = changes.constant_count - len(listed)
        lines.append(f"Constants: {'; '.join(listed)}{f'; and {more:,} more' if more > 0 else ''}.")
    if changes.others:
        lines.append(f"Other attributes: {_listed(changes.others, '×')}, such as {changes.example}.")
    if changes.devices:
        lines.append(f"{_count(changes.devices, 'node')} on another device.")
    return lines


def _changes(difference: Difference) -> _Changes:
    found = _Changes()
    shared = difference.shared
    known: dict[tuple[int, int], list[str]] = {}
    for graph in difference.graphs:
        a, b = graph.a, graph.b
        if a is None or b is None:
            continue
        for row in np.flatnonzero(graph.flags & CHANGED).tolist():
            i, j = int(graph.row_a[row]), int(graph.row_b[row])
            found.shapes += bool(a.shape[i] != b.shape[j] and a.shape[i] >= 0 and b.shape[j] >= 0)
            pair = int(a.rest[i]), int(b.rest[j])
            if pair[0] == pair[1]:
                continue
            if (keys := known.get(pair)) is None:
                keys = known[pair] = changed_parts(pair, shared)
            for key in keys:
                _add(found, key, shared.rests[pair[0]], shared.rests[pair[1]], b.ops[j], b.names[j])
    return found


def _add(found: _Changes, key: str, left: Any, right: Any, op: str, name: str) -> None:
    if key == "device":
        found.devices += 1
        return
    found.attributes += 1
    old, new = left.attr.get(key), right.attr.get(key)
    if op == "Const" and key == "value":
        found.constant_count += 1
        if len(found.constants) < _MOST:
            texts = [value_text(value) if value is not None else "not kept" for value in (old, new)]
            found.constants.append((f"`{_name(name)}`", f"{texts[0]} → {texts[1]}"))
    elif old is not None and new is not None and old.WhichOneof("value") == new.WhichOneof("value") == "type":
        found.type_count += 1
        found.types[(type_name(old.type), type_name(new.type))] += 1
    else:
        found.others[f"`{_name(key)}`"] += 1
        if not found.example:
            texts = [value_text(value) if value is not None else "not there" for value in (old, new)]
            found.example = f"`{_name(name)}`: {texts[0]} → {texts[1]}"


# --- what is on one side only ---


def _op_rows(graph: GraphDifference, flag: int, traced: bool) -> Iterator[tuple[str, str]]:
    """(op, name) of ops that are on the side `flag` alone, counted as TensorFlow does."""
    nodes, rows = (graph.a, graph.row_a) if flag == IN_A else (graph.b, graph.row_b)
    if nodes is None:
        return
    first = 0 if traced else nodes.arguments
    for row in rows[(graph.flags & (IN_A | IN_B)) == flag].tolist():
        if first <= row < len(nodes) - nodes.results:
            yield nodes.ops[row], nodes.names[row]


def _one_sided(difference: Difference, flag: int) -> int:
    return sum(1 for n, graph in enumerate(difference.graphs) for _ in _op_rows(graph, flag, n == 0))


def _one_sided_parts(difference: Difference, flag: int) -> tuple[Counter[str], Counter[str], int]:
    ops: Counter[str] = Counter()
    scopes: Counter[str] = Counter()
    total = 0
    for number, graph in enumerate(difference.graphs):
        for op, name in _op_rows(graph, flag, number == 0):
            total += 1
            ops[f"`{_name(op)}`"] += 1
            parts = name.split("/")
            if len(parts) > 1:
                scopes[f"`{_name('/'.join(parts[: 2 if len(parts) > 2 else 1]))}`"] += 1
    return ops, scopes, total


def _functions(difference: Difference) -> list[str]:
    lines = []
    for side, word in (("b", "gone"), ("a", "new")):
        names = [f"`{_name(graph.name)}`" for graph in difference.graphs if getattr(graph, side) is None]
        if names:
            more = f" and {len(names) - _MOST:,} more" if len(names) > _MOST else ""
            verb = "is" if len(names) == 1 else "are"
            noun = "Function" if len(names) == 1 else "Functions"
            lines.append(f"{noun} {', '.join(names[:_MOST])}{more} {verb} {word}.")
    return lines


# --- numbers and lists ---


def _ops_text(difference: Difference) -> str:
    traced = ops_of(difference.graphs[0].b or difference.graphs[0].a, traced=True)
    called = [ops_of(graph.b or graph.a, traced=False) for graph in difference.graphs[1:]]
    text = _count(traced, "op")
    return f"{text} (and {sum(called):,} in {_count(len(called), 'function')} that it calls)" if called else text


def _total(difference: Difference, side: str) -> int:
    return sum(ops_of(getattr(graph, side), traced=n == 0) for n, graph in enumerate(difference.graphs))


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun if number == 1 else noun + 's'}"


def _differs(number: int) -> str:
    return "differs" if number == 1 else "differ"


def _takes(number: int) -> str:
    return "takes" if number == 1 else "take"


def _listed(counter: Counter[str], sign: str) -> str:
    listed = [
        f"{number:,} {sign} {name}" for name, number in sorted(counter.items(), key=lambda x: (-x[1], x[0]))[:_MOST]
    ]
    more = len(counter) - len(listed)
    return ", ".join(listed) + (f" and {_count(more, 'other')}" if more > 0 else "")


def _and(texts: Sequence[str]) -> str:
    return " and ".join([", ".join(texts[:-1]), texts[-1]]) if len(texts) > 1 else "".join(texts)


def _size(size: int | None) -> str:
    return "unknown" if size is None else f"{size}"


def _name(name: str) -> str:
    name = name.replace("`", "'")
    return name if len(name) <= _MAX_NAME else name[: _MAX_NAME - 1] + "…"
