"""Batches of a distributed dataset as arguments, the last of which is smaller: the dataset says what to declare."""

from __future__ import annotations

from tb_retrace_plugin.explain.advice.evidence.facts import Fix, FunctionFacts
from tb_retrace_plugin.explain.advice.evidence.listed import listed
from tb_retrace_plugin.explain.advice.evidence.reading import nodes_at
from tb_retrace_plugin.explain.advice.shapes.shapes import (
    UNKNOWN_DIMENSIONS_DO,
    changing,
    changing_paths,
    declared_and_defaults,
    defaults_code,
    of_numbers,
    stay_undeclared,
)
from tb_retrace_plugin.explain.advice.source.code import spec_code
from tb_retrace_plugin.explain.what_if.candidate import NO_CHANGE, Candidate
from tb_retrace_plugin.explain.what_if.replay import common_arguments
from tb_retrace_plugin.schema.signature import Node

_SPEC = "dataset.element_spec"


def propose(function: FunctionFacts, base: Candidate = NO_CHANGE) -> Fix | None:
    """`base`: what other fixes change before."""
    paths = changing_paths(function)
    if not paths or function.jit_compile or any(path in function.keyword_only for path in paths):
        return None
    if not all(map(_is_per_replica, (node for path in paths for node in nodes_at(function, path)))):
        return None
    arguments = common_arguments([t.lookup.signature for t in function.traces if not t.lookup.failed], base)
    if arguments is None:
        return None
    declared_ones, defaults = declared_and_defaults(arguments, ())
    undeclared = [path for path, _ in defaults]
    if not function.with_default.issuperset(undeclared):
        return None
    codes = [_SPEC if _is_a_batch(node) else spec_code(node) for _, node in declared_ones]
    parts = codes.count(_SPEC)
    if None in codes or (parts > 1 and set(codes[:parts]) != {_SPEC}):  # what an element is made of comes first
        return None
    if parts > 1:
        others = ", ".join(map(str, codes[parts:]))
        declared = f"[*{_SPEC}, {others}]" if others else _SPEC
    else:
        declared = f"[{', '.join(map(str, codes))}]"
    text = (
        f"{changing(function, paths)} shape: batches of a distributed dataset. Declare what the dataset says that it"
        " gives, with a batch size that is unknown: one trace serves all."
    )
    assumes = f"`{_SPEC}` of the distributed dataset leaves open what differs, and that {UNKNOWN_DIMENSIONS_DO}"
    said, assumed = of_numbers(function, base)
    code = f"@tf.function(input_signature={declared})"
    if defaults:
        code += f"\ndef {function.name}(…, {defaults_code(function, defaults)}):"
        said.append(stay_undeclared(undeclared))
        assumed += f", and that no call passes another {listed(undeclared)}"
    return Fix(
        "input_signature", text, Candidate(input_signature=arguments, numbers=base.numbers),
        decorator=code, assumes=assumes + assumed, notes=[*said, *_of_a_method(function)],
    )  # fmt: skip


def _of_a_method(function: FunctionFacts) -> list[str]:
    """Where a class is defined there is no dataset yet."""
    if function.undecorated or "." not in function.qualname.rpartition("<locals>.")[2]:
        return []
    return [
        f"No dataset is there yet where a class is defined: in place of the decorator make the tf.function once, where"
        f" the dataset is, `self.{function.name} = tf.function(self.{function.name}, input_signature=…)`."
    ]


def propose_whole_batches(function: FunctionFacts) -> Fix | None:
    """Where another argument, such as a variable of the strategy, cannot be declared."""
    paths = changing_paths(function)
    if not paths or function.jit_compile or propose(function) is not None:
        return None
    if not all(map(_is_per_replica, (node for path in paths for node in nodes_at(function, path)))):
        return None
    text = (
        f"{changing(function, paths)} shape: batches of a distributed dataset, which replicas have in parts of other"
        " sizes where it is smaller, as the last one is. Batch with `drop_remainder=True`, so that all are of one size,"
        " or pad the last one before the dataset is distributed."
    )
    return Fix(
        "pad_to_one_shape", text, None, other="dataset = dataset.batch(…, drop_remainder=True)",
        evidence="Of which batches they are parts is not recorded.",
    )  # fmt: skip


def _is_per_replica(node: Node) -> bool:
    return node.kind == "composite" and node.type_name == "PerReplicaSpec"


def _is_a_batch(node: Node) -> bool:
    if node.kind == "composite":
        return _is_per_replica(node)
    return bool(node.children) and all(_is_a_batch(child) for _, child in node.children)
