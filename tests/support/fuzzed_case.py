"""One hostile recording through a reader, the store and every answer."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from tb_retrace_plugin.analysis.sessions.store import Store
from tb_retrace_plugin.events.data_provider import ProviderReader
from tb_retrace_plugin.events.files import read_logdir
from tb_retrace_plugin.events.graph_blobs import FileGraphs, ProviderGraphs
from tb_retrace_plugin.events.records import Problem, Record
from tb_retrace_plugin.schema import tags
from tests.support.all_answers import all_answers
from tests.support.fake_provider import FakeProvider
from tests.support.mutated_records import Case, Item

#: A run's name is a directory's.
RUN = "fit <b>`x`\udcff</b>"


class Outcome:
    """`accepted`: records that were taken in; `problems`: what the user is told of the others."""

    def __init__(self) -> None:
        self.accepted = self.problems = self.answer_bytes = 0


def run_case(case: Case, directory: Path) -> Outcome:
    """Through the files or through a data provider, in one batch or in several with answers in between.

    Raises whatever a reader or an answer raises: nothing should.
    """
    outcome = Outcome()
    store = Store()
    if case.rng.random() < 0.3:  # Python takes long for checksums
        path = directory / "events.out.tfevents.1.host.1.retrace"
        path.write_bytes(case.file())
        blob_of = FileGraphs(str(directory)).blob
        batches = _split(case.rng, list(read_logdir(str(directory))))
    else:
        provider = FakeProvider()
        reader = ProviderReader(provider, "")
        graphs = ProviderGraphs(provider, "")

        def blob_of(sha256: str) -> bytes | None:
            return graphs.blob(None, sha256)

        batches = _provided(case, provider, reader)
    for batch in batches:
        for item in batch:
            assert isinstance(item, Record | Problem)
            outcome.accepted += isinstance(item, Record)
            outcome.problems += isinstance(item, Problem)
        store.add(batch)
        if case.rng.random() < 0.3:
            outcome.answer_bytes += all_answers(store, case.rng, blob_of)
    outcome.answer_bytes += all_answers(store, case.rng, blob_of)
    return outcome


def _split(rng: random.Random, items: list[Any]) -> Iterator[list[Any]]:
    at = rng.randrange(len(items) + 1) if rng.random() < 0.3 else len(items)
    yield items[:at]
    if at < len(items):
        yield items[at:]


def _provided(case: Case, provider: FakeProvider, reader: ProviderReader) -> Iterator[list[Any]]:
    """As the data provider has them: the tags appear little by little, and what a tag holds stays."""
    if case.rng.random() < 0.1:
        provider.content = next((item.content for item in case.items if item.content != b"1"), b"1")
    for items in _split(case.rng, case.items):
        for item in items:
            _put(provider, case.rng, item)
        batch = reader.poll(None)
        assert not batch.vanished
        yield batch.items


def _put(provider: FakeProvider, rng: random.Random, item: Item) -> None:
    if item.tag in provider.data.get(RUN, {}):
        return
    if (tag := tags.parse_tag(item.tag)) is not None and tag.kind == "graph":
        provider.put_blob(RUN, item.tag, item.payload)
        return
    value: Any = np.array(item.payload, dtype=object)
    if item.dtype != 7 or item.values != 1:
        value = rng.choice(
            [np.array([item.payload] * item.values, dtype=object), np.float32(3), np.zeros((0, 3)), None, ""]
        )
    provider.put(RUN, item.tag, value)
    provider.wall_times[item.tag] = item.wall_time


def temporary_directory() -> tempfile.TemporaryDirectory[str]:
    """In memory where there is such a place: the disk is not what is tested."""
    shm = Path("/dev/shm")
    return tempfile.TemporaryDirectory(dir=shm if shm.is_dir() else None, prefix="retrace-fuzz-")
