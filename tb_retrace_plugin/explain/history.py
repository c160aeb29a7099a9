"""The earlier traces of one function's code, and which of them a new signature is closest to."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tb_retrace_plugin.explain.change import Change
from tb_retrace_plugin.explain.diff import diff_signatures
from tb_retrace_plugin.schema.signature import Node, Signature, iter_leaves

#: Rows kept per code; beyond it the older half is forgotten (the latest are the ones that users compare with).
MAX_ENTRIES = 20_000
#: Entries that cannot be compared by leaf hashes (other structure, unknown dimensions) and are compared one by one.
_MAX_SLOW = 64


@dataclass(frozen=True, slots=True)
class Entry:
    """A successful trace. `seq` and `n` are 0 if it was traced before recording started."""

    signature: Signature
    object_number: int
    scope: str
    seq: int
    n: int
    graph_key: str = ""  # equal keys: same graph and same captured objects


@dataclass(slots=True)
class _Rows:
    """Entries of one structure: a matrix of leaf hashes, int64 [entries, leaves]."""

    leaves: np.ndarray
    entries: list[int]


class History:
    """Not thread-safe: the recorder holds its lock."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.forgotten = 0
        self._rows: dict[int, _Rows] = {}
        self._general: list[int] = []  # with unknown dimensions: equality of hashes is not their rule

    def add(self, entry: Entry) -> None:
        if len(self.entries) >= MAX_ENTRIES:
            self._forget_older_half()
        index = len(self.entries)
        self.entries.append(entry)
        if _has_unknown_dimension(entry.signature):
            self._general.append(index)
        structure, hashes = _leaf_hashes(entry.signature)
        rows = self._rows.get(structure)
        if rows is None:
            rows = self._rows[structure] = _Rows(np.empty((4, len(hashes)), np.int64), [])
        used = len(rows.entries)
        if used == len(rows.leaves):
            rows.leaves = np.concatenate([rows.leaves, np.empty_like(rows.leaves)])
        rows.leaves[used] = hashes
        rows.entries.append(index)

    def closest(
        self, wanted: Signature, object_number: int | None = None, scope: str | None = None
    ) -> tuple[Entry, list[Change]] | None:
        """The entry with the fewest differing leaves (the latest of several) and those differences.

        `object_number` and `scope` limit the choice. None if there is no entry to choose from.
        """
        allowed = [
            (object_number is None or e.object_number == object_number) and (scope is None or e.scope == scope)
            for e in self.entries
        ] if object_number is not None or scope is not None else None
        candidates: set[int] = set()
        structure, hashes = _leaf_hashes(wanted)
        rows = self._rows.get(structure)
        if rows is not None:
            distance = (rows.leaves[: len(rows.entries)] != np.asarray(hashes, np.int64)).sum(axis=1)
            if allowed is not None:
                mask = np.fromiter((allowed[i] for i in rows.entries), bool, len(rows.entries))
                distance = np.where(mask, distance, len(hashes) + 1)
            best = int(distance.min())
            if best <= len(hashes):
                candidates.add(rows.entries[len(distance) - 1 - int(distance[::-1].argmin())])
        slow = [i for i in reversed(self._general) if allowed is None or allowed[i]][:_MAX_SLOW]
        if not candidates:
            slow += [i for i in range(len(self.entries) - 1, -1, -1) if allowed is None or allowed[i]][:_MAX_SLOW]
        candidates.update(slow)
        ranked = [(len({c.path for c in changes}), -index, index, changes) for index, changes in (
            (i, diff_signatures(self.entries[i].signature, wanted)) for i in candidates
        )]
        if not ranked:
            return None
        _, _, index, changes = min(ranked, key=lambda item: item[:2])
        return self.entries[index], changes

    def _forget_older_half(self) -> None:
        kept = self.entries[len(self.entries) // 2 :]
        self.forgotten += len(self.entries) - len(kept)
        self.entries, self._rows, self._general = [], {}, []
        for entry in kept:
            self.add(entry)


def _leaf_hashes(signature: Signature) -> tuple[int, list[int]]:
    paths: list[str] = []
    hashes: list[int] = []
    for group in (signature.arguments, signature.captures):
        for path, node in group:
            for leaf_path, leaf in iter_leaves(path, node):
                paths.append(leaf_path)
                # which variable it is does not matter to TensorFlow, only which arguments share one
                hashes.append(hash(leaf if leaf.kind != "variable" else replace(leaf, identity=0)))
    for name, text in sorted(signature.context.items()):
        paths.append(name)
        hashes.append(hash(text))
    return hash(tuple(paths)), hashes


def _has_unknown_dimension(signature: Signature) -> bool:
    return any(_is_general(node) for _, node in signature.arguments)


def _is_general(node: Node) -> bool:
    if node.kind in ("tensor", "variable") and (node.shape is None or -1 in node.shape):
        return True
    return any(_is_general(child) for _, child in node.children)
