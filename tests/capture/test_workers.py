"""Several workers and devices, for real: processes of one job on this machine, servers and devices of one process."""

from __future__ import annotations

import contextlib
import json
import os
import random
import re
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
import tensorflow as tf

from tb_retrace_plugin import record
from tb_retrace_plugin.analysis.jobs.jobs import jobs
from tb_retrace_plugin.analysis.jobs.workers import differing_workers, workers
from tb_retrace_plugin.analysis.sessions.store import Store
from tb_retrace_plugin.commands.main import main
from tb_retrace_plugin.events.files import read_logdir

PROGRAMS = Path(__file__).parents[1] / "support" / "distributed"
#: A guard against processes that wait for ever, not a measure.
PATIENCE_S = 300
STEPS = 5


def free_ports(count: int) -> list[int]:
    """Not among those that the system hands out: another process would get one before the servers bind them."""
    found: list[int] = []
    while len(found) < count:
        port = random.randrange(15_000, 30_000)
        with socket.socket() as one, contextlib.suppress(OSError):
            one.bind(("localhost", port))
            found += [port] if port not in found else []
    return found


@contextlib.contextmanager
def running(program: str, *arguments: object, **environment: str) -> Iterator[subprocess.Popen[str]]:
    root = str(Path(__file__).parents[2])
    process = subprocess.Popen(
        [sys.executable, str(PROGRAMS / program), *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "PYTHONPATH": root, "CUDA_VISIBLE_DEVICES": "-1", **environment},
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def outputs(processes: Sequence[subprocess.Popen[str]]) -> list[str]:
    found = [process.communicate(timeout=PATIENCE_S)[0] for process in processes]
    assert [process.returncode for process in processes] == [0] * len(processes), "\n".join(found)
    return found


def traces_said(output: str, what: str) -> tuple[float, int]:
    match = re.search(rf"^{what} (\S+) traces (\d+)$", output, re.MULTILINE)
    assert match, output
    return float(match[1]), int(match[2])


def load(directory: Path) -> Store:
    store = Store()
    store.add(read_logdir(str(directory)))
    assert store.problems == []
    return store


def test_the_straggler_of_two_processes_is_found_and_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    straggler, other = 1, 0
    cluster = {"worker": [f"localhost:{port}" for port in free_ports(2)]}
    with contextlib.ExitStack() as stack:
        processes = []
        for index in range(2):
            config = json.dumps({"cluster": cluster, "task": {"type": "worker", "index": index}})
            started = running("straggler.py", tmp_path, STEPS, straggler, TF_CONFIG=config)
            processes.append(stack.enter_context(started))
        said = [traces_said(output, "result") for output in outputs(processes)]
    assert said[0][0] == said[1][0]  # they did train together
    assert (said[straggler][1], said[other][1]) == (STEPS, 1)

    store = load(tmp_path)
    assert sorted(session.run for session in store.sessions) == ["retrace/worker0", "retrace/worker1"]
    (job,) = jobs(store.sessions)
    answer = workers(job)
    often = f"Worker {straggler} traced `train_step` {STEPS} times, worker {other} once"
    for_it = rf"up to \d\S* s for worker {straggler}"
    back = rf"up to \S+ m?s for worker {other}"  # at the first trace, which takes either as long as it takes
    waited = rf": worker {other} waited {for_it}(, and worker {straggler} {back})?\."
    waited += rf"|: worker {straggler} waited {back}, and worker {other} {for_it}\."
    assert re.fullmatch(rf"{re.escape(often)}({waited})", answer["sentence"])
    assert answer["difference"] == (
        f"Worker {straggler}: `train_step` was traced again at step 1 because `number` is another Python value: 0 → 1. "
        f"Worker {other} did not."
    )
    assert (answer["expected"], answer["notices"]) == (2, [])
    assert answer["waiting"].startswith("Their graphs hold collective operations of 2 processes")
    at_steps = {step["step"]: step for step in answer["steps"] if step["worker"] == straggler}
    assert set(at_steps) >= set(range(1, STEPS))
    for number in range(1, STEPS):  # it slept for 0.3 s in each of these traces
        assert at_steps[number]["waited_seconds"][other] == at_steps[number]["trace_seconds"][straggler] >= 0.3
        assert at_steps[number]["trace_seconds"][other] == 0
    (row,) = answer["functions"]
    assert row["differs"]
    assert [problem.text for problem in differing_workers(store.sessions)] == [
        f".: the workers did not trace alike. {often}. “Workers” shows more."
    ]
    assert main(["report", str(tmp_path)]) == 0
    assert answer["sentence"] in capsys.readouterr().out


def test_replicas_of_one_process_trace_once_together(tmp_path: Path) -> None:
    with running("mirrored.py", tmp_path) as process:
        bodies, traces = traces_said(outputs([process])[0], "bodies")
    assert (bodies, traces) == (6, 3)
    store = load(tmp_path)
    (session,) = store.sessions
    assert session.run == "retrace"
    steps = [event.record for event in session.events.values() if event.record.function.name == "train_step"]
    assert [(trace.step, trace.kind) for trace in steps] == [(0, "first"), (1, "retrace"), (2, "retrace")]
    assert {trace.collective_tasks for trace in steps} == {0}  # they wait for one another, for no other process
    assert jobs(store.sessions) == []


def test_with_parameter_servers_the_coordinator_alone_traces(tmp_path: Path) -> None:
    with running("parameter_server.py", tmp_path, *free_ports(4)) as process:
        weight, traces = traces_said(outputs([process])[0], "weight")
    assert (weight, traces) == (pytest.approx(1.6), 2)
    store = load(tmp_path)
    (session,) = store.sessions
    names = [(event.record.function.name, event.record.collective_tasks) for event in session.events.values()]
    assert names == [("train_step", 0)] * 2
    (job,) = jobs(store.sessions)
    assert (job.expected, workers(job)["notices"]) == (None, [])


def test_records_are_written_through_the_file_systems_of_tensorflow(tmp_path: Path) -> None:
    """`ram://` as one that Python's own `open` does not know, as `gs://` is."""
    log_dir = f"ram://{tmp_path.name}/logs"
    with record(log_dir, graphs_tab="all"):
        function = tf.function(lambda x: x + 1)
        function(1)
        function(2)
    with record(log_dir):  # beside the first one, which is no longer written to
        function(3)
    for directory, _, names in tf.io.gfile.walk(log_dir):
        for name in names:
            if not name.startswith("events."):  # `ram://` lists a part of a sibling's name
                continue
            here = tmp_path / "copy" / os.path.relpath(directory, log_dir) / name
            here.parent.mkdir(parents=True, exist_ok=True)
            with tf.io.gfile.GFile(f"{directory}/{name}", "rb") as file:
                here.write_bytes(file.read())
    store = load(tmp_path / "copy")
    assert [(session.run, len(session.events), session.end is not None) for session in store.sessions] == [
        ("retrace", 2, True),
        ("retrace", 1, True),
    ]
    for session in store.sessions:
        assert session.missing == 0
        assert dict(session.losses) == {}
        assert all(event.record.graph_sha256 for event in session.events.values())
    assert list((tmp_path / "copy" / "retrace_graphs").rglob("events.out.tfevents.*"))
