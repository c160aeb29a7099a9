"""A metric of Keras that is made anew for each pass over the data: it can begin anew by itself."""

from __future__ import annotations

from tb_retrace_plugin.explain.advice.evidence.changed_with_objects import what_else
from tb_retrace_plugin.explain.advice.evidence.facts import Fix, FunctionFacts
from tb_retrace_plugin.explain.advice.evidence.listed import listed
from tb_retrace_plugin.explain.advice.evidence.reading import name_in_code, names_of_closure, objects_of_closure
from tb_retrace_plugin.explain.advice.source.call_lines import called_on, variable_passed
from tb_retrace_plugin.explain.verdict.evidence import says_a_metric_is_another

#: Two are one for training and one for validation, say.
_FEWEST = 2


def propose(function: FunctionFacts) -> Fix | None:
    found = [trace for trace in function.traces if says_a_metric_is_another(trace.evidence)]
    if len(found) < _FEWEST:
        return None
    paths = list(dict.fromkeys(c.path for t in found for c in t.changes if c.cause == "object_identity"))
    told = [trace.evidence for trace in found if trace.kind == "recreated"]
    closed_over = list(dict.fromkeys(name for text in told for name in objects_of_closure(text)))
    numbers = list(dict.fromkeys(name for text in told for name in names_of_closure(text) if name not in closed_over))
    paths += closed_over
    are, them = ("is another metric", "it") if len(paths) == 1 else ("are other metrics", "them")
    beside = what_else((change for trace in found for change in trace.changes), numbers)
    alike = "have the same operations" if beside else "are the same"
    text = (
        f"{listed(paths)} of `{function.name}` {are} in {len(found) + 1} traces, whose graphs {alike}. If a new"
        f" one is made for each pass over the data, make {them} once, before the loop,"
        f"{f' define `{function.name}` once, after that,' if closed_over else ''} and call `reset_state()` before each"
        f" pass: that needs no trace.{beside}"
    )
    notes = [
        "Read what is to be read of the last pass before that.",
        "Metrics that are kept side by side need one each.",
    ]
    passed = [name_in_code(path) if path in closed_over else _named_by_callers(function, path) for path in paths]
    code = "\n".join(f"{path}.reset_state()  # before each pass, in place of making another" for path in passed)
    evidence = "Not replayed: which of them could be one is not known."
    return Fix("keep_metric", text, None, other=code, evidence=evidence, notes=notes)


def _named_by_callers(function: FunctionFacts, path: str) -> str:
    """A caller's name of the parameter's may be another, and of a method's own object is."""
    return (called_on(function) or "metric") if path == "self" else variable_passed(function, path)
