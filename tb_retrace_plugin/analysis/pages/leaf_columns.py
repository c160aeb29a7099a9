"""The signatures of one function's traces as a table: a row per trace, a column per leaf that varied."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from tb_retrace_plugin.explain.advice.evidence.facts import Traced
from tb_retrace_plugin.explain.what_if.candidate import is_number
from tb_retrace_plugin.schema.signature import Node, Signature, iter_leaves, node_text

#: Rows × leaves that are gone through; larger signatures get fewer rows, but never fewer than `_FEWEST_ROWS`.
_MOST_WORK = 2_000_000
_FEWEST_ROWS = 100
_CONTEXT = Node("context")

_Pair = tuple[str, Node]
#: What an argument or a leaf is part of, and its path.
_Key = tuple[str, str]
#: Of the argument in the signature, of the leaf in the argument.
_Order = tuple[int, int]


@dataclass(slots=True)
class Column:
    """One leaf over the rows. `part`: argument, capture or context.

    `values`: of the rows that have it, in order, the place of their value in `texts` and `nodes`.
    `marked`: row -> place of what the closest earlier trace had there (-1: nothing), for the rows that differ from it.
    """

    part: str
    path: str
    order: _Order
    values: array[int] = field(default_factory=lambda: array("i"))
    texts: list[str] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)
    marked: dict[int, int] = field(default_factory=dict)
    _rows: array[int] = field(default_factory=lambda: array("i"))
    _places: dict[tuple[str, int], int] = field(default_factory=dict)

    def put(self, row: int, place: int) -> None:
        self._rows.append(row)
        self.values.append(place)

    def cells(self, rows: int) -> list[int]:
        """The place of each row's value; -1: the row has no such leaf."""
        found = [-1] * rows
        for row, place in zip(self._rows, self.values, strict=True):
            found[row] = place
        return found

    def place(self, node: Node, text: str) -> int:
        # variables are told apart by which are the same, not by their numbers
        key = text, 0 if node.kind in ("tensor", "variable") else node.identity
        place = self._places.get(key)
        if place is None:
            place = self._places[key] = len(self.texts)
            self.texts.append(text)
            self.nodes.append(node)
        return place


@dataclass(frozen=True, slots=True)
class Constant:
    """A leaf that is the same in all rows."""

    part: str
    path: str
    node: Node
    order: _Order

    def to_json(self) -> dict[str, Any]:
        may_change = can_change(self.part, self.path)
        shape = self.node.shape if self.node.kind == "tensor" and may_change else None
        return {
            "part": self.part,
            "path": self.path,
            "text": node_text(self.node),
            "shape": None if shape is None else list(shape),
            "number": may_change and is_number(self.node),
        }


@dataclass(slots=True)
class Columns:
    """Over the latest `rows` traces. `varied`: those that differ most often from the closest earlier trace first."""

    rows: int
    varied: list[Column] = field(default_factory=list)
    constant: list[Constant] = field(default_factory=list)


def can_change(part: str, path: str) -> bool:
    """Whether a what-if can be asked about the leaf."""
    return part == "argument" and path != "self" and not path.startswith(("self.", "self["))


