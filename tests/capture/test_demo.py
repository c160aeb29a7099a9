"""`make demo` without serving: tests/browser/test_demo_tab.py is of its counts and of the tab."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.support.counted_demo import DEMO, ROOT


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
