from __future__ import annotations

import gc
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from tb_retrace_plugin.backend import provider_store
from tb_retrace_plugin.backend.provider_store import POLL_SECONDS, ProviderStore
from tb_retrace_plugin.schema import retrace_pb2 as pb
from tb_retrace_plugin.schema import tags
from tests.support.fake_provider import FakeProvider


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def provider() -> FakeProvider:
    provider = FakeProvider()
    put_traces(provider, range(1, 4))
    return provider


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(provider: FakeProvider, clock: Clock) -> ProviderStore:
    return ProviderStore(provider, clock)


def put_traces(provider: FakeProvider, numbers: range, session: str = "abc") -> None:
    for seq in numbers:
        provider.put(f"{session}/retrace", tags.trace_tag(session, seq), pb.Trace(seq=seq))


def state(store: ProviderStore, experiment: str = "") -> tuple[str, list[int]]:
    with store.reading(None, experiment) as reading:
        return reading.store.generation, [seq for session in reading.store.sessions for seq in session.events]


def test_it_polls_at_most_once_in_a_while(provider: FakeProvider, store: ProviderStore, clock: Clock) -> None:
    generation, traces = state(store)
    assert traces == [1, 2, 3]
    put_traces(provider, range(4, 5))
    clock.now += POLL_SECONDS / 2
    assert state(store) == (generation, [1, 2, 3])
    assert provider.listings == 1
    clock.now += POLL_SECONDS / 2
    assert state(store) == (generation, [1, 2, 3, 4])
    assert provider.listings == 2


def test_a_run_that_vanishes_starts_a_new_generation(
    provider: FakeProvider, store: ProviderStore, clock: Clock
) -> None:
    put_traces(provider, range(1, 3), session="xyz")
    generation, traces = state(store)
    assert traces == [1, 2, 3, 1, 2]
    del provider.data["abc/retrace"]
    clock.now += POLL_SECONDS
    new_generation, left = state(store)
    assert left == [1, 2]
    assert new_generation != generation


def test_a_failure_is_the_callers_and_the_next_poll_tries_again(
    provider: FakeProvider, store: ProviderStore, clock: Clock
) -> None:
    def fail(asked: list[str]) -> None:
        raise ConnectionError("gone")

    provider.fail = fail
    for _ in range(40):  # enough data for it not to be the data
        put_traces(provider, range(1, 41))
    with pytest.raises(ConnectionError):
        state(store)
    provider.fail = lambda asked: None
    assert len(state(store)[1]) == 40


def test_experiments_named_by_urls_do_not_pile_up(provider: FakeProvider, store: ProviderStore, clock: Clock) -> None:
    for number in range(50):
        state(store, f"experiment-{number}")
    assert len(store._followed) <= 4


def test_a_look_that_took_long_is_not_waited_for(provider: FakeProvider, store: ProviderStore, clock: Clock) -> None:
    go, began = threading.Event(), threading.Event()

    def slow(asked: list[str]) -> None:
        clock.now += 2.0

    def stuck(asked: list[str]) -> None:
        began.set()
        assert go.wait(60)

    provider.fail = slow
    generation, traces = state(store)
    assert traces == [1, 2, 3]
    put_traces(provider, range(4, 5))
    provider.fail = stuck
    clock.now += POLL_SECONDS
    assert state(store) == (generation, [1, 2, 3])
    assert provider.listings == 1  # it took 2 s: a pause of three times that
    clock.now += 6
    assert state(store) == (generation, [1, 2, 3])  # the look is stuck, the answer is not
    assert began.wait(60)
    clock.now += 600
    assert state(store) == (generation, [1, 2, 3])
    assert provider.listings == 2  # one look at a time
    go.set()
    wait_until(lambda: state(store)[1] == [1, 2, 3, 4])


