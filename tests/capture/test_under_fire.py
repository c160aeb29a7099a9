"""The recorder where things go wrong: filesystems, signals, forks, other tools. Training must not notice."""

from __future__ import annotations

import contextlib
import importlib
import os
import random
import runpy
import shutil
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

from tb_retrace_plugin import record, start, stop
from tb_retrace_plugin.capture import notice, tf_seam
from tb_retrace_plugin.capture.api import Recording
from tb_retrace_plugin.capture.keras_callback import RetraceCallback
from tb_retrace_plugin.capture.session import beside_execution, event_sink, recorder
from tb_retrace_plugin.capture.tf_seam import tracing_hook
from tb_retrace_plugin.capture.watch import hook
from tb_retrace_plugin.events.files import read_logdir
from tb_retrace_plugin.events.records import Problem
from tb_retrace_plugin.schema import retrace_pb2 as pb
from tests.capture.conftest import Recorded
from tests.support.injected_faults import ERRORS, fault, outcome, watched
from tests.support.killed import kill

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def _nothing_is_left() -> Any:
    notice.forget()
    module = importlib.import_module(tracing_hook.TRACING)
    original = getattr(module, tracing_hook.SEAM)
    yield
    left = hook._listeners, hook._thread.stack, hook._thread.busy
    hook._listeners, hook._thread.stack, hook._thread.busy = (), [], False
    tf_seam.uninstall()
    at_the_seam = getattr(module, tracing_hook.SEAM)
    setattr(module, tracing_hook.SEAM, original)
    tracing_hook._hook = tracing_hook._original = None
    assert left == ((), [], False)
    assert at_the_seam is original


def traced(log_dir: Path) -> list[int]:
    """Values of `k` in the recorded traces, in order; whatever cannot be read is left out."""
    found = []
    for item in read_logdir(str(log_dir)):
        if not isinstance(item, Problem) and isinstance(item.message, pb.Trace):
            found += [int(a.type.value) for a in item.message.signature.arguments if a.path == "k"]
    return sorted(found)


def losses(log_dir: Path) -> dict[str, int]:
    return outcome(str(log_dir)).losses


def scaled() -> Any:
    return tf.function(lambda x, k: x * 2.0 + k)


def run_program(tmp_path: Path, text: str, **kwargs: Any) -> subprocess.CompletedProcess[str]:
    program = tmp_path / "program.py"
    program.write_text(textwrap.dedent(text))
    env = {**os.environ, "PYTHONPATH": str(ROOT), "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1"}
    command = [sys.executable, str(program)]
    return subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=300, **kwargs)


# --- faults in our own functions ---


def at_once_in_a_thread(work: Callable[[], None], _afterwards: Callable[[], None]) -> bool:
    thread = threading.Thread(target=beside_execution._done, args=(work,))
    thread.start()
    thread.join()
    return True


@pytest.mark.parametrize("beside", [False, True])
def test_a_fault_at_any_call_of_ours_reaches_nobody_and_loses_one_trace_at_most(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, beside: bool
) -> None:
    """A part of tests/benchmarks/fault_injection.py, which strikes every point of the headline demo."""
    # What one thread or the other does, whichever comes first, would be struck or not.
    monkeypatch.setattr(recorder, "has_a_processor", lambda: beside)
    monkeypatch.setattr(recorder, "run_beside", at_once_in_a_thread)

    def program(log_dir: Path) -> list[float]:
        source = log_dir.with_suffix(".py")  # of its own: what is read of a code is read once
        source.write_text("def scaled(x, k):\n    return x * 2.0 + k\n")
        f = tf.function(runpy.run_path(str(source))["scaled"])
        with record(log_dir):
            return [float(tf.reduce_sum(f(tf.ones([3]), k))) for k in range(3)]

    program(tmp_path / "first")  # what runs once in a process would never be struck
    with watched() as found:
        expected = program(tmp_path / "clean")
    assert len(found.times) > 150
    clean = outcome(str(tmp_path / "clean"))
    dice = random.Random(5)
    missed = []
    for number, (point, times) in enumerate(dice.sample(sorted(found.times.items()), 40)):
        log_dir = tmp_path / str(number)
        with fault(point, dice.randint(1, times), ERRORS[number % len(ERRORS)]()) as struck:
            assert program(log_dir) == expected, point
        missed += [] if struck else [point]
        after = outcome(str(log_dir))
        assert len(clean.seqs - after.seqs) <= 1, (struck, after)
        assert clean.seqs == after.seqs or after.losses, (struck, after)
    assert len(missed) < 10, missed


