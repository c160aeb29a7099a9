"""The earlier traces of one function's code, and which of them a new signature is closest to."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tb_retrace_plugin.explain.candidate import is_number
from tb_retrace_plugin.explain.change import Change
from tb_retrace_plugin.explain.closure import ClosedOver
from tb_retrace_plugin.explain.diff import diff_nodes, diff_signatures
from tb_retrace_plugin.explain.last_batch import smaller_batch
from tb_retrace_plugin.explain.near_shapes import differ_by_near_sizes
from tb_retrace_plugin.schema.signature import CONTAINERS, Node, Signature, iter_leaves

#: Rows kept per code; beyond it the older half is forgotten (the latest are the ones that users compare with).
MAX_ENTRIES = 20_000
#: Of structures, and of entries where equal hashes are not the rule (unknown dimensions, near sizes), the latest.
_MAX_SLOW = 64
#: Of entries that are gone through for what is a fact beside the comparison, the latest.
_MAX_LIKE = 16
_NEVER = 1 << 40
#: Causes that may be a container's.
_OF_CONTAINERS = frozenset({"structure", "python_type", "composite_spec"})
#: Parts of a composite that is of another class, or of which it is not known which differ.
_AS_A_WHOLE = 4
#: Kinds of variables that one argument has by turns, such as a model's: of more there may be no end.
_FEW_VARIABLES = 8
#: Up to so many, comparing row by row is quicker.
_FEW_LEAVES = 8
#: Entries compared at once, the latest first: mostly the nearest is among them.
_BLOCK = 256
#: Paths of the leaves, and what holds them: (kind, class, its identity), outermost first.
_Structure = tuple[tuple[str, ...], tuple[tuple[str, str, int], ...]]


@dataclass(slots=True)
class Entry:
    """A successful trace; never changed. `seq` and `n` are 0 if it was traced before recording started.

    `nodes`: of its graph; 0: not known.
    """

    signature: Signature
    object_number: int
    scope: str
    seq: int
    n: int
    graph_key: str = ""  # equal keys: same graph and same captured objects
    closure: tuple[ClosedOver, ...] | None = None  # None: not known
    nodes: int = 0


class _Rows:
    """Entries of one structure: leaf hashes int64 [leaves, entries], owners (object, scope) int64 [2, entries].

    The latest wait to be put into the arrays: nearly always no more than the very latest is looked at.
    """

    def __init__(self, paths: tuple[str, ...]) -> None:
        self.paths = paths
        self.leaves = np.empty((len(paths), 4), np.int64)
        self.owners = np.empty((2, 4), np.int64)
        self.entries: list[int] = []
        self._waiting: list[tuple[list[int], tuple[int, int]]] = []
        self._owner: tuple[int, int] | None = None  # of all entries, while they have the same
        self._latest: tuple[list[int], tuple[int, int]] = [], (0, 0)

    def add(self, hashes: list[int], owner: tuple[int, int], index: int) -> None:
        self._owner = owner if not self.entries or self._owner == owner else None
        self.entries.append(index)
        self._latest = hashes, owner
        self._waiting.append((hashes, owner))
        if len(self._waiting) == _BLOCK:
            self._put_in()

    def _put_in(self) -> None:
        end = len(self.entries)
        used = end - len(self._waiting)
        if end > self.owners.shape[1]:
            more = max(end, 2 * used) - self.owners.shape[1]
            self.leaves = np.concatenate([self.leaves, np.empty((len(self.paths), more), np.int64)], axis=1)
            self.owners = np.concatenate([self.owners, np.empty((2, more), np.int64)], axis=1)
        for place, (hashes, owner) in enumerate(self._waiting, used):
            self.leaves[:, place] = hashes
            self.owners[:, place] = owner
        self._waiting.clear()

    def nearest(
        self, hashes: Mapping[str, int], object_number: int | None, scope: int | None, *, is_same: bool
    ) -> int | None:
        """The entry with the fewest unequal leaves of those at the same paths, the latest of several.

        `is_same`: what is looked for has this structure.
        """
        owners = (object_number, scope)
        if self._owner is not None:
            if any(wanted not in (None, owner) for wanted, owner in zip(owners, self._owner, strict=True)):
                return None
            owners = (None, None)
        # the object's own cache has missed: none of its entries of this structure is nearer than by one leaf
        floor = 1 if object_number is not None and is_same else 0
        latest, owner = self._latest
        if floor and (owners == (None, None) or owner == (object_number, scope)):  # nearly always one leaf has changed
            unequal = sum([new != old for new, old in zip(hashes.values(), latest, strict=True)])
            if unequal <= floor:
                return self.entries[-1]
        self._put_in()
        best, nearest = _NEVER, None
        stop, size = len(self.entries), _BLOCK
        while stop > 0 and best > floor:
            start = max(0, stop - size)
            distance = self._distances(hashes, owners, slice(start, stop))
            last = len(distance) - 1 - int(distance[::-1].argmin())
            if distance[last] < best:
                best, nearest = int(distance[last]), self.entries[start + last]
            stop, size = start, 4 * size
        return nearest

    def nearest_with(
        self, hashes: Mapping[str, int], equal: Sequence[str], object_number: int, scope: int
    ) -> int | None:
        """The entry with the fewest unequal leaves of the latest that are equal at the paths `equal`."""
        if len(self.entries) == 1 or self._owner not in (None, (object_number, scope)):
            return None  # the one that there is, or all, are not what is looked for
        self._put_in()
        size = len(self.entries)
        fits = (self.owners[0, :size] == object_number) & (self.owners[1, :size] == scope)
        for path in equal:
            fits &= self.leaves[self.paths.index(path), :size] == hashes[path]
        places = np.flatnonzero(fits)[-_BLOCK:]
        if not len(places):
            return None
        column = np.fromiter(hashes.values(), np.int64, len(hashes))[:, None]
        distance = (self.leaves[:, places] != column).sum(axis=0)
        return self.entries[int(places[len(places) - 1 - int(distance[::-1].argmin())])]

    def as_near(self, hashes: Mapping[str, int], object_number: int | None, scope: int | None) -> list[int]:
        """Of the latest entries those with as few unequal leaves as `nearest`, the latest first."""
        self._put_in()
        stop = len(self.entries)
        start = max(0, stop - _MAX_SLOW)
        distance = self._distances(hashes, (object_number, scope), slice(start, stop))
        found = np.flatnonzero((distance == distance.min()) & (distance < _NEVER))[::-1]
        return [self.entries[start + int(place)] for place in found]

    def _distances(self, hashes: Mapping[str, int], owners: tuple[int | None, int | None], part: slice) -> Any:
        if len(self.paths) > _FEW_LEAVES and tuple(hashes) == self.paths:
            column = np.fromiter(hashes.values(), np.int64, len(hashes))[:, None]
            distance = (self.leaves[:, part] != column).sum(axis=0)
        else:
            distance = np.zeros(part.stop - part.start, np.int64)
            for path, row in zip(self.paths, self.leaves, strict=True):
                if path in hashes:
                    distance += row[part] != hashes[path]
        for row, wanted in zip(self.owners, owners, strict=True):
            if wanted is not None:
                distance[row[part] != wanted] = _NEVER
        return distance


class History:
    """Not thread-safe: the recorder holds its lock."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.forgotten = 0
        self._rows: dict[_Structure, _Rows] = {}
        self._general: list[int] = []  # with unknown dimensions: equality of hashes is not their rule
        self._by_graph: dict[str, Entry] = {}  # the latest of each graph
        self._scopes: dict[str, int] = {}
        self._of_object: dict[int, list[int]] = {}
        # the latest: it is looked up, then added
        self._hashed: tuple[Signature, dict[str, int], _Structure] | None = None

    def add(self, entry: Entry) -> None:
        if len(self.entries) >= MAX_ENTRIES:
            self._forget_older_half()
        index = len(self.entries)
        self.entries.append(entry)
        self._of_object.setdefault(entry.object_number, []).append(index)
        if entry.graph_key:
            self._by_graph[entry.graph_key] = entry
        if has_unknown_dimension(entry.signature):
            self._general.append(index)
        hashes, structure = self._hashes(entry.signature)
        rows = self._rows.get(structure)
        if rows is None:
            rows = self._rows[structure] = _Rows(structure[0])
        rows.add(
            list(hashes.values()), (entry.object_number, self._scopes.setdefault(entry.scope, len(self._scopes))), index
        )

    def closest(
        self, wanted: Signature, object_number: int | None = None, scope: str | None = None
    ) -> tuple[Entry, list[Change]] | None:
        """The entry with the fewest differing leaves and those differences; of several the one whose leaves differ in
        least (`_rank`), and the latest of those.

        `object_number` and `scope` limit the choice. None if there is no entry to choose from.
        """
        if object_number is not None and object_number not in self._of_object:
            return None
        if scope is not None and scope not in self._scopes:
            return None
        hashes, structure = self._hashes(wanted)
        scope_number = None if scope is None else self._scopes[scope]
        same = self._rows.get(structure)
        if same is not None and len(self._rows) == 1 and not self._general:  # nearly always: no others to rank
            near = same.nearest(hashes, object_number, scope_number, is_same=True)
            if near is not None:
                changes = diff_signatures(self.entries[near].signature, wanted)
                if _differs_in_least(changes):
                    return self.entries[near], changes
        candidates: set[int] = set()
        # other structures too: a key more may be less of a difference than five shapes
        for rows in dict.fromkeys(
            [*([same] if same else []), *itertools.islice(reversed(self._rows.values()), _MAX_SLOW)]
        ):
            near = rows.nearest(hashes, object_number, scope_number, is_same=rows is same)
            if near is None:
                continue
            candidates.add(near)
            if not _differs_in_least(diff_signatures(self.entries[near].signature, wanted)):
                candidates.update(rows.as_near(hashes, object_number, scope_number))  # one may differ in less
        candidates.update(self._latest(self._general, object_number, scope))
        if not candidates:
            everything = range(len(self.entries)) if object_number is None else self._of_object[object_number]
            candidates.update(self._latest(everything, object_number, scope))
        best: tuple[int, int, int] | None = None
        found = None
        for index in sorted(candidates, reverse=True):
            entry = self.entries[index]
            changes = diff_signatures(entry.signature, wanted)
            paths = len({change.path for change in changes})
            if best is not None and paths > best[0]:
                continue
            rank = *_rank(changes, entry.signature, wanted), -index
            if best is None or rank < best:
                best, found = rank, (entry, changes)
        return found

    def closest_with(
        self, wanted: Signature, same: Sequence[str], object_number: int, scope: str
    ) -> tuple[Entry, list[Change]] | None:
        """Of the entries of one structure with `wanted` those that are equal to it at the paths `same`, the closest."""
        hashes, structure = self._hashes(wanted)
        rows, scope_number = self._rows.get(structure), self._scopes.get(scope)
        if rows is None or scope_number is None:
            return None
        equal: list[str] = []
        for path in same:
            leaves = [leaf for leaf in hashes if _is_within(leaf, path) or leaf == f"context {path}"]
            if not leaves:
                return None
            equal += leaves
        near = rows.nearest_with(hashes, equal, object_number, scope_number)
        return None if near is None else (self.entries[near], diff_signatures(self.entries[near].signature, wanted))

    def closest_alike(
        self, wanted: Signature, alike: Sequence[str], object_number: int, scope: str
    ) -> tuple[Entry, list[Change]] | None:
        """Of the latest entries those that have a tensor or number where `wanted` has one at the paths `alike`, and at
        the others of them what it has; the closest."""
        found = None
        kinds = [_kind_at(wanted, path) for path in alike]
        if None in kinds or all(isinstance(kind, Node) for kind in kinds):  # as `closest_with`
            return None
        best: tuple[int, int, int] | None = None
        looked = 0
        for index in self._latest(self._of_object.get(object_number, ()), object_number, scope):
            entry = self.entries[index]
            if looked < _MAX_LIKE and [_kind_at(entry.signature, path) for path in alike] == kinds:
                looked += 1
                changes = diff_signatures(entry.signature, wanted)
                rank = *_rank(changes, entry.signature, wanted), -index
                if best is None or rank < best:
                    best, found = rank, (entry, changes)
        return found

    def is_one_of_many_variables(self, changes: Sequence[Change], wanted: Signature) -> bool:
        """Whether a variable comes in many shapes and dtypes: as many as there may be to come."""
        for path in {change.path for change in changes if "variable" in change.parts and change.cause != "structure"}:
            kinds = {(wanted_at.dtype, wanted_at.shape) if (wanted_at := node_at(wanted, path)) else None}
            for entry in self.entries[-_MAX_LIKE:]:
                node = node_at(entry.signature, path)
                if node is not None and node.kind == "variable":
                    kinds.add((node.dtype, node.shape))
            if len(kinds) > _FEW_VARIABLES:
                return True
        return False

    def is_the_second_size(self, entry: Entry, wanted: Signature) -> bool:
        """Whether it is a smaller batch than `entry`'s, which is all that there was: of many sizes none is the last."""
        return smaller_batch(entry.signature, wanted) is not None and all(
            other.signature == entry.signature for other in self.entries[-_MAX_SLOW:]
        )

    def has_near_sizes(self, wanted: Signature) -> bool:
        """Whether nothing but near sizes tells it from one of the latest entries."""
        return any(differ_by_near_sizes(entry.signature, wanted) for entry in self.entries[-_MAX_SLOW:])

    def with_graph(self, graph_key: str) -> Entry | None:
        """The latest entry of that graph and those captures."""
        return self._by_graph.get(graph_key)

    def _hashes(self, signature: Signature) -> tuple[dict[str, int], _Structure]:
        if self._hashed is None or self._hashed[0] is not signature:
            self._hashed = signature, *_leaf_hashes(signature)
        return self._hashed[1:]

    def _latest(self, indices: Sequence[int], object_number: int | None, scope: str | None) -> list[int]:
        """Up to `_MAX_SLOW` of the latest that the choice is limited to."""
        found: list[int] = []
        for index in reversed(indices):
            entry = self.entries[index]
            if object_number in (None, entry.object_number) and scope in (None, entry.scope):
                found.append(index)
                if len(found) == _MAX_SLOW:
                    break
        return found

    def _forget_older_half(self) -> None:
        kept = self.entries[len(self.entries) // 2 :]
        self.forgotten += len(self.entries) - len(kept)
        self.entries, self._rows, self._general, self._of_object = [], {}, [], {}
        self._by_graph = {}
        for entry in kept:
            self.add(entry)


def _kind_at(signature: Signature, path: str) -> Node | str | None:
    """`tensor` or `number`, all of which can be made alike; the node itself of all else; None if there is none."""
    node = node_at(signature, path)
    if node is not None and (node.kind == "tensor" or is_number(node)):
        return "tensor" if node.kind == "tensor" else "number"
    return node


def _rank(changes: Sequence[Change], cached: Signature, wanted: Signature) -> tuple[int, int]:
    """How many leaves differ; and in how much, beyond one thing each."""
    weights = [_weight(change) for change in changes]
    for change in changes:
        if change.cause == "structure":  # what holds nothing, or is not there, is no container's like
            old, new = node_at(cached, change.path), node_at(wanted, change.path)
            weights.append(old is None or new is None or _holds_leaves(old) != _holds_leaves(new))
    return _differing_leaves(changes, cached, wanted), sum(weights) - len({change.path for change in changes})


def _differs_in_least(changes: Sequence[Change]) -> bool:
    """Whether no other of the same structure, with as many differing leaves, can differ in less."""
    return sum(map(_weight, changes)) == len({change.path for change in changes})


def _weight(change: Change) -> int:
    """A leaf may differ in dtype and shape, a composite in several parts, or as a whole. None is no tensor's like; and
    which variables share may be one change less, against another."""
    if change.cause == "composite_spec":
        return len(change.parts) or _AS_A_WHOLE
    return 2 if change.cause in ("python_type", "variable_identity") else 1


def _leaf_hashes(signature: Signature) -> tuple[dict[str, int], _Structure]:
    """Path of each leaf -> a number that is equal for equal leaves; and what the leaves lie in."""
    hashes: dict[str, int] = {}
    containers: list[tuple[str, str, int]] = []
    variables: dict[int, str] = {}
    for group in (signature.arguments, signature.captures):
        for path, node in group:
            _add_hashes(path, node, hashes, containers, variables)
    for name, text in sorted(signature.context.items()):
        hashes[f"context {name}"] = hash(text)
    return hashes, (tuple(hashes), tuple(containers))


def _add_hashes(
    path: str, node: Node, hashes: dict[str, int], containers: list[tuple[str, str, int]], variables: dict[int, str]
) -> None:
    """`variables`: identity of each so far -> the path where it was first."""
    if _holds_leaves(node):
        containers.append((node.kind, node.type_name, node.identity))
        for key, child in node.children:
            _add_hashes(path + key, child, hashes, containers, variables)
    elif node.kind == "variable":  # which one it is does not matter to TensorFlow, only which arguments share it
        first = variables.setdefault(node.identity, path)
        hashes[path] = hash((replace(node, identity=0), first))
    else:
        hashes[path] = hash(node)


def _holds_leaves(node: Node) -> bool:
    """As `iter_leaves` has it."""
    return bool(node.children) and node.kind in CONTAINERS and not (node.kind == "composite" and node.value)


def _differing_leaves(changes: Sequence[Change], cached: Signature, wanted: Signature) -> int:
    """How many leaves the changes are of: one of a container's structure is of all in it that do not fit.

    A container of another kind, a list for a tuple, is one more.
    """
    containers = {change.path for change in changes if change.cause in _OF_CONTAINERS}
    differing = {change.path for change in changes if change.path not in containers}
    if not containers:
        return len(differing)
    old, new = _leaves(cached), _leaves(wanted)
    count = 0
    for path in containers:
        of_old = [p for p in old if _is_within(p, path) and (p not in new or diff_nodes(old[p], new[p], p))]
        of_new = [p for p in new if _is_within(p, path) and (p not in old or diff_nodes(old[p], new[p], p))]
        differing.update(of_new if len(of_new) > len(of_old) else of_old)
        if not (of_old or of_new) or _is_of_another_kind(path, cached, wanted):
            count += 1
    return count + len(differing)


def _is_of_another_kind(path: str, cached: Signature, wanted: Signature) -> bool:
    """Whether another kind of container holds the leaves at `path`."""
    old, new = (node_at(signature, path) for signature in (cached, wanted))
    if old is None or new is None or not (_holds_leaves(old) and _holds_leaves(new)):
        return False
    return (old.kind, old.type_name, old.identity) != (new.kind, new.type_name, new.identity)


def node_at(signature: Signature, path: str) -> Node | None:
    """The argument, or part of one, at `path`."""
    pending = list(signature.arguments)
    while pending:
        at, node = pending.pop()
        if at == path:
            return node
        if node.children and _is_within(path, at):
            pending += [(at + key, child) for key, child in node.children]
    return None


def _leaves(signature: Signature) -> dict[str, Node]:
    return {path: leaf for start, node in signature.arguments for path, leaf in iter_leaves(start, node)}


def _is_within(path: str, container: str) -> bool:
    return path == container or path.startswith((f"{container}[", f"{container}."))


def has_unknown_dimension(signature: Signature) -> bool:
    return any(_is_general(node) for _, node in signature.arguments)


def _is_general(node: Node) -> bool:
    if node.kind in ("tensor", "variable") and (node.shape is None or -1 in node.shape):
        return True
    return any(_is_general(child) for _, child in node.children)
