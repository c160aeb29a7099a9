"""Graphs through a data provider: asked for once, and only so many bytes of them are kept."""

from __future__ import annotations

import pytest

from tb_retrace_plugin.events import graph_blobs
from tb_retrace_plugin.events.graph_blobs import ProviderGraphs
from tb_retrace_plugin.schema import tags
from tests.support.fake_provider import FakeProvider


def provider_with(**blobs: bytes) -> FakeProvider:
    provider = FakeProvider()
    for sha256, blob in blobs.items():
        provider.put_blob("train/retrace", tags.graph_tag(sha256), blob)
    return provider


def test_what_was_read_last_is_not_asked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graph_blobs, "_KEPT_BYTES", 5)
    provider = provider_with(a=b"aa", b=b"bb", c=b"cc", d=b"dddddd")
    graphs = ProviderGraphs(provider, "")
    read = [graphs.blob(None, sha256) for sha256 in "abacabddb"]
    assert read == [b"aa", b"bb", b"aa", b"cc", b"aa", b"bb", b"dddddd", b"dddddd", b"bb"]
    asked = [key.rpartition("/")[2] for key in provider.blob_reads]
    assert asked == ["a", "b", "c", "b", "d", "d"]  # `b` made room for `c`, and `d` is too large


def test_what_is_not_there_yet_is_asked_for_again() -> None:
    provider = provider_with()
    graphs = ProviderGraphs(provider, "")
    assert graphs.blob(None, "a") is None
    provider.put_blob("train/retrace", tags.graph_tag("a"), b"aa")
    assert graphs.blob(None, "a") == b"aa"


def test_a_provider_that_cannot_answer_says_so() -> None:
    class Failing(FakeProvider):
        def read_blob(self, ctx: object, *, blob_key: str) -> bytes:
            raise OSError(blob_key)

    provider = Failing()
    provider.put_blob("train/retrace", tags.graph_tag("a"), b"aa")
    with pytest.raises(OSError, match=r"a$"):
        ProviderGraphs(provider, "").blob(None, "a")
