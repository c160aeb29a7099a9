"""`start`, `stop`, `record`, verbose sentences, and `tb-retrace run`."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

from tb_retrace_plugin import record, start, stop
from tb_retrace_plugin.capture.event_sink import LogDirError
from tb_retrace_plugin.capture.session import session_directory, worker_index
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
