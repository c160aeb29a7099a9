"""`RetraceCallback` in a real Keras `fit`: everything recorded, nothing changed."""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest

from tb_retrace_plugin import RetraceCallback
from tb_retrace_plugin.capture import notice, tf_seam
from tb_retrace_plugin.capture.session.event_sink import LogDirError
from tests.capture.conftest import Recorded, changes, live_tracing_count

ROOT = Path(__file__).resolve().parents[2]


def small_model(seed: int = 1) -> Any:
    keras.utils.set_random_seed(seed)
    model = keras.Sequential([keras.Input([4]), keras.layers.Dense(3, "relu"), keras.layers.Dense(1)])
    model.compile("adam", "mse")
    return model


X, Y = np.random.default_rng(0).normal(size=(20, 4)).astype("float32"), np.zeros((20, 1), "float32")


def test_fit_records_the_train_function(tmp_path: Path) -> None:
    gc.collect()
    before = {name: live_tracing_count(name) for name in ("multi_step_on_iterator", "one_step_on_data")}
    model = small_model()
    callback = RetraceCallback(tmp_path)
    model.fit(X, Y, batch_size=8, epochs=2, validation_data=(X, Y), callbacks=[callback], verbose=0)
    r = Recorded(tmp_path).read()
    # one train function, traced once: Keras' pipeline has an unknown batch dimension
    train = [t for t in r.traces if t.function.name.startswith("multi_step_on") and not t.nested]
    assert train[0].step == 0
    assert train[0].HasField("step")
    assert len([t for t in train if "train" in t.function.qualname or "make" in t.function.qualname]) >= 1
    for name in {t.function.name for t in train}:
        assert r.count(name) == live_tracing_count(name) - before.get(name, 0) > 0
    assert all(t.function.library for t in train)
    assert any(f.user and f.file == __file__ for f in r.stacks[train[0].stack_id].frames)
    assert r.losses == {}
    assert r.ends[-1].traces == len(r.traces)
    assert r.sessions[0].keras == keras.__version__


def test_train_on_batch_with_other_batch_sizes(tmp_path: Path) -> None:
    gc.collect()
    name = "one_step_on_data"
    before = live_tracing_count(name)
    model = small_model()
    callback = RetraceCallback(tmp_path)
    for size in (8, 6, 4, 8):
        model.train_on_batch(X[:size], Y[:size])
    callback.on_train_end()
    r = Recorded(tmp_path).read()
    traces = [t for t in r.of(name) if not t.nested]
    assert r.count(name) == live_tracing_count(name) - before
    retraces = [t for t in traces if t.kind == "retrace"]
    assert len(retraces) == 1
    assert retraces[0].generalized
    assert retraces[0].verdict == "bounded"
    assert {c[0] for c in changes(retraces[0])} == {"shape"}
    assert {c[2:] for c in changes(retraces[0])} == {("(8, 4)", "(6, 4)"), ("(8, 1)", "(6, 1)")}


def test_one_callback_in_several_fits(tmp_path: Path) -> None:
    model = small_model()
    callback = RetraceCallback(tmp_path)
    model.fit(X, Y, batch_size=10, callbacks=[callback], verbose=0)
    model.predict(X, verbose=0)  # without the callback: not recorded
    model.fit(X, Y, batch_size=10, callbacks=[callback], verbose=0)
    r = Recorded(tmp_path).read()
    assert len(r.sessions) == 1
    assert len(r.ends) == 2
    assert not any("predict" in t.function.qualname for t in r.traces)
    steps = [t.step for t in r.traces if t.HasField("step")]
    assert max(steps) <= 3


PROGRAM = textwrap.dedent(
    """
    import json, sys
    import numpy as np, keras, tensorflow as tf
    keras.utils.set_random_seed(3)
    callbacks = []
    if len(sys.argv) > 1:
        from tb_retrace_plugin import RetraceCallback
        callbacks = [RetraceCallback(sys.argv[1])]
    x = np.random.default_rng(0).normal(size=(20, 4)).astype("float32")
    model = keras.Sequential([keras.Input([4]), keras.layers.Dropout(0.5), keras.layers.Dense(1)])
    model.compile("adam", "mse")
    history = model.fit(x, x[:, :1], batch_size=6, epochs=3, validation_split=0.2, callbacks=callbacks, verbose=2)
    print(json.dumps([w.tolist() for w in model.get_weights()]))
    import gc
    from tensorflow.python.eager.polymorphic_function.polymorphic_function import Function
    functions = [o for o in gc.get_objects() if isinstance(o, Function)]
    print(sorted((f.python_function.__name__, f.experimental_get_tracing_count()) for f in functions))
    """
)