def leaf_columns(traces: Sequence[Traced], most_rows: int) -> Columns:
    """`traces`: of one function, in time order, equal arguments of them the same objects where they were read together.

    A cell is marked if its text is another than in what the closest earlier trace left in the cache, or if a change
    names the leaf or a container that it is in: the rows of a trace's own table are marked by the same rule.
    """
    shown = traces[-most_rows:] if traces else []
    table = _Table(shown)
    if table.leaves_per_row:
        fewer = max(_FEWEST_ROWS, _MOST_WORK // table.leaves_per_row)
        if fewer < len(shown):
            shown = shown[-fewer:]
            table = _Table(shown)
    first = len(traces) - len(shown)
    for row, trace in enumerate(shown):
        table.fill(row, trace.lookup.signature)
    for row, trace in enumerate(shown):
        if trace.closest is not None and trace.closest < first + row:
            table.mark(row, trace, traces[trace.closest])
    return table.columns()


class _Table:
    def __init__(self, traces: Sequence[Traced]) -> None:
        self._rows = len(traces)
        self._columns: dict[_Key, Column] = {}
        self._cells: dict[tuple[str, int], tuple[_Pair, list[tuple[Column, int]]]] = {}
        self._inside: dict[str, list[Column]] = {}
        self._unfixed: set[_Key] = set()
        # an argument that is the same object in every row needs no cells: most of most signatures
        seen: dict[_Key, list[_Pair]] = {}
        counts: dict[_Key, int] = {}
        for trace in traces:
            for part, pair in _pairs(trace.lookup.signature):
                key = part, pair[0]
                counts[key] = counts.get(key, 0) + 1
                known = seen.setdefault(key, [])
                if not known or known[-1] is not pair:
                    known.append(pair)
                    del known[:-2]
        self._order = {key: place for place, key in enumerate(seen)}
        self._fixed = {key: pairs[0] for key, pairs in seen.items() if len(pairs) == 1 and counts[key] == self._rows}
        self._moved: dict[int, tuple[Signature, Sequence[tuple[str, _Pair]], int]] = {}
        first = traces[0].lookup.signature if traces else None
        same = first is not None and all(trace.lookup.signature.context == first.context for trace in traces)
        self._fixed_context = first if same else None
        self.leaves_per_row = 0
        if traces:
            for part, pair in _pairs(traces[-1].lookup.signature):
                if (part, pair[0]) not in self._fixed:
                    self.leaves_per_row += sum(1 for _ in iter_leaves(*pair))

    def fill(self, row: int, signature: Signature) -> None:
        for part, pair in self._moving(signature)[0]:
            for column, place in self._cells_of(part, pair):
                column.put(row, place)
        if self._fixed_context is None:
            for column, place in self._context(signature):
                column.put(row, place)

    def mark(self, row: int, trace: Traced, closest: Traced) -> None:
        ours, theirs = trace.lookup.signature, _cached(closest)
        (our_pairs, our_fixed), (their_pairs, their_fixed) = self._moving(ours), self._moving(theirs)
        if our_fixed != their_fixed:  # a trace left out, or a wider signature: it has other arguments
            our_pairs, their_pairs = list(_pairs(ours)), list(_pairs(theirs))
        our_ids, their_ids = ({id(pair) for _, pair in pairs} for pairs in (our_pairs, their_pairs))
        with_context = ours.context != theirs.context
        now = self._cells_beside(ours, our_pairs, their_ids, with_context)
        was = self._cells_beside(theirs, their_pairs, our_ids, with_context)
        for key in {**now, **was}:
            column, old, new = (now.get(key) or was[key])[0], was.get(key), now.get(key)
            if old is None or new is None or column.texts[old[1]] != column.texts[new[1]]:
                column.marked[row] = -1 if old is None else old[1]
        named = [change.path for change in trace.changes if change.path and change.cause != "context"]
        if not named:
            return
        for path in named:
            self._unfix(path)
        here: dict[int, int] | None = None
        for path in named:
            for column in self._columns_in(path):
                if row in column.marked:
                    continue
                if here is None:
                    here = {id(c): place for part, pair in _pairs(ours) for c, place in self._known_cells(part, pair)}
                if id(column) in here:
                    old = was.get(id(column))
                    column.marked[row] = here[id(column)] if old is None else old[1]

    def columns(self) -> Columns:
        found = Columns(self._rows)
        for (part, path), pair in self._fixed.items():
            for place, (leaf_path, leaf) in enumerate(iter_leaves(*pair)):
                found.constant.append(Constant(part, leaf_path, leaf, (self._order[part, path], place)))
        for column in self._columns.values():
            used = set(column.values)
            if len(used) > 1 or len(column.values) < self._rows or column.marked:
                found.varied.append(column)
            elif column.part != "context":
                found.constant.append(Constant(column.part, column.path, column.nodes[column.values[0]], column.order))
        found.varied.sort(key=lambda column: (-len(column.marked), column.order))
        found.constant.sort(key=lambda constant: constant.order)
        return found

    def _cells_beside(
        self, signature: Signature, pairs: Sequence[tuple[str, _Pair]], other: set[int], with_context: bool
    ) -> dict[int, tuple[Column, int]]:
        """Column and place of the leaves of those arguments that the other signature has not."""
        found = {}
        for part, pair in pairs:
            if id(pair) not in other:
                self._unfix(pair[0], part)
                found.update({id(column): (column, place) for column, place in self._cells_of(part, pair)})
        if with_context:
            self._unfix_context()
            found.update({id(column): (column, place) for column, place in self._context(signature)})
        return found

    def _moving(self, signature: Signature) -> tuple[Sequence[tuple[str, _Pair]], int]:
        """The arguments that are not the same in every row, and how many are."""
        known = self._moved.get(id(signature))
        if known is None:  # the signature is held: its id is not another one's
            pairs = list(_pairs(signature))
            moving = [(part, pair) for part, pair in pairs if self._fixed.get((part, pair[0])) is not pair]
            known = self._moved[id(signature)] = signature, moving, len(pairs) - len(moving)
        return known[1], known[2]

    def _unfix_context(self) -> None:
        if self._fixed_context is not None:
            same, self._fixed_context = self._fixed_context, None
            for column, place in self._context(same):
                for row in range(self._rows):
                    column.put(row, place)

    def _unfix(self, path: str, part: str = "") -> None:
        """Gives the argument that the path is in its cells after all."""
        if (part, path) in self._unfixed:
            return
        self._unfixed.add((part, path))
        for key in [key for key in self._fixed if (not part or key[0] == part) and _is_in(path, key[1])]:
            pair = self._fixed.pop(key)
            self._moved.clear()
            for column, place in self._cells_of(key[0], pair):
                for row in range(self._rows):
                    column.put(row, place)

    def _context(self, signature: Signature) -> Iterator[tuple[Column, int]]:
        for place, (name, text) in enumerate(signature.context.items()):
            column = self._column("context", name, (len(self._order), place))
            yield column, column.place(_CONTEXT, text)

    def _column(self, part: str, path: str, order: _Order) -> Column:
        key = part, path
        column = self._columns.get(key)
        if column is None:
            column = self._columns[key] = Column(part, path, order)
            self._inside.clear()
        return column

    def _cells_of(self, part: str, pair: _Pair) -> list[tuple[Column, int]]:
        key = part, id(pair)
        known = self._cells.get(key)
        if known is None:  # the pair is held: its id is not another one's
            argument = self._order.get((part, pair[0]), len(self._order))
            cells = []
            for place, (path, leaf) in enumerate(iter_leaves(*pair)):
                column = self._column(part, path, (argument, place))
                cells.append((column, column.place(leaf, node_text(leaf))))
            known = self._cells[key] = pair, cells
        return known[1]

    def _known_cells(self, part: str, pair: _Pair) -> list[tuple[Column, int]]:
        return [] if (part, pair[0]) in self._fixed else self._cells_of(part, pair)

    def _columns_in(self, path: str) -> list[Column]:
        """Those of the leaf itself, or of what is in the container."""
        found = self._inside.get(path)
        if found is None:
            columns = self._columns.values()
            found = self._inside[path] = [c for c in columns if c.part != "context" and _is_in(c.path, path)]
        return found


def _is_in(path: str, container: str) -> bool:
    return path.startswith(container) and path[len(container) : len(container) + 1] in ("", "[", ".")


def _pairs(signature: Signature) -> Iterator[tuple[str, _Pair]]:
    for pair in signature.arguments:
        yield "argument", pair
    for pair in signature.captures:
        yield "capture", pair


def _cached(trace: Traced) -> Signature:
    """The wider signature is what later calls are compared with."""
    traced = trace.lookup.traced
    return traced if traced is not None and traced.arguments else trace.lookup.signature
