"""`Dataset.reduce`: it runs the function that it is given at each call, and makes a new tf.function of it for that."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from tb_retrace_plugin.explain.advice.evidence.facts import Fix, Frame, FunctionFacts, Traced
from tb_retrace_plugin.explain.advice.evidence.in_datasets import (
    builders,
    for_wider_states,
    is_a_loops,
    is_given_to_tf_data,
    is_within_a_trace,
    method_that_runs,
    objects_by_line,
)
from tb_retrace_plugin.explain.advice.evidence.listed import listed
from tb_retrace_plugin.explain.advice.evidence.reading import CLOSES_OVER, how_often
from tb_retrace_plugin.explain.advice.source.code import parsed, source_line
from tb_retrace_plugin.explain.what_if.candidate import Candidate

#: Names that are no arguments: they are the same each time.
_NOT_PASSED = frozenset({"self", "cls", "tf", "tensorflow", "np", "numpy"})

#: Methods of a dataset: what they are called of is one.
_OF_A_DATASET = frozenset({
    *("apply", "batch", "bucket_by_sequence_length", "cache", "concatenate", "enumerate", "filter", "flat_map"),
    *("group_by_window", "ignore_errors", "interleave", "map", "padded_batch", "prefetch", "ragged_batch", "rebatch"),
    *("reduce", "rejection_resample", "repeat", "scan", "shard", "shuffle", "skip", "snapshot", "sparse_batch"),
    *("take", "take_while", "unbatch", "unique", "window", "with_options"),
})  # fmt: skip


def propose(function: FunctionFacts) -> Fix | None:
    recreated = [t for t, _ in function.with_cause("recreated_function") if not t.evidence.endswith(CLOSES_OVER)]
    traces = [t for t in recreated if is_given_to_tf_data(t) and method_that_runs(t)]
    if any(is_a_loops(trace) or is_within_a_trace(trace) for trace in traces):
        return None
    objects = objects_by_line(function, traces)
    return fix(function, traces, objects) if objects else None


def fix(function: FunctionFacts, traces: Sequence[Traced], objects: dict[int, int], names: Sequence[str] = ()) -> Fix:
    """`names`: of what the function closes over that is another each time."""
    method, lines = method_that_runs(traces[0]), builders(traces[0])
    other = f"{listed(names)}, and what else is another each time," if names else "what is another each time"
    text = (
        f"`Dataset.{method}` runs `{function.name}` at each call, and `tf.data` makes a function of it for that:"
        f" {function.at_least}{how_often(objects)}, though the dataset may be the same. Put the call into a"
        f" tf.function that is made once, and pass {other} to it as tensors. `{function.name}` is traced with it,"
        f" {'again for a wider state' if for_wider_states(function) else 'once'}."
    )
    return Fix(
        "reduce_in_a_function", text, Candidate(objects=objects),
        other=_code(lines[0], method) if lines and not names else "",
        outside=None if names else {"one_pipeline": True},
        assumes="what the call reads besides its arguments is the same each time", reads_anew=names,
    )  # fmt: skip


def _code(frame: Frame, method: str) -> str:
    line = source_line(frame)
    tree = parsed(line)
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)] if tree is not None else []
    found = [call for call in calls if isinstance(call.func, ast.Attribute) and call.func.attr == method]
    built = _built_by_a_call(found[0]) if len(found) == 1 else None
    if line.startswith("return ") and frame.function.isidentifier() and built is None:
        return f"@tf.function  # made once\ndef {frame.function}(…):\n    …\n    {line}"
    if len(found) != 1 or not line.isascii():  # columns are bytes
        return ""
    (call,) = found
    if _reads_more_in_functions(call):  # as tensors, of dtypes that are not known
        return ""
    text = ast.get_source_segment(line, call) or "…"
    given = parameters = ", ".join(_names(call, built))
    if built is not None:  # which the function would go on building with what Python had first
        whole = ast.get_source_segment(line, built) or "…"
        text, given = f"dataset{text.removeprefix(whole)}", ", ".join([whole, *_names(call, built)])
        parameters = ", ".join(["dataset", *_names(call, built)])
    changed = f"{line[: call.col_offset]}{method}d({given}){line[call.end_col_offset :]}"
    return f"@tf.function  # once, before the loop\ndef {method}d({parameters}):\n    return {text}\n…\n{changed}"


def _built_by_a_call(call: ast.Call) -> ast.Call | None:
    """The `loader.dataset(2)` of `loader.dataset(2).take(3).reduce(…)`; None of a name, or what TensorFlow builds."""
    at: ast.expr = call
    while isinstance(at, ast.Call) and isinstance(at.func, ast.Attribute) and at.func.attr in _OF_A_DATASET:
        at = at.func.value
    if not isinstance(at, ast.Call):
        return None
    return None if ast.unparse(at.func).partition(".")[0] in ("tf", "tensorflow") else at


def _reads_more_in_functions(call: ast.Call) -> bool:
    """Whether functions that are written in what `reduce` is called of read more than they are passed."""
    dataset = call.func.value if isinstance(call.func, ast.Attribute) else call
    functions = [node for node in ast.walk(dataset) if isinstance(node, ast.Lambda)]
    names = {n.id for one in functions for n in ast.walk(one.body) if isinstance(n, ast.Name)}
    passed = {argument.arg for one in functions for argument in ast.walk(one.args) if isinstance(argument, ast.arg)}
    return not names <= passed | _NOT_PASSED


def _names(call: ast.Call, built: ast.Call | None = None) -> list[str]:
    """Of what may be another each time: the dataset, and the state that it begins with. `built`: is passed as a
    whole."""
    dataset = call.func.value if isinstance(call.func, ast.Attribute) else call
    state = [*call.args[:1], *(keyword.value for keyword in call.keywords if keyword.arg == "initial_state")]
    parts = [node for part in (dataset, *state) for node in ast.walk(part)]
    wholes = [node for node in parts if isinstance(node, ast.Lambda) or node is built]
    within = {id(n) for node in wholes for n in ast.walk(node)}
    names = [node.id for node in parts if isinstance(node, ast.Name) and id(node) not in within]
    return [name for name in dict.fromkeys(names) if name not in _NOT_PASSED]
