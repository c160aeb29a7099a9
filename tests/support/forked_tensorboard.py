"""TensorBoard in a fork of one process that has it and TensorFlow loaded and unused: they take three seconds each time.

TensorBoard loads TensorFlow by itself where it is installed. Its plugins, ours among them, are loaded after the fork.
"""

from __future__ import annotations

import atexit
import multiprocessing
import os
import sys
from collections.abc import Sequence
from multiprocessing.connection import Connection
from typing import IO


class ForkedTensorBoard:
    """What tests use of `subprocess.Popen`."""

    def __init__(self, arguments: Sequence[str], environment: dict[str, str]) -> None:
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(["tensorflow", "tensorboard.main", __name__])
        reader, writer = context.Pipe(duplex=False)
        with reader, writer:
            self._process = context.Process(target=_serve, args=(list(arguments), environment, writer))
            self._process.start()
            self.stdout: IO[str] = os.fdopen(os.dup(reader.fileno()), encoding="utf-8")
        assert self._process.pid is not None
        self.pid: int = self._process.pid

    def poll(self) -> int | None:
        return self._process.exitcode

    def terminate(self) -> None:
        self._process.terminate()

    def wait(self, timeout: float) -> None:
        self._process.join(timeout)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()


def _serve(arguments: list[str], environment: dict[str, str], output: Connection) -> None:
    os.environ.clear()
    os.environ.update(environment)
    os.dup2(output.fileno(), 1)
    os.dup2(output.fileno(), 2)
    output.close()
    sys.argv = ["tensorboard", *arguments]
    from tensorboard.main import run_main

    try:
        run_main()
    finally:
        atexit._run_exitfuncs()  # the end of such a process does not
