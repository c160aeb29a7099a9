"""The closest earlier trace: fewest differing leaves, the latest of several; the index agrees with brute force."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tb_retrace_plugin.explain.differences import leaf_rows
from tb_retrace_plugin.explain.differences.diff import diff_signatures
from tb_retrace_plugin.explain.differences.nearness import rank
from tb_retrace_plugin.explain.earlier_traces import history as module
from tb_retrace_plugin.explain.earlier_traces.history import Dataset, Entry, History
from tb_retrace_plugin.explain.earlier_traces.kind import of_its_dataset
from tb_retrace_plugin.schema.signature import METADATA, Node, Signature
from tests.unit.explain.advice.test_growth import ARGUMENTS, calls_of


def signature(*shapes: tuple[int, ...]) -> Signature:
    return Signature(tuple((f"x{i}", Node("tensor", dtype="float32", shape=shape)) for i, shape in enumerate(shapes)))


def entry(n: int, *shapes: tuple[int, ...], number: int = 1, scope: str = "s") -> Entry:
    return Entry(signature(*shapes), number, scope, seq=n, n=n)


def test_fewest_leaves_then_latest() -> None:
    history = History()
    for item in (entry(1, (1,), (1,)), entry(2, (2,), (1,)), entry(3, (3,), (3,))):
        history.add(item)
    found = history.closest(signature((9,), (1,)))
    assert found is not None
    assert (found[0].n, [c.path for c in found[1]]) == (2, ["x0"])


def test_nothing_to_compare_with() -> None:
    history = History()
    assert history.closest(signature((1,))) is None
    history.add(entry(1, (1,)))
    assert history.closest(signature((1,)), object_number=2) is None
    assert history.closest(signature((1,)), object_number=1, scope="other") is None


def test_another_structure_is_compared_too() -> None:
    history = History()
    history.add(entry(1, (1,)))
    found = history.closest(signature((1,), (2,)))
    assert found is not None
    assert [(c.cause, c.path) for c in found[1]] == [("structure", "x1")]


def test_sizes_are_near_those_of_the_same_function_object() -> None:
    """A distiller makes its compiled step for each student: the last batch of the first is none of the second's."""
    history = History()
    for item in (entry(1, (8, 3)), entry(2, (4, 3)), entry(3, (8, 3), number=2)):
        history.add(item)
    assert history.is_the_second_size(history.entries[-1], signature((4, 3)))
    assert not history.has_near_sizes(signature((4, 3)), 2)
    assert history.has_near_sizes(signature((7, 3)), 2)
    assert history.has_near_sizes(signature((7, 3)), 9)  # one that has none yet


def test_what_is_widened_is_widened_from_what_differs_in_dimensions_alone() -> None:
    def weighted(n: int, rows: int, *, weights: bool) -> Entry:
        tensors = [("x", Node("tensor", dtype="float32", shape=(rows, 2)))]
        own = Node("tensor", dtype="float32", shape=(rows,)) if weights else Node("literal", type_name="NoneType")
        return Entry(Signature((*tensors, ("weights", own))), 1, "s", seq=n, n=n)

    history = History()
    history.add(weighted(1, 1, weights=False))
    history.add(weighted(2, -1, weights=False))
    assert history.closest_widened(weighted(0, 6, weights=True).signature, 1, "s") is None
    history.add(weighted(3, 6, weights=True))
    wanted = weighted(0, 7, weights=True).signature
    found, nearest = history.closest_widened(wanted, 1, "s"), history.closest(wanted, 1, "s")
    assert found is not None
    assert nearest is not None
    assert (found[0].n, [c.cause for c in found[1]], nearest[0].n) == (3, ["shape", "shape"], 2)
    assert history.closest_widened(wanted, 2, "s") is None


def listed(n: int, *shapes: tuple[int, ...], number: int = 1) -> Entry:
    tensors = tuple((f"[{i}]", Node("tensor", dtype="float32", shape=shape)) for i, shape in enumerate(shapes))
    return Entry(Signature((("batch", Node("list", children=tensors)),)), number, "s", seq=n, n=n)


