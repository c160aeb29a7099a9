"""The earlier traces of one function's code, and which of them a new signature is closest to."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from tb_retrace_plugin.explain.differences.change import Change
from tb_retrace_plugin.explain.differences.closure import ClosedOver
from tb_retrace_plugin.explain.differences.diff import diff_signatures
from tb_retrace_plugin.explain.differences.leaf_rows import Rows, Structure, leaf_hashes
from tb_retrace_plugin.explain.differences.nearness import differs_in_least, is_within, node_at, rank
from tb_retrace_plugin.explain.earlier_traces.compiled import Compiled
from tb_retrace_plugin.explain.what_if.candidate import is_number
from tb_retrace_plugin.explain.what_if.last_batch import smaller_batch
from tb_retrace_plugin.explain.what_if.near_shapes import differ_by_near_sizes
from tb_retrace_plugin.schema.signature import Node, Signature

#: Rows kept per code; beyond it the older half is forgotten (the latest are the ones that users compare with).
MAX_ENTRIES = 20_000
#: Of structures, and of entries where equal hashes are not the rule (unknown dimensions, near sizes), the latest.
_MAX_SLOW = 64
#: Of entries that are gone through for what is a fact beside the comparison, the latest.
_MAX_LIKE = 16
_MAX_VARIABLES = 256
#: Kinds of variables that one argument has by turns, such as a model's: of more there may be no end.
_FEW_VARIABLES = 8


_ALIKE = frozenset({"tensor", "list", "tuple"})
_NUMBER_AS_A_TENSOR = {"number", "tensor"}
_NOTHING: Mapping[str, Any] = MappingProxyType({})


class Dataset(NamedTuple):
    """`lines`: those that build it, with their instructions; `data`: what it is made of, as a digest; empty: not known.

    `output_signature`: of one that Keras makes of a generator or a PyDataset; "": of none such, or not known.
    `methods`: the last of `lines`, of Keras' methods that make it.
    """

    lines: tuple[tuple[str, int, int], ...]
    data: bytes
    output_signature: str = ""
    methods: tuple[tuple[str, int, int], ...] = ()


class Entry(NamedTuple):
    """A successful trace. `seq` and `n` are 0 if it was traced before recording started.

    `nodes`: of its graph; 0: not known. `attributes`, `without_text`, `without_numbers`, `without_sizes`: of its graph
    (capture/record/trace_graphs.py); None, "": not known.
    """

    signature: Signature
    object_number: int
    scope: str
    seq: int
    n: int
    graph_key: str = ""  # equal keys: same graph and same captured objects
    closure: tuple[ClosedOver, ...] | None = None  # None: not known
    nodes: int = 0
    attributes: tuple[int, int] | None = None
    without_text: str = ""
    without_numbers: str = ""
    without_sizes: str = ""
    passed_numbers: tuple[bytes, tuple[tuple[str, frozenset[str]], ...]] | None = None  # graphs/passed_numbers.py
    passed_but_text: tuple[bytes, tuple[tuple[str, frozenset[str]], ...]] | None = None
    held: Mapping[str, str] = _NOTHING  # numbers read of objects that were passed, by name
    holdings: Mapping[str, object] = _NOTHING  # of such by path: equal for those that hold the same
    variables: str = ""  # dtypes and shapes of those that it captures, where objects decide that; "": not known
    dataset: Dataset | None = None  # whose elements it was traced for; None: for none, or for one built in a trace
    jit_compile: bool = False
    reduce_retracing: bool = False
    flags: Mapping[str, str] = _NOTHING  # bools and texts read of the object whose method it is
    compiled: Compiled | None = None  # what the model of a function of Keras' was compiled with
    nested_nodes: int = 0  # of the functions that its graph calls


class History:
    """Not thread-safe: the recorder holds its lock."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.compiled: set[bool] = set()  # whether by XLA: of all that were recorded
        self.widened: set[bool] = set()  # the same of `reduce_retracing`
        self.forgotten = 0
        self._rows: dict[Structure, Rows] = {}
        self._general: list[int] = []  # with unknown dimensions: equality of hashes is not their rule
        self._by_graph: dict[str, Entry] = {}  # the latest of each graph
        self._but_for_sizes: dict[str, Entry] = {}  # the same, whatever its sizes
        self._but_for_numbers: dict[str, Entry] = {}  # the same, whatever its constants that are numbers
        # the latest of each dataset, and of those of some lines, by graph ("": any)
        self._by_dataset: dict[tuple[str, Dataset | tuple[tuple[str, int, int], ...]], Entry] = {}
        self._scopes: dict[str, int] = {}
        self._of_object: dict[int, list[int]] = {}
        # the latest: it is looked up, then added
        self._hashed: tuple[Signature, dict[str, int], Structure] | None = None

    def add(self, entry: Entry) -> None:
        if len(self.entries) >= MAX_ENTRIES:
            self._forget_older_half()
        index = len(self.entries)
        self.entries.append(entry)
        if entry.seq:
            self.compiled.add(entry.jit_compile)
            self.widened.add(entry.reduce_retracing)
        self._of_object.setdefault(entry.object_number, []).append(index)
        if entry.graph_key:
            self._by_graph[entry.graph_key] = entry
        if entry.without_sizes:
            self._but_for_sizes[entry.without_sizes] = entry
        if entry.without_numbers:
            self._but_for_numbers[entry.without_numbers] = entry
        if entry.dataset is not None:
            self._by_dataset[entry.graph_key, entry.dataset] = self._by_dataset["", entry.dataset] = entry
            self._by_dataset[entry.graph_key, entry.dataset.lines] = entry
            self._by_dataset["", entry.dataset.lines] = entry
            if entry.dataset.methods:
                self._by_dataset[entry.graph_key, entry.dataset.methods] = entry
        if has_unknown_dimension(entry.signature):
            self._general.append(index)
        hashes, structure = self._hashes(entry.signature)
        rows = self._rows.get(structure)
        if rows is None:
            rows = self._rows[structure] = Rows(structure[0])
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
                if differs_in_least(changes):
                    return self.entries[near], changes
        candidates: set[int] = set()
        differences: dict[int, list[Change]] = {}  # of some
        # other structures too: a key more may be less of a difference than five shapes
        for rows in dict.fromkeys(
            [*([same] if same else []), *itertools.islice(reversed(self._rows.values()), _MAX_SLOW)]
        ):
            near = rows.nearest(hashes, object_number, scope_number, is_same=rows is same)
            if near is None:
                continue
            candidates.add(near)
            differences[near] = diff_signatures(self.entries[near].signature, wanted)
            if not differs_in_least(differences[near]):
                candidates.update(rows.as_near(hashes, object_number, scope_number))  # one may differ in less
        candidates.update(self._latest(self._general, object_number, scope))
        if not candidates:
            everything = range(len(self.entries)) if object_number is None else self._of_object[object_number]
            candidates.update(self._latest(everything, object_number, scope))
        best: tuple[int, int, int] | None = None
        found = None
        for index in sorted(candidates, reverse=True):
            entry = self.entries[index]
            changes = differences.get(index) or diff_signatures(entry.signature, wanted)
            paths = len({change.path for change in changes})
            if best is not None and paths > best[0]:
                continue
            ranked = *rank(changes, entry.signature, wanted), -index
            if best is None or ranked < best:
                best, found = ranked, (entry, changes)
        return found

    def has_variables(
        self, variables: str, nodes: int, nested_nodes: int, attributes: tuple[int, int] | None = None
    ) -> bool | None:
        """Whether a graph of so many nodes has captured variables of these dtypes and shapes; False: no graph has
        captured such; None: another one has, or in another order (which follows a colon in `variables`), or it is not
        known. `nested_nodes`: of the functions that it calls. `attributes`: as the entries have them, if that is known:
        models that differ in an activation make as many operations."""
        latest = self.entries[-_MAX_VARIABLES:]
        in_any_order = variables.partition(":")[2]
        of_such = [e for e in latest if e.variables == variables or e.variables.partition(":")[2] == in_any_order != ""]
        alike = [entry for entry in of_such if entry.variables == variables]
        if of_such or len(latest) < len(self.entries) or not all(entry.variables for entry in latest):
            as_large = [e for e in alike if (e.nodes, e.nested_nodes) == (nodes, nested_nodes)]
            return True if any(_may_have_the_same(e.attributes, attributes) for e in as_large) else None
        return False

    def latest_graphs(self) -> list[str]:
        """Keys of as many as are asked for their variables."""
        return [entry.graph_key for entry in self.entries[-_MAX_VARIABLES:]]

    def closest_widened(self, wanted: Signature, object_number: int, scope: str) -> tuple[Entry, list[Change]] | None:
        """As `closest`, of the latest entries that TensorFlow can widen for `wanted`: dimensions alone differ."""
        found = None
        best: tuple[int, int, int] | None = None
        for index in self._latest(self._of_object.get(object_number, ()), object_number, scope):
            entry = self.entries[index]
            changes = diff_signatures(entry.signature, wanted)
            if changes and all(map(_is_of_dimensions, changes)):
                ranked = *rank(changes, entry.signature, wanted), -index
                if best is None or ranked < best:
                    best, found = ranked, (entry, changes)
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
            leaves = [leaf for leaf in hashes if is_within(leaf, path) or leaf == f"context {path}"]
            if not leaves:
                return None
            equal += leaves
        near = rows.nearest_with(hashes, equal, object_number, scope_number)
        return None if near is None else (self.entries[near], diff_signatures(self.entries[near].signature, wanted))

    def closest_of_its_structure(
        self, wanted: Signature, object_number: int, scope: str
    ) -> tuple[Entry, list[Change]] | None:
        """Of the entries of one structure with `wanted` the closest."""
        hashes, structure = self._hashes(wanted)
        rows, scope_number = self._rows.get(structure), self._scopes.get(scope)
        if rows is None or scope_number is None:
            return None
        near = rows.nearest(hashes, object_number, scope_number, is_same=True)
        return None if near is None else (self.entries[near], diff_signatures(self.entries[near].signature, wanted))

    def closest_alike(
        self,
        wanted: Signature,
        alike: Sequence[str],
        object_number: int,
        scope: str,
        *,
        of_another_structure: bool = False,
    ) -> tuple[Entry, list[Change]] | None:
        """Of the latest entries those that have a tensor or a number, a list or a tuple where `wanted` has one at the
        paths `alike`, and at the others of them what it has; the closest. `of_another_structure`: also where all of
        them are what it has, which `closest_with` looks for in entries of one structure."""
        found = None
        kinds = [_kind_at(wanted, path) for path in alike]
        if None in kinds or (all(isinstance(kind, Node) for kind in kinds) and not of_another_structure):
            return None
        best: tuple[int, int, int] | None = None
        looked = 0
        for index in self._latest(self._of_object.get(object_number, ()), object_number, scope):
            entry = self.entries[index]
            if looked < _MAX_LIKE and all(_are_alike(entry.signature, wanted, path) for path in alike):
                looked += 1
                changes = diff_signatures(entry.signature, wanted)
                ranked = *rank(changes, entry.signature, wanted), -index
                if best is None or ranked < best:
                    best, found = ranked, (entry, changes)
        return found

    def holding_the_same(self, holdings: Mapping[str, object], object_number: int, scope: str) -> Entry | None:
        """The latest entry for objects that hold what these do, by path; None where it is not known what they hold."""
        if not holdings or None in holdings.values():
            return None
        latest = self._latest(self._of_object.get(object_number, ()), object_number, scope)
        found = (self.entries[index] for index in latest)
        return next((one for one in found if all(one.holdings.get(p) == held for p, held in holdings.items())), None)

    def with_changes_like(
        self, changes: Sequence[Change], wanted: Signature, object_number: int, scope: str
    ) -> Iterator[tuple[Entry, list[Change]]]:
        """Of the latest entries those from which it differs in the same, the latest first."""
        places = [(change.cause, change.path) for change in changes]
        for index in self._latest(self._of_object.get(object_number, ()), object_number, scope):
            found = diff_signatures(self.entries[index].signature, wanted)
            if [(change.cause, change.path) for change in found] == places:
                yield self.entries[index], found

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
            other.signature == entry.signature for other in self._latest_of(entry.object_number)
        )

    def has_near_sizes(self, wanted: Signature, object_number: int) -> bool:
        """Whether nothing but near sizes, and numbers beside them, tell it from one of the latest entries."""
        return any(differ_by_near_sizes(entry.signature, wanted) for entry in self._latest_of(object_number))

    def _latest_of(self, object_number: int) -> list[Entry]:
        """Of that function object, if it has any: another one's are no calls that it could have served."""
        latest = self.entries[-_MAX_SLOW:]
        return [entry for entry in latest if entry.object_number == object_number] or latest

    def with_graph(self, graph_key: str) -> Entry | None:
        """The latest entry of that graph and those captures."""
        return self._by_graph.get(graph_key)

    def with_graph_but_sizes(self, without_sizes: str) -> Entry | None:
        """The latest entry of that graph and those captures, whatever its sizes."""
        return self._but_for_sizes.get(without_sizes)

    def with_graph_but_numbers(self, without_numbers: str) -> Entry | None:
        """The latest entry of that graph and those captures, whatever its constants that are numbers."""
        return self._but_for_numbers.get(without_numbers)

    def with_graph_and_dataset(self, graph_key: str, dataset: Dataset) -> Entry | None:
        """The latest entry of that graph and those captures for that dataset."""
        return self._by_dataset.get((graph_key, dataset))

    def with_dataset(self, dataset: Dataset) -> Entry | None:
        """The latest entry for it, whatever its graph; None where it is not known what that is made of."""
        return self._by_dataset.get(("", dataset)) if dataset.data else None

    def has_lines(self, dataset: Dataset) -> bool:
        """Whether the same lines have built one before."""
        return ("", dataset.lines) in self._by_dataset

    def has_graph_and_methods(self, graph_key: str, dataset: Dataset) -> bool:
        """Whether there is one of that graph and those captures by the same methods, called from wherever."""
        return (graph_key, dataset.methods) in self._by_dataset

    def with_graph_and_lines(self, graph_key: str, dataset: Dataset) -> Entry | None:
        """The latest entry of that graph and those captures for a dataset that the same lines built."""
        return self._by_dataset.get((graph_key, dataset.lines))

    def _hashes(self, signature: Signature) -> tuple[dict[str, int], Structure]:
        if self._hashed is None or self._hashed[0] is not signature:
            self._hashed = signature, *leaf_hashes(signature)
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
        self._by_graph, self._but_for_sizes, self._but_for_numbers, self._by_dataset = {}, {}, {}, {}
        for entry in kept:
            self.add(entry)


