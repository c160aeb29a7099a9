"""One function with all its traces, the leaves of their signatures as columns; see docs/http_api.md, `function`."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Any

from tb_retrace_plugin.analysis.exports.report import code_json
from tb_retrace_plugin.analysis.for_advice.advice import advice_json, facts_of
from tb_retrace_plugin.analysis.pages.leaf_columns import Column, Columns, leaf_columns
from tb_retrace_plugin.analysis.pages.leaf_values import column_json, varied_text
from tb_retrace_plugin.analysis.sessions.call_sites import call_sites
from tb_retrace_plugin.analysis.sessions.session import FunctionGroup
from tb_retrace_plugin.analysis.sessions.stale import drawn_sentence, stale_sentence
from tb_retrace_plugin.analysis.sessions.tally import tally_of
from tb_retrace_plugin.analysis.sessions.wording import count_text, list_text, seconds_text, times_text
from tb_retrace_plugin.explain.advice.source.code import traces_text
from tb_retrace_plugin.explain.words.made_by_libraries import as_sentence, named_text
from tb_retrace_plugin.schema import retrace_pb2 as pb

FUNCTION_SCHEMA = 1
#: Traces in the table, the latest ones.
MOST_ROWS = 10_000
#: Cells of leaves that varied, over all columns; and characters of their texts.
MOST_CELLS = 300_000
MOST_CHARACTERS = 2_000_000
MOST_COLUMNS = 300
MOST_CONSTANT = 500
_STALE_LISTED = 20
_SITES_LISTED = 20
_MOST_KEPT = 8
_VARIED_LISTED = 4


def function_page(group: FunctionGroup) -> dict[str, Any]:
    """Everything about one function's code in one session, ready for JSON.

    The leaves of at most `MOST_ROWS` traces are read, fewer if their signatures are large; what is left out is counted.
    """
    events = group.events
    columns, problem = _columns(group)
    first = len(events) - columns.rows
    rows = events[first:]
    shown = _within_budget(columns)
    advice = advice_json(group)
    tally = tally_of(group)
    stale = tally.stale
    sites = call_sites(events)
    return {
        "schema": FUNCTION_SCHEMA,
        "session": group.session.id,
        "run": group.session.run,
        "function": code_json(group.function),
        "called_from": sites[:_SITES_LISTED],
        "called_from_left_out": max(0, len(sites) - _SITES_LISTED),
        "sentence": _sentence(group),
        "varied": _varied(columns, group),
        "fix": _fix(group, advice),
        "traces": tally.traces,
        "failed_traces": tally.failed,
        "omitted_traces": group.omitted_traces,
        "retraces": tally.retraces,
        "objects": tally.objects,
        "reduce_retracing": bool(events) and all(event.record.reduce_retracing for event in events),
        "jit_compile": any(event.record.jit_compile for event in events),
        "cost": _cost_json(group),
        "rows": {
            "seq": [event.seq for event in rows],
            "closest_seq": [event.record.closest_seq or None for event in rows],
        },
        "rows_left_out": first,
        "leaves": [column_json(column, columns.rows) for column in shown],
        "leaves_left_out": len(columns.varied) - len(shown),
        "constant": [constant.to_json() for constant in columns.constant[:MOST_CONSTANT]],
        "constant_left_out": max(0, len(columns.constant) - MOST_CONSTANT),
        "problem": problem,
        "advice": advice,
        "stale": [{"name": s.name, "text": stale_sentence(s, group)} for s in stale[:_STALE_LISTED]],
        "stale_left_out": max(0, len(stale) - _STALE_LISTED),
        "drawn": drawn_sentence(group.function, [text for one in advice for text in one["warnings"]]),
        "hidden_compilations": group.hidden_compilations,
    }


#: Columns of the functions looked at last, with the function's state: several clients ask, and again and again.
#: By the function's message, which is held: a group may be a copy, taken while the store stood still.
_kept: OrderedDict[int, tuple[pb.Function, tuple[int, ...], Columns, str | None]] = OrderedDict()
_lock = threading.Lock()


def _columns(group: FunctionGroup) -> tuple[Columns, str | None]:
    """And why there are none, if their signatures cannot be read."""
    key, state = id(group.function), (len(group.events), *group.state)
    with _lock:
        kept = _kept.get(key)
        if kept is not None and kept[0] is group.function and kept[1] == state:
            _kept.move_to_end(key)
            return kept[2:]
    try:
        columns, problem = leaf_columns(facts_of(group).traces, MOST_ROWS), None
    except ValueError as error:  # nested deeper than any real signature
        columns = Columns(rows=min(len(group.events), MOST_ROWS))
        problem = f"The recorded signatures cannot be read: {error}."
    with _lock:
        _kept[key] = group.function, state, columns, problem
        _kept.move_to_end(key)
        while len(_kept) > _MOST_KEPT:
            _kept.popitem(last=False)
    return columns, problem


def _within_budget(columns: Columns) -> list[Column]:
    shown: list[Column] = []
    cells = characters = 0
    for column in columns.varied[:MOST_COLUMNS]:
        cells += columns.rows
        characters += sum(map(len, column.texts))
        if shown and (cells > MOST_CELLS or characters > MOST_CHARACTERS):
            break
        shown.append(column)
    return shown


def _cost_json(group: FunctionGroup) -> dict[str, float]:
    tally = tally_of(group)
    cost = tally.cost
    return {
        "own_seconds": cost.trace_ns / 1e9,
        "nested_seconds": tally.nested_ns / 1e9,
        "first_call_seconds": cost.first_call_ns / 1e9,
        "lookup_seconds": cost.lookup_ns / 1e9,
        "recompilation_seconds": cost.recompilation_ns / 1e9,
        "lost_seconds": cost.lost_ns / 1e9,
        "avoidable_seconds": cost.avoidable_ns / 1e9,
    }


# --- the answer in words ---


def _sentence(group: FunctionGroup) -> str:
    tally = tally_of(group)
    name = named_text(group.function.name, tally.role)
    if not tally.traces:
        return f"{count_text(tally.failed, 'trace')} of {name} failed, and none succeeded."
    text = f"{as_sentence(name)} was traced {times_text(tally.traces)}"
    if tally.objects > 1:
        text += f" by {'at least ' if group.omitted else ''}{count_text(tally.objects, 'tf.function object')}"
    if tally.recompilations:
        text += f" and recompiled by XLA {times_text(tally.recompilations)}"
    if tally.failed:
        text += f"; {count_text(tally.failed, 'trace')} failed"
    text = f"{text}: {seconds_text(tally.cost.lost_ns / 1e9)} lost." if tally.cost.lost_ns else f"{text}."
    if group.omitted:
        verb = "was" if len(group.events) == 1 else "were"
        text += f" {count_text(len(group.events), 'trace')} {verb} recorded one by one, the others were counted."
    return text


def _varied(columns: Columns, group: FunctionGroup) -> str:
    """``What varied: `step` (20 values) and `x` (3 shapes).``, those that made traces first; "" if nothing did."""
    telling = [column for column in columns.varied if column.marked]
    texts = [varied_text(column) for column in telling]
    if group.objects > 1 and any(event.record.kind == "recreated" for event in group.events):
        texts.insert(0, "the tf.function object itself")
    where = " in the recorded traces" if group.omitted else ""
    return f"What varied{where}: {list_text(texts, _VARIED_LISTED)}." if texts else ""


def _fix(group: FunctionGroup, advice: list[dict[str, Any]]) -> str:
    """The one change that removes most traces; else whether there is anything to change."""
    for item in advice[:1]:
        before, after, saved = item["traces_before"], item["traces_after"], item["seconds_saved"]
        if after is None:
            return str(item["text"])
        seconds = f", {seconds_text(saved)} saved" if saved else ""
        noun = "recorded trace" if group.omitted else "trace"
        return f"{item['text']} {traces_text(before, after, noun)}{seconds}."
    verdicts = [event.record.verdict for event in group.events if event.is_retrace]
    if not verdicts:
        return ""
    if "avoidable" in verdicts:
        return "Some of these traces can be avoided; how is not known."
    if "unknown" in verdicts:
        return "Whether its retraces can be avoided is not known."
    return "There is nothing to change: its retraces are needed, or happen a small, fixed number of times."