@pytest.mark.parametrize(
    ("earlier", "wanted", "closest"),
    [
        # two shapes are less than three tensors, of which one is new
        ([((1,), (1,), (1,)), ((9,), (9,))], ((2,), (2,), (1,)), (1, ["batch[0]", "batch[1]"])),
        # a tensor more is less than two shapes
        ([((1,), (1,), (3,)), ((2,), (2,))], ((2,), (2,), (3,)), (2, ["batch"])),
        # of a list that grows, the one before, not the last that was traced
        ([((1,),) * 3, ((1,),), ((1,),) * 2], ((1,),) * 4, (1, ["batch"])),
        # what an unknown dimension serves does not differ
        ([((2,), (2,), (2,)), ((-1,), (-1,))], ((5,), (6,), (7,)), (2, ["batch"])),
        ([(), ((9,), (9,))], ((1,),), (1, ["batch"])),
        # two tensors more, or two shapes: the latest
        ([((1,),), ((9,), (9,), (1,))], ((1,), (1,), (1,)), (2, ["batch[0]", "batch[1]"])),
        ([((9,), (9,), (1,)), ((1,),)], ((1,), (1,), (1,)), (2, ["batch"])),
    ],
)
def test_a_structure_differs_by_the_leaves_in_it(
    earlier: list[tuple[tuple[int, ...], ...]], wanted: tuple[tuple[int, ...], ...], closest: tuple[int, list[str]]
) -> None:
    history = History()
    for n, shapes in enumerate(earlier, start=1):
        history.add(listed(n, *shapes))
    found = history.closest(listed(0, *wanted).signature)
    assert found is not None
    assert (found[0].n, [change.path for change in found[1]]) == closest


def test_a_list_for_a_tuple_is_one_difference() -> None:
    """`f((a, a), 1)`, `f((a, a), 2)`, `f([a, a], 1)`: the first differs in `xs` alone."""

    def of(kind: str, times: int) -> Signature:
        tensor = Node("tensor", dtype="float32", shape=(2,))
        pair = Node(kind, type_name=kind, children=(("[0]", tensor), ("[1]", tensor)))
        return Signature((("xs", pair), ("times", Node("literal", type_name="int", value=str(times), identity=times))))

    history = History()
    for n, signature_ in enumerate((of("tuple", 1), of("tuple", 2)), start=1):
        history.add(Entry(signature_, 1, "s", seq=n, n=n))
    found = history.closest(of("list", 1), object_number=1, scope="s")
    assert found is not None
    assert (found[0].n, [change.path for change in found[1]]) == (1, ["xs"])


def test_whether_a_graph_has_captured_such_variables() -> None:
    history = History()
    for n, (variables, nodes) in enumerate((("a", 9), ("b", 9), ("b", 7)), start=1):
        history.add(Entry(Signature(()), n, "s", seq=n, n=n, nodes=nodes, variables=variables))
    asked = [("a", 9, 0), ("a", 9, 4), ("a", 7, 0), ("b", 7, 0), ("c", 9, 0)]
    assert [history.has_variables(*one) for one in asked] == [True, None, None, True, False]
    history.add(Entry(Signature(()), 4, "s", seq=4, n=4))  # traced before recording began, say
    assert [history.has_variables(*one) for one in asked] == [True, None, None, True, None]


def test_a_graph_of_as_many_other_operations_is_another_one() -> None:
    """Of a model with another activation."""
    history = History()
    history.add(Entry(Signature(()), 1, "s", seq=1, n=1, nodes=9, variables="a", attributes=(5, 1)))
    assert history.has_variables("a", 9, 0, (6, 1)) is None
    assert [history.has_variables("a", 9, 0, one) for one in ((5, 2), None)] == [True, True]


def test_variables_that_a_first_call_creates_are_captured_in_another_order() -> None:
    """Those that it creates come before others: it is not known to be of other shapes."""
    history = History()
    history.add(Entry(Signature(()), 1, "s", seq=1, n=1, nodes=9, variables="ab:0"))
    asked = [("ab:0", 9, 0), ("ba:0", 9, 0), ("ac:1", 9, 0)]
    assert [history.has_variables(*one) for one in asked] == [True, None, False]


def closest_of(earlier: list[Node | tuple[Node, ...]], wanted: Node | tuple[Node, ...]) -> tuple[int, list[str]]:
    def of(nodes: Node | tuple[Node, ...]) -> Signature:
        return Signature(
            tuple((f"x{i}", node) for i, node in enumerate(nodes if isinstance(nodes, tuple) else (nodes,)))
        )

    history = History()
    for n, nodes in enumerate(earlier, start=1):
        history.add(Entry(of(nodes), 1, "s", seq=n, n=n))
    found = history.closest(of(wanted), object_number=1, scope="s")
    assert found is not None
    return found[0].n, [f"{change.cause} {change.path}" for change in found[1]]


