"""Stored graphs come back as they were, or are refused in words."""

from __future__ import annotations

import concurrent.futures
import contextlib
import hashlib

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st
from tensorboard.compat.proto import function_pb2

from tb_retrace_plugin.graphs import stored as module
from tb_retrace_plugin.graphs.read_graph import read_graph
from tb_retrace_plugin.graphs.stored import Base, GraphError, decode, encode
from tb_retrace_plugin.schema import retrace_pb2 as pb


def sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=3000), st.binary(min_size=1, max_size=3000), st.booleans())
def test_what_goes_in_comes_out(content: bytes, earlier: bytes, against: bool) -> None:
    blobs = {sha(earlier): encode(earlier)}
    blob = encode(content, Base(sha(earlier), earlier) if against else None)
    assert decode(sha(content), blob, blobs.get) == content


@pytest.mark.parametrize("nodes", [1_000, 10_000, 150_000])
def test_against_an_alike_graph_it_is_small(nodes: int) -> None:
    earlier = b"".join(b"node %d of many, with inputs %d\n" % (i, i * 7919) for i in range(nodes))
    content = earlier.replace(b"node 77 ", b"node seventy-seven ").replace(b"node 5000 of many", b"")
    assert len(encode(content, Base(sha(earlier), earlier))) < max(200, 0.01 * len(encode(content)))


def test_several_threads_store_at_once() -> None:
    contents = [b"".join(b"%d of thread %d\n" % (i * i, thread) for i in range(50_000)) for thread in range(4)]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for content, blobs in zip(contents, pool.map(lambda c: [encode(c) for _ in range(20)], contents), strict=True):
            assert all(decode(sha(content), blob, lambda _: None) == content for blob in blobs)


def test_a_missing_base_is_named() -> None:
    blob = encode(b"b" * 100, Base(sha(b"a" * 100), b"a" * 100))
    with pytest.raises(GraphError, match="the earlier graph"):
        decode(sha(b"b" * 100), blob, lambda _: None)


def test_damage_is_found() -> None:
    content = bytes(range(256)) * 20
    blob = encode(content)
    for broken in (b"", blob[: len(blob) // 2], blob[:-1], b"\xff" * 40, b"x" + blob):
        with pytest.raises(GraphError):
            decode(sha(content), broken, lambda _: None)
    with pytest.raises(GraphError, match="another hash"):
        decode(sha(b"other"), blob, lambda _: None)


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 255))
def test_one_wrong_byte_is_an_error_or_harmless(position: int, change: int) -> None:
    content = bytes(range(256)) * 20
    blob = bytearray(encode(content))
    blob[position % len(blob)] ^= change
    with contextlib.suppress(GraphError):
        assert decode(sha(content), bytes(blob), lambda _: None) == content


def test_bombs_are_refused_before_they_are_unpacked() -> None:
    bomb = zstandard.ZstdCompressor().compress(bytes(module.MAX_CONTENT_BYTES + 1))
    for claim in (10, module.MAX_CONTENT_BYTES + 1, -1, 2**62):
        blob = pb.StoredGraph(data=bomb, content_bytes=claim).SerializeToString()
        with pytest.raises(GraphError):
            decode(sha(b""), blob, lambda _: None)
    unsized = zstandard.ZstdCompressor(write_content_size=False).compress(bytes(1 << 20))
    with pytest.raises(GraphError):
        decode(sha(b""), pb.StoredGraph(data=unsized, content_bytes=10).SerializeToString(), lambda _: None)


def test_bases_form_no_chain_nor_circle() -> None:
    contents = [b"a" * 100, b"b" * 100, b"c" * 100]
    a, b, c = (sha(content) for content in contents)
    blobs = {a: encode(contents[0], Base(b, contents[1])), b: encode(contents[1], Base(a, contents[0]))}
    blobs[c] = encode(contents[2], Base(a, contents[0]))
    for name in (a, b, c):
        with pytest.raises(GraphError, match="damaged"):
            decode(name, blobs[name], blobs.get)


def test_too_large_a_graph_is_not_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_CONTENT_BYTES", 10)
    with pytest.raises(GraphError, match="at most"):
        encode(b"x" * 11)


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(content: bytes) -> None:
    with contextlib.suppress(GraphError):
        read_graph(content)


def test_shapes_that_do_not_fit_are_unknown() -> None:
    one_node = function_pb2.FunctionDef()
    one_node.node_def.add(name="a")
    fits = pb.FunctionShapes(table=[0, 1, 2, 3, -1], nodes=[1])
    wrong = [
        pb.FunctionShapes(table=[0, 1, 2, 3, -1], nodes=[2]),
        pb.FunctionShapes(table=[0, 1, 2, 3, -1], nodes=[1, 1]),
        pb.FunctionShapes(table=[0, 1, 2, 3, -1], nodes=[1], inputs=[0]),
        pb.FunctionShapes(table=[0, 1, 2, 3], nodes=[1]),
        pb.FunctionShapes(table=[0, 1, 2**40], nodes=[1]),
        pb.FunctionShapes(table=[0, 2**40, 0], nodes=[1]),
    ]
    for shapes, known in [(fits, ((3, None),)), *((w, None) for w in wrong)]:
        content = pb.GraphContent(functions=[one_node.SerializeToString()], shapes=[shapes])
        (function,) = read_graph(content.SerializeToString())
        assert (function.shapes[function.nodes[0]] if function.nodes else None) == known


def test_what_compresses_serves_graph_after_graph() -> None:
    contents = [bytes(f"{n} ", "ascii") * 500 + sha(b"%d" % n).encode() * 20 for n in range(4)]
    base = Base(sha(contents[0]), contents[0])
    stored = [encode(content, base) for content in contents[1:]]
    assert stored == [encode(content, Base(sha(contents[0]), contents[0])) for content in contents[1:]]
    base.rest()
    assert encode(contents[1], base) == stored[0]