def test_what_vanished_is_shown_until_the_rest_is_read_again(
    provider: FakeProvider, store: ProviderStore, clock: Clock
) -> None:
    put_traces(provider, range(1, 3), session="xyz")
    before = state(store)
    del provider.data["abc/retrace"]

    def fail(asked: list[str]) -> None:
        provider.fail = lambda asked: None
        raise ConnectionError("gone")

    put_traces(provider, range(1, 42), session="new")
    provider.fail = fail
    clock.now += POLL_SECONDS
    assert state(store)[1] == [*range(1, 42), 1, 2]
    assert state(store)[0] != before[0]


def test_a_failure_beside_the_requests_is_told_until_a_look_succeeds(
    provider: FakeProvider, store: ProviderStore, clock: Clock
) -> None:
    def slow(asked: list[str]) -> None:
        clock.now += 2.0

    def fail() -> None:
        raise OSError("no such file system")

    provider.fail = slow
    state(store)
    provider.before_listing = fail
    clock.now += 60
    wait_until(lambda: failure_of(store) == "no such file system")
    provider.before_listing = lambda: None
    clock.now += 60
    wait_until(lambda: failure_of(store) == "")


def test_much_is_kept_out_of_collections_and_thought_of_before_it_is_asked_for(
    provider: FakeProvider, store: ProviderStore, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    # of another test's store, which read much
    wait_until(lambda: not any(thread.name == "retrace-settling" for thread in threading.enumerate()))
    thought: list[tuple[str, str]] = []
    released = threading.Event()

    def think(what: str) -> Any:
        return lambda group: thought.append((what, group.function.name))

    monkeypatch.setattr(provider_store, "_MANY_RECORDS", 20)
    monkeypatch.setattr(provider_store, "_MANY_TRACES", 4)
    monkeypatch.setattr(provider_store, "_PAGES_AHEAD", 1)
    monkeypatch.setattr(provider_store, "function_page", think("page"))
    monkeypatch.setattr(provider_store, "advice_json", think("advice"))
    monkeypatch.setattr(provider_store, "give_back_to_collections", released.set)
    gc.unfreeze()  # what other tests' stores held may be gone by now, and then there are fewer
    frozen = gc.get_freeze_count()
    try:
        state(store)
        assert (thought, gc.get_freeze_count()) == ([], frozen)  # three records are not many
        names = ["many"] * 10 + ["some"] * 5 + ["few"] * 3
        for seq, name in enumerate(names, 4):
            trace = pb.Trace(seq=seq, function=pb.Function(name=name, qualname=name))
            provider.put("abc/retrace", tags.trace_tag("abc", seq), trace)
        clock.now += POLL_SECONDS
        state(store)
        wait_until(lambda: len(thought) == 2 and gc.get_freeze_count() > frozen)
        assert thought == [("page", "many"), ("advice", "some")]
        assert not released.is_set()
        del provider.data["abc/retrace"]
        clock.now += POLL_SECONDS
        state(store)
        assert released.is_set()
    finally:
        gc.unfreeze()


def failure_of(store: ProviderStore) -> str:
    try:
        state(store)
    except OSError as error:
        return str(error)
    return ""


def wait_until(ready: Callable[[], bool]) -> None:
    """What happens in another thread: soon, or the test hangs and fails by that."""
    for _ in range(6000):
        if ready():
            return
        time.sleep(0.01)
    raise AssertionError("it never happened")


def test_many_threads_see_whole_states(provider: FakeProvider, store: ProviderStore, clock: Clock) -> None:
    failures: list[object] = []
    go = threading.Event()

    def look() -> None:
        go.wait()
        for _ in range(50):
            try:
                clock.now += POLL_SECONDS
                _, traces = state(store)
                if traces != list(range(1, len(traces) + 1)):
                    failures.append(traces)
            except Exception as error:
                failures.append(error)

    threads = [threading.Thread(target=look) for _ in range(8)]
    for thread in threads:
        thread.start()
    go.set()
    put_traces(provider, range(1, 200))
    for thread in threads:
        thread.join()
    assert failures == []
