"""Records the corpus that the fuzzers mutate anew: python -m tests.support.write_corpus [NAME …]

Most are programs of `demo/gallery/`. `every_field` is tests/support/every_field.py, `two_workers` the two processes of
tests/support/distributed/straggler.py.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

from tb_retrace_plugin.events.framing import Frame, read_frames
from tests.support.mutated_records import CORPUS, framed

ROOT = Path(__file__).resolve().parents[2]
_ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT), "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1"}


def record(name: str, logdir: str) -> None:
    support = ROOT / "tests" / "support"
    if name == "every_field":
        subprocess.run([sys.executable, str(support / "every_field.py"), logdir], env=_ENVIRONMENT, check=True)
        return
    if name != "two_workers":
        program = str(ROOT / "demo" / "gallery" / f"{name}.py")
        command = [sys.executable, "-m", "tb_retrace_plugin", "run", "--logdir", logdir, program]
        subprocess.run(command, env=_ENVIRONMENT, check=False)  # some are to fail
        return
    with socket.socket() as one, socket.socket() as other:
        for bound in (one, other):
            bound.bind(("localhost", 0))
        cluster = {"worker": [f"localhost:{bound.getsockname()[1]}" for bound in (one, other)]}
    command = [sys.executable, str(support / "distributed" / "straggler.py"), logdir, "3", "1"]
    workers = []
    for index in range(2):
        config = json.dumps({"cluster": cluster, "task": {"type": "worker", "index": index}})
        workers.append(subprocess.Popen(command, env={**_ENVIRONMENT, "TF_CONFIG": config}))
    assert [worker.wait() for worker in workers] == [0, 0]


def main() -> None:
    for name in sys.argv[1:] or sorted(path.stem for path in CORPUS.glob("*.retrace")):
        with tempfile.TemporaryDirectory() as logdir:
            record(name, logdir)
            frames: list[bytes] = []
            for path in sorted(Path(logdir).rglob("*.retrace")):
                with path.open("rb") as file:
                    read = [frame.data for frame in read_frames(file) if isinstance(frame, Frame)]
                frames += read[1:] if frames else read  # one version of the file
            assert len(frames) > 1, f"nothing was recorded of {name}"
            (CORPUS / f"{name}.retrace").write_bytes(b"".join(map(framed, frames)))


if __name__ == "__main__":
    main()
