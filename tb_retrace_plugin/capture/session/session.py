"""What is known of a recording session at its start: versions, process, worker."""

from __future__ import annotations

import functools
import json
import os
import platform
import secrets
import socket
import sys
import time
from importlib import metadata
from typing import NamedTuple

from tb_retrace_plugin.schema import retrace_pb2 as pb
from tb_retrace_plugin.schema.tags import SCHEMA_VERSION


def new_session() -> pb.SessionStart:
    import tensorflow as tf

    started = time.time_ns()
    session = pb.SessionStart(
        schema=SCHEMA_VERSION,
        id=f"{started:x}-{os.getpid()}-{secrets.token_hex(3)}",
        started_ns=started,
        tensorflow=str(tf.__version__),
        keras=_version("keras"),
        python=platform.python_version(),
        host=socket.gethostname(),
        pid=os.getpid(),
        program=str(sys.argv[0] if sys.argv else "").encode("utf-8", "replace").decode(),
        retrace=_version("tensorboard-plugin-retrace"),
    )
    worker = worker_index()
    if worker is not None:
        session.worker = worker
        session.workers = task_of_job().tracing
    return session


class Task(NamedTuple):
    """This process's part in a job by TF_CONFIG; "" and 0: no job.

    `workers`: how many there are, the chief counted. `tracing`: how many of them trace; with parameter servers the
    workers run what the coordinator traced, and 0 stands for not known.
    """

    kind: str = ""
    number: int = 0
    workers: int = 0
    tracing: int = 0


def task_of_job() -> Task:
    """Workers are numbered through with the chief, which is 0; others (`ps`, `evaluator`) by themselves."""
    try:
        config = json.loads(os.environ.get("TF_CONFIG") or "{}")
        cluster, task = config.get("cluster") or {}, config.get("task") or {}
        chiefs, workers = len(cluster.get("chief", ())), len(cluster.get("worker", ()))
        kind, index = str(task.get("type", "worker")), int(task.get("index", 0))
        if not 0 <= index < 2**31 or chiefs + workers >= 2**31:
            return Task()
        tracing = 0 if cluster.get("ps") else chiefs + workers
        if kind in ("chief", "worker"):
            return Task("worker", index if kind == "chief" else index + chiefs, chiefs + workers, tracing)
        return Task(kind, index, chiefs + workers, tracing)
    except (ValueError, TypeError, AttributeError):
        return Task()


def worker_index() -> int | None:
    """This process's number among several workers (the chief is 0); None if it is the only one, or another task."""
    task = task_of_job()
    return task.number if task.kind == "worker" and task.workers > 1 else None


@functools.cache  # a search for hyperparameters starts a recording for each fit
def _version(distribution: str) -> str:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return ""