def _may_have_the_same(one: tuple[int, int] | None, other: tuple[int, int] | None) -> bool:
    """Operations."""
    return one is None or other is None or one[0] == other[0]


def _is_of_dimensions(change: Change) -> bool:
    if "variable" in change.parts:
        return False
    of_composite = change.cause == "composite_spec" and bool(change.parts) and set(change.parts) <= {"shape", "rank"}
    return of_composite or change.cause in ("shape", "rank")


def _kind_at(signature: Signature, path: str) -> Node | str | None:
    """`tensor` or `number`, all of which can be made alike, `list` or `tuple`; the node itself of all else; None if
    there is none."""
    node = node_at(signature, path)
    if node is not None and is_number(node):
        return "number"
    return node.kind if node is not None and node.kind in _ALIKE else node


def _are_alike(one: Signature, wanted: Signature, path: str) -> bool:
    """Of one kind; or a number, and a tensor that one can be."""
    kinds = _kind_at(one, path), _kind_at(wanted, path)
    if set(kinds) == _NUMBER_AS_A_TENSOR:
        return any(node is not None and node.shape == () for node in (node_at(one, path), node_at(wanted, path)))
    return kinds[0] == kinds[1]


def has_unknown_dimension(signature: Signature) -> bool:
    return _is_general(signature.arguments)


def _is_general(nodes: Sequence[tuple[str, Node]]) -> bool:
    for _, node in nodes:
        if node.kind in ("tensor", "variable") and (node.shape is None or -1 in node.shape):
            return True
        if node.children and _is_general(node.children):
            return True
    return False
