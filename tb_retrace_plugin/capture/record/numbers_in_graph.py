"""Numbers that a function reads of what it is passed, and whether these alone make a trace's graph another one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tb_retrace_plugin.capture.python_state.numbers_read import numbers_read
from tb_retrace_plugin.capture.python_state.passed_functions import PassedFunctions
from tb_retrace_plugin.capture.values.shown import Values
from tb_retrace_plugin.capture.watch.observation import Observation
from tb_retrace_plugin.explain.differences.change import Change
from tb_retrace_plugin.explain.earlier_traces.history import Entry
from tb_retrace_plugin.graphs.passed_numbers import PassedNumbers, differ_in_passed_numbers
from tb_retrace_plugin.schema.signature import Signature, iter_leaves

#: Of a number's text.
_MAX_NUMBER = 60
#: With these it may be a number alone that makes the graph another one.
_BESIDE_NUMBERS = frozenset({"python_value", "object_identity"})
_MADE_ANEW = {"recreated_function"}


def numbers_as_texts(
    o: Observation,
    wanted: Signature,
    objects: Mapping[str, Any],
    passed: PassedFunctions,
    values: Values,
    *,
    is_new: bool,
) -> tuple[dict[str, str], dict[str, str]]:
    """Of `objects` and functions that are passed, and of the instance: by name, of functions by path and name; and
    flags of the instance.

    `is_new`: the function object is, or this is one of its first traces, by which another instance is told; else its
    numbers are asked for beside those of objects alone.
    """
    arguments = {name: one for name, one in objects.items() if name != "self"}
    held, flags = numbers_read(o.traced.python, o.instance if is_new or arguments else None, arguments)
    texts = {name: values.text(number, _MAX_NUMBER) for name, number in held.items()}
    for argument, node in wanted.arguments:
        for path, leaf in iter_leaves(argument, node) if node.children else ((argument, node),):
            if leaf.kind == "object" and path != "self":
                texts |= {f"{path} {name}": text for name, text in passed.numbers_of(leaf.identity).items()}
    return texts, {name: values.text(flag, _MAX_NUMBER) for name, flag in flags.items()}


def other_flags(entry: Entry, flags: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """As `Facts` has them."""
    if not flags:  # nearly always
        return {}
    return {name: (entry.flags[name], now) for name, now in flags.items() if entry.flags.get(name, now) != now}


def held_numbers(
    entry: Entry, passed: PassedNumbers | None, changes: Sequence[Change], held: Mapping[str, str]
) -> tuple[dict[str, tuple[str, str]], bool]:
    """As `Facts` has them."""
    if passed is None and not held:  # nearly always
        return {}, False
    others = {name: (entry.held[name], now) for name, now in held.items() if entry.held.get(name, now) != now}
    paths = tuple([f"{change.path}{end}" for change in changes for end in (".", " ")])
    causes = {change.cause for change in changes}
    if causes == _MADE_ANEW:  # for the same instance: what it has of its own can be a tf.Variable
        of_instance = bool(others) and all(name.startswith("self.") for name in others)
        return others, of_instance and differ_in_passed_numbers(entry.passed_numbers, passed)
    # of what is no argument that is another one, each trace has its own value, which one for all would not
    if not causes <= _BESIDE_NUMBERS or not all(name.startswith(paths) for name in others):
        return others, False
    are_numbers = "python_value" in causes or bool(others)
    return others, are_numbers and differ_in_passed_numbers(entry.passed_numbers, passed)
