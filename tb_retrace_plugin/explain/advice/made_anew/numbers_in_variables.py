"""A tf.function that is made anew for other numbers of the object whose method it is: in tf.Variables, one does."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tb_retrace_plugin.explain.advice.evidence.constant_values import natural_dtype
from tb_retrace_plugin.explain.advice.evidence.facts import Fix, FunctionFacts, Traced
from tb_retrace_plugin.explain.advice.evidence.in_datasets import is_given_to_tf_data
from tb_retrace_plugin.explain.advice.evidence.listed import listed
from tb_retrace_plugin.explain.advice.evidence.reading import (
    CLOSES_OVER,
    are_all_of_one_kind,
    how_often,
    merged_objects,
)
from tb_retrace_plugin.explain.advice.made_anew.as_it_is_made import STAYS, known_keywords
from tb_retrace_plugin.explain.advice.made_anew.create_once import code_of_one
from tb_retrace_plugin.explain.advice.made_anew.numbers_of_objects import dtypes_of_numbers
from tb_retrace_plugin.explain.advice.source.code import untrained
from tb_retrace_plugin.explain.verdict.evidence import IN_VARIABLES
from tb_retrace_plugin.explain.what_if.candidate import Candidate

_HELD = re.compile(r"`([^`]+)`: (\S+) → ([^\s,]+?)(?=, |\. )")


def propose(function: FunctionFacts) -> Fix | None:
    recreated = [t for t, _ in function.with_cause("recreated_function") if not is_given_to_tf_data(t)]
    traces = [trace for trace in recreated if trace.evidence.endswith(IN_VARIABLES)]
    if not traces:
        return None
    alike = [trace for trace in recreated if not trace.evidence.endswith(CLOSES_OVER)]
    objects = merged_objects(function, [*traces, *alike])  # one serves those of equal numbers as well
    if not objects:
        return None
    dtypes = _dtypes(function, traces)
    names = listed(list(dtypes))
    one, is_one = len(dtypes) == 1, are_all_of_one_kind(function, objects)
    kept = "it in a tf.Variable, which is read" if one else "them in tf.Variables, which are read"
    once = "once" if is_one else "once for each object"
    with_dtype = {name: f", dtype=tf.{dtype}" if dtype else "" for name, dtype in dtypes.items()}
    code = "".join(
        f"{name} = tf.Variable(…{untrained(name)}{dtype})  # once; later: {name}.assign(…)\n"
        for name, dtype in with_dtype.items()
    )
    return Fix(
        "keep_number_in_variable",
        f"`{function.name}` was made {function.at_least}{how_often(objects)}, for other values of the Python"
        f" number{'' if one else 's'} {names}, and the graphs differ in nothing else. Keep {kept} anew at each call,"
        f" and make `{function.name}` {once}.",
        Candidate(objects=objects),
        other=code + code_of_one(function, traces, once, known_keywords(function) if is_one else ()),
        reads_anew=list(dtypes),
        assumes=f"the code works on {'a tf.Variable' if one else 'tf.Variables'} for {names}", notes=[STAYS],
    )  # fmt: skip


def _dtypes(function: FunctionFacts, traces: Sequence[Traced]) -> dict[str, str]:
    """Of the constants that the graphs have for each number; "": that which `tf.Variable` makes of it."""
    values: dict[str, list[str]] = {}
    for trace in traces:
        for name, both in _told_of(trace.evidence).items():
            values.setdefault(name, []).extend(both)
    found = dtypes_of_numbers(function, traces, _told_of)
    return {
        name: of_it[0] if (of_it := found[name]) and of_it[0] != natural_dtype(values[name]) else "" for name in values
    }


def _told_of(evidence: str) -> dict[str, tuple[str, str]]:
    return {name: (old, new) for name, old, new in _HELD.findall(evidence)}
