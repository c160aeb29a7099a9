"""Of which kind a trace is, and which earlier trace it is compared with."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator

from tb_retrace_plugin.explain.differences.change import Change
from tb_retrace_plugin.explain.differences.closure import ClosedOver, distance, has_the_same_code
from tb_retrace_plugin.explain.differences.diff import diff_signatures
from tb_retrace_plugin.explain.differences.number_holders import is_of_a_class
from tb_retrace_plugin.explain.earlier_traces.history import Dataset, Entry, History
from tb_retrace_plugin.schema.signature import Signature

#: Function objects whose closures are looked through for the nearest one, the latest.
_MAX_CLOSURES = 32
#: Of those that close over as much of the same, so many.
_MOST_AS_NEAR = 8


def classify(
    history: History, wanted: Signature, scope: str, number: int, *, initializes_variables: bool = False
) -> tuple[str, Entry | None, list[Change]]:
    """Kind, closest earlier trace and differences of a trace that TensorFlow's cache could not serve.

    `number`: of the function object. `initializes_variables`: it is TensorFlow's own helper for what a first call made.
    """
    if initializes_variables:
        return "variable_creation", None, [Change("variable_creation", "")]
    own = history.closest(wanted, object_number=number, scope=scope)
    other_scope = history.closest(wanted, object_number=number) if own is None else None
    if other_scope is not None and not other_scope[1] and scope == "NO_VARIABLE_CREATION":
        return "variable_creation", other_scope[0], [Change("variable_creation", "")]
    found = own or other_scope
    if found is not None:
        entry, changes = found
        return "retrace", entry, changes or [Change("unknown", "")]
    found = history.closest(wanted)
    if found is None:
        return "first", None, []
    return "recreated", *_recreated(*found, number)


def _recreated(entry: Entry, changes: list[Change], number: int) -> tuple[Entry, list[Change]]:
    # another instance has function objects of its own: passing the earlier instance brings the earlier object back
    if any(map(_is_another_instance, changes)):
        return entry, changes
    return entry, [Change("recreated_function", "", f"object {entry.object_number}", f"object {number}"), *changes]


def twin(history: History, wanted: Signature, graph_key: str, number: int) -> tuple[Entry, list[Change]] | None:
    """An earlier object with the same graph, captures and signature: a closer relative than the latest one.

    Of a method, of an earlier instance: its signature has another `self`.
    """
    entry = history.with_graph(graph_key) if graph_key else None
    if entry is None:
        return None
    changes = diff_signatures(entry.signature, wanted)
    return None if any(not _is_another_instance(change) for change in changes) else _recreated(entry, changes, number)


def twin_but_sizes(
    history: History, wanted: Signature, without_sizes: str, found: tuple[Entry, list[Change]]
) -> tuple[Entry, list[Change]] | None:
    """An earlier instance with the same graph and captures but for sizes, where the one `found` differs in as much."""
    entry = history.with_graph_but_sizes(without_sizes) if without_sizes else None
    if entry is None or not any(map(_is_another_instance, found[1])):
        return None
    changes = diff_signatures(entry.signature, wanted)
    are_sizes = all(_is_another_instance(change) or change.cause == "shape" for change in changes)
    return (entry, changes) if are_sizes and len(changes) <= len(found[1]) else None


def twin_but_numbers(
    history: History, wanted: Signature, without_numbers: str, found: tuple[Entry, list[Change]]
) -> tuple[Entry, list[Change]] | None:
    """An earlier instance with the same graph and captures but for constants that are numbers, where the one `found`
    has another graph: instances of two kinds by turns."""
    entry = history.with_graph_but_numbers(without_numbers) if without_numbers else None
    if entry is None or found[0].without_numbers == without_numbers or not any(map(_is_another_instance, found[1])):
        return None
    changes = diff_signatures(entry.signature, wanted)
    return (entry, changes) if all(map(_is_another_instance, changes)) else None


def _is_another_instance(change: Change) -> bool:
    return change.path == "self" and change.cause in ("object_identity", "python_type")


def nearer_by_closure(
    history: History,
    wanted: Signature,
    closures: dict[int, tuple[ClosedOver, ...] | None],
    number: int,
    found: tuple[Entry, list[Change]],
    without_numbers: str = "",
) -> tuple[Entry, list[Change]] | None:
    """Of the objects that a signature is as near to as to the one found, one that closes over more of the same; where
    that has other operations, one whose graph is the same `without_numbers`, if it is known to be.

    `closures`: by the object's number, in the order in which they were made.
    """
    entry, changes = found
    own = closures.get(number)
    if own is None or entry.closure is None:
        return None
    least, nearest = distance(entry.closure, own), [entry.object_number]
    for other, closure in _others(closures, number):
        if least == 0:
            break
        if (now := distance(closure, own)) < least:
            least, nearest = now, [other]
        elif now == least and entry.object_number not in nearest:
            nearest.append(other)
    other_found = None
    for other in nearest[:_MOST_AS_NEAR] if entry.object_number not in nearest else ():
        as_near = history.closest(wanted, object_number=other)
        if as_near is not None and len(_recreated(*as_near, number)[1]) <= len(changes):
            other_found = as_near
            break
        other_found = other_found or as_near
    if without_numbers and least and (other_found[0] if other_found else entry).without_numbers != without_numbers:
        for other, _ in _others(closures, number):
            alike = history.closest(wanted, object_number=other)
            if alike is not None and alike[0].without_numbers == without_numbers:
                other_found = alike
                break
    if other_found is None:
        return None
    recreated = _recreated(*other_found, number)
    return recreated if len(recreated[1]) <= len(changes) else None


def of_the_same_closure(
    history: History, wanted: Signature, closures: dict[int, tuple[ClosedOver, ...] | None], number: int
) -> tuple[Entry, list[Change]] | None:
    """The trace that is nearest among those of the latest object that closes over the same. `closures`: as above."""
    own = closures.get(number)
    same = (other for other, closure in _others(closures, number) if own and distance(closure, own) == 0)
    found = next(filter(None, (history.closest(wanted, object_number=other) for other in same)), None)
    return None if found is None else _recreated(*found, number)


def of_its_dataset(
    history: History,
    wanted: Signature,
    graph_key: str,
    closures: dict[int, tuple[ClosedOver, ...] | None],
    number: int,
    dataset: Dataset,
) -> tuple[Entry, list[Change]] | None:
    """Of a function in a dataset: as `twin`, for the same dataset, or else for one of the same data or lines."""

    def found(entry: Entry | None) -> tuple[Entry, list[Change]] | None:
        return None if entry is None or diff_signatures(entry.signature, wanted) else _recreated(entry, [], number)

    same = found(history.with_graph_and_dataset(graph_key, dataset))
    of_lines = found(history.with_graph_and_lines(graph_key, dataset))
    of_data = found(history.with_dataset(dataset))
    if same is None and of_lines is None and of_data is not None:
        nearer = nearer_by_closure(history, wanted, closures, number, of_data)
        return nearer if nearer is not None and nearer[0].dataset == dataset else of_data
    return same or of_data or of_lines


def has_other_functions(closures: dict[int, tuple[ClosedOver, ...] | None], number: int) -> bool:
    """Whether no earlier object closes over functions of the same code throughout. `closures`: as above."""
    own = closures.get(number)
    return own is None or not any(has_the_same_code(closure, own) for _, closure in _others(closures, number))


def has_other_classes(closures: dict[int, tuple[ClosedOver, ...] | None], number: int) -> bool:
    """Whether no earlier object closes over objects of the same classes by the same names."""
    own = closures.get(number)
    return own is None or not any(_classes(closure) == _classes(own) for _, closure in _others(closures, number))


def _classes(closure: Iterable[ClosedOver]) -> list[tuple[str, str]]:
    return [(one.name, one.text) for one in closure if is_of_a_class(one.text)]


def _others(
    closures: dict[int, tuple[ClosedOver, ...] | None], number: int
) -> Iterator[tuple[int, tuple[ClosedOver, ...]]]:
    """The latest first."""
    for other, closure in itertools.islice(reversed(closures.items()), _MAX_CLOSURES):
        if other != number and closure is not None:
            yield other, closure
