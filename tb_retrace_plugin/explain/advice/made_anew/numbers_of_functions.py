"""Functions as arguments, made anew for other numbers that they close over: one that takes these as tensors will do."""

from __future__ import annotations

import re

from tb_retrace_plugin.explain.advice.evidence.facts import Fix, FunctionFacts, Traced
from tb_retrace_plugin.explain.advice.evidence.listed import listed
from tb_retrace_plugin.explain.advice.evidence.reading import names_of_closure
from tb_retrace_plugin.explain.advice.made_anew.defined_once import self_of
from tb_retrace_plugin.explain.advice.made_anew.passed_anew import constants_of, kinds_left, made_one, tensor_of
from tb_retrace_plugin.explain.candidate import Candidate
from tb_retrace_plugin.explain.verdict.evidence import A_FUNCTION_MADE_ANEW, NUMBERS_OF_AN_OBJECT, how_it_has

_WHICH = re.compile(rf"`([^`]+)` is {A_FUNCTION_MADE_ANEW} ")


def propose(function: FunctionFacts) -> Fix | None:
    found = [(t, match[1]) for t in function.avoidable if (match := _WHICH.match(t.evidence)) and _is_of_numbers(t)]
    paths = {path for _, path in found}
    traces = sorted((trace for trace, _ in found), key=lambda trace: len(trace.changes))
    if len(paths) != 1:  # of several in one trace the evidence tells of one
        return None
    (path,) = paths
    names = list(dict.fromkeys(name for trace in traces for name in names_of_closure(_told_of(trace))))
    about = [(t, c) for t, c in function.with_cause("object_identity", held=True) if c.path == path and t in traces]
    identities = made_one(function, about, path)
    constants, dtype = constants_of(function, traces)
    kinds = kinds_left(function, identities, path)
    number, it, a_tensor = ("number", "it", "a tensor") if len(names) == 1 else ("numbers", "them", "tensors")
    clause = how_it_has([_told_of(trace) for trace in traces])
    text = (
        f"`{path}` of `{function.name}` is another function in each trace, made anew for other values of the Python"
        f" {number} {listed(names)} {clause}, and the graphs differ in nothing but fractions{constants}. Pass one"
        f" function each time, which takes {it} as {'an argument' if a_tensor == 'a tensor' else 'arguments'}, and pass"
        f" {it} as {a_tensor} at every call."
    )
    if kinds > 1:
        text += f" Other graphs differ in more than fractions: keep one for each of {kinds} kinds."
    return Fix(
        "pass_number_of_function", text, Candidate(identities=identities),
        other=_code(function, traces[0], path, names, dtype),
        added=dict.fromkeys(names, ""),  # a function is declared by no signature
        reads_anew=names, assumes=f"`{path}` works on {a_tensor} for {listed(names)}",
    )  # fmt: skip


def _is_of_numbers(trace: Traced) -> bool:
    return trace.evidence.endswith(NUMBERS_OF_AN_OBJECT)


def _told_of(trace: Traced) -> str:
    """What is said of the function that is passed: " reads `scale`: 2.0 → 3.0"."""
    return " " + _WHICH.sub("", trace.evidence).partition(", and its graph")[0]


def _code(function: FunctionFacts, trace: Traced, path: str, names: list[str], dtype: str) -> str:
    """ "" if something cannot be written as a name."""
    parameters = [name for name, _ in trace.lookup.signature.arguments if name != "self"]
    added = [f"{path}_{name.rpartition('.')[2]}" for name in names]
    if not all(name.isidentifier() for name in (function.name, *parameters, *added)):
        return ""
    if len({*parameters, *added}) < len(parameters) + len(added):
        return ""
    given = [f"kept_{path}" if name == path else name for name in parameters]
    given += [f"{new}={tensor_of(name, dtype)}" for new, name in zip(added, names, strict=True)]
    taken = ", ".join([*parameters, *added])
    return (
        f"@tf.function\ndef {function.name}({self_of(function)}{taken}):  # passes {path} what it closed over\n"
        "    …\n\n"
        f"kept_{path} = …  # once, before the loop: with a parameter for {listed(names).replace('`', '')}\n…\n"
        f"{function.called}({', '.join(given)})"
    )
