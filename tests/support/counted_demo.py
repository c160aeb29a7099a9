"""Runs the demo's programs, recorded, and lets TensorFlow count beside the recording."""

from __future__ import annotations

import json
import os
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
#: `demo/__main__.py`, as a dictionary of its names.
DEMO: dict[str, Any] = runpy.run_path(str(ROOT / "demo" / "__main__.py"), run_name="demo")
#: TensorFlow traces this helper by itself, without a tf.function object that could count.
UNCOUNTED = "initialize_variables"

_COUNTER = Path(__file__).parent / "count_with_tensorflow.py"


def run_and_count(part: str, log_dir: Path) -> dict[str, int]:
    """Runs one program as `make demo` does. Returns {"file:line qualname": sum of experimental_get_tracing_count}."""
    log_dir.mkdir(parents=True)
    counted = log_dir / "counted.json"
    program, logs = str(ROOT / "demo" / f"{part}.py"), str(log_dir)
    how = ["--run", logs, program] if part in DEMO["UNCHANGED_PROGRAMS"] else [program, logs]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TF_ENABLE_ONEDNN_OPTS": "0"}
    subprocess.run([sys.executable, str(_COUNTER), str(counted), *how], env=environment, cwd=log_dir, check=True)
    counts: dict[str, int] = json.loads(counted.read_text())
    assert sum(counts.values()) > 0
    return counts