def test_every_function_of_the_recorder_failing_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tb_retrace_plugin.capture.record import describe

    def failing(*_: Any, **__: Any) -> Any:
        raise RuntimeError("for ever")

    for owner, name, counter in [
        (describe.Describer, "describe", "traces_not_described"),
        (event_sink.EventSink, "_write_now", "records_not_written"),
        (hook, "_begin", "traces_not_recorded"),
        (recorder.Recorder, "trace_ended", "traces_not_recorded"),
    ]:
        session = Recording(tmp_path / name)
        session.begin()
        with monkeypatch.context() as patched:
            patched.setattr(owner, name, failing)
            f = scaled()
            assert [float(f(tf.ones([]), k)) for k in range(3)] == [2, 3, 4]
        assert session.recorder is not None
        assert session.recorder.losses[counter] >= 3  # a trace may be several records
        f(tf.ones([]), 3)
        session.close()
        assert (
            traced(tmp_path / name) == [3] or counter == "records_not_written"
        )  # that one waits before it tries again


# --- filesystems ---


def fill(filler: Path) -> None:
    with open(filler, "wb", buffering=0) as file, contextlib.suppress(OSError):
        while file.write(b"x" * 4096):
            pass


@pytest.mark.skipif(os.name != "posix" or os.getuid() != 0, reason="only root may mount a small disk")
def test_a_disk_that_is_full_from_the_start(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(disk)], check=True)
    try:
        filler = disk / "filler"
        fill(filler)
        session = Recording(disk)
        session.begin()
        f = scaled()
        assert [float(f(tf.ones([]), k)) for k in range(3)] == [2, 3, 4]
        assert session.recorder is not None
        assert session.recorder.losses["records_not_written"] > 0
        filler.unlink()
        session.recorder._sink._next_try = 0.0  # type: ignore[attr-defined]
        f(tf.ones([]), 3)
        session.close()
        assert traced(disk) == [3]
        assert losses(disk)["records_not_written"] > 0
    finally:
        subprocess.run(["umount", str(disk)], check=True)


