"""By what Python chooses among what the code has: texts, and numbers that no tensor could be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tb_retrace_plugin.capture.code.written_choices import (
    WRITTEN_THERE,
    asks_for_a_text,
    choice_by,
    choices_by_names,
    written_choices,
)
from tb_retrace_plugin.capture.python_state.keras_steps import step_of
from tb_retrace_plugin.capture.record.read_trace import Code
from tb_retrace_plugin.capture.watch.observation import Observation
from tb_retrace_plugin.explain.differences.change import Change
from tb_retrace_plugin.explain.differences.closure import ClosureChange
from tb_retrace_plugin.explain.differences.value_texts import are_texts, is_number
from tb_retrace_plugin.explain.verdict.decided_in_python import parts_of_tables
from tb_retrace_plugin.explain.verdict.facts import Facts
from tb_retrace_plugin.schema.signature import hidden_type

#: Graphs among which a text chooses that are told to be but so many.
_FEW = 24


def chosen_in_python(facts: Facts, uses: Sequence[str], o: Observation, code: Code) -> dict[str, str]:
    """By path or name, how, as code."""
    if facts.same_graph is not False and not facts.read_otherwise:  # nearly always
        return {}
    return _chosen_by_what_changed(facts, uses, o, code) | _chosen_by_reads(facts, o.traced.python)


def _chosen_by_what_changed(facts: Facts, uses: Sequence[str], o: Observation, code: Code) -> dict[str, str]:
    """Of texts, and of numbers that may choose among variables, or among what is written there, of which other
    operations come, or that texts may stand in place of: the graphs of others could take a tensor.

    Not after many traces: what it looks up in may be a table of as many as there are users, say.
    """
    many = len(code.history.entries) > _FEW
    if facts.same_graph is not False or facts.names_alone or facts.text_alone or many:
        return {}
    values = [c for c in facts.changes if _is_a_number_or_text(c) and not hidden_type(c.new)]
    texts = [c.name for c in facts.closure or () if _is_a_text(c)]
    number = _number_alone(facts)
    function = o.traced.python
    choices = written_choices(getattr(function, "__code__", None), function) if values or texts or number else []
    if not (choices or uses or code.chosen_within):  # nearly always
        return {}
    builds_otherwise = facts.other_size or facts.other_operations
    others = facts.captures_others or builds_otherwise or facts.other_attributes
    paths = [c.path for c in values]
    paths += texts
    paths += [number] if number and number not in paths and others else []
    within = {c.path: how for c in values if (how := code.chosen_within.get((c.old, c.new))) and _is_a_text(c)}
    chosen = within | {path: how for path in paths if (how := choice_by(choices, path))}
    numbers = {number, *(c.path for c in values if not _is_a_text(c))}
    numbers = {path for path in numbers if not asks_for_a_text(chosen.get(path, ""))}
    if not others:
        chosen = {path: how for path, how in chosen.items() if path not in numbers}
    elif not facts.captures_others:
        decides = number if builds_otherwise else ""  # as what it looks up does then
        chosen = {
            path: how
            for path, how in chosen.items()
            if path not in numbers or how.startswith(WRITTEN_THERE) or (path == decides and how.endswith(f"[{path}]"))
        }
    parts = parts_of_tables(uses, number) if number and (facts.other_size or facts.captures_others) else []
    chosen = {number: parts[0], **chosen} if parts else chosen
    if facts.closure and number in chosen and _reads_more(facts, number, chosen[number]):
        del chosen[number]
    return chosen


def _number_alone(facts: Facts) -> str:
    """That is all that differs: what is passed, or what a new function object closes over; "" if it is no such."""
    passed = [c for c in facts.changes if c.cause != "recreated_function"]
    closure = facts.closure or ()
    if len(passed) + len(closure) != 1 or facts.other_data:
        return ""
    if passed:
        return passed[0].path if is_number(passed[0].new) else ""
    return closure[0].name if closure[0].is_number else ""


def _reads_more(facts: Facts, number: str, how: str) -> bool:
    """Otherwise than the number and what is chosen by it; True if that is not known."""
    if facts.read_otherwise is None:
        return True
    names = [one for one in facts.read_otherwise if one != number]
    return not all(one == how or one.startswith((f"{how}.", f"{how}[")) for one in names)


def _chosen_by_reads(facts: Facts, function: Any) -> dict[str, str]:
    """Of texts that a new function reads otherwise, by name; of a step of Keras' what the model's method does."""
    texts = [name for name, both in (facts.read_otherwise or {}).items() if are_texts(*both)]
    if not texts or not (facts.other_size or facts.other_operations or facts.captures_others):
        return {}
    step = step_of(function) if facts.made_by_each_compile else None
    function, model = (function, "") if step is None else (step[1], "model.")
    choices = choices_by_names(function.__code__, function) if hasattr(function, "__code__") else []
    in_code = {name: name.replace(model, "self.", 1) if model else name for name in texts}
    return {name: how for name, text in in_code.items() if (how := choice_by(choices, text))}


def _is_a_text(change: Change | ClosureChange) -> bool:
    return are_texts(change.old, change.new)


def _is_a_number_or_text(change: Change) -> bool:
    """Another one, or the one in place of the other."""
    if change.cause == "python_value":
        return _is_a_text(change) or is_number(change.new)
    is_of_values = change.cause == "python_type"
    return is_of_values and all(is_number(text) or text.startswith(("'", '"')) for text in (change.old, change.new))
