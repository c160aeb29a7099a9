"""Everything that is answered about a store, as the routes and commands do, checked for what every answer must be."""

from __future__ import annotations

import contextlib
import json
import random
from collections.abc import Callable, Iterator
from typing import Any

from tb_retrace_plugin.analysis.budgets.budget import Budget
from tb_retrace_plugin.analysis.budgets.judge_budget import judge
from tb_retrace_plugin.analysis.budgets.write_budget import budget_text
from tb_retrace_plugin.analysis.exports.chrome_trace import chrome_trace
from tb_retrace_plugin.analysis.exports.report import report
from tb_retrace_plugin.analysis.exports.traces_csv import traces_csv
from tb_retrace_plugin.analysis.for_advice.graph_source import GraphSource
from tb_retrace_plugin.analysis.jobs.jobs import jobs
from tb_retrace_plugin.analysis.jobs.workers import workers
from tb_retrace_plugin.analysis.pages.compare_runs import compare_runs
from tb_retrace_plugin.analysis.pages.comparison import compare_traces
from tb_retrace_plugin.analysis.pages.detail import trace_detail
from tb_retrace_plugin.analysis.pages.digest import Digest
from tb_retrace_plugin.analysis.pages.function_page import function_page
from tb_retrace_plugin.analysis.pages.what_if import Change, WhatIfError, what_if
from tb_retrace_plugin.analysis.sessions.session import FunctionGroup
from tb_retrace_plugin.analysis.sessions.store import Store
from tb_retrace_plugin.commands.report_text import report_lines
from tb_retrace_plugin.commands.terminal import Style
from tb_retrace_plugin.explain.what_if.input_signature import InputSignatureError
from tb_retrace_plugin.graphs.stored import GraphError
from tb_retrace_plugin.schema.signature import iter_leaves, signature_from_proto

#: What a browser reads as it is; larger ones lose their last digits there.
_MAX_INTEGER = 2**53 - 1
#: Traces and functions asked about one by one.
_ASKED = 8


class BadAnswer(AssertionError):
    """An answer that no client can use."""


def check(name: str, answer: Any, numbers: bool = True) -> int:
    """Length of its JSON. Raises BadAnswer, or what `json` raises for NaN and infinities."""
    text = json.dumps(answer, allow_nan=False)
    if numbers and (large := next(_large_numbers(answer, name), None)) is not None:
        raise BadAnswer(f"{large} is larger than a browser's numbers")
    return len(text)


def _large_numbers(value: Any, where: str) -> Iterator[str]:
    if isinstance(value, dict):
        for key, one in value.items():
            if key != "time_ns":  # of an `event`, as in the report
                yield from _large_numbers(one, f"{where}.{key}")
    elif isinstance(value, list):
        for one in value:
            yield from _large_numbers(one, where)
    elif isinstance(value, int) and abs(value) > _MAX_INTEGER:
        yield f"{where}: {value}"


def all_answers(store: Store, rng: random.Random, blob_of: Callable[[str], bytes | None]) -> int:
    """Asks for every kind of answer, of a random choice of traces and functions; bytes of JSON in all.

    Raises BadAnswer, and whatever any of them raises.
    """
    digest = Digest(store)
    size = check("digest", digest.answer(None, 0))
    size += check("digest", digest.answer(store.generation, max(0, store.revision - 1)))
    events = [event for session in store.sessions for event in session.events.values()]
    some = rng.sample(events, min(len(events), _ASKED))
    for event in some:
        size += check("trace", trace_detail(event))
    size += check("report", report(store), numbers=False)  # for programs: unix nanoseconds are numbers there
    half = len(store.sessions) // 2
    size += check("compare_runs", compare_runs(store.sessions[:half], store.sessions[half:]))
    size += check("compare_runs", compare_runs(store.sessions, store.sessions))
    for job in jobs(store.sessions):
        size += check("workers", workers(job))
    for group in rng.sample(store.functions, min(len(store.functions), _ASKED)):
        size += check("function", function_page(group))
        for change in _changes(group, rng):
            with contextlib.suppress(WhatIfError, InputSignatureError):
                size += check("what_if", what_if(group, change))
    source = GraphSource()
    for event in some[:4]:
        closest = event.closest or event
        with contextlib.suppress(GraphError):
            graphs = [source.graph(one, blob_of) for one in (closest, event)]
            size += check("compare", compare_traces(closest, event, *graphs).answer)
    size += sum(map(len, report_lines(store, rng.random() < 0.5, Style(rng.random() < 0.5))))
    trace = "".join(chrome_trace(store.sessions))
    json.loads(trace, parse_constant=_refuse)
    size += len(trace) + sum(map(len, traces_csv(store.sessions)))
    size += len(budget_text(store.sessions))
    judge(store.sessions, Budget(), store.problems)
    return size


def _refuse(constant: str) -> None:
    raise BadAnswer(f"{constant} is no JSON")


def _changes(group: FunctionGroup, rng: random.Random) -> list[Change]:
    leaves = []
    try:
        for event in group.events[:2]:
            for path, node in signature_from_proto(event.record.signature).arguments:
                leaves += [path for path, _ in iter_leaves(path, node)]
    except ValueError:  # nested too deeply: what_if says so
        pass
    path = rng.choice(leaves) if leaves else "x"
    return [
        Change(reduce_retracing=True),
        Change(unknown=(path, f"{path}[0]")[: rng.choice([1, 2])]),
        Change(tensors=(rng.choice([path, f"{path}=float32", f"{path}=nonsense"]),)),
        Change(input_signature=rng.choice(_SIGNATURES)),
    ]


_SIGNATURES = [
    "[tf.TensorSpec([None, 10], tf.float32)]",
    "[tf.TensorSpec(None, tf.int32), tf.TensorSpec([], tf.bool)]",
    "[{'a': tf.TensorSpec([None], tf.float32)}, [tf.RaggedTensorSpec([None, None], tf.int32)]]",
    "[]",
    "__import__('os').system('false')",
]
