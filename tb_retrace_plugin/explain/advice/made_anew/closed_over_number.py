"""A tf.function made anew for each Python number that it closes over: one that takes the number as a tensor will do."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from tb_retrace_plugin.explain.advice.datasets.closed_over_in_dataset import in_a_dataset
from tb_retrace_plugin.explain.advice.evidence.constant_values import holds
from tb_retrace_plugin.explain.advice.evidence.facts import Fix, FunctionFacts, Traced
from tb_retrace_plugin.explain.advice.evidence.in_datasets import is_given_to_tf_data
from tb_retrace_plugin.explain.advice.evidence.listed import listed
from tb_retrace_plugin.explain.advice.evidence.reading import (
    CLOSES_OVER_NUMBERS,
    CLOSES_OVER_TENSORS,
    how_often,
    merged_objects,
)
from tb_retrace_plugin.explain.advice.made_anew.as_it_is_made import STAYS
from tb_retrace_plugin.explain.advice.made_anew.closed_over_use import (
    natural_of_closed_over,
    size_of,
    use_of_closed_over,
    values_beside_numbers,
)
from tb_retrace_plugin.explain.advice.made_anew.defined_once import (
    declares_as_well,
    define_once,
    defined_once,
    where_it_reads_locals,
)
from tb_retrace_plugin.explain.advice.python_values import operation_attribute
from tb_retrace_plugin.explain.advice.python_values.python_uses import what_goes_through, what_takes_no_tensor
from tb_retrace_plugin.explain.advice.python_values.tensor_for_number import (
    ASKED_BY_IS,
    number_dtype,
    seen_in_graphs,
    where_one_is_needed,
)
from tb_retrace_plugin.explain.advice.source.code import UNLESS_NONE
from tb_retrace_plugin.explain.verdict.evidence import BOUND, CLOSED_OVER, IN_VARIABLES, how_it_has
from tb_retrace_plugin.explain.what_if.candidate import Candidate

_NAMED = re.compile(r"`([^`]+)`: [^`→]+ → ")
_VALUES = re.compile(r"`([^`]+)`: [^`→]+ → (\[[^\]]*\]|\([^)]*\)|[^\s,\[(]*[^\s,.\[(])")
_LISTED = re.compile(r"`[^`]+`: [\[(]")


_TAKES_NO_VARIABLE = (
    "What is computed of a number by Python's own means, such as `or`, `min`, `math.sqrt` or an index of a list, and"
    " `tf.constant`, cannot take a tf.Variable: compute that where it is assigned, and keep what comes of it in one."
)


def may_decide(function: FunctionFacts) -> bool:
    """Whether some of these numbers decide what is built, or may."""
    traces = [trace for trace, _ in function.with_cause("recreated_function")]
    told = [trace.evidence for trace in traces if trace.evidence.endswith(CLOSES_OVER_NUMBERS)]
    uses = [use_of_closed_over(function, name) for name in {name for text in told for name in _NAMED.findall(text)}]
    return any(use.decides or use.may_decide for use in uses)


def propose(function: FunctionFacts, cast_to: str = "") -> Fix | None:
    """`cast_to`: the one dtype that all else is cast to at every call, in which the graphs held numbers as well."""
    if function.closed_over_stay:
        return None
    recreated = [trace for trace, _ in function.with_cause("recreated_function")]
    # one for other tensors would go on with those that it was traced with
    recreated = [trace for trace in recreated if not trace.evidence.endswith((*CLOSES_OVER_TENSORS, IN_VARIABLES))]
    traces = [trace for trace in recreated if trace.evidence.endswith(CLOSES_OVER_NUMBERS)]
    if all(trace.lookup.failed for trace in traces):  # what made these fail is not known to be the number
        return None
    objects = merged_objects(function, recreated)  # defined once, it serves those of equal numbers as well
    names = list(dict.fromkeys(name for trace in traces for name in _NAMED.findall(trace.evidence)))
    if not traces or not objects or not names:
        return None
    clause = how_it_has([trace.evidence for trace in traces])
    uses = {name: use_of_closed_over(function, name) for name in names}
    if fix := operation_attribute.told_of(function, uses):
        return fix
    uses = {name: replace(use, dtypes=(cast_to,)) if cast_to in use.dtypes else use for name, use in uses.items()}
    natural = {name: natural_of_closed_over(function, name) for name in names}
    told = {name: (use.dtype or use.only, natural[name] or "float32") for name, use in uses.items()}
    dtypes = {name: dtype if holds(dtype, wide) else wide for name, (dtype, wide) in told.items()}
    others = {name: dtype for name, dtype in dtypes.items() if dtype != natural[name]}
    if is_given_to_tf_data(traces[0]):
        plural = "" if len(names) == 1 else "s"
        why = f"for other values of the Python number{plural} {listed(names)} {clause}"
        refused = what_takes_no_tensor(function, names)
        refused += [sentence for name in names for sentence in what_goes_through(function, name)]
        if not refused and any(use.computed or use.partly for use in uses.values()):
            refused.append(_TAKES_NO_VARIABLE)
        return in_a_dataset(function, recreated, names, why, tensors=False, dtypes=others, refused=refused)
    number, it = ("number", "it as a tensor argument") if len(names) == 1 else ("numbers", "them as tensor arguments")
    if any(_LISTED.search(trace.evidence) for trace in traces):
        number = "numbers"
    text = (
        f"`{function.name}` was made {function.at_least}{how_often(objects)}, for other values of the Python"
        f" {number} {listed(names)} {clause}. {define_once(function, objects)} and pass {it}."
    )
    notes = where_one_is_needed(
        uses,
        dtypes,
        are_whole=not {"int32", ""}.isdisjoint(natural.values()),
        refused=what_takes_no_tensor(function, names),
    )
    notes += [sentence for name in names for sentence in what_goes_through(function, name)]
    beside = {name: values_beside_numbers(function, name) for name in names}
    notes += [ASKED_BY_IS.format(name) for name in names if "None" in beside[name]]
    tensors = [
        (UNLESS_NONE.format(name) if beside[name] else "")
        + (f"tf.constant({name}, tf.{dtypes[name]})" if dtypes[name] != natural[name] else f"tf.constant({name})")
        for name in names
    ]
    arguments = [path for path, _ in traces[0].lookup.signature.arguments]
    # what functools.partial binds is an argument as well
    numbers = {name: found[0] for name in names if name in arguments and (found := number_dtype(function, name))}
    parameters = [path for path in arguments if path != "self" and path not in names]
    specs = _specs(traces, dtypes) | dict.fromkeys([name for name in names if beside[name]], "")
    # by their places: what is bound by its name is an argument
    are_bound = clause == BOUND and not set(names) & set(arguments) and all(map(str.isidentifier, names))
    code = defined_once(function, parameters, specs, tensors, are_bound=are_bound)
    if " = tf.function(" in code and "in place of each functools.partial" in code:
        notes.append(STAYS)
    if parameters == [path for path in arguments if path != "self"]:
        notes += declares_as_well(function, specs)
    if code and not are_bound:
        notes += where_it_reads_locals(function, [*specs])
    if any(values - {"None"} for values in beside.values()):  # what such a function is to be passed is not known
        code = ""
    # a global, an item, what functools.partial binds, or a default value is in no cell of the function's own
    is_in_cells = clause == CLOSED_OVER and not set(names) & set(arguments) and "self" not in arguments
    is_in_cells = is_in_cells and all(name.isidentifier() for name in names)
    return Fix(
        "pass_closed_over_number", text, Candidate(objects=objects, numbers=numbers), other=code,
        added={name: spec for name, spec in specs.items() if name not in arguments}, reads_anew=names, notes=notes,
        outside={"closed_over": names, **({"dtypes": others} if others else {})} if is_in_cells else None,
        assumes=f"the code works on a tensor for {listed(names)}{seen_in_graphs(list(uses.values()))}",
    )  # fmt: skip


def _specs(traces: Sequence[Traced], dtypes: Mapping[str, str]) -> dict[str, str]:
    """How an input signature declares what is passed."""
    found = [pair for trace in traces for pair in _VALUES.findall(trace.evidence)]
    sizes = {name: size_of(text) for name, text in found}
    return {name: f"tf.TensorSpec([{sizes.get(name, '')}], tf.{dtype})" for name, dtype in dtypes.items()}
