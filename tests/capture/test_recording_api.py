"""`start`, `stop`, `record`, verbose sentences, and `tb-retrace run`."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest
import tensorflow as tf

from tb_retrace_plugin import record, start, stop
from tb_retrace_plugin.capture.api import Recording
from tb_retrace_plugin.capture.session.event_sink import LogDirError
from tb_retrace_plugin.capture.session.session import worker_index
from tb_retrace_plugin.capture.session.session_directory import session_directory
from tb_retrace_plugin.events.files import read_logdir
from tb_retrace_plugin.events.records import Problem
from tb_retrace_plugin.schema import retrace_pb2 as pb
from tests.capture.conftest import Recorded, RecordFixture

ROOT = Path(__file__).resolve().parents[2]


def test_start_and_stop(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match=r"call start\(log_dir\) first"):
        stop()
    start(tmp_path)
    try:
        with pytest.raises(RuntimeError, match=r"already recording.*call stop\(\) first"):
            start(tmp_path)
        tf.function(lambda x: x)(1)
    finally:
        stop()
    assert len(Recorded(tmp_path).read().traces) == 1


def test_record_ends_with_the_block_whatever_happens(tmp_path: Path) -> None:
    def program() -> None:
        with record(str(tmp_path)):
            tf.function(lambda x: x)(1)
            raise KeyError("mine")

    with pytest.raises(KeyError):
        program()
    tf.function(lambda x: x)(2)
    r = Recorded(tmp_path).read()
    assert (len(r.traces), len(r.ends)) == (1, 1)


@pytest.mark.parametrize("bad", [None, 3, ""])
def test_a_log_dir_that_is_none(bad: Any) -> None:
    with pytest.raises(TypeError):
        start(bad)
    with pytest.raises(RuntimeError):
        stop()


def test_unwritable_log_dir(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(LogDirError, match="cannot write to"), record(tmp_path / "file"):
        raise AssertionError("not reached")


def test_verbose_says_one_sentence_per_retrace(recording: RecordFixture, capsys: pytest.CaptureFixture[str]) -> None:
    @tf.function
    def total(data: Any) -> Any:
        return tf.reduce_sum(data)

    with recording(verbose=1):
        tf.summary.experimental.set_step(4)
        for length in (3, 5, 3):
            total(tf.ones([length]))
        tf.summary.experimental.set_step(None)
    captured = capsys.readouterr()
    assert captured.out == ""
    (line,) = captured.err.splitlines()
    assert line.startswith("[retrace] total was traced again at step 4 because data changed shape: (3,) → (5,).")
    assert "test_recording_api.py:" in line
    assert line.endswith(" s.")


def test_verbose_tells_what_keras_made_by_what_it_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    with record(tmp_path, verbose=1):
        for _ in range(2):
            model.predict(np.ones((2, 2)), verbose=0)
    lines = [line for line in capsys.readouterr().err.splitlines() if "(grab_batch)" in line]
    assert [line.partition(" was traced")[0] for line in lines] == [
        "[retrace] A part of the input pipeline that predict makes of arrays (grab_batch)"
    ]


def test_quiet_says_nothing(recording: RecordFixture, capsys: pytest.CaptureFixture[str]) -> None:
    with recording():
        function = tf.function(lambda x: x)
        function(1)
        function(2)
    assert capsys.readouterr() == ("", "")


def test_workers_have_directories_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TF_CONFIG", '{"cluster": {"worker": ["a:1", "b:1"]}, "task": {"type": "worker", "index": 1}}')
    assert worker_index() == 1
    assert session_directory("logs") == os.path.join("logs", "retrace", "worker1")
    monkeypatch.setenv("TF_CONFIG", '{"cluster": {"chief": ["a:1"], "worker": ["b:1"]}, "task": {"type": "worker"}}')
    assert worker_index() == 1
    for single in ("", "{}", "[]", "junk", '{"cluster": {"worker": ["a:1"]}}'):
        monkeypatch.setenv("TF_CONFIG", single)
        assert worker_index() is None
        assert session_directory("logs") == os.path.join("logs", "retrace")


def test_other_tasks_of_a_job_are_no_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = '{"chief": ["a:1"], "worker": ["b:1", "c:1"], "ps": ["d:1"]}'
    for kind in ("ps", "evaluator"):
        monkeypatch.setenv("TF_CONFIG", f'{{"cluster": {cluster}, "task": {{"type": "{kind}", "index": 0}}}}')
        assert worker_index() is None
        assert session_directory("logs") == os.path.join("logs", "retrace", f"{kind}0")
    for kind in ("../..", "a/b", "/tmp", "", None):  # nothing from there becomes a path
        monkeypatch.setenv("TF_CONFIG", json.dumps({"cluster": json.loads(cluster), "task": {"type": kind}}))
        assert session_directory("logs") == os.path.join("logs", "retrace")


def test_recordings_at_the_same_time_have_directories_of_their_own(tmp_path: Path) -> None:
    """TensorBoard's Python loader stops reading a file once a later one lies beside it."""
    first, second = Recording(tmp_path), Recording(tmp_path)
    for recording in (first, second):
        recording.begin()
    tf.function(lambda x: x)(1)
    second.end()
    third = Recording(tmp_path)
    third.close()
    tf.function(lambda x: x)(2)
    first.close()
    files = sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*.retrace"))
    own = Path("retrace", f"process{os.getpid()}")
    assert sorted(file.parent for file in files) == [Path("retrace"), own, own]
    assert sorted(len(r.traces) for r in by_session(tmp_path)) == [0, 1, 2]


