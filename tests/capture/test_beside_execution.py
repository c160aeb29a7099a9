"""Traces that are described in a thread beside their first execution: the same records, all of them, nothing kept."""

from __future__ import annotations

import gc
import os
import queue
import subprocess
import sys
import textwrap
import threading
import time
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import keras
import pytest
import tensorflow as tf

from tb_retrace_plugin.capture import tf_seam
from tb_retrace_plugin.capture.api import Recording
from tb_retrace_plugin.capture.session import beside_execution, recorder
from tb_retrace_plugin.graphs.slim import slim_graph
from tb_retrace_plugin.schema import retrace_pb2 as pb
from tests.capture.conftest import Recorded, RecordFixture
from tests.support.killed import ROOT

Work = Callable[[], None]


@pytest.fixture(autouse=True)
def two_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever machine the tests run on."""
    monkeypatch.setattr(recorder, "has_a_processor", lambda: True)


@pytest.fixture
def handed_over(monkeypatch: pytest.MonkeyPatch) -> list[Work]:
    """What was handed to the thread, which runs it."""
    found: list[Work] = []

    def run(work: Work, afterwards: Work | None = None) -> bool:
        found.append(work)
        return beside_execution.run_beside(work, afterwards)

    monkeypatch.setattr(recorder, "run_beside", run)
    return found


class Scale:
    def __init__(self, by: float) -> None:
        self.by = by


def refuses(x: Any) -> Any:
    tf.debugging.assert_less(x, 0.0)
    return x


RATE = 2.0


def program() -> None:
    """Traces of many kinds, of which most are called at once."""
    global RATE
    keras.backend.clear_session()

    @tf.function
    def step(x: Any, k: Any, scale: Any = None) -> Any:
        for _ in tf.range(3):
            x = tf.cond(tf.reduce_sum(x) > 0, lambda x=x: x * 2.0, lambda x=x: x - RATE)
        return x + k + (0.0 if scale is None else scale.by)

    for k in range(4):
        step(tf.ones([2]), k)
    for size in (3, 4, 5):
        step(tf.ones([size]), 0.5, Scale(size))
    RATE = 3.0
    for number in (1.5, 2.5):

        @tf.function
        def made_anew(x: Any) -> Any:
            return step(x, number) * RATE  # noqa: B023

        made_anew(tf.ones([2]))
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.function(refuses)(tf.ones([]))
    layer = keras.layers.Conv2D(2, 3, kernel_initializer="ones")
    call = tf.function(lambda images: layer(images))  # creates variables
    for size in (5, 6):
        call(tf.ones([1, size, size, 1]))
    model = keras.Sequential([keras.layers.Dense(1, kernel_initializer="ones")])
    model.compile("sgd", "mse")
    model.fit(tf.ones([5, 2]), tf.ones([5]), batch_size=2, verbose=0)
    RATE = 2.0


def comparable(recorded: Recorded) -> list[str]:
    """Records without times and memory; what numbers depend on the process is numbered by order. How large graphs are
    as TensorFlow has them, with its numbers of functions, depends on how many digits these have."""
    found = []
    for trace in recorded.traces:
        copy = pb.Trace()
        copy.CopyFrom(trace)
        for name in (
            "time_ns", "trace_duration_ns", "nested_duration_ns", "lookup_duration_ns", "memory_before_bytes",
            "memory_after_bytes", "first_calls", "stack_id", "graph_bytes",
        ):  # fmt: skip
            copy.ClearField(name)  # type: ignore[arg-type]
        found.append(str(copy))
    found += [f"{call.seq} {call.failed}" for _, call in sorted(recorded.first_calls.items())]
    return found + [f"{one.seq} {one.name} {one.traced} {one.now} {one.step}" for one in recorded.stale]


def test_the_records_are_those_of_a_trace_that_is_described_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, handed_over: list[Work]
) -> None:
    from tb_retrace_plugin import record

    with record(tmp_path / "beside"):
        program()
    assert len(handed_over) > 12
    handed_over.clear()
    monkeypatch.setattr(recorder, "has_a_processor", lambda: False)
    with record(tmp_path / "at once"):
        program()
    assert handed_over == []
    beside, at_once = Recorded(tmp_path / "beside").read(), Recorded(tmp_path / "at once").read()
    assert len(beside.traces) > 15
    assert beside.losses == at_once.losses == {}
    assert comparable(beside) == comparable(at_once)


def never(*_: Work) -> bool:
    """The thread is not given Python as long as TensorFlow executes."""
    return True


def test_it_is_recorded_once_the_call_returns_and_nothing_is_kept(
    recording: RecordFixture, handed_over: list[Work]
) -> None:
    with recording() as recorded:
        _called_and_let_go(recorded)
    assert len(handed_over) == 3


def test_it_is_recorded_where_the_thread_never_runs(recording: RecordFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorder, "run_beside", never)
    with recording() as recorded:
        _called_and_let_go(recorded)


def test_it_is_recorded_where_no_thread_can_be_started(
    recording: RecordFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(_: Any) -> None:
        raise RuntimeError("can't start new thread")

    beside_execution.forget_after_fork()  # as if none had been started
    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", refused)
        with recording() as recorded:
            _called_and_let_go(recorded)
    assert beside_execution._thread is None


def _called_and_let_go(recorded: Recorded) -> None:
    for n in (1, 2, 3):
        weights = tf.Variable(tf.ones([n]))
        held = Scale(2.0)
        function = tf.function(lambda x, scale, weights=weights: x * weights * scale.by)
        function(tf.ones([n]), held)
        assert len(recorded.read().traces) == n  # it is in the file
        references = [weakref.ref(one) for one in (weights, held, function)]
        del weights, held, function
        gc.collect()
        assert [one() for one in references] == [None] * 3


@tf.function
def scaled(x: Any, k: Any) -> Any:
    return x * (k.by if isinstance(k, Scale) else k)


def test_what_is_of_the_programs_is_read_where_it_is_traced(
    recording: RecordFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Numbers and tensors are read beside the execution, objects and a new function's closure before it."""
    read_by: list[bool] = []
    real = recorder.Describer.read

    def read(*arguments: Any) -> Any:
        read_by.append(threading.current_thread() is threading.main_thread())
        return real(*arguments)

    monkeypatch.setattr(recorder.Describer, "read", read)
    with recording() as recorded:
        scaled(tf.ones([]), 1.0)  # new
        scaled(tf.ones([]), Scale(2.0))
        with monkeypatch.context() as patched:  # a program's own class of number
            patched.setattr(recorder, "run_beside", lambda work, _: [thread_that_does(work)])
            scaled(tf.ones([]), type("Rate", (float,), {})(3.0))
            assert read_by == [True] * 3
            scaled(tf.ones([2]), 4.0)
    assert read_by == [True, True, True, False]
    assert [trace.n for trace in recorded.read().traces] == [1, 2, 3, 4]


