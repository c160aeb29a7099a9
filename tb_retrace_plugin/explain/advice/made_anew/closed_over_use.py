"""How the graphs use a Python number that a function closes over, as `number_use` tells of one that is an argument."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from tb_retrace_plugin.explain.advice.evidence.alone import nodes_clause
from tb_retrace_plugin.explain.advice.evidence.constant_values import has_values, natural_dtype
from tb_retrace_plugin.explain.advice.evidence.facts import FunctionFacts, Traced
from tb_retrace_plugin.explain.advice.evidence.graph_pairs import GraphPair
from tb_retrace_plugin.explain.advice.evidence.reading import CLOSES_OVER_NUMBERS
from tb_retrace_plugin.explain.advice.python_values.number_use import told_of_libraries
from tb_retrace_plugin.explain.advice.python_values.use import FLOATS, Together, Use, computed_floats, use_in

#: Pairs of traces of which graphs are read, for one name.
_MOST_PAIRS = 2
_VALUES = re.compile(r"`([^`]+)`: (-?\d\S*) → (-?\d\S*?)(?=, `| and \d+ more|\. )")
#: Begins a number, one that is not shown, or a list of them.
_NUMBERS = re.compile(r"[-\[(]*(\d|inf|nan|True|False|(int|float|bool) ‹)")


def use_of_closed_over(function: FunctionFacts, name: str) -> Use:
    use: Use = function.graphs.once(
        ("closed over", name), lambda: told_of_libraries(function, name, _use_of(function, name))
    )
    return use


def natural_of_closed_over(function: FunctionFacts, name: str) -> str:
    """The dtype of `tf.constant` for each of the values that are told; "" where these are of several."""
    told = [value for _, _, values in _recreated(function) for value in values.get(name, ())]
    return natural_dtype(told) if told else "float32"


def values_beside_numbers(function: FunctionFacts, name: str) -> set[str]:
    """What else than numbers functions of the same code close over by that name, such as `None`."""
    about = re.compile(rf"`{re.escape(name)}`: (.+?) → (.+?)(?=, `| and \d+ more|\. )")
    told: dict[bool, set[str]] = {True: set(), False: set()}
    for trace in function.traces:
        told[trace.evidence.endswith(CLOSES_OVER_NUMBERS)].update(*about.findall(trace.evidence))
    return {value for value in told[False] - told[True] if not _NUMBERS.match(value)}


def _use_of(function: FunctionFacts, name: str) -> Use:
    alone: list[tuple[tuple[str, str], GraphPair]] = []
    dtypes: dict[str, None] = {}
    decides = ""
    may_decide: Together | None = None
    floats = ""
    every: set[str] = set()
    left = _MOST_PAIRS
    for place, trace, values in _recreated(function):
        if name not in values or trace.closest is None:
            continue
        before, (old, new) = function.traces[trace.closest], values[name]
        # what functools.partial binds is an argument as well
        changed = [change.path for change in trace.changes if change.cause != "recreated_function"]
        arguments = [path for path in changed if path not in values]
        others = bool(arguments) or len(values) > 1 or " more. " in trace.evidence
        if before.nodes != trace.nodes and before.nodes and trace.nodes:
            if others:
                may_decide = may_decide or Together((*values, *arguments), before.nodes, trace.nodes)
            else:
                decides = decides or nodes_clause(f"{old} and {new}", before.nodes, trace.nodes)
        elif left > 0 and (pair := function.graphs.compare(trace.closest, place)) is not None:
            left -= 1
            if others:
                dtypes |= {c.dtype: None for c in pair.constants if has_values(c, old, new)}
                floats = floats or computed_floats(pair, values.values())
                beside = [both for other, both in values.items() if other != name]
                rest = [c for c in pair.constants if not any(has_values(c, *both) for both in beside)]
                every |= {c.dtype for c in rest} if pair.alike and not arguments else {""}
            else:
                alone.append(((old, new), pair))
    use = use_in(alone, decides)
    found = use.dtypes or tuple(dtypes)
    only = "".join(every) if len(every) == 1 and "".join(every).startswith(FLOATS) else ""
    return replace(
        use, dtypes=found, may_decide=None if use.decides else may_decide, floats="" if use.dtypes else floats,
        only=only,
    )  # fmt: skip


def _recreated(function: FunctionFacts) -> Iterator[tuple[int, Traced, dict[str, tuple[str, str]]]]:
    """Places of traces of new objects that close over other numbers, with both values of each."""
    for place, trace in enumerate(function.traces):
        if trace.verdict == "avoidable" and trace.evidence.endswith(CLOSES_OVER_NUMBERS):
            yield place, trace, {name: (old, new) for name, old, new in _VALUES.findall(trace.evidence)}


def size_of(text: str) -> str:
    """Of the tensor that a list of numbers is made, as recorded: "2" of `[0.5, 1.0]`; "" of a number."""
    items = [item for item in text.strip("[]()").split(",") if item.strip()]
    return str(len(items)) if text.startswith(("[", "(")) else ""