def test_a_recording_that_is_resumed_stays_one_session(tmp_path: Path) -> None:
    recording = Recording(tmp_path)
    for value in (1, 2):
        recording.begin()
        tf.function(lambda x: x)(value)
        recording.end()
    assert len(list((tmp_path / "retrace").glob("*.retrace"))) == 2
    assert [len(r.traces) for r in by_session(tmp_path)] == [2]
    # the place is taken by somebody else when it is resumed once more
    with record(tmp_path):
        recording.begin()
        tf.function(lambda x: x)(3)
        recording.close()
    assert sorted(len(r.traces) for r in by_session(tmp_path)) == [1, 1, 2]
    assert [sorted(t.seq for t in r.traces) for r in by_session(tmp_path) if len(r.traces) == 1] == [[1], [1]]


def test_another_process_that_is_alive_keeps_its_directory(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import sys, tensorflow as tf\nfrom tb_retrace_plugin import record\n"
        f"with record({str(tmp_path / 'logs')!r}):\n    tf.function(lambda x: x)(1)\n    print('ready', flush=True)\n"
        "    sys.stdin.read()\n"
    )
    env = {**os.environ, "PYTHONPATH": str(ROOT), "TF_CPP_MIN_LOG_LEVEL": "3"}
    with subprocess.Popen(
        [sys.executable, script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "ready\n"
        assert session_directory(str(tmp_path / "logs")).endswith(os.path.join("retrace", f"process{os.getpid()}"))
        other.communicate("")
    assert session_directory(str(tmp_path / "logs")).endswith("retrace")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on this platform")
def test_a_forked_child_can_record_for_itself(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import os, tensorflow as tf\nfrom tb_retrace_plugin import start, stop\n"
        "from tb_retrace_plugin.capture.watch import hook\n"
        f"start({str(tmp_path / 'logs')!r})\n"
        "child = os.fork()\n"
        "if not child:\n    assert not hook._listeners\n"
        f"    start({str(tmp_path / 'child')!r})\n    stop()\n    os._exit(0)\n"
        "assert os.waitpid(child, 0)[1] == 0\ntf.function(lambda x: x)(1)\nstop()\n"
    )
    env = {**os.environ, "PYTHONPATH": str(ROOT), "TF_CPP_MIN_LOG_LEVEL": "3"}
    subprocess.run([sys.executable, script], check=True, env=env, timeout=300)
    assert [len(r.traces) for r in by_session(tmp_path / "logs")] == [1]
    assert [len(r.traces) for r in by_session(tmp_path / "child")] == [0]


def by_session(log_dir: Path) -> list[Recorded]:
    """What each session below `log_dir` wrote."""
    whole = Recorded(log_dir).read()
    sessions = []
    for session in whole.sessions:
        one = Recorded(log_dir)
        one.sessions = [session]
        items = [i for i in read_logdir(str(log_dir)) if not isinstance(i, Problem) and i.tag.session == session.id]
        one.traces = [i.message for i in items if isinstance(i.message, pb.Trace)]
        sessions.append(one)
    return sessions


def retrace(*args: str, cwd: Path, **kwargs: Any) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": str(ROOT), "TF_CPP_MIN_LOG_LEVEL": "3"}
    command = [sys.executable, "-m", "tb_retrace_plugin", *args]
    return subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, **kwargs)


SCRIPT = textwrap.dedent(
    """
    import os, sys
    os.environ["SET_BEFORE_IMPORT"] = "1"
    import tensorflow as tf

    @tf.function
    def square(x):
        return x * x

    if __name__ == "__main__":
        print(sys.argv, os.path.basename(__file__))
        for n in range(int(sys.argv[1])):
            square(tf.ones([n + 1]))
        sys.exit(int(sys.argv[2]))
    """
)


def test_run_a_script(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(SCRIPT)
    done = retrace("run", "--logdir", "out", "-v", "train.py", "3", "5", cwd=tmp_path)
    assert done.returncode == 5, done.stderr
    assert done.stdout == "['train.py', '3', '5'] train.py\n"
    assert "[retrace] square was traced again because x changed shape: (2,) → (3,)." in done.stderr
    assert "3 traces recorded" in done.stderr
    assert "Other processes" not in done.stderr
    r = Recorded(tmp_path / "out").read()
    assert r.count("square") == 3
    frames = r.stacks[r.traces[0].stack_id].frames
    assert [f.function for f in frames if f.user] == ["<module>"]
    assert not any("tb_retrace_plugin" in f.file or "runpy" in f.file for f in frames)
    assert r.ends


def test_run_a_module_of_a_package(tmp_path: Path) -> None:
    package = tmp_path / "job"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "part.py").write_text("LENGTHS = (1, 2)\n")
    (package / "__main__.py").write_text(
        "import keras\nimport tensorflow as tf\nfrom .part import LENGTHS\n"
        "f = tf.function(lambda x: x)\nfor n in LENGTHS: f(tf.ones([n]))\n"
    )
    done = retrace("run", "-m", "job", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert Recorded(tmp_path / "logs").read().count("<lambda>") == 2


def test_processes_that_a_program_starts_record_by_themselves(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(
        "import multiprocessing, time\nimport tensorflow as tf, tb_retrace_plugin\n"
        "def work(n):\n"
        "    with tb_retrace_plugin.record('logs'): tf.function(lambda x: x)(tf.ones([n]))\n"
        "if __name__ == '__main__':\n"
        "    pool = multiprocessing.get_context('fork').Pool(2)\n"
        "    pool.map(work, [1, 2, 3], chunksize=1)\n"
    )
    done = retrace("run", "train.py", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "0 traces recorded" in done.stderr
    assert "Other processes that it started are recorded if each calls" in done.stderr
    assert Recorded(tmp_path / "logs").read().count("<lambda>") == 3


def test_traces_of_a_thread_that_outlives_the_program_are_told(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(
        "import threading\nimport tensorflow as tf\n"
        "main = threading.main_thread()\n"
        "def train():\n"
        "    main.join()  # until the program's last line has run\n"
        "    for n in (1, 2, 3): f(tf.ones([n]))\n"
        "f = tf.function(lambda x: x)\n"
        "threading.Thread(target=train).start()\n"
    )
    done = retrace("run", "train.py", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "3 traces recorded" in done.stderr
    assert Recorded(tmp_path / "logs").read().count("<lambda>") == 3


def test_run_passes_exceptions_on(tmp_path: Path) -> None:
    program = "import tensorflow as tf\ntf.function(lambda x: x)(1)\nraise ValueError('mine')\n"
    (tmp_path / "train.py").write_text(program)
    done = retrace("run", "train.py", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.rstrip().endswith("ValueError: mine") or "ValueError: mine" in done.stderr
    assert Recorded(tmp_path / "logs").read().traces


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["run", "missing.py"], "cannot read 'missing.py'"),
        (["run", "-m", "no_such_module_here"], "there is no module 'no_such_module_here'"),
        (["run", "--logdir", "plain.py/x", "plain.py"], "cannot write to"),
    ],
)
def test_run_with_wrong_arguments(tmp_path: Path, args: list[str], message: str) -> None:
    (tmp_path / "plain.py").write_text("print('ran')\n")
    done = retrace(*args, cwd=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert done.stdout == ""


def test_run_a_program_without_tensorflow(tmp_path: Path) -> None:
    (tmp_path / "plain.py").write_text("print('ran')\n")
    done = retrace("run", "plain.py", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "ran\n")
    assert "did not import TensorFlow" in done.stderr


def test_a_killed_program_loses_no_finished_trace(tmp_path: Path) -> None:
    program = tmp_path / "killed.py"
    program.write_text(
        "import os, signal\nimport tensorflow as tf\nfrom tb_retrace_plugin import start\nstart('logs')\n"
        "f = tf.function(lambda x: x + 1)\n"
        "for n in range(5): f(tf.ones([n]))\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, str(program)], cwd=tmp_path, env=env, capture_output=True, text=True)
    assert done.returncode == -signal.SIGKILL
    r = Recorded(tmp_path / "logs").read()
    assert r.count("<lambda>") == 5
    assert not r.ends
