"""What is known of a recording session at its start: versions, process, worker."""

from __future__ import annotations

import json
import os
import platform
import secrets
import socket
import sys
import time
from importlib import metadata

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
    return session


def worker_index() -> int | None:
    """This process's number among several workers by TF_CONFIG (the chief is 0); None if it is the only one."""
    try:
        config = json.loads(os.environ.get("TF_CONFIG") or "{}")
        cluster, task = config.get("cluster") or {}, config.get("task") or {}
        chiefs, workers = len(cluster.get("chief", ())), len(cluster.get("worker", ()))
        if chiefs + workers < 2:
            return None
        index = int(task.get("index", 0))
        return index if task.get("type") == "chief" else index + chiefs
    except (ValueError, TypeError, AttributeError):
        return None


def _version(distribution: str) -> str:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return ""
