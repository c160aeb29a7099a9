"""The callback in tf_keras, which is `tf.keras` where TF_USE_LEGACY_KERAS is set."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tb_retrace_plugin.events.files import read_logdir
from tb_retrace_plugin.events.records import Problem, Record
from tb_retrace_plugin.schema import retrace_pb2 as pb
from tests.support.tensorflow_version import IS_OLDEST

PROGRAM = """
import sys
import numpy as np
import tensorflow as tf
from tb_retrace_plugin import RetraceCallback

assert tf.keras.Model.__module__.startswith("tf_keras.")
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
model.compile("sgd", "mse", run_eagerly=len(sys.argv) > 2)
x = np.ones([10, 3], np.float32)
callback = RetraceCallback(sys.argv[1])
model.fit(x, x[:, :1], batch_size=4, epochs=2, verbose=0, callbacks=[callback], validation_data=(x, x[:, :1]))
model.evaluate(x, x[:, :1], verbose=0, callbacks=[callback])
model.predict(x, verbose=0, callbacks=[callback])
"""


# AutoGraph takes long for it: with the newest the test below shows that it is recorded
@pytest.mark.parametrize("eagerly", [False, True] if IS_OLDEST else [True])
def test_fit_evaluate_and_predict_are_recorded(tmp_path: Path, eagerly: bool) -> None:
    environment = {**os.environ, "TF_USE_LEGACY_KERAS": "1", "PYTHONPATH": str(Path(__file__).parents[2])}
    command = [sys.executable, "-c", PROGRAM, str(tmp_path), *["eagerly"][:eagerly]]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    records = list(read_logdir(str(tmp_path)))
    assert not [item.text for item in records if isinstance(item, Problem)]
    messages = [item.message for item in records if isinstance(item, Record)]
    (end,) = [message for message in messages if isinstance(message, pb.SessionEnd)][-1:]
    assert (dict(end.losses), end.functions_run_eagerly) == ({}, eagerly)
    traces = {m.function.name: m for m in messages if isinstance(m, pb.Trace)}
    if not eagerly:
        assert {"train_function", "test_function"} <= set(traces)
        assert traces["train_function"].step == 0


STALE = """
import sys
import numpy as np
import tensorflow as tf
from tb_retrace_plugin import record

class Net(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.inner = tf.keras.layers.Dense(1)
        self.alpha = 0.1

    def call(self, x):
        return self.inner(x) * self.alpha

share = 0.1
model = Net()
model.compile("sgd", lambda y, found: share * tf.reduce_mean((y - found) ** 2))
x = np.ones([8, 3], np.float32)
with record(sys.argv[1]):
    model.fit(x, x[:, :1], verbose=0)
    model.predict(x, verbose=0)
    model.alpha = share = 0.5
"""


@pytest.mark.newest  # the other tests show that tf_keras is recorded there: AutoGraph takes 15 s for it
def test_what_a_step_of_keras_2_read_is_told_as_that_of_keras_3(tmp_path: Path) -> None:
    environment = {**os.environ, "TF_USE_LEGACY_KERAS": "1", "PYTHONPATH": str(Path(__file__).parents[2])}
    program = tmp_path / "program.py"
    program.write_text(STALE, "utf-8")
    command = [sys.executable, str(program), str(tmp_path)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    messages = [item.message for item in read_logdir(str(tmp_path)) if isinstance(item, Record)]
    names = {m.seq: m.function.name for m in messages if isinstance(m, pb.Trace)}
    found = {(names[m.seq], m.name, m.now) for m in messages if isinstance(m, pb.StaleValue)}
    assert found == {
        ("train_function", "share", "0.5"), ("train_function", "model.alpha", "0.5"),
        ("predict_function", "model.alpha", "0.5"),
    }  # fmt: skip
