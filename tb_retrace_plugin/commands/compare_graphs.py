"""`tb-retrace compare-graphs LOGDIR [A] [B]`: whether a retrace's graph is another one, and what differs in it."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator
from typing import Any

from tb_retrace_plugin.analysis.for_advice.graph_source import GraphSource
from tb_retrace_plugin.analysis.pages.comparison import Comparison, compare_traces, first_differences
from tb_retrace_plugin.analysis.sessions.select import is_called
from tb_retrace_plugin.analysis.sessions.session import TraceEvent
from tb_retrace_plugin.analysis.sessions.store import Store
from tb_retrace_plugin.analysis.sessions.wording import count_text
from tb_retrace_plugin.commands.recordings import NothingRecorded, fail, names_text, open_logdir
from tb_retrace_plugin.commands.terminal import Style, make_printable, plain
from tb_retrace_plugin.events.graph_blobs import FileGraphs
from tb_retrace_plugin.explain.words.place import short_path
from tb_retrace_plugin.graphs.stored import GraphError

_SHOWN = 10
#: As in the tab.
_SIGNS = {"added": "+", "removed": "−", "changed": "~", "rewired": "⤳"}
#: Of one node.
_LINES_OF_A_NODE = 6
_MAX_TEXT = 90


class _NoSuchTrace(Exception):
    """What was asked for names no trace, or several; the message says which there are."""


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "compare-graphs",
        help="two traces' graphs: the same, or what differs",
        description="Compares the graphs of two recorded traces, as the tab does: the answer in words, counts, and the "
        "first nodes that differ. Without A, B is compared with its closest earlier trace; without both, the costliest "
        "retrace is.",
    )
    parser.add_argument("logdir", metavar="LOGDIR", help="directory with recordings")
    parser.add_argument(
        "traces",
        metavar="TRACE",
        nargs="*",
        help="[A] B: 'train_step#2', 'train.py:12#2', or SESSION/SEQ as in the address of the tab's comparison",
    )
    parser.add_argument("--differences", metavar="N", type=int, default=_SHOWN, help=f"nodes told ({_SHOWN})")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="json: see docs/graph_comparison.md")
    parser.set_defaults(main=main)


def main(args: argparse.Namespace) -> int:
    """Returns 0, whatever is found; 2 if there is nothing to compare."""
    verb = "compare-graphs"
    if len(args.traces) > 2:
        return fail(verb, "Say two traces at most: LOGDIR A B.")
    if args.differences < 0:
        return fail(verb, "--differences: a number of nodes, 0 or more.")
    try:
        store = open_logdir(args.logdir)
        a, b = _pair(store, args.traces)
        files, source = FileGraphs(os.path.expanduser(args.logdir)), GraphSource()
        comparison = compare_traces(a, b, *(source.graph(event, files.blob) for event in (a, b)))
    except (NothingRecorded, _NoSuchTrace, GraphError) as error:
        return fail(verb, str(error))
    make_printable(sys.stdout)
    if args.format == "json":
        print(json.dumps(_answer(comparison, args.differences), indent=1, allow_nan=False))
    else:
        for line in _lines(comparison, a, b, args.differences, Style.of(sys.stdout)):
            print(line)
    return 0


def _pair(store: Store, wanted: list[str]) -> tuple[TraceEvent, TraceEvent]:
    if not wanted:
        b = _costliest(store)
    elif len(wanted) == 2:
        return _find(store, wanted[0]), _find(store, wanted[1])
    else:
        b = _find(store, wanted[0])
    if b.closest is None:
        raise _NoSuchTrace(f"{_name(b)} has no earlier trace to be compared with. Say which other: LOGDIR A B.")
    return b.closest, b


def _costliest(store: Store) -> TraceEvent:
    events = [e for session in store.sessions for e in session.events.values() if e.closest and not e.record.failed]
    stored = [e for e in events if e.record.graph_sha256 and e.closest and e.closest.record.graph_sha256]
    if not events:
        raise _NoSuchTrace("no retrace in this recording, so there are no two graphs of one function. Say which: A B.")
    return max(stored or events, key=lambda event: event.own_ns + (event.first_call_ns or 0))


def _find(store: Store, wanted: str) -> TraceEvent:
    session_id, slash, seq = wanted.rpartition("/")
    session = store.session(session_id) if slash and seq.isdecimal() else None
    if session is not None:
        event = session.events.get(int(seq))
        if event is None:
            raise _NoSuchTrace(f"no trace {seq} in the recording {session_id}.")
        return event
    name, hash_sign, number = wanted.rpartition("#")
    if not hash_sign or not number.isdecimal():
        raise _NoSuchTrace(f"{wanted!r} names no trace. Say FUNCTION#N, such as 'train_step#2', or SESSION/SEQ.")
    groups = [group for group in store.functions if is_called(group.function, name)]
    if not groups:
        names = list(dict.fromkeys(group.function.name for group in store.functions))
        raise _NoSuchTrace(f"no function {name!r} in the recording. Recorded: {names_text(names)}.")
    found = [event for group in groups for event in group.events if event.record.n == int(number)]
    found = [event for event in found if not event.record.failed] or found
    if not found:
        most = max((event.record.n for group in groups for event in group.events), default=0)
        raise _NoSuchTrace(f"{name!r} has no trace #{number}; the last is #{most}.")
    if len(found) > 1:
        names = [f"{event.session.id}/{event.seq} ({event.session.run}, {_place(event)})" for event in found]
        raise _NoSuchTrace(f"{wanted!r} names several traces: {names_text(names)}. Say which by SESSION/SEQ.")
    return found[0]


def _answer(comparison: Comparison, most: int) -> dict[str, Any]:
    """Without the columns of all nodes, which the route `compare` has."""
    answer = comparison.answer
    differences, total = first_differences(comparison, most)
    return {
        **{key: answer[key] for key in ("schema", "a", "b", "sentence", "details", "notices", "counts", "facts")},
        "graphs": [{key: graph[key] for key in ("name", "name_a", "name_b", "counts")} for graph in answer["graphs"]],
        "differences": differences,
        "differences_left_out": total - len(differences),
    }


def _lines(comparison: Comparison, a: TraceEvent, b: TraceEvent, most: int, style: Style) -> Iterator[str]:
    """The answer first, then counts, then nodes."""
    answer = comparison.answer
    yield style.dim(f"{_name(a)} → {_name(b)}  {_place(b)}")
    yield style.bold(style.code(plain(answer["sentence"])))
    for text in answer["details"]:
        yield f"  {style.code(plain(text))}"
    for side, word in (("a", "left"), ("b", "right")):
        for text in answer[side]["omitted"]:
            yield style.dim(f"  note: left out of the {word} graph: {plain(text)}")
    counts = answer["counts"]
    yield f"  nodes: {', '.join(f'{number:,} {kind}' for kind, number in counts.items() if number or kind == 'same')}"
    differences, total = first_differences(comparison, most)
    if differences:
        yield ""
    for node in differences:
        yield from _node_lines(node, answer["graphs"], style)
    if total > len(differences):
        left = total - len(differences)
        yield style.dim(f"  … and {count_text(left, 'more node', 'more nodes')} (--differences N tells N)")
    yield ""
    pair = "..".join(f"{event.session.id}/{event.seq}" for event in (a, b))
    yield style.dim(f"Side by side, in TensorBoard: #retrace&p.retrace.graphs={plain(pair)}")


def _node_lines(node: dict[str, Any], graphs: list[dict[str, Any]], style: Style) -> Iterator[str]:
    name = node["name_b"] if node["name_b"] is not None else node["name_a"]
    signs = "".join(_SIGNS[kind] for kind in node["kinds"] if kind in _SIGNS)
    where = f"  in {_short(graphs[node['graph']]['name'])}" if node["graph"] else ""
    op = node["op_b"] or node["op_a"]
    yield f"  {signs:2} {_short(name) or '(no name)'}  {style.dim(_short(op) + where)}"
    lines = [f"{row['key']}: {_or_none(row['a'])} → {_or_none(row['b'])}" for row in node["attributes"]]
    lines += [f"input {_or_none(row['a'])} → {_or_none(row['b'])}" for row in node["inputs"]]
    if node["device_a"] is not None and node["device_b"] is not None and node["device_a"] != node["device_b"]:
        lines.append(f"device: {_short(node['device_a']) or 'none'} → {_short(node['device_b']) or 'none'}")
    for line in lines[:_LINES_OF_A_NODE]:
        yield f"       {line}"
    if len(lines) > _LINES_OF_A_NODE:
        yield style.dim(f"       … and {len(lines) - _LINES_OF_A_NODE} more")


def _or_none(text: str | None) -> str:
    return "none" if text is None else _short(text)


def _short(text: str) -> str:
    text = plain(text)
    return text if len(text) <= _MAX_TEXT else f"{text[: _MAX_TEXT - 1]}…"


def _name(event: TraceEvent) -> str:
    return plain(f"{event.function.function.name} #{event.record.n}")


def _place(event: TraceEvent) -> str:
    return plain(f"{short_path(event.function.function.file)}:{event.function.function.line}")