@pytest.mark.skipif(os.name != "posix" or os.getuid() != 0, reason="only root may mount a small disk")
def test_a_disk_that_is_full_and_then_is_not(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(disk)], check=True)
    try:
        filler = disk / "filler"
        session = Recording(disk)
        session.begin()
        f = scaled()
        f(tf.ones([]), 0)
        fill(filler)
        for k in range(1, 100):
            f(tf.ones([]), k)
        assert session.recorder is not None
        lost = session.recorder.losses["records_not_written"]
        assert lost > 0
        filler.unlink()
        session.recorder._sink._next_try = 0.0  # type: ignore[attr-defined]
        f(tf.ones([]), 100)
        session.close()
        kept = traced(disk)
        assert kept[0] == 0
        assert kept[-1] == 100
        assert losses(disk)["records_not_written"] >= lost
        assert len(list((disk / "retrace").iterdir())) <= 3  # no file is left of each attempt
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_a_file_that_may_not_grow(tmp_path: Path) -> None:
    """RLIMIT_FSIZE: the system itself refuses, in a process of its own."""
    done = run_program(
        tmp_path,
        """
        import resource, signal
        import tensorflow as tf
        from tb_retrace_plugin import record
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        f = tf.function(lambda x, k: x + k)
        with record("logs"):
            f(1.0, 0)
            resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000))
            print([float(f(tf.ones([]), k)) for k in range(1, 9)])
        """,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "[2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]\n"
    assert "Training goes on" in done.stderr
    assert 0 in traced(tmp_path / "logs")


def test_a_directory_that_is_removed_is_made_anew(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    f = scaled()
    with record(logs):
        f(tf.ones([]), 0)
        shutil.rmtree(logs)
        f(tf.ones([]), 1)
        f(tf.ones([]), 2)
    recorded = Recorded(logs).read()
    assert traced(logs) == [1, 2]
    assert (len(recorded.sessions), recorded.losses["event_files_lost"]) == (1, 1)
    assert set(recorded.stacks) >= {trace.stack_id for trace in recorded.traces}
    assert recorded.ends[-1].traces == 3  # so that the reader knows of the one that is gone


def test_a_directory_in_whose_place_there_is_a_file(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    logs = tmp_path / "logs"
    session = Recording(logs)
    session.begin()
    f = scaled()
    f(tf.ones([]), 0)
    shutil.rmtree(logs)
    logs.write_text("")
    assert [float(f(tf.ones([]), k)) for k in (1, 2)] == [3, 4]
    session.close()
    assert session.recorder is None
    assert any("Training goes on" in r.getMessage() for r in caplog.records)
    assert logs.read_text() == ""


@pytest.mark.skipif(os.name != "posix" or os.getuid() != 0, reason="only root can give its rights away")
def test_permission_that_is_lost(tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    for parent in tmp_path.parents:
        if parent == Path("/tmp"):
            break
        parent.chmod(0o755)
    done = run_program(
        tmp_path,
        """
        import os
        import tensorflow as tf
        from tb_retrace_plugin import record
        f = tf.function(lambda x, k: x + k)
        os.mkdir("logs")
        with record("logs"):
            f(tf.ones([]), 0)
            file = [os.path.join(d, n) for d, _, names in os.walk("logs") for n in names][0]
            os.rename(file, "kept.tfevents.retrace")
            os.chmod("logs/retrace", 0o555)
            os.setuid(65534)
            print([float(f(tf.ones([]), k)) for k in (1, 2)])
        """,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "[2.0, 3.0]\n"
    assert done.stderr.count("Training goes on") >= 1
    assert traced(tmp_path / "kept.tfevents.retrace") == [0]


def test_a_slow_filesystem_is_flushed_less_often(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    real = tf.io.TFRecordWriter
    flushes = 0

    class Slow:
        def __init__(self, path: str) -> None:
            self._writer = real(path)
            self.write, self.close = self._writer.write, self._writer.close

        def flush(self) -> None:
            nonlocal flushes
            flushes += 1
            time.sleep(1.2 * event_sink.SLOW_FLUSH_S)
            self._writer.flush()

    monkeypatch.setattr(tf.io, "TFRecordWriter", Slow)
    f = scaled()
    with record(tmp_path):
        before = flushes
        for k in range(30):
            f(tf.ones([]), k)
        assert flushes - before < 20
    assert traced(tmp_path) == list(range(30))
    assert sum("is slow" in r.getMessage() for r in caplog.records) == 1


def test_a_record_that_cannot_be_serialized_loses_itself_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    f = scaled()
    with record(tmp_path):
        f(tf.ones([]), 0)
        with monkeypatch.context() as patched:
            patched.setattr(event_sink.encode, "encode_record", lambda *_: 1 / 0)
            f(tf.ones([]), 1)
        f(tf.ones([]), 2)
    assert traced(tmp_path) == [0, 2]
    assert losses(tmp_path)["records_not_written"] >= 1  # with it, what waited for it
    assert len(list(tmp_path.rglob("*.retrace"))) == 1  # the file is not to blame


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError], ids=lambda error: error.__name__)
def test_nothing_is_stored_against_a_trace_that_did_not_reach_the_file(
    error: type[BaseException], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Traces are stored against an earlier one of their function: mostly the second."""
    f, real, strikes = scaled(), event_sink.EventSink._write_now, [0]

    def write(self: Any, event: bytes, flush: bool) -> None:
        strikes[0] += b"/trace/" in event[:120]
        if strikes[0] == 2:
            strikes[0] += 1
            raise error
        real(self, event, flush)

    monkeypatch.setattr(event_sink.EventSink, "_write_now", write)
    with record(tmp_path):
        for k in range(10):
            with contextlib.suppress(KeyboardInterrupt):
                f(tf.ones([]), k)
    lost = [1] if error is KeyboardInterrupt else []  # else it is written to another file
    assert traced(tmp_path) == [k for k in range(10) if k not in lost]
    assert len(list(tmp_path.rglob("*.retrace"))) == 2 - len(lost)


# --- signals, threads, processes ---


@pytest.fixture
def _ctrl_c_interrupts() -> Iterator[None]:
    """As in a terminal: what a shell starts in the background ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("_ctrl_c_interrupts")
@pytest.mark.parametrize("place", ["_begin", "_end"])
def test_ctrl_c_reaches_the_user_and_later_traces_are_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    real = hook.resident_bytes if place == "_end" else hook.tf_seam.lookup_of

    def interrupted(*args: Any) -> Any:
        signal.raise_signal(signal.SIGINT)
        return real(*args)

    f, g = scaled(), scaled()
    with record(tmp_path):
        f(tf.ones([]), 0)
        with monkeypatch.context() as patched:
            patched.setattr(*((hook, "resident_bytes") if place == "_end" else (tf_seam, "lookup_of")), interrupted)
            with pytest.raises(KeyboardInterrupt):
                f(tf.ones([]), 1)
        assert (hook._thread.busy, hook._by_graph) == (False, {})
        assert float(f(tf.ones([]), 1)) == 3
        g(tf.ones([]), 2)
    recorded = Recorded(tmp_path).read()
    assert traced(tmp_path)[0] == 0
    assert traced(tmp_path)[-1] == 2
    assert not any(trace.nested or trace.parent_seq for trace in recorded.traces)


def test_a_time_out_of_the_programs_own_goes_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its handler raises a plain exception; were it taken for ours, the program would never time out."""

    def on_alarm(*_: Any) -> None:
        raise TimeoutError("the program's own")

    from tb_retrace_plugin.capture.record import describe

    real = describe.classify

    def slow(*args: Any, **kwargs: Any) -> Any:
        signal.raise_signal(signal.SIGALRM)
        return real(*args, **kwargs)

    before = signal.signal(signal.SIGALRM, on_alarm)
    f = scaled()
    try:
        with record(tmp_path):
            with monkeypatch.context() as patched:
                patched.setattr(describe, "classify", slow)
                with pytest.raises(TimeoutError):
                    f.get_concrete_function(tf.ones([]), 0)  # described here, in this thread
            f(tf.ones([]), 1)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert traced(tmp_path) == [1]


def test_a_handler_that_stops_the_recording_in_the_middle_of_a_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = event_sink.EventSink._write_now

    def write(sink: Any, *args: Any) -> None:
        monkeypatch.undo()
        signal.raise_signal(signal.SIGUSR1)
        real(sink, *args)

    before = signal.signal(signal.SIGUSR1, lambda *_: stop())
    f = scaled()
    try:
        start(tmp_path)
        f(tf.ones([]), 0)
        monkeypatch.setattr(event_sink.EventSink, "_write_now", write)
        assert float(f(tf.ones([]), 1)) == 3
        with pytest.raises(RuntimeError):
            stop()
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert 0 in traced(tmp_path)


@pytest.mark.newest
def test_killed_at_random_moments(tmp_path: Path) -> None:
    """A part of tests/benchmarks/kill_at_random.py."""
    dice = random.Random(3)
    for number in range(3):
        killed = kill(tmp_path / str(number), dice)
        assert (killed.lost, killed.problems) == ([], [])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on this platform")
def test_forked_children_write_nothing_into_the_parents_file(tmp_path: Path) -> None:
    done = run_program(
        tmp_path,
        """
        import multiprocessing, os, sys
        import tensorflow as tf
        from tb_retrace_plugin import record

        def load(index):
            return index * 2

        f = tf.function(lambda x, k: x + k)
        with record("logs"):
            f(tf.ones([]), 0)
            with multiprocessing.get_context("fork").Pool(2) as pool:  # a data loader
                loaded = pool.map(load, range(20))
            for _ in range(3):
                child = os.fork()
                if not child:
                    sys.exit(0)  # runs what is registered for the end, and unloads everything
                assert os.waitpid(child, 0)[1] == 0
            f(tf.ones([]), 1)
        print(sum(loaded))
        """,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "380\n"
    recorded = Recorded(tmp_path / "logs").read()  # fails on whatever is damaged
    assert traced(tmp_path / "logs") == [0, 1]
    assert (len(recorded.sessions), len(recorded.ends), recorded.losses) == (1, 1, {})
    assert len(list(tmp_path.rglob("*.retrace"))) == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on this platform")
def test_what_waits_to_be_flushed_is_not_written_twice_by_a_child(tmp_path: Path) -> None:
    done = run_program(
        tmp_path,
        """
        import os, sys
        import tensorflow as tf
        from tb_retrace_plugin import record
        from tb_retrace_plugin.capture.session import event_sink
        event_sink.SLOW_FLUSH_S = -1.0  # every flush counts as slow
        event_sink._SLOW_IN_A_ROW = 1
        event_sink._ONE_IN = 1e9
        f = tf.function(lambda x, k: x + k)
        with record("logs"):
            for k in range(5):
                f(tf.ones([]), k)
            child = os.fork()
            if not child:
                sys.exit(0)
            assert os.waitpid(child, 0)[1] == 0
            f(tf.ones([]), 5)
        """,
    )
    assert done.returncode == 0, done.stderr
    Recorded(tmp_path / "logs").read()
    assert traced(tmp_path / "logs") == list(range(6))


def test_tracing_while_the_interpreter_shuts_down(tmp_path: Path) -> None:
    done = run_program(
        tmp_path,
        """
        import atexit, threading, time
        import tensorflow as tf
        from tb_retrace_plugin import start
        f = tf.function(lambda x, k: x + k)
        atexit.register(lambda: f(tf.ones([]), -1))

        class Late:
            def __del__(self):
                f(tf.ones([]), -2)

        late = Late()
        start("logs")
        f(tf.ones([]), 0)
        def for_ever():
            k = 0
            while True:
                k += 1
                f(tf.ones([]), k)
        threading.Thread(target=for_ever, daemon=True).start()
        time.sleep(0.3)
        """,
    )
    assert "tb_retrace_plugin" not in done.stderr
    assert 0 in traced(tmp_path / "logs")


def test_two_threads_that_wait_for_each_other_through_an_eq(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One thread describes a trace and runs an `__eq__` that waits for another one, which traces."""

    monkeypatch.setattr(recorder, "_LONGEST_WAIT_S", 0.2)
    session = Recording(tmp_path)
    session.begin()
    assert session.recorder is not None
    f = scaled()
    result = []
    with session.recorder._lock:  # as while it describes
        other = threading.Thread(target=lambda: result.append(float(f(tf.ones([]), 1))))
        other.start()
        other.join(30)
    assert result == [3]
    session.close()
    assert losses(tmp_path)["traces_not_recorded"] == 1


# --- other tools at the same place ---


def wrap(keeps_wrapped: bool) -> tuple[Callable[[], None], list[int]]:
    """Another tool hooks in; returns how it unhooks (by restoring what it found), and a list that grows per trace."""
    import functools

    module = importlib.import_module(tracing_hook.TRACING)
    found = getattr(module, tracing_hook.SEAM)
    seen: list[int] = []

    def other(*args: Any, **kwargs: Any) -> Any:
        seen.append(1)
        return found(*args, **kwargs)

    tool = functools.wraps(found)(other) if keeps_wrapped else other
    setattr(module, tracing_hook.SEAM, tool)
    return lambda: setattr(module, tracing_hook.SEAM, found), seen


@pytest.mark.parametrize("keeps_wrapped", [True, False])
@pytest.mark.parametrize("order", ["before, unhooks last", "after, unhooks first", "after, unhooks last"])
def test_another_tool_hooks_the_same_place(tmp_path: Path, order: str, keeps_wrapped: bool) -> None:
    module = importlib.import_module(tracing_hook.TRACING)
    original = getattr(module, tracing_hook.SEAM)
    f = scaled()
    if order == "before, unhooks last":
        unhook, seen = wrap(keeps_wrapped)
        start(tmp_path)
    else:
        start(tmp_path)
        unhook, seen = wrap(keeps_wrapped)
    f(tf.ones([]), 0)
    if order == "after, unhooks first":
        unhook()
    f(tf.ones([]), 1)
    stop()
    f(tf.ones([]), 2)
    if order != "after, unhooks first":
        unhook()
        assert len(seen) == 3
    tf_seam.uninstall()
    assert getattr(module, tracing_hook.SEAM) is original
    assert traced(tmp_path) == [0, 1]
    assert losses(tmp_path) == {}
    recorded = Recorded(tmp_path).read()
    assert [c.cause for c in recorded.traces[1].changes] == ["python_value"]  # what was looked up is still found


def test_recordings_come_and_go_below_another_tool(tmp_path: Path) -> None:
    """Each trace is recorded once, whatever lies above and below."""
    module = importlib.import_module(tracing_hook.TRACING)
    original = getattr(module, tracing_hook.SEAM)
    f = scaled()
    start(tmp_path / "a")
    unhook, seen = wrap(keeps_wrapped=False)
    f(tf.ones([]), 0)
    stop()
    for number in range(3):
        with record(tmp_path / "b"):
            f(tf.ones([]), 10 + number)
    assert len(seen) == 4
    assert traced(tmp_path / "a") == [0]
    assert traced(tmp_path / "b") == [10, 11, 12]
    unhook()
    setattr(module, tracing_hook.SEAM, original)


def test_another_tool_that_takes_our_hook_away(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """It hooked in before us and restores what it had found: our hook is gone, which is noticed and said."""
    unhook, _ = wrap(keeps_wrapped=True)
    f = scaled()
    start(tmp_path)
    f(tf.ones([]), 0)
    unhook()
    f(tf.ones([]), 1)  # not seen
    hook.see_to_the_hook()  # as the callback does after each batch
    f(tf.ones([]), 2)
    stop()
    assert traced(tmp_path) == [0, 2]
    assert losses(tmp_path)["hook_taken_away"] == 1
    assert any("restored TensorFlow's own tracing" in r.getMessage() for r in caplog.records)


def test_the_callback_survives_whatever_fails_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    import keras
    import numpy as np

    callback = RetraceCallback(tmp_path)
    for name in ("flush", "detach", "attach"):
        monkeypatch.setattr(callback._recording.recorder, name, lambda: 1 / 0)
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    model.fit(np.ones((4, 2)), np.ones((4, 1)), verbose=0, callbacks=[callback])
    assert any("division by zero" in r.getMessage() for r in caplog.records)
    monkeypatch.undo()
    callback._recording._active = True
    callback._recording.close()


def test_exceptions_inside_traced_code_are_the_programs(tmp_path: Path) -> None:
    class Hostile(Exception):
        def __str__(self) -> str:
            raise ValueError("no text")

    @tf.function(autograph=False)
    def f(x: Any, k: int) -> Any:
        if k in errors:
            raise errors[k]
        return x

    errors = {1: Hostile(), 2: SystemExit(3), 3: KeyError("mine"), 4: StopIteration(), 5: KeyboardInterrupt()}

    def outcomes() -> list[Any]:
        found: list[Any] = []
        for k in range(7):
            try:
                found.append(float(f(tf.ones([]), k)))
            except BaseException as error:
                found.append(type(error))
        return found

    expected = outcomes()
    with record(tmp_path):
        f = tf.function(f.python_function, autograph=False)
        assert outcomes() == expected
    recorded = Recorded(tmp_path).read()
    assert [trace.failed for trace in recorded.traces] == [k in errors for k in range(7)]
    assert recorded.losses == {}
    assert "its message cannot be read" in recorded.traces[1].error


def test_close_to_the_end_of_the_stack(tmp_path: Path) -> None:
    """Wherever the recursion limit strikes, the program gets what it would have got, and later traces are recorded."""
    f = scaled()

    def deep(levels: int, k: int) -> float:
        return float(f(tf.ones([]), k)) if levels == 0 else deep(levels - 1, k)

    limit = sys.getrecursionlimit()
    with record(tmp_path):
        f(tf.ones([]), 0)
        outcomes = []
        for k, levels in enumerate(range(limit - 420, limit - 60, 12), start=1):
            try:
                outcomes.append(deep(levels, k) == 2 + k or None)
            except Exception as error:  # AutoGraph tells it in words of its own
                outcomes.append(False if "maximum recursion depth" in str(error) else None)
        assert float(f(tf.ones([]), 1000)) == 1002
    assert set(outcomes) == {True, False}  # neither another result nor another error
    kept = traced(tmp_path)
    assert (kept[0], kept[-1]) == (0, 1000)