def thread_that_does(work: Work) -> threading.Thread:
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    return thread


def test_a_first_call_is_in_the_file_a_while_after_it_is_over(recording: RecordFixture) -> None:
    with recording() as recorded:
        scaled(tf.ones([]), -1.0)
        deadline = time.monotonic() + 30
        while not recorded.read().first_calls and time.monotonic() < deadline:
            time.sleep(0.02)
        assert list(recorded.read().first_calls) == [1]


def test_what_follows_after_a_pause_follows_once_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beside_execution, "PAUSE_S", 0.5)
    done: queue.SimpleQueue[str] = queue.SimpleQueue()

    def afterwards() -> None:
        done.put("afterwards")

    all_are_there = threading.Event()
    assert beside_execution.run_beside(lambda: done.put(str(all_are_there.wait(30))), afterwards)
    assert all(beside_execution.run_beside(lambda: done.put("work"), afterwards) for _ in range(2))
    all_are_there.set()
    assert [done.get(timeout=30) for _ in range(4)] == ["True", "work", "work", "afterwards"]
    assert beside_execution.run_beside(lambda: done.put("work"))
    assert done.get(timeout=30) == "work"
    assert done.empty()


def test_an_execution_that_fails(recording: RecordFixture, handed_over: list[Work]) -> None:
    with recording() as recorded, pytest.raises(tf.errors.InvalidArgumentError):
        tf.function(refuses)(tf.ones([]))
    assert len(handed_over) == 1
    (trace,) = recorded.traces
    assert not trace.failed
    assert recorded.first_calls[trace.seq].failed


