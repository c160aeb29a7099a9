"""An argument that comes in several dtypes."""

from __future__ import annotations

from collections import Counter

from tb_retrace_plugin.explain.advice.asked_for import takes_one_dtype
from tb_retrace_plugin.explain.advice.code import listed
from tb_retrace_plugin.explain.advice.facts import Fix, FunctionFacts
from tb_retrace_plugin.explain.advice.reading import node_of, nodes_at
from tb_retrace_plugin.explain.candidate import Candidate

_NUMERIC = ("float", "bfloat", "int", "uint", "bool", "complex")


def propose(function: FunctionFacts) -> Fix | None:
    dtypes, wraps, seen = {}, {}, {}
    for path in dict.fromkeys(change.path for _, change in function.with_cause("dtype")):
        nodes = list(nodes_at(function, path))
        if not all(node.kind == "tensor" and node.dtype.startswith(_NUMERIC) for node in nodes):
            continue
        working = [node_of(trace, path) for trace in function.traces if not trace.lookup.failed]
        counts = Counter(node.dtype for node in working if node is not None)
        if not counts:
            continue
        dtypes[path] = counts.most_common(1)[0][0]  # of several, the one that came first
        seen[path] = list(dict.fromkeys(node.dtype for node in nodes))
        wraps[path] = f"tf.cast({{}}, tf.{dtypes[path]})"
    if not dtypes:
        return None
    path, names = next(iter(dtypes)), listed(list(dtypes))
    came = ", ".join(seen[path])
    failed = ""
    if any(trace.lookup.failed for trace in function.traces):
        failed = ", and not every trace succeeds"
    text = f"{names} of `{function.name}` {'comes' if len(dtypes) == 1 else 'come'} in several dtypes ({came}{failed})."
    text += f" Cast to {dtypes[path]} before the call." if len(dtypes) == 1 else " Cast each to one before the call."
    text += takes_one_dtype(function, dtypes)
    return Fix(
        "one_dtype", text, Candidate(dtypes=dtypes), calls=wraps,
        assumes="nothing is lost by the cast",
    )  # fmt: skip
