"""A recorded process is killed at a random moment; which of the traces that it had finished can be read."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

from tb_retrace_plugin.events.files import read_logdir
from tb_retrace_plugin.events.records import Problem
from tb_retrace_plugin.schema import retrace_pb2 as pb

ROOT = Path(__file__).resolve().parents[2]


class Killed(NamedTuple):
    """`finished`: calls that had returned. `lost`: numbers of those whose trace cannot be read. `cut`: a record was."""

    finished: int
    lost: list[int]
    cut: bool
    problems: list[str]


def kill(log_dir: Path, dice: random.Random, longest_s: float = 1.5) -> Killed:
    """Kills (SIGKILL) the program up to `longest_s` after it has begun."""
    env = {**os.environ, "PYTHONPATH": str(ROOT), "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1"}
    program = [sys.executable, "-m", "tests.support.traces_until_killed", str(log_dir)]
    with subprocess.Popen(program, cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        time.sleep(dice.uniform(0, longest_s))
        process.send_signal(signal.SIGKILL)
        said = process.stdout.read()
        assert process.wait() == -signal.SIGKILL
    lines = said[: said.rfind(b"\n") + 1].split()  # the last one may be cut too
    finished = [int(line) for line in lines]
    readable, problems = set(), []
    for item in read_logdir(str(log_dir)):
        if isinstance(item, Problem):
            problems.append(item.text)
        elif isinstance(item.message, pb.Trace):
            for argument in item.message.signature.arguments:
                if argument.path == "number":
                    readable.add(int(argument.type.value))
    cut = [text for text in problems if "is cut off" in text]
    return Killed(len(finished), sorted(set(finished) - readable), bool(cut), [p for p in problems if p not in cut])