def _by_get_concrete_function(f: Any) -> None:
    f.get_concrete_function(tf.ones([2]))


def _within_another(f: Any) -> None:
    outer = tf.function(lambda x: f(x))
    outer.get_concrete_function(tf.ones([2]))


def _beneath_a_tape(f: Any) -> None:
    x = tf.Variable(tf.ones([2]))
    with tf.GradientTape() as tape:
        y = f(x)
    assert tape.gradient(y, x) is not None


def _for_forward_gradients(f: Any) -> None:
    x = tf.ones([2])
    with tf.autodiff.ForwardAccumulator(x, x) as accumulator:
        y = f(x)
    assert accumulator.jvp(y) is not None


@pytest.mark.parametrize("call", [_by_get_concrete_function, _within_another, _beneath_a_tape, _for_forward_gradients])
def test_what_is_not_executed_next_is_described_at_once(
    recording: RecordFixture, handed_over: list[Work], call: Callable[[Any], None]
) -> None:
    with recording() as recorded:
        call(tf.function(lambda x: x * 2.0))
    assert recorded.traces
    assert handed_over == []


def test_whoever_is_told_of_it_is_told_before_it_is_executed(
    recording: RecordFixture, handed_over: list[Work], monkeypatch: pytest.MonkeyPatch
) -> None:
    happened: list[str] = []
    monkeypatch.setattr(recorder.Narrator, "tell", lambda _, record, stack: happened.append("told"))

    @tf.function
    def says(x: Any, k: int) -> Any:
        tf.py_function(lambda: happened.append("executed"), [], [])
        return x * k

    with recording(verbose=1):
        says(tf.ones([]), 1)
        says(tf.ones([]), 2)
    assert handed_over == []
    assert happened == ["told", "executed"] * 2


def test_of_two_recordings_each_has_it_whole(tmp_path: Path, handed_over: list[Work]) -> None:
    recordings = [Recording(tmp_path / name) for name in ("one", "two")]
    for recording in recordings:
        recording.begin()
    step = tf.function(lambda x, k: x * k)
    for k in range(5):
        step(tf.ones([2]), k)
    for recording in recordings:
        recording.close()
    one, two = (comparable(Recorded(tmp_path / name).read()) for name in ("one", "two"))
    assert len(one) == 10
    assert one == two
    assert handed_over == []


@pytest.mark.parametrize("runs", [beside_execution.run_beside, never])
def test_a_finalizer_that_traces_while_a_trace_is_described(
    recording: RecordFixture, monkeypatch: pytest.MonkeyPatch, runs: Callable[..., bool]
) -> None:
    """It passes through, in whichever thread it strikes, as it does where a trace is described at once."""
    inner = tf.function(lambda x, k: x + k)
    real = recorder.Describer.describe

    def describe(*arguments: Any) -> Any:
        inner(tf.ones([]), inner.experimental_get_tracing_count())
        return real(*arguments)

    monkeypatch.setattr(recorder, "run_beside", runs)
    outer = tf.function(lambda x, k: x * k)
    with recording() as recorded:
        outer(tf.ones([]), -1)
        monkeypatch.setattr(recorder.Describer, "describe", describe)
        for k in range(3):
            outer(tf.ones([]), k)
    assert inner.experimental_get_tracing_count() == 3
    assert [trace.n for trace in recorded.traces] == [1, 2, 3, 4]


