"""A `range` as an argument, of whose numbers graphs make constants and no more: a tensor of them would do."""

from __future__ import annotations

from tb_retrace_plugin.explain.advice.evidence.facts import Fix, FunctionFacts, Traced
from tb_retrace_plugin.explain.advice.evidence.listed import listed
from tb_retrace_plugin.explain.advice.evidence.reading import nodes_at
from tb_retrace_plugin.explain.differences.number_holders import range_of
from tb_retrace_plugin.explain.verdict.evidence import TENSOR_OF_NUMBERS
from tb_retrace_plugin.explain.what_if.candidate import Candidate

_INT32 = 2**31


def propose(function: FunctionFacts) -> Fix | None:
    found = [t for t in function.avoidable if t.evidence.endswith(TENSOR_OF_NUMBERS)]
    paths = list(dict.fromkeys(trace.changes[0].path for trace in found if trace.changes))
    paths = [path for path in paths if all(node.type_name == "range" for node in nodes_at(function, path))]
    if not paths:
        return None
    dtype = _dtype(function, found, paths)
    one = len(paths) == 1
    text = (
        f"{listed(paths)} of `{function.name}` {'is a `range`' if one else 'are ranges'}, and it is traced for each."
        f" Pass {'it as a tensor' if one else 'them as tensors'} at every call. What Python makes of a range within the"
        " function (`list(…)`, `len(…)`) takes no tensor, and a `for` over one becomes a loop of the graph."
    )
    wrap = "tf.constant({})" if dtype == "int32" else f"tf.constant({{}}, tf.{dtype})"
    return Fix(
        "tensor_for_python_sequence", text, Candidate(stacked=dict.fromkeys(paths, dtype)),
        calls=dict.fromkeys(paths, wrap),
        assumes="the code works on a tensor there (the graphs hold these numbers as constants, and differ in no more)",
    )  # fmt: skip


def _dtype(function: FunctionFacts, traces: list[Traced], paths: list[str]) -> str:
    """That of the constants, where it is one; else that of `tf.constant`."""
    found: set[str] = set()
    for trace in traces[:2]:
        place = next(i for i, one in enumerate(function.traces) if one is trace)
        pair = function.graphs.compare(trace.closest, place) if trace.closest is not None else None
        found |= {constant.dtype for constant in pair.constants} if pair is not None else set()
    if found == {"int64"}:
        return "int64"
    ranges = [range_of(node.value) or range(0) for path in paths for node in nodes_at(function, path)]
    ends = [abs(number) for numbers in ranges for number in (numbers.start, numbers.stop)]
    return "int32" if all(end < _INT32 for end in ends) else "int64"
