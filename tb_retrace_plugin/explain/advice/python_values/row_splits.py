"""Ragged tensors whose row splits are int32 in some calls and int64 in others: `tf.ragged.constant(…,
row_splits_dtype=…)`, or what an operation made."""

from __future__ import annotations

from tb_retrace_plugin.explain.advice.evidence.facts import Fix, FunctionFacts
from tb_retrace_plugin.explain.advice.evidence.listed import listed
from tb_retrace_plugin.explain.advice.evidence.reading import nodes_at
from tb_retrace_plugin.explain.what_if.candidate import Candidate
from tb_retrace_plugin.schema.signature import Node

#: Of a ragged tensor's specification, what has the dtype of its row splits.
_PART = "#3"
#: TensorFlow's own default, which holds the numbers of the other.
_WIDE = "int64"


def propose(function: FunctionFacts) -> Fix | None:
    paths = dict.fromkeys(change.path for _, change in function.with_cause("composite_spec"))
    found = [path for path in paths if _has_both(function, path)]
    if not found:
        return None
    rows = "its rows" if len(found) == 1 else "their rows"
    return Fix(
        "one_row_splits_dtype",
        f"The row splits of {listed(found)} of `{function.name}` are int32 in some calls and int64 in others. Make them"
        f" {_WIDE} before the call.",
        Candidate(dtypes={path + _PART: _WIDE for path in found}),
        calls=dict.fromkeys(found, f"{{}}.with_row_splits_dtype(tf.{_WIDE})"),
        assumes=f"the code takes row splits of {_WIDE} at every call",
        notes=[f"What is asked of {rows}, such as `row_lengths()` and `nrows()`, is {_WIDE} then, too."],
    )  # fmt: skip


def _has_both(function: FunctionFacts, path: str) -> bool:
    splits = [_row_splits(node) for node in nodes_at(function, path)]
    return "" not in splits and len(set(splits)) > 1


def _row_splits(node: Node) -> str:
    """Their dtype; "" of what is no ragged tensor."""
    if node.kind != "composite" or node.type_name != "RaggedTensorSpec":
        return ""
    return dict(node.children).get(_PART, Node("tensor")).dtype
