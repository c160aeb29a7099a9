"""A tf.function made anew for each tensor that it closes over, a batch: one that takes it as an argument will do."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace

from tb_retrace_plugin.explain.advice.datasets.closed_over_in_dataset import in_a_dataset
from tb_retrace_plugin.explain.advice.evidence.facts import Fix, FunctionFacts, Traced
from tb_retrace_plugin.explain.advice.evidence.in_datasets import is_given_to_tf_data, method_that_runs
from tb_retrace_plugin.explain.advice.evidence.listed import listed
from tb_retrace_plugin.explain.advice.evidence.reading import (
    CLOSES_OVER,
    CLOSES_OVER_NUMBERS,
    CLOSES_OVER_TENSORS,
    merged_objects,
    times_made,
)
from tb_retrace_plugin.explain.advice.made_anew import closed_over_sizes
from tb_retrace_plugin.explain.advice.made_anew.defined_once import declares_as_well, define_once, defined_once
from tb_retrace_plugin.explain.differences.closure import ARRAY, holds_variables
from tb_retrace_plugin.explain.verdict.evidence import how_it_has
from tb_retrace_plugin.explain.what_if.candidate import Candidate
from tb_retrace_plugin.schema.signature import iter_leaves

_NAMED = re.compile(r"another `([^`]+)` of ")
_SPECS = re.compile(r"another `([^`]+)` of (.*?)(?=, another `| and \d+ more\.|\. One object)")
_TENSOR = re.compile(r"(\w+) \(([-\d, ]*?),?\)")
_ARRAYS = ", and that the code works on a tensor where it has an array, which NumPy's own functions do not"
_MAY_BE_PASSED = "Not replayed: a call that is passed one variable twice has a trace of its own."
#: As `WITHIN` has it.
_INNER = re.compile(r"(.+?)((?: of \w+)+)")
#: Of evidence that names both.
_NUMBERS = re.compile(r"`([^`]+)`: [^`→]+ → (.+?)(?=, `|, another `|\. One object)")
_SEVERAL = re.compile(r"another `[^`]+` of [\[({]")


def propose(function: FunctionFacts) -> Fix | None:
    recreated = [trace for trace, _ in function.with_cause("recreated_function")]
    traces = [trace for trace in recreated if trace.evidence.endswith(CLOSES_OVER_TENSORS)]
    # those that differ in fractions alone are served as well; what a whole number is for its own rule tells
    others = [trace for trace in recreated if trace.evidence.endswith(CLOSES_OVER_NUMBERS)]
    traces += [trace for trace in others if traces and not any(map(str.isdecimal, _numbers_in(trace).values()))]
    numbers = {name: text for trace in traces for name, text in _numbers_in(trace).items()}
    equal = [trace for trace in recreated if traces and not trace.evidence.endswith(CLOSES_OVER)]
    objects = merged_objects(function, traces + equal)  # defined once, it serves those of equal tensors as well
    names = list(dict.fromkeys(name for trace in traces for name in _NAMED.findall(trace.evidence)))
    if not objects or not names:
        return None
    if (of_sizes := closed_over_sizes.propose(function)) is not None and of_sizes.candidate is not None:
        return None  # that serves these as well
    of_variables = [holds_variables(trace.evidence) for trace in traces]
    tensor = "tensor" if not any(of_variables) else "variable" if all(of_variables) else "tensor or variable"
    inner = [match.groups() for name in names if (match := _INNER.fullmatch(name))]
    if is_given_to_tf_data(traces[0]):
        if inner and method_that_runs(traces[0]):  # a tf.function around it would have to be passed what is within
            return None
        names = [_INNER.sub(r"\1", name) for name in names]
        what = f"another {tensor}" if len(names) == 1 else f"other {tensor}s"
        if numbers:
            what, names = f"other {tensor}s and numbers", [*names, *numbers]
        equal = [trace for trace in equal if is_given_to_tf_data(trace)]
        why = f"each time for {what}: {listed(names)}"
        fix = in_a_dataset(function, traces, names, why, tensors=True, equal=equal)
        return fix and replace(fix, assumes=fix.assumes + _of_numbers(numbers))
    what, them = f"another {tensor}", "it as an argument"
    if len(names) > 1:
        what, them = f"other {tensor}s", "them as arguments"
    if any(_SEVERAL.search(trace.evidence) for trace in traces):
        what = f"other {tensor}s"
    are_arrays = any(ARRAY in trace.evidence for trace in traces)
    if are_arrays:
        what = what.replace("tensor", "array")
    text = (
        f"`{function.name}` was made {function.at_least}{times_made(objects)} times, each time for {what}"
        f" {how_it_has([trace.evidence for trace in traces])}, {listed(names)}: a graph keeps what it was traced with."
    )
    if numbers:
        text = text.replace(": a graph keeps", f", and other numbers, {listed([*numbers])}: a graph keeps")
        them = f"them as arguments, {listed([*numbers])} as {'a tensor' if len(numbers) == 1 else 'tensors'}"
    text += f" {define_once(function, objects)} and pass {them}."
    notes = []
    for functions in dict.fromkeys(functions for _, functions in inner):
        own = listed([name for name, by in inner if by == functions])
        holders = functions.split(" of ")[1:]
        text = text.replace(f"{functions}`", "`" + "".join(f" of `{holder}`" for holder in holders))
        have = "has" if len(holders) == 1 else "have"
        notes.append(f"{listed(holders)} {have} to take {own} as an argument, too, and to be defined once as well.")
    parameters = [path for path, _ in traces[0].lookup.signature.arguments if path != "self"]
    made = {name: f"tf.constant({name})" for name in numbers}
    specs = dict(spec for trace in traces for spec in _specs_in(trace.evidence))
    specs |= dict.fromkeys(numbers, "")  # as what they are used is not known
    new = {name: specs.get(name, "") for name in (*names, *numbers)}
    code = defined_once(function, parameters, new, [*names, *made.values()])
    notes += declares_as_well(function, new)
    may_be_passed = any(of_variables) and any(map(_passes_variables, function.traces))
    return Fix(
        "pass_closed_over_tensor", text, None if may_be_passed else Candidate(objects=objects), other=code, added=specs,
        evidence=_MAY_BE_PASSED if may_be_passed else "",
        assumes="nothing else that it reads has changed" + (_ARRAYS if are_arrays else "") + _of_numbers(numbers),
        reads_anew=[*numbers], notes=notes,
    )  # fmt: skip


def _passes_variables(trace: Traced) -> bool:
    leaves = [leaf for path, node in trace.lookup.signature.arguments for _, leaf in iter_leaves(path, node)]
    return any(leaf.kind == "variable" for leaf in leaves)


def _numbers_in(trace: Traced) -> dict[str, str]:
    return {name: text.lstrip("-") for name, text in _NUMBERS.findall(trace.evidence)}


def _of_numbers(numbers: Collection[str]) -> str:
    return f", and that the code works on a tensor for {listed([*numbers])}" if numbers else ""


def _specs_in(evidence: str) -> list[tuple[str, str]]:
    evidence = evidence.replace(ARRAY, "")
    found = _SPECS.findall(evidence)
    of_variables = [(name, "") for name, text in found if holds_variables(text)]  # no input signature declares those
    found = [(name, text) for name, text in found if not holds_variables(text)]
    return of_variables + [(name, _TENSOR.sub(r"tf.TensorSpec([\2], tf.\1)", text)) for name, text in found]
