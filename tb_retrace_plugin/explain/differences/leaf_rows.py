"""Earlier signatures as rows of numbers, one for each leaf: thousands are compared at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tb_retrace_plugin.explain.differences.nearness import holds_leaves
from tb_retrace_plugin.schema.signature import Node, Signature

_NEVER = 1 << 40
#: Up to so many, comparing row by row is quicker.
_FEW_LEAVES = 8
#: Up to so many leaves in all, as of most functions, comparing one by one is quicker than arrays are made.
_FEW = 256
#: Entries compared at once, the latest first: mostly the nearest is among them.
_BLOCK = 256
#: Of the latest entries that are as near.
_MAX_AS_NEAR = 64
#: Paths of the leaves, and what holds them: (kind, class, its identity), outermost first.
Structure = tuple[tuple[str, ...], tuple[tuple[str, str, int], ...]]


class Rows:
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
            if object_number not in (None, self._owner[0]) or scope not in (None, self._owner[1]):
                return None
            owners = (None, None)
        # the object's own cache has missed: none of its entries of this structure is nearer than by one leaf
        floor = 1 if object_number is not None and is_same else 0
        latest, owner = self._latest
        if floor and (owners == (None, None) or owner == (object_number, scope)):  # nearly always one leaf has changed
            unequal = sum([new != old for new, old in zip(hashes.values(), latest, strict=True)])
            if unequal <= floor:
                return self.entries[-1]
        if len(self._waiting) == len(self.entries) and len(self.entries) * len(self.paths) <= _FEW:
            return self._nearest_of_few(hashes, owners)
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

    def _nearest_of_few(self, hashes: Mapping[str, int], owners: tuple[int | None, int | None]) -> int | None:
        """As `nearest`, of entries that are not in the arrays yet."""
        wanted = [hashes.get(path) for path in self.paths]
        best, nearest = _NEVER, None
        for entry, (row, owner) in zip(reversed(self.entries), reversed(self._waiting), strict=True):
            if owners[0] in (None, owner[0]) and owners[1] in (None, owner[1]):
                distance = sum([one is not None and one != other for one, other in zip(wanted, row, strict=True)])
                if distance < best:
                    best, nearest = distance, entry
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
        start = max(0, stop - _MAX_AS_NEAR)
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


def leaf_hashes(signature: Signature) -> tuple[dict[str, int], Structure]:
    """Path of each leaf -> a number that is equal for equal leaves; and what the leaves lie in."""
    hashes: dict[str, int] = {}
    containers: list[tuple[str, str, int]] = []
    variables: dict[int, str] = {}
    for group in (signature.arguments, signature.captures):
        for path, node in group:
            if node.children or node.kind == "variable":
                _add_hashes(path, node, hashes, containers, variables)
            else:
                hashes[path] = hash(node)
    for name, text in sorted(signature.context.items()):
        hashes[f"context {name}"] = hash(text)
    return hashes, (tuple(hashes), tuple(containers))


def _add_hashes(
    path: str, node: Node, hashes: dict[str, int], containers: list[tuple[str, str, int]], variables: dict[int, str]
) -> None:
    """`variables`: identity of each so far -> the path where it was first."""
    if holds_leaves(node):
        containers.append((node.kind, node.type_name, node.identity))
        for key, child in node.children:
            _add_hashes(path + key, child, hashes, containers, variables)
    elif node.kind == "variable":  # which one it is does not matter to TensorFlow, only which arguments share it
        first = variables.setdefault(node.identity, path)
        hashes[path] = hash((replace(node, identity=0), first))
    else:
        hashes[path] = hash(node)
