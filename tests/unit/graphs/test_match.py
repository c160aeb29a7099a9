"""Which node is which, on pairs of graphs whose truth is known (tests/support/labelled_graphs.py)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from tb_retrace_plugin.graphs import match as module
from tb_retrace_plugin.graphs.difference import Difference, compare_graphs
from tb_retrace_plugin.graphs.node_names import reliable_names
from tests.support.labelled_graphs import HALF, Labelled, Layer, block, precision, train_step, unrolled


def pairs_of(difference: Difference) -> list[tuple[str, str]]:
    found = []
    for graph in difference.graphs:
        if graph.a is not None and graph.b is not None:
            for i, j in zip(graph.row_a.tolist(), graph.row_b.tolist(), strict=True):
                if i >= 0 and j >= 0:
                    found.append((graph.a.names[i], graph.b.names[j]))
    return found


def score(a: Labelled, b: Labelled) -> tuple[float, float]:
    forth = precision(a, b, pairs_of(compare_graphs([a.function], [b.function])))
    back = precision(b, a, pairs_of(compare_graphs([b.function], [a.function])))
    assert forth == back
    return forth


def layers(count: int, units: Callable[[int], int] = lambda i: 64) -> list[Layer]:
    kinds = [[Layer("dense", f"d{i}", units(i)), Layer("norm", f"n{i}"), Layer("relu", f"r{i}")] for i in range(count)]
    return [layer for three in kinds for layer in three]


def without(all_layers: Sequence[Layer], *labels: str) -> list[Layer]:
    return [layer for layer in all_layers if layer.label not in labels]


def blocks(count: int) -> list[Layer]:
    return [layer for i in range(count) for layer in block(f"b{i}")]


#: Another batch size besides: no shape of an activation is what it was.
BATCHES = pytest.mark.parametrize("batch", [32, 48])


@pytest.mark.parametrize("batch", [1, 33, 64, None])
def test_other_shapes_alone_are_all_matched(batch: int | None) -> None:
    assert score(train_step(blocks(6)), train_step(blocks(6), batch=batch)) == (1.0, 1.0)


@BATCHES
@pytest.mark.parametrize("new", [Layer("dense", "new", 100), Layer("norm", "new"), Layer("relu", "new")])
@pytest.mark.parametrize("at", [0, 21, 60])
def test_an_inserted_layer_shifts_the_names_after_it(batch: int, new: Layer, at: int) -> None:
    before = layers(30, lambda i: 32 * (1 + i % 5))
    a, b = train_step(before), train_step([*before[:at], new, *before[at:]], batch=batch)
    by_name = precision(a, b, [(name, name) for name in a.labels if name in b.labels])
    right, found = score(a, b)
    assert right >= 0.98
    assert found >= 0.98
    if at < 60 and new.kind != "relu":
        assert by_name[0] < 0.9, "names alone would do: the case is too easy"


@BATCHES
@pytest.mark.parametrize("new", [Layer("dense", "new"), Layer("norm", "new")])
@pytest.mark.parametrize("at", [0, 100, 103])
def test_in_a_large_graph_structure_alone_decides(
    batch: int, new: Layer, at: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_other_opinion(_: object) -> None:
        raise AssertionError("the case is too small")

    monkeypatch.setattr(module, "by_all_names", no_other_opinion)
    before = blocks(60)
    right, found = score(train_step(before), train_step([*before[:at], new, *before[at:]], batch=batch))
    assert right >= 0.98
    assert found >= 0.98


@BATCHES
@pytest.mark.parametrize("missing", [0, 57, 99])
def test_one_norm_of_a_hundred_is_skipped(batch: int, missing: int) -> None:
    all_layers = layers(100)
    right, found = score(train_step(all_layers), train_step(without(all_layers, f"n{missing}"), batch=batch))
    assert right >= 0.98
    assert found >= 0.98


@BATCHES
@pytest.mark.parametrize(("few", "many"), [(12, 13), (12, 24), (46, 47)])
def test_blocks_are_added(batch: int, few: int, many: int) -> None:
    right, found = score(train_step(blocks(few)), train_step(blocks(many), batch=batch))
    assert right >= 0.98
    assert found >= 0.98


@BATCHES
@pytest.mark.parametrize("gone", [0, 5, 12])
def test_a_block_that_has_a_name_is_removed(batch: int, gone: int) -> None:
    all_layers = blocks(13)
    kept = [layer for layer in all_layers if not layer.label.startswith(f"b{gone}/")]
    a = train_step(all_layers, scopes=[layer.label for layer in all_layers])
    right, found = score(a, train_step(kept, scopes=[layer.label for layer in kept], batch=batch))
    assert right >= 0.98
    assert found >= 0.98


@pytest.mark.parametrize(("few", "many"), [(5, 6), (1, 2), (50, 61)])
def test_a_loop_is_unrolled_further(few: int, many: int) -> None:
    assert score(unrolled(few), unrolled(many)) == (1.0, 1.0)
    assert score(unrolled(few), unrolled(many, batch=9)) == (1.0, 1.0)


@pytest.mark.parametrize("casts", [False, True])
def test_other_types(casts: bool) -> None:
    right, found = score(train_step(blocks(12)), train_step(blocks(12), dtype=HALF, casts=casts))
    assert right >= 0.98
    assert found >= 0.98


def test_without_the_optimizer() -> None:
    assert score(train_step(blocks(12)), train_step(blocks(12), optimizer=False)) == (1.0, 1.0)


@BATCHES
def test_several_edits_at_once(batch: int) -> None:
    """A dense layer of another width after its neighbour's relu is nearly as much a changed layer as a new one."""
    before = layers(30, lambda i: 32 + 8 * i)
    after = without(before, "d10", "n10", "r10", "n20")
    after.insert(45, Layer("norm", "new"))
    right, found = score(train_step(before), train_step(after, batch=batch))
    assert right >= 0.98
    assert found >= 0.98


def test_names_are_reliable_where_no_number_can_have_shifted() -> None:
    a = ["model/dense/x", "model/dense_1/x", "block_0/y", "block_1/y", "block_2/y", "add", "add_1", "alone"]
    b = ["model/dense/x", "model/dense_1/x", "block_0/y", "block_2/y", "add", "add_1", "add_2", "alone"]
    reliable = reliable_names(a, b)
    assert [name for name in dict.fromkeys([*a, *b]) if reliable(name)] == [
        "model/dense/x",
        "model/dense_1/x",
        "block_0/y",
        "block_2/y",
        "alone",
    ]
