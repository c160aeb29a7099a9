"""Graphs of 10^6 nodes that no program makes: compared or refused, in bounded memory and processor time."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
#: Of address space; about 2.7 GiB are used.
MEMORY = 6 << 30
#: Seconds of the processor, far above the 40 that it takes: what has no bound takes hours.
SECONDS = 900


def limit() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


def answer(kind: str) -> Any:
    command = [sys.executable, "-m", "tests.support.million_nodes", kind]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, preexec_fn=limit, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_million_nodes_in_a_circle_are_compared() -> None:
    counts = answer("circle")
    assert counts["removed"] == 1
    assert counts["same"] + counts["rewired"] == 998_999
    assert counts["added"] == counts["changed"] == counts["renamed"] == 0


def test_more_are_refused_in_words() -> None:
    assert answer("more") == "it has 1,001,000 nodes; graphs of at most 1,000,000 nodes are compared"
