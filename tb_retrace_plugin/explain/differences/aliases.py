"""Variables passed more than once: TensorFlow's cache key holds which arguments are the same variable.

A variable's own identity is no part of the key, the pattern of sharing is (`VariableSpec.alias_id`, numbered in order
of appearance). So one leaf's sharing cannot be judged alone: the whole pattern is compared, with the leaves that
differ otherwise taken as put back.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tb_retrace_plugin.explain.differences.change import Change
from tb_retrace_plugin.schema.signature import Node, Signature, iter_leaves

#: Signatures with more shared variables than this get every differing leaf named, not the fewest.
_MAX_SEARCHED = 200
#: How the texts of a change of key order begin.
KEY_ORDER = "keys in order"


def diff_aliases(cached: Signature, wanted: Signature, differing: Sequence[str]) -> list[Change]:
    """The fewest variables to put back, beside the `differing` paths, for the cached pattern of sharing to return."""
    old = _variables(cached)
    if len(old) < 2:
        return []
    new = _variables(wanted)
    target = _pattern(old)
    kept = [path for path in old if path in new and not any(_is_under(path, other) for other in differing)]

    kept_set = set(kept)
    others = {path: -1 - identity for path, identity in old.items()}  # that share as the old ones do

    def restores(put_back: set[str], old: dict[str, int] = old) -> bool:
        return _pattern({p: new[p] if p in kept_set and p not in put_back else old[p] for p in old}) == target

    if not restores(set()) and restores(set(), others):  # which of its like a variable is does not matter to TensorFlow
        old = others
    chosen: set[str] = set()
    is_the_same = list(old) == list(new) and _pattern(new) == target  # whichever they are
    if not is_the_same and not restores(set(), old):
        single = next((path for path in kept if restores({path})), None)
        chosen = {single} if single is not None else {path for path in kept if old[path] != new[path]}
        if 1 < len(chosen) <= _MAX_SEARCHED:
            for path in reversed(kept):
                if path in chosen and restores(chosen - {path}):
                    chosen.discard(path)
    shared = [
        Change("variable_identity", path, _sharing(path, old), _sharing(path, new)) for path in kept if path in chosen
    ]
    final = {p: new[p] if p in kept_set and p not in chosen else old[p] for p in old}
    return shared + _diff_order(cached, wanted, old, final)


def _diff_order(cached: Signature, wanted: Signature, old: dict[str, int], final: dict[str, int]) -> list[Change]:
    """The fewest dictionaries whose keys came in another order: harmless, but for the numbering of their variables.

    `final`: the variable at each path once all else is put back.
    """
    target = _numbers(old)
    orders = {path: (before, now) for path, before, now in _reordered(cached, wanted)}

    def numbered(restored: set[str]) -> dict[str, int]:
        return _numbers({path: final[path] for path in _paths_in_order(cached, wanted, restored) if path in final})

    if not orders or numbered(set()) == target:
        return []
    chosen = set(orders)
    for path in orders:
        if numbered(chosen - {path}) == target:
            chosen.discard(path)
    return [
        Change("structure", path, f"{KEY_ORDER} {', '.join(before)}", f"{KEY_ORDER} {', '.join(now)}")
        for path, (before, now) in orders.items()
        if path in chosen
    ]


def _reordered(cached: Signature, wanted: Signature) -> list[tuple[str, list[str], list[str]]]:
    """Dictionaries that have all the cached one's keys, in another order: path, cached and wanted order."""
    found = []
    todo = _pairs(dict(cached.arguments), dict(wanted.arguments))
    while todo:
        path, old, new = todo.pop(0)
        if new is None or old.kind != new.kind:
            continue
        children, others = dict(old.children), dict(new.children)
        now = [key for key in others if key in children]
        if old.kind == "dict" and set(children) <= set(others) and list(children) != now:
            found.append((path, [key[1:-1] for key in children], [key[1:-1] for key in now]))
        todo += [(path + key, child, other) for key, child, other in _pairs(children, others)]
    return found


def _paths_in_order(cached: Signature, wanted: Signature, restored: set[str]) -> Iterator[str]:
    """Leaf paths of the cached signature in the order that TensorFlow would meet them, but for `restored` dicts."""

    def walk(path: str, old: Node, new: Node | None) -> Iterator[str]:
        children = dict(old.children)
        if not children:
            yield path
            return
        others = dict(new.children) if new is not None and new.kind == old.kind else {}
        keys = list(children)
        if old.kind == "dict" and path not in restored and set(children) <= set(others):
            keys = [key for key in others if key in children]
        for key in keys:
            yield from walk(path + key, children[key], others.get(key))

    for path, old, new in _pairs(dict(cached.arguments), dict(wanted.arguments)):
        yield from walk(path, old, new)


def _pairs(old: dict[str, Node], new: dict[str, Node]) -> list[tuple[str, Node, Node | None]]:
    return [(key, node, new.get(key)) for key, node in old.items()]


def _numbers(variables: dict[str, int]) -> dict[str, int]:
    return dict(zip(variables, _pattern(variables), strict=True))


def _variables(signature: Signature) -> dict[str, int]:
    found: dict[str, int] = {}
    for path, node in signature.arguments:
        if node.children:
            found.update((p, leaf.identity) for p, leaf in iter_leaves(path, node) if leaf.kind == "variable")
        elif node.kind == "variable":
            found[path] = node.identity
    return found


def _pattern(variables: dict[str, int]) -> list[int]:
    """Numbers in order of first appearance: equal lists, equal sharing."""
    numbers: dict[int, int] = {}
    return [numbers.setdefault(identity, len(numbers)) for identity in variables.values()]


def _is_under(path: str, other: str) -> bool:
    return path == other or (path.startswith(other) and path[len(other)] in "[.")


def _sharing(path: str, variables: dict[str, int]) -> str:
    same = next((other for other, identity in variables.items() if identity == variables[path] and other != path), None)
    return f"the same variable as {same}" if same else "a variable of its own"