def loops(x: Any) -> Any:
    while tf.reduce_sum(x) < 100.0:
        x = tf.cond(tf.reduce_sum(x) > 3.0, lambda x=x: x * x, lambda x=x: x + 1.0)
    return x


def test_a_graph_is_told_as_it_was_traced_whatever_a_gradient_adds_to_it() -> None:
    def told(graph: list[tf_seam.TracedFunctionGraph]) -> str:
        return slim_graph(tf_seam.function_graphs(graph)).sha256

    function = tf.function(loops)
    x = tf.Variable(tf.ones([3]))
    concrete = function.get_concrete_function(x)
    graph = tf_seam.lasting(tf_seam.traced_graph(concrete))
    before = told(graph)
    with tf.GradientTape() as tape:
        y = function(x)
    tape.gradient(y, x)
    later = tf_seam.traced_graph(concrete)
    assert sum(one.nodes for one in later) > sum(one.nodes for one in graph)
    assert told(graph) == before


def test_the_thread_ends_where_there_is_nothing_to_do_and_another_follows(monkeypatch: pytest.MonkeyPatch) -> None:
    beside_execution.forget_after_fork()
    monkeypatch.setattr(beside_execution, "_IDLE_S", 0.01)
    done: queue.SimpleQueue[int] = queue.SimpleQueue()
    for turn in range(3):
        beside_execution.run_beside(lambda turn=turn: done.put(turn))
        assert done.get(timeout=30) == turn
        thread = beside_execution._thread
        if thread is not None:
            thread.join(30)
        assert beside_execution._thread is None


def test_work_that_raises_does_not_end_it() -> None:
    done: queue.SimpleQueue[str] = queue.SimpleQueue()

    def raising() -> None:
        raise KeyboardInterrupt

    beside_execution.run_beside(raising)
    beside_execution.run_beside(lambda: done.put("done"))
    assert done.get(timeout=30) == "done"


def run(tmp_path: Path, code: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TF_CPP_MIN_LOG_LEVEL": "3"}
    before = "import os, time\nimport tensorflow as tf\nfrom tb_retrace_plugin import start, stop, record\n"
    command = [sys.executable, "-c", before + textwrap.dedent(code)]
    return subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120, check=False
    )


def test_a_process_that_dies_while_it_executes(tmp_path: Path) -> None:
    done = run(
        tmp_path,
        """
        from tb_retrace_plugin.capture.session import recorder
        recorder.has_a_processor = lambda: True
        start("logs")
        def dies():
            time.sleep(2)
            os._exit(3)
        @tf.function
        def step(x):
            tf.py_function(dies, [], [])
            return x
        step(tf.ones([]))
        """,
    )
    assert done.returncode == 3, done.stderr
    assert Recorded(tmp_path / "logs").read().count("step") == 1


def test_a_fork_in_the_middle_of_an_execution(tmp_path: Path) -> None:
    """The child records nothing of its parent's, and may record what it does itself, beside its executions too."""
    done = run(
        tmp_path,
        """
        from tb_retrace_plugin.capture.session import recorder
        recorder.has_a_processor = lambda: True
        start("logs")
        step = tf.function(lambda x, k: x * k)
        step(tf.ones([]), 1)
        child = os.fork()
        if not child:
            from tb_retrace_plugin.capture.session import beside_execution
            import queue
            done = queue.SimpleQueue()
            beside_execution.run_beside(lambda: done.put(7))
            os._exit(done.get(timeout=30))
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
        step(tf.ones([]), 2)
        stop()
        """,
    )
    assert done.returncode == 0, done.stderr
    assert Recorded(tmp_path / "logs").read().count("<lambda>") == 2
