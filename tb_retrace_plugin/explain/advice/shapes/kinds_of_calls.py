"""Kinds of calls, which more than shapes tells apart: each needs a trace, whatever dimensions that leaves unknown."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from tb_retrace_plugin.explain.advice.evidence.decided_by_rank import decided_by_rank, ranks_of
from tb_retrace_plugin.explain.advice.evidence.facts import FunctionFacts, Traced
from tb_retrace_plugin.explain.advice.evidence.reading import node_of
from tb_retrace_plugin.explain.advice.shapes.batch_alone import size_beyond_the_batch, sizes_beyond_the_batch
from tb_retrace_plugin.explain.advice.shapes.objects_beside import objects_of
from tb_retrace_plugin.explain.advice.shapes.open_dimensions import open_dimensions, what_is_open
from tb_retrace_plugin.explain.advice.shapes.shapes import changing_paths, is_open, of_other_lengths
from tb_retrace_plugin.explain.what_if.candidate import Candidate, changed_node
from tb_retrace_plugin.explain.what_if.last_batch import without_shapes
from tb_retrace_plugin.explain.what_if.replay import common_arguments
from tb_retrace_plugin.schema.signature import Node, Signature

Arguments = tuple[tuple[str, Node], ...]
#: Traces that nothing but shapes tells apart, and what serves them all.
Kind = tuple[list[Traced], Arguments]


def paths_of_sizes(function: FunctionFacts, base: Candidate) -> list[str]:
    """Arguments that change shape, or would as tensors."""
    return list(dict.fromkeys([*changing_paths(function), *of_other_lengths(function, base)]))


def kinds_of(function: FunctionFacts, base: Candidate, *, by_rank: bool = False) -> list[Kind] | None:
    """The traces of each kind that more than shapes tells apart, with what serves all of that kind; without kinds
    that always failed. None where some of a kind failed: what would serve the others may fail, too."""
    by_rank = by_rank or bool(decided_by_rank(function))
    by_sizes = bool(size_beyond_the_batch(function, paths_of_sizes(function, base)))
    groups: dict[Hashable, list[Traced]] = {}
    for trace in function.traces:
        signature = trace.lookup.signature
        changed = Signature(  # of each instance's function there is a trace for itself, whatever it is called with
            tuple((path, changed_node(node, path, base)) for path, node in signature.arguments if path != "self"),
            signature.captures, signature.context,
        )  # fmt: skip
        apart = (ranks_of(changed) if by_rank else (), sizes_beyond_the_batch(changed) if by_sizes else ())
        groups.setdefault((without_shapes(changed), apart), []).append(trace)
    found = []
    for traces in groups.values():
        failed = [trace.lookup.failed for trace in traces]
        if all(failed):  # such as for a tensor in place of None: it fails again, by itself
            continue
        if any(failed):
            return None
        arguments = common_arguments([trace.lookup.signature for trace in traces], base)
        if arguments is None:
            return None
        found.append((traces, arguments))
    return found


def differing_paths(kinds: Sequence[Kind]) -> set[str]:
    """Arguments that more than shapes tells apart."""
    found = [{path: without_shapes(Signature(((path, node),))) for path, node in arguments} for _, arguments in kinds]
    paths = {path for one in found for path in one}
    return {path for path in paths if any(one.get(path) != found[0].get(path) for one in found)}


def is_of_one_kind(kinds: Sequence[Kind], path: str) -> bool:
    """Whether each of the objects that are passed there is passed in calls of one kind."""
    of_kinds = [{node.identity for trace in traces if (node := node_of(trace, path))} for traces, _ in kinds]
    return sum(map(len, of_kinds)) == len(set().union(*of_kinds))


def is_wide(kind: Kind) -> bool:
    """Not what was passed just so by itself, such as an iterator over batches of an unknown size."""
    own = (tuple(pair for pair in t.lookup.signature.arguments if pair[0] != "self") for t in kind[0])
    return any(is_open(node) for _, node in kind[1]) and any(what_is_open(one) != what_is_open(kind[1]) for one in own)


def is_to_be_asked_for(kind: Kind) -> bool:
    return is_wide(kind) or not creates_no_variables(kind)


def creates_no_variables(kind: Kind) -> bool:
    """What does is traced first, whatever its shapes: TensorFlow refuses to create them after another trace."""
    return not any(trace.kind == "variable_creation" for trace in kind[0])


def are_of_several_dtypes(function: FunctionFacts, kinds: Sequence[Kind]) -> bool:
    """Whether some argument is a tensor of another dtype in other calls, and need not be: that is what to change."""
    tensors = [{path: node.dtype for path, node in arguments if node.kind == "tensor"} for _, arguments in kinds]
    paths = {change.path for _, change in function.with_cause("dtype")}
    return any(len({one[path] for one in tensors if path in one}) > 1 for path in paths)


def opened(kinds: Sequence[Kind]) -> set[tuple[str, int]]:
    return {one for _, arguments in kinds for one in open_dimensions(arguments)}


def own_sizes(function: FunctionFacts, base: Candidate, kinds: Sequence[Kind]) -> set[tuple[str, int]]:
    """Dimensions, but of a batch, of which each of several objects that are passed has one size."""
    of_each = kinds_of(function, base) if len(objects_of(function)) == 1 else None
    return {one for one in opened(kinds) - opened(of_each) if one[1] > 0} if of_each else set()