def tensor(*shape: int, dtype: str = "float32") -> Node:
    return Node("tensor", dtype=dtype, shape=shape)


def ragged(rank: int, dtype: str) -> Node:
    parts = (
        tensor(2, *[-1] * rank, dtype=""),
        tensor(dtype=dtype),
        Node("literal", "int", value=str(rank), identity=rank),
    )
    children = tuple((f"#{i}", part) for i, part in enumerate(parts))
    return Node("composite", "RaggedTensorSpec", value=f"{dtype} {rank}", identity=9, children=children)


def variable(identity: int, size: int = 2) -> Node:
    return Node("variable", dtype="float32", shape=(size,), identity=identity)


def graph(directed: int, *tensors: Node) -> Node:
    children = [(f".part{i}", node) for i, node in enumerate(tensors)]
    children.append((METADATA, Node("custom", "tuple", value=f"({directed},)", identity=directed)))
    return Node("custom_nest", "Graph", identity=7, children=tuple(children))


def test_of_ragged_tensors_the_one_of_another_dtype_alone() -> None:
    earlier: list[Node | tuple[Node, ...]] = [ragged(1, "int32"), ragged(2, "int32")]
    assert closest_of(earlier, ragged(1, "float32")) == (1, ["composite_spec x0"])


def test_a_tensor_is_nearer_to_a_tensor_than_to_a_tuple_of_one() -> None:
    def one(size: int) -> Node:
        return Node("tuple", "tuple", children=(("[0]", tensor(size)),))

    assert closest_of([tensor(3), one(2)], tensor(4)) == (1, ["shape x0"])
    assert closest_of([tensor(3), one(2), tensor(4)], one(5)) == (2, ["shape x0[0]"])


def test_a_tensor_is_nearer_to_a_tensor_than_to_none() -> None:
    none = Node("literal", "NoneType", value="None", identity=1)
    earlier: list[Node | tuple[Node, ...]] = [(tensor(4), tensor(4)), (tensor(4), none)]
    assert closest_of(earlier, (tensor(2), tensor(2))) == (1, ["shape x0", "shape x1"])


def test_variables_that_share_as_before_do_not_differ() -> None:
    earlier: list[Node | tuple[Node, ...]] = [
        (variable(1), variable(2), variable(3)), (variable(2), variable(2), variable(2)),
    ]  # fmt: skip
    assert closest_of(earlier, (variable(4, size=3), variable(1), variable(2))) == (1, ["shape x0"])


def test_metadata_is_one_difference_and_so_is_each_component() -> None:
    pair = tensor(3), tensor(3)
    earlier: list[Node | tuple[Node, ...]] = [graph(1, *pair), graph(2, *pair)]
    assert closest_of(earlier, graph(2, tensor(4), tensor(4))) == (2, ["shape x0.part0", "shape x0.part1"])
    assert closest_of(earlier[:1], graph(2, *pair)) == (1, [f"composite_spec x0{METADATA}"])
    # other components: all of them that do not fit
    fewer: list[Node | tuple[Node, ...]] = [graph(2, tensor(4), tensor(4)), graph(1)]
    assert closest_of(fewer, graph(2, *pair)) == (1, ["shape x0.part0", "shape x0.part1"])


def test_of_many_variables_there_may_be_more() -> None:
    history = History()
    for n in range(1, 20):
        wanted = Signature((("x", variable(n, size=n)),))
        found = history.closest(wanted)
        is_one = found is not None and history.is_one_of_many_variables(found[1], wanted)
        assert is_one == (n > module._FEW_VARIABLES)
        history.add(Entry(wanted, 1, "s", seq=n, n=n))


def test_old_entries_are_forgotten_not_grown(monkeypatch: object) -> None:
    limit, module.MAX_ENTRIES = module.MAX_ENTRIES, 10
    try:
        history = History()
        for n in range(1, 101):
            history.add(entry(n, (n,)))
        assert len(history.entries) <= 10
        assert history.forgotten + len(history.entries) == 100
        found = history.closest(signature((1000,)))
        assert found is not None
        assert found[0].n == 100
    finally:
        module.MAX_ENTRIES = limit


dims = st.sampled_from([-1, 1, 2, 3])


tensors = st.builds(
    lambda dim, dtype: Node("tensor", dtype=dtype, shape=(dim,)), dims, st.sampled_from(["float32", "float32", "int32"])
)


def holding(word: str, *nodes: Node) -> Node:
    is_sequence = word in ("list", "tuple")
    kind = word if is_sequence else "named_tuple"
    keys = [f"[{i}]" if is_sequence else f".field{i}" for i in range(len(nodes))]
    return Node(kind, type_name=word, children=tuple(zip(keys, nodes, strict=True)))


