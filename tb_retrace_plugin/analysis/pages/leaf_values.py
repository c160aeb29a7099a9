"""What one leaf of a signature was, over a function's traces: values by how often, and how sizes are spread."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from typing import Any

from tb_retrace_plugin.analysis.pages.leaf_columns import Column, can_change
from tb_retrace_plugin.analysis.sessions.wording import count_text, quoted
from tb_retrace_plugin.explain.what_if.candidate import is_number
from tb_retrace_plugin.schema.signature import Node

_VALUES_LISTED = 12
#: As many bars as there are numbers, or this many of equal width.
_MOST_BARS = 24
_MOST_DIMENSIONS = 16
_EXACT = 2**53


def column_json(column: Column, rows: int) -> dict[str, Any]:
    """As in docs/http_api.md; `rows`: of the table."""
    counts = Counter(column.values)
    used = [(column.nodes[place], count) for place, count in counts.items()]
    may_change = can_change(column.part, column.path)
    tensors = [(node, count) for node, count in used if node.kind == "tensor"]
    others = [node for node, _ in used if node.kind != "tensor"]
    marked = sorted(column.marked.items())
    return {
        "part": column.part,
        "path": column.path,
        "texts": column.texts,
        "cells": column.cells(rows),
        "marked": [row for row, _ in marked],
        "was": [place for _, place in marked],
        "values": [[place, count] for place, count in counts.most_common(_VALUES_LISTED)],
        "distinct": len(counts),
        "absent": rows - len(column.values),
        "dimensions": _dimensions(tensors) if tensors and may_change else None,
        "number": may_change and any(map(is_number, others)) and all(map(is_number, others)),
        "histogram": _histogram(_numbers(used)) if used and not tensors else None,
    }


def varied_text(column: Column) -> str:
    """`` `x` (3 shapes) ``."""
    nodes = [column.nodes[place] for place in set(column.values)]
    kinds = {node.kind for node in nodes}
    shapes = {node.shape for node in nodes}
    if kinds == {"tensor"} and len(shapes) > 1:
        what = count_text(len(shapes), "shape")
        if (dtypes := len({node.dtype for node in nodes})) > 1:
            what += f", {count_text(dtypes, 'dtype')}"
    elif kinds == {"tensor"} and len({node.dtype for node in nodes}) > 1:
        what = count_text(len({node.dtype for node in nodes}), "dtype")
    elif kinds == {"literal"}:
        what = count_text(len(nodes), "value")
    elif kinds == {"object"}:
        what = count_text(len(nodes), "object")
    else:
        what = count_text(len(nodes), "form")
    return f"{quoted(column.path)} ({what})"


def _dimensions(tensors: list[tuple[Node, int]]) -> list[dict[str, Any]]:
    """Per dimension of the shapes that have it. Sizes that were unknown in the call already are counted apart."""
    rank = max(len(node.shape or ()) for node, _ in tensors)
    found = []
    for dimension in range(min(rank, _MOST_DIMENSIONS)):
        sizes: Counter[float] = Counter()
        for node, count in tensors:
            if node.shape is not None and dimension < len(node.shape):
                sizes[node.shape[dimension]] += count
        unknown = sum(sizes.pop(size) for size in [size for size in sizes if size < 0])
        found.append({"unknown": unknown, "histogram": _histogram(sizes)})
    return found


def _numbers(used: list[tuple[Node, int]]) -> Mapping[float, int] | None:
    """Python numbers, if all values are; None if one is not, or was too long to be recorded in full."""
    counts: Counter[float] = Counter()
    for node, count in used:
        if not is_number(node):
            return None
        try:
            value = float(node.value)
        except (ValueError, OverflowError):
            return None
        if not math.isfinite(value):
            return None
        counts[value] += count
    return counts


def _whole_bars(counts: Mapping[float, int], low: int, high: int) -> list[list[float]]:
    """As many numbers in each bar, or it would show a pattern that is not there."""
    width = -((low - high - 1) // _MOST_BARS)
    totals = [0] * -((low - high - 1) // width)
    for value, count in counts.items():
        totals[(int(value) - low) // width] += count
    return [
        [low + place * width, min(high, low + (place + 1) * width - 1), total] for place, total in enumerate(totals)
    ]


def _histogram(counts: Mapping[float, int] | None) -> dict[str, Any] | None:
    """`bars`: [from, to, how many traces]; `to` is in it for whole numbers, and in the last one."""
    if not counts:
        return None
    low, high = min(counts), max(counts)
    width = high / _MOST_BARS - low / _MOST_BARS  # of numbers near the largest there are: no difference of the two
    if len(counts) <= _MOST_BARS:
        bars = [[value, value, counts[value]] for value in sorted(counts)]
    elif all(isinstance(value, int) or value.is_integer() for value in counts) and high - low < _EXACT:
        bars = _whole_bars(counts, int(low), int(high))
    elif not width:
        bars = [[low, high, sum(counts.values())]]
    else:
        totals = [0] * _MOST_BARS
        for value, count in counts.items():
            totals[min(_MOST_BARS - 1, int(value / width - low / width))] += count
        edges = [low * (1 - place / _MOST_BARS) + high * (place / _MOST_BARS) for place in range(_MOST_BARS)] + [high]
        bars = [[edges[place], edges[place + 1], total] for place, total in enumerate(totals)]
    return {"low": low, "high": high, "distinct": len(counts), "bars": bars}
