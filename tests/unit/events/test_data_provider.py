from __future__ import annotations

import numpy as np
import pytest

from tb_retrace_plugin.events import data_provider
from tb_retrace_plugin.events.data_provider import ProviderReader
from tb_retrace_plugin.events.records import Problem, Record
from tb_retrace_plugin.schema import retrace_pb2 as pb
from tb_retrace_plugin.schema import tags
from tests.support.fake_provider import FakeProvider


@pytest.fixture
def provider() -> FakeProvider:
    return FakeProvider()


@pytest.fixture
def reader(provider: FakeProvider) -> ProviderReader:
    return ProviderReader(provider, "")


def put_traces(provider: FakeProvider, numbers: range, run: str = "fit/retrace") -> None:
    for seq in numbers:
        provider.put(run, tags.trace_tag("abc", seq), pb.Trace(seq=seq))


def trace_numbers(items: list[Record | Problem]) -> list[int]:
    return [i.message.seq for i in items if isinstance(i, Record) and isinstance(i.message, pb.Trace)]


def test_a_poll_reads_what_is_new_and_nothing_twice(provider: FakeProvider, reader: ProviderReader) -> None:
    put_traces(provider, range(1, 4))
    assert trace_numbers(reader.poll(None).items) == [1, 2, 3]
    assert reader.poll(None).items == []
    put_traces(provider, range(4, 6))
    assert trace_numbers(reader.poll(None).items) == [4, 5]
    assert provider.reads[1:] == [[tags.trace_tag("abc", 4), tags.trace_tag("abc", 5)]]


def test_starts_and_stacks_come_before_traces_and_traces_in_their_order(
    provider: FakeProvider, reader: ProviderReader
) -> None:
    put_traces(provider, range(1, 12))
    provider.put("fit/retrace", tags.stack_tag("abc", "s"), pb.Stack())
    provider.put("fit/retrace", tags.session_tag("abc"), pb.SessionStart(id="abc"))
    items = [i for i in reader.poll(None).items if isinstance(i, Record)]
    assert [i.tag.kind for i in items[:3]] == ["session", "stack", "trace"]
    assert trace_numbers(list(items)) == list(range(1, 12))


def test_reads_come_in_pages(provider: FakeProvider, reader: ProviderReader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(data_provider, "_PAGE_TAGS", 10)
    put_traces(provider, range(1, 26))
    assert len(trace_numbers(reader.poll(None).items)) == 25
    assert [len(read) for read in provider.reads] == [10, 10, 5]


def test_a_page_beyond_the_servers_cap_is_halved(provider: FakeProvider, reader: ProviderReader) -> None:
    def cap(asked: list[str]) -> None:
        if len(asked) > 30:
            raise RuntimeError("RESOURCE_EXHAUSTED")

    provider.fail = cap
    put_traces(provider, range(1, 101))
    assert trace_numbers(reader.poll(None).items) == list(range(1, 101))


def test_one_datum_that_cannot_be_read_costs_itself_alone(provider: FakeProvider, reader: ProviderReader) -> None:
    bad = tags.trace_tag("abc", 7)

    def fail(asked: list[str]) -> None:
        if bad in asked:
            raise ValueError("cannot reshape array")

    provider.fail = fail
    put_traces(provider, range(1, 21))
    items = reader.poll(None).items
    assert trace_numbers(items) == [n for n in range(1, 21) if n != 7]
    (problem,) = [i for i in items if isinstance(i, Problem)]
    assert bad in problem.text
    assert reader.poll(None).items == []


def test_a_provider_that_fails_always_is_an_error_and_the_next_poll_loses_nothing(
    provider: FakeProvider, reader: ProviderReader
) -> None:
    put_traces(provider, range(1, 101))

    def fail(asked: list[str]) -> None:
        raise ConnectionError("gone")

    provider.fail = fail
    with pytest.raises(ConnectionError):
        reader.poll(None)
    provider.fail = lambda asked: None
    assert trace_numbers(reader.poll(None).items) == list(range(1, 101))


@pytest.mark.parametrize("vanished", ["run", "tag"])
def test_what_vanishes_is_noticed(provider: FakeProvider, reader: ProviderReader, vanished: str) -> None:
    put_traces(provider, range(1, 4))
    put_traces(provider, range(1, 4), run="other")
    assert not reader.poll(None).vanished
    if vanished == "run":
        del provider.data["other"]
    else:
        del provider.data["other"][tags.trace_tag("abc", 2)]
    batch = reader.poll(None)
    assert batch.vanished
    assert batch.items == []


@pytest.mark.parametrize("asked", ["listing", "reading"])
def test_runs_that_go_while_they_are_asked_for_are_asked_for_again(
    provider: FakeProvider, reader: ProviderReader, asked: str
) -> None:
    """TensorBoard's Python loader deletes the runs of a logdir that goes one by one, beside whoever reads them."""
    for run in ("going", "gone", "stays"):
        put_traces(provider, range(1, 4), run=run)

    def go(tags: object = None) -> None:
        for run in ("going", "gone"):
            if run in provider.data:
                del provider.data[run]
                raise KeyError(run)

    if asked == "listing":
        provider.before_listing = go
    else:
        provider.fail = go
    assert [str(item) for item in reader.poll(None).items if isinstance(item, Problem)] == []
    provider.before_listing = lambda: None
    provider.fail = lambda tags: None
    batch = reader.poll(None)
    assert batch.vanished == (asked == "reading")
    assert reader.has_read("stays", tags.trace_tag("abc", 3))


def test_a_provider_that_knows_no_run_it_lists_is_an_error(provider: FakeProvider, reader: ProviderReader) -> None:
    def fail() -> None:
        raise KeyError("run")

    provider.before_listing = fail
    with pytest.raises(KeyError):
        reader.poll(None)


def test_a_tag_that_is_listed_before_its_datum_is_there_is_read_later(
    provider: FakeProvider, reader: ProviderReader
) -> None:
    put_traces(provider, range(1, 4))
    provider.withheld = {tags.trace_tag("abc", 2)}
    assert trace_numbers(reader.poll(None).items) == [1, 3]
    provider.withheld = set()
    assert trace_numbers(reader.poll(None).items) == [2]


@pytest.mark.parametrize("array", [np.array(1.5), np.array([b"a", b"b"], dtype=object), np.array("text", dtype=object)])
def test_a_datum_of_another_type_is_a_problem(provider: FakeProvider, reader: ProviderReader, array: object) -> None:
    provider.put("r", tags.trace_tag("abc", 1), array)
    (problem,) = reader.poll(None).items
    assert isinstance(problem, Problem)


def test_tags_of_another_kind_are_passed_over(provider: FakeProvider, reader: ProviderReader) -> None:
    provider.put("r", "retrace/later/abc/1", pb.Trace())
    provider.put("r", "something else", pb.Trace())
    assert reader.poll(None).items == []


def test_a_newer_schema_is_told_once_for_a_run(provider: FakeProvider, reader: ProviderReader) -> None:
    provider.content = b"3"
    put_traces(provider, range(1, 3))
    items = reader.poll(None).items
    assert trace_numbers(items) == [1, 2]
    assert ["newer Retrace" in i.text for i in items if isinstance(i, Problem)] == [True]
    put_traces(provider, range(3, 5))
    assert [i for i in reader.poll(None).items if isinstance(i, Problem)] == []
