"""Variables passed more than once: TensorFlow's cache key holds which arguments are the same variable.

A variable's own identity is no part of the key, the pattern of sharing is (`VariableSpec.alias_id`, numbered in order
of appearance). So one leaf's sharing cannot be judged alone: the whole pattern is compared, with the leaves that
differ otherwise taken as put back.
"""

from __future__ import annotations

from collections.abc import Sequence

from tb_retrace_plugin.explain.change import Change
from tb_retrace_plugin.schema.signature import Node, Signature, iter_leaves

#: Signatures with more shared variables than this get every differing leaf named, not the fewest.
_MAX_SEARCHED = 200


def diff_aliases(cached: Signature, wanted: Signature, differing: Sequence[str]) -> list[Change]:
    """The fewest variables to put back, beside the `differing` paths, for the cached pattern of sharing to return."""
    old, new = _variables(cached), _variables(wanted)
    if len(old) < 2:
        return []
    target = _pattern(old)
    kept = [path for path in old if path in new and not any(_is_under(path, other) for other in differing)]

    def restores(put_back: set[str]) -> bool:
        return _pattern({p: new[p] if p in kept_set and p not in put_back else old[p] for p in old}) == target

    kept_set = set(kept)
    if restores(set()):
        return []
    chosen = next(({path} for path in kept if restores({path})), None)
    if chosen is None:
        chosen = {path for path in kept if old[path] != new[path]}
        if len(chosen) <= _MAX_SEARCHED:
            for path in reversed(kept):
                if path in chosen and restores(chosen - {path}):
                    chosen.discard(path)
    return [
        Change("variable_identity", path, _sharing(path, old), _sharing(path, new)) for path in kept if path in chosen
    ]


def _variables(signature: Signature) -> dict[str, int]:
    leaves: list[tuple[str, Node]] = []
    for path, node in signature.arguments:
        leaves += [(p, leaf) for p, leaf in iter_leaves(path, node) if leaf.kind == "variable"]
    return {path: leaf.identity for path, leaf in leaves}


def _pattern(variables: dict[str, int]) -> list[int]:
    """Numbers in order of first appearance: equal lists, equal sharing."""
    numbers: dict[int, int] = {}
    return [numbers.setdefault(identity, len(numbers)) for identity in variables.values()]


def _is_under(path: str, other: str) -> bool:
    return path == other or (path.startswith(other) and path[len(other)] in "[.")


def _sharing(path: str, variables: dict[str, int]) -> str:
    same = next((other for other, identity in variables.items() if identity == variables[path] and other != path), None)
    return f"the same variable as {same}" if same else "a variable of its own"
