"""The demo's programs, recorded: every trace that TensorFlow counted is in the report, and no other."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.counted_demo import DEMO, ROOT, UNCOUNTED, run_and_count


def report(log_dir: Path) -> dict[str, Any]:
    command = [sys.executable, "-m", "tb_retrace_plugin", "report", str(log_dir), "--format", "json"]
    answer: dict[str, Any] = json.loads(subprocess.check_output(command, cwd=ROOT))
    return answer


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, dict[str, int]]]:
    log_dirs = tmp_path_factory.mktemp("demo")
    return log_dirs, run_and_count(log_dirs)


@pytest.mark.parametrize("part", DEMO["PARTS"])
def test_the_report_has_every_trace_that_tensorflow_counted(
    part: str, recorded: tuple[Path, dict[str, dict[str, int]]]
) -> None:
    log_dirs, by_tensorflow = recorded
    (session,) = report(log_dirs / part)["sessions"]
    assert session["losses"] == {}
    in_report = {
        f"{function['file']}:{function['line']} {function['qualname']}": function["traces"]
        for function in session["functions"]
        if function["name"] != UNCOUNTED and function["traces"]
    }
    assert in_report == by_tensorflow[part]


@pytest.mark.newest
def test_make_demo_without_serving_trains_all_parts_and_prints_the_report(tmp_path: Path) -> None:
    environment = {**os.environ, "DEMO_SERVE": "0", "DEMO_LOGDIR": str(tmp_path), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "demo"]
    result = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert {path.name for path in tmp_path.iterdir()} == set(DEMO["PARTS"])
    so_far = 0
    for part in DEMO["PARTS"]:
        so_far += DEMO["count_traces"](tmp_path / part)
        assert f"demo/{part}.py" in result.stdout
        assert f"{so_far} so far" in result.stdout
    assert "`step` is another Python value" in result.stdout