words = st.sampled_from(["list", "tuple", "Point", "Size"])
pairs = st.builds(holding, words, tensors, tensors)
held = tensors | pairs | st.builds(holding, words, pairs, tensors)
signatures = st.one_of(st.tuples(tensors, tensors, tensors), st.tuples(held, tensors)).map(
    lambda nodes: Signature(tuple((f"x{i}", node) for i, node in enumerate(nodes)))
)


@settings(max_examples=400, deadline=None)
@given(
    st.lists(st.tuples(signatures, st.integers(1, 2)), min_size=1, max_size=30),
    signatures,
    st.sampled_from([None, 1, 2]),
    st.integers(1, 8),
    st.sampled_from([0, leaf_rows._FEW]),  # by arrays, and leaf by leaf
)
def test_agrees_with_comparing_every_entry(
    rows: list[tuple[Signature, int]], target: Signature, number: int | None, block: int, few: int
) -> None:
    history = History()
    for n, (of_row, owner) in enumerate(rows, start=1):
        history.add(Entry(of_row, owner, "s", seq=n, n=n))
    allowed = [e for e in history.entries if number is None or e.object_number == number]
    # TensorFlow asks an object's own cache first: that it traces says that none of them serves
    assume(number is None or all(diff_signatures(e.signature, target) for e in allowed))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(leaf_rows, "_BLOCK", block)
        patch.setattr(leaf_rows, "_FEW", few)
        found = history.closest(target, object_number=number)
    if not allowed:
        assert found is None
        return
    assert found is not None

    def ranked(e: Entry) -> tuple[int, int, int]:
        changes = diff_signatures(e.signature, target)
        return *rank(changes, e.signature, target), -e.n

    assert ranked(found[0]) == min(map(ranked, allowed))
    assert found[1] == diff_signatures(found[0].signature, target)


def test_of_equally_near_ones_the_one_that_differs_in_less() -> None:
    def typed(dtype: str, *shape: int) -> Signature:
        return Signature((("x", Node("tensor", dtype=dtype, shape=shape)),))

    history = History()
    for n, earlier in enumerate((typed("float64", 5), typed("float64", 6), typed("float64", 7)), start=1):
        history.add(Entry(earlier, 1, "s", seq=n, n=n))
    found = history.closest(typed("float32", 5), object_number=1, scope="s")
    assert found is not None
    assert (found[0].n, [c.cause for c in found[1]]) == (1, ["dtype"])
    assert history.closest(typed("float32", 5), object_number=2, scope="s") is None


@pytest.mark.parametrize("kind", ARGUMENTS)
def test_what_a_lookup_takes_does_not_grow_with_the_traces(kind: str) -> None:
    def calls_after(count: int) -> int:
        history = History()
        for n in range(count):
            history.add(Entry(Signature(tuple(ARGUMENTS[kind](n).items())), 1, "s", seq=n + 1, n=n + 1))
        new = [Signature(tuple(ARGUMENTS[kind](n).items())) for n in range(count, count + 16)]
        return calls_of(lambda: [history.closest(one, 1, "s") for one in new])

    assert calls_after(800) < 1.5 * calls_after(200)


def test_a_dataset_is_compared_with_itself_first() -> None:
    """Then with one that the same lines built of other data; of what is not known to be the same nothing is said."""
    history, wanted = History(), signature((3,))
    train, val, unknown = (Dataset((("a.py", 5, 0),), data) for data in (b"train", b"val", b""))
    assert of_its_dataset(history, wanted, "g", {}, 1, train) is None
    for n, (dataset, graph) in enumerate([(train, "g"), (val, "g"), (val, "h"), (unknown, "g")], start=1):
        history.add(Entry(wanted, n, "s", seq=n, n=n, graph_key=graph, dataset=dataset))

    def closest(graph: str, dataset: Dataset) -> int | None:
        found = of_its_dataset(history, wanted, graph, {}, 9, dataset)
        return None if found is None else found[0].n

    assert (closest("g", train), closest("g", val), closest("h", train)) == (1, 2, 1)
    assert closest("g", Dataset((("a.py", 5, 0),), b"test")) == 4
    assert closest("i", unknown) is None
    assert closest("g", Dataset((("a.py", 6, 0),), b"train")) is None
    assert of_its_dataset(history, signature((4,)), "g", {}, 9, train) is None
