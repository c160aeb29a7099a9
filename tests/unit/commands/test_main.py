from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.support.logdirs import write_recording


def test_a_reader_that_goes_away_is_no_error(tmp_path: Path) -> None:
    write_recording(tmp_path, 300)
    reading, writing = os.pipe()
    command = [sys.executable, "-m", "tb_retrace_plugin", "report", "--format", "json", str(tmp_path)]
    with subprocess.Popen(command, stdout=writing, stderr=subprocess.PIPE, text=True) as process:
        os.close(reading)
        os.close(writing)
        _, errors = process.communicate(timeout=120)
    assert (process.returncode, errors) == (141, "")
