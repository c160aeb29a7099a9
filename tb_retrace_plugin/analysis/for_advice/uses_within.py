"""What functions that are traced within another one's traces do with a number that this one passes on to them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tb_retrace_plugin.analysis.sessions.session import TraceEvent
from tb_retrace_plugin.analysis.sessions.stale import traced_within
from tb_retrace_plugin.explain.advice.evidence.facts import UseWithin
from tb_retrace_plugin.explain.advice.python_values.python_uses import gives_something_else
from tb_retrace_plugin.explain.advice.results.type_questions import asked_of
from tb_retrace_plugin.explain.differences.value_texts import is_number
from tb_retrace_plugin.explain.verdict.asked_in_python import asked_in_python
from tb_retrace_plugin.explain.verdict.evidence import says_each_value_needs_a_graph
from tb_retrace_plugin.schema import retrace_pb2 as pb

#: Retraces that are looked into.
_LOOKED_INTO = 8


def uses_within(events: Sequence[TraceEvent]) -> tuple[UseWithin, ...]:
    """Of numbers that changed in both from and to the same: told by the values, for what is passed is not recorded."""
    found = (use for event in events[:_LOOKED_INTO] for use in _of(event))
    return tuple(dict.fromkeys(found))


def _of(event: TraceEvent) -> Iterator[UseWithin]:
    passed = _numbers(event.record)
    if not passed:
        return
    alone = event.record.changes[0].path if len(event.record.changes) == 1 else ""
    for inner in traced_within(event):
        function = inner.record.function
        needs_a_graph = says_each_value_needs_a_graph(inner.record.evidence) and len(inner.record.changes) == 1
        for values, name in _numbers(inner.record).items():
            if needs_a_graph or asked_in_python(function.python_uses, name):  # where one alone differs, all comes of it
                if (path := passed.get(values, alone)) and is_number(values[1]):
                    yield UseWithin(path, function.name, f"{function.name}({name}=…)", decides=True)
            elif values in passed:
                written = (use for use in function.python_uses if gives_something_else(use, name))
                asked = (question for question in function.type_questions if asked_of(question) == name)
                yield from (UseWithin(passed[values], function.name, use) for use in (*written, *asked))


def _numbers(trace: pb.Trace) -> dict[tuple[str, str], str]:
    return {(change.old, change.new): change.path for change in trace.changes if change.cause == "python_value"}
