"""Nodes are found, and put in, where protobuf itself would have them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tensorboard.compat.proto import function_pb2

from tb_retrace_plugin.graphs.wire import node_spans, some_node_spans, with_nodes

#: Around the lengths at which a varint takes a byte more, and empty nodes.
SIZES = st.one_of(st.just(0), st.integers(1, 400), st.integers(16_300, 16_500))


def definition(sizes: list[int]) -> function_pb2.FunctionDef:
    found = function_pb2.FunctionDef()
    found.signature.name = "__inference_step_3"
    found.ret["Identity"] = "Identity:output:0"
    for size in sizes:
        node = found.node_def.add()
        if size:
            node.name = "x" * size
    return found


@given(st.lists(st.tuples(SIZES, st.none() | SIZES), max_size=6))
def test_a_node_put_in_is_as_if_the_function_had_had_it(sizes: list[tuple[int, int | None]]) -> None:
    before = definition([old for old, _ in sizes])
    after = definition([old if new is None else new for old, new in sizes])
    data = before.SerializeToString(deterministic=True)
    spans = node_spans(data)
    assert [data[start:end] for start, end in spans] == [node.SerializeToString() for node in before.node_def]
    changed = [
        (span, node.SerializeToString())
        for span, node, (_, new) in zip(spans, after.node_def, sizes, strict=True)
        if new is not None
    ]
    assert b"".join(with_nodes(data, changed)) == after.SerializeToString(deterministic=True)


@given(st.lists(SIZES, max_size=6), st.sampled_from([-1, 0, 300, 16_400]), st.lists(st.integers(0, 60_000), max_size=4))
def test_nodes_are_found_by_their_size_and_by_what_lies_in_them(sizes: list[int], most: int, marks: list[int]) -> None:
    data = definition(sizes).SerializeToString(deterministic=True)
    spans = node_spans(data)
    found = some_node_spans(data, most, sorted(marks))
    assert [span for _, span in found] == [spans[index] for index, _ in found]
    wanted = {i for i, (start, end) in enumerate(spans) if end - start > most or any(start <= m < end for m in marks)}
    missed = wanted - {index for index, _ in found}
    assert not missed
    in_vain = {index for index, _ in found} - wanted  # the first node after a mark that is in none
    assert all(any((spans[i - 1][1] if i else 0) <= m < spans[i][0] for m in marks) for i in in_vain)