def run(program: Path, *args: str, **env: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TF_CPP_MIN_LOG_LEVEL": "3", **env}
    return subprocess.run([sys.executable, str(program), *args], env=environment, capture_output=True, text=True)


def without_times(text: str) -> list[str]:
    import re

    return [re.sub(r"\d+m?s(/\w+)?", "", line) for line in text.splitlines()]


def test_same_results_same_traces_no_added_output(tmp_path: Path) -> None:
    program = tmp_path / "train.py"
    program.write_text(PROGRAM)
    plain, recorded = run(program), run(program, str(tmp_path / "logs"))
    assert plain.returncode == recorded.returncode == 0, recorded.stderr
    assert without_times(plain.stdout) == without_times(recorded.stdout)
    assert json.loads(recorded.stdout.splitlines()[-2])  # weights were compared
    assert not [line for line in recorded.stderr.splitlines() if "etrace" in line]
    assert Recorded(tmp_path / "logs").read().traces


def test_unwritable_log_dir_is_refused_before_training(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(LogDirError, match=r"cannot write to .*Choose a log_dir"):
        RetraceCallback(tmp_path / "file" / "logs")


def test_a_model_that_runs_eagerly_is_said_to(tmp_path: Path) -> None:
    model = small_model()
    model.compile("sgd", "mse", run_eagerly=True)
    model.fit(X, Y, verbose=0, callbacks=[RetraceCallback(tmp_path)])
    assert Recorded(tmp_path).read().ends[-1].functions_run_eagerly


def test_missing_seam_warns_once_and_training_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from tensorflow.python.eager.polymorphic_function import tracing_compilation

    notice.forget()
    original = tracing_compilation._create_concrete_function
    monkeypatch.delattr(tracing_compilation, "_create_concrete_function")
    with pytest.raises(tf_seam.SeamMissingError, match="_create_concrete_function is missing"):
        tf_seam.check()
    callbacks = [RetraceCallback(tmp_path), RetraceCallback(tmp_path)]
    monkeypatch.setattr(tracing_compilation, "_create_concrete_function", original, raising=False)
    small_model().fit(X, Y, callbacks=callbacks, verbose=0)
    warnings = [record.getMessage() for record in caplog.records if record.name == "tb_retrace_plugin"]
    assert len(warnings) == 1
    assert "Nothing is recorded; training goes on" in warnings[0]
    assert not list(tmp_path.iterdir())


def test_a_seam_with_other_arguments_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    from tensorflow.python.eager.polymorphic_function import tracing_compilation

    monkeypatch.setattr(tracing_compilation, "_create_concrete_function", lambda a, b: None)
    with pytest.raises(tf_seam.SeamMissingError, match="other arguments: a, b"):
        tf_seam.check()


def test_another_keras_backend_is_told_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from tb_retrace_plugin.capture import keras_callback

    notice.forget()
    monkeypatch.setattr(keras_callback, "_backend", lambda: "jax")
    callbacks = [RetraceCallback(tmp_path / "a"), RetraceCallback(tmp_path / "b")]
    small_model().fit(X, Y, callbacks=callbacks, verbose=0)
    said = [record.getMessage() for record in caplog.records if record.name == "tb_retrace_plugin"]
    assert said == ["Keras runs on jax: there is no tf.function for Retrace to record. Training goes on."]
    assert not list(tmp_path.iterdir())


def test_a_directory_that_vanishes_does_not_stop_training(tmp_path: Path) -> None:
    import shutil

    model = small_model()
    callback = RetraceCallback(tmp_path / "logs")
    shutil.rmtree(tmp_path / "logs")
    model.fit(X, Y, callbacks=[callback], verbose=0)


def test_a_full_disk_is_counted_and_said_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    notice.forget()
    model = small_model()
    callback = RetraceCallback(tmp_path)
    recorder = callback._recording.recorder

    def full(_: bytes) -> None:
        raise OSError(28, "No space left on device")

    class Full:
        write = staticmethod(full)

        def __init__(self, _path: str = "") -> None: ...
        def flush(self) -> None: ...
        def close(self) -> None: ...

    monkeypatch.setattr(recorder._sink, "_writer", Full())
    monkeypatch.setattr("tensorflow.io.TFRecordWriter", Full)
    model.fit(X, Y, callbacks=[callback], verbose=0)
    assert recorder.losses["records_not_written"] > 0
    said = [r.getMessage() for r in caplog.records if "No space left" in r.getMessage()]
    assert 1 <= len(said) <= 3  # the file, a graph, a record
    monkeypatch.undo()
    assert Recorded(tmp_path).read().sessions  # what was written before is whole
