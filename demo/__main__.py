"""`python demo`: trains small Keras models with real retraces in them, then shows the recording in TensorBoard.

Environment: DEMO_PORT (default 6006, or the next free one), DEMO_SERVE=0 (print the report and end), DEMO_LOGDIR
(default logs/demo, which each run replaces).
"""

from __future__ import annotations

import ast
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
PARTS = ["plain_fit", "changing_batch_sizes", "function_in_a_loop", "predict_in_a_loop", "python_step_counter"]
#: Recorded from outside, by `tb-retrace run`; the others record themselves.
UNCHANGED_PROGRAMS = {"predict_in_a_loop"}
TB_RETRACE = [sys.executable, "-m", "tb_retrace_plugin"]


def main() -> int:
    log_dir = _log_dir()
    began = time.monotonic()
    traces = 0
    for number, part in enumerate(PARTS, 1):
        print(f"\n[{number}/{len(PARTS)}] demo/{part}.py\n{_what_it_shows(part)}", flush=True)
        run_part(part, log_dir)
        in_part = count_traces(log_dir / part)
        traces += in_part
        print(f"  -> {in_part} traces recorded here, {traces} so far, {time.monotonic() - began:.0f} s", flush=True)
    if os.environ.get("DEMO_SERVE", "1") == "0":
        print(flush=True)
        return subprocess.run([*TB_RETRACE, "report", str(log_dir)], check=False).returncode
    return serve(log_dir, free_port(int(os.environ.get("DEMO_PORT", "6006"))))


def run_part(part: str, log_dir: Path) -> None:
    """Runs one program in a process of its own. Raises CalledProcessError if it fails."""
    program, run = str(HERE / f"{part}.py"), str(log_dir / part)
    if part in UNCHANGED_PROGRAMS:
        command = [*TB_RETRACE, "run", "--logdir", run, program]
    else:
        command = [sys.executable, program, run]
    # Not TensorFlow's start-up talk, and no GPU: the demo is to look the same everywhere.
    quiet = {"TF_CPP_MIN_LOG_LEVEL": "3", "TF_ENABLE_ONEDNN_OPTS": "0", "CUDA_VISIBLE_DEVICES": "-1"}
    subprocess.run(command, env={**os.environ, **quiet, "KERAS_BACKEND": "tensorflow"}, check=True)


def count_traces(run: Path) -> int:
    """Successful traces in a run, from the public report."""
    report = json.loads(subprocess.check_output([*TB_RETRACE, "report", str(run), "--format", "json"]))
    return sum(function["traces"] for session in report["sessions"] for function in session["functions"])


def serve(log_dir: Path, port: int) -> int:
    """TensorBoard in the foreground; prints the tab's address once it answers. Ctrl-C or SIGTERM ends both."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    command = [sys.executable, "-m", "tensorboard.main", "--logdir", str(log_dir), "--port", str(port)]
    with subprocess.Popen([*command, "--host", "localhost"]) as tensorboard:
        try:
            while tensorboard.poll() is None and not _listening(port):
                time.sleep(0.2)
            if tensorboard.returncode is None:
                print(f"\nOpen the Retrace tab: http://localhost:{port}/#retrace   (Ctrl-C ends it)\n", flush=True)
            return tensorboard.wait()
        except KeyboardInterrupt:
            return 0
        finally:
            tensorboard.terminate()


def _log_dir() -> Path:
    chosen = os.environ.get("DEMO_LOGDIR")
    if chosen:
        return Path(chosen).resolve()  # the user's own: added to, never emptied
    log_dir = HERE.parent / "logs" / "demo"
    shutil.rmtree(log_dir, ignore_errors=True)
    return log_dir


def _what_it_shows(part: str) -> str:
    text = ast.get_docstring(ast.parse((HERE / f"{part}.py").read_text("utf-8"))) or ""
    return "\n".join(f"    {line}" for line in text.splitlines() if line)


def free_port(wanted: int) -> int:
    for port in range(wanted, min(wanted + 100, 65536)):
        if not _listening(port):
            if port != wanted:
                print(f"\nPort {wanted} is taken, using {port}.")
            return port
    raise SystemExit(f"no free port from {wanted} on: set DEMO_PORT")


def _listening(port: int) -> bool:
    try:
        with socket.create_connection(("localhost", port), timeout=1):
            return True
    except OSError:
        return False


if __name__ == "__main__":
    sys.exit(main())
