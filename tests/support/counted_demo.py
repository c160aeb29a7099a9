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


def run_and_count(log_dirs: Path) -> dict[str, dict[str, int]]:
    """Runs its programs as `make demo` does. Returns {part: {"file:line qualname": experimental_get_tracing_count}}."""
    parts: list[str] = DEMO["PARTS"]
    outside = [part for part in parts if part in DEMO["UNCHANGED_PROGRAMS"]]
    for part in parts:
        (log_dirs / part).mkdir(parents=True)
    programs = [str(ROOT / "demo" / f"{part}.py") for part in parts if part not in outside]
    programs += ["--run", *(str(ROOT / "demo" / f"{part}.py") for part in outside)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TF_ENABLE_ONEDNN_OPTS": "0"}
    subprocess.run([sys.executable, str(_COUNTER), str(log_dirs), *programs], env=environment, check=True)
    counts: dict[str, dict[str, int]] = {
        part: json.loads((log_dirs / part / "counted.json").read_text()) for part in parts
    }
    assert all(sum(of_part.values()) > 0 for of_part in counts.values())
    return counts
