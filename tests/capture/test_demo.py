"""The demo's programs, recorded: every trace that TensorFlow counted is in the report, and no other."""

from __future__ import annotations

import json
import os
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
DEMO = runpy.run_path(str(ROOT / "demo" / "__main__.py"), run_name="demo")
COUNTER = Path(__file__).parent / "count_with_tensorflow.py"
# TensorFlow traces this helper by itself, without a tf.function object that could count.
UNCOUNTED = "initialize_variables"


def report(log_dir: Path) -> dict[str, object]:
    command = [sys.executable, "-m", "tb_retrace_plugin", "report", str(log_dir), "--format", "json"]
    return json.loads(subprocess.check_output(command, cwd=ROOT))


@pytest.mark.parametrize("part", DEMO["PARTS"])
def test_the_report_has_every_trace_that_tensorflow_counted(part: str, tmp_path: Path) -> None:
    log_dir, counted = tmp_path / "logs", tmp_path / "counted.json"
    program = str(ROOT / "demo" / f"{part}.py")
    how = ["--run", str(log_dir), program] if part in DEMO["UNCHANGED_PROGRAMS"] else [program, str(log_dir)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run([sys.executable, str(COUNTER), str(counted), *how], env=environment, cwd=tmp_path, check=True)

    by_tensorflow = json.loads(counted.read_text())
    assert sum(by_tensorflow.values()) > 0
    (session,) = report(log_dir)["sessions"]
    assert session["losses"] == {}
    in_report = {
        f"{function['file']}:{function['line']} {function['qualname']}": function["traces"]
        for function in session["functions"]
        if function["name"] != UNCOUNTED and function["traces"]
    }
    assert in_report == by_tensorflow


def test_make_demo_without_serving_trains_all_parts_and_prints_the_report(tmp_path: Path) -> None:
    environment = {**os.environ, "DEMO_SERVE": "0", "DEMO_LOGDIR": str(tmp_path), "PYTHONPATH": str(ROOT)}
    result = subprocess.run(
        [sys.executable, "demo"], env=environment, cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    assert {path.name for path in tmp_path.iterdir()} == set(DEMO["PARTS"])
    last_count = 0
    for part in DEMO["PARTS"]:
        assert f"demo/{part}.py" in result.stdout
        last_count += DEMO["count_traces"](tmp_path / part)
    assert f"{last_count} so far" in result.stdout
    assert "`step` is another Python value" in result.stdout
