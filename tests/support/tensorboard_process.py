"""A real TensorBoard as a child process, with whatever loader, and a client for Retrace's routes."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import queue
import re
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from importlib import metadata
from typing import Any

from tests.support.forked_tensorboard import ForkedTensorBoard

#: Long enough for a loaded machine; waiting ends as soon as the answer is there.
PATIENCE_SECONDS = 240.0


class TensorBoard:
    """`address`: where its page is, path prefix included, with a slash at the end."""

    def __init__(self, process: subprocess.Popen[str] | ForkedTensorBoard, address: str, output: list[str]) -> None:
        self.process = process
        self.address = address
        self._output = output

    @property
    def output(self) -> str:
        """Everything it has printed so far."""
        return "".join(self._output)

    def get(self, route: str, method: str = "GET") -> tuple[int, http.client.HTTPMessage, bytes]:
        """Status, headers and body of `data/plugin/retrace/<route>`, whatever the status."""
        request = urllib.request.Request(f"{self.address}data/plugin/retrace/{route}", method=method)
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE_SECONDS) as response:
                return response.status, response.headers, response.read()
        except urllib.error.HTTPError as error:
            return error.code, error.headers, error.read()

    def get_json(self, route: str) -> Any:
        status, headers, body = self.get(route)
        assert status == 200, (status, body)
        assert headers.get_content_type() == "application/json"
        return json.loads(body)

    def wait_for_digest(self, ready: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The first digest for which `ready` holds; fails with the last one if it never does."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            digest: dict[str, Any] = self.get_json("digest")
            if ready(digest):
                return digest
            assert time.monotonic() < deadline, (digest["summary"], digest["notices"], self.output)
            assert self.process.poll() is None, self.output
            time.sleep(0.2)

    def wait_for_traces(self, count: int) -> dict[str, Any]:
        """The digest once it holds `count` traces."""
        return self.wait_for_digest(lambda digest: len(digest["traces"]["seq"]) == count)


@contextlib.contextmanager
def run_tensorboard(
    *arguments: str,
    path_prefix: str = "",
    environment: dict[str, str] | None = None,
    python: str = sys.executable,
    cwd: str | os.PathLike[str] | None = None,
    forked: bool = False,
) -> Iterator[TensorBoard]:
    """TensorBoard on a free port with `arguments` (such as `--logdir=…`), ended when the block ends.

    `python` and `cwd`: to run it in another environment, away from this checkout. `forked`: for tests of what it
    serves, which need not wait for it to load TensorFlow.
    """
    plugins = metadata.entry_points(group="tensorboard_plugins")
    assert "retrace" in plugins.names, (
        "TensorBoard finds plugins that are installed: pip install -e . into this environment"
    )
    arguments = ("--port=0", "--host=127.0.0.1", "--reload_interval=1", *arguments)
    if path_prefix:
        arguments = (*arguments, f"--path_prefix={path_prefix}")
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "2", **(environment or {})}
    process: subprocess.Popen[str] | ForkedTensorBoard
    if forked:
        assert (python, cwd) == (sys.executable, None)
        process = ForkedTensorBoard(arguments, environment)
    else:
        process = subprocess.Popen(
            [python, "-m", "tensorboard.main", *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            cwd=cwd,
            env=environment,
        )
    output: list[str] = []
    ports: queue.Queue[int | None] = queue.Queue()

    def drain() -> None:
        assert process.stdout is not None
        for line in process.stdout:
            output.append(line)
            if found := re.search(r"TensorBoard \S+ at http://[^:]+:(\d+)", line):
                ports.put(int(found.group(1)))
        ports.put(None)

    reader = threading.Thread(target=drain, daemon=True)
    reader.start()
    try:
        try:
            port = ports.get(timeout=PATIENCE_SECONDS)
        except queue.Empty:
            port = None
        assert port is not None, f"TensorBoard did not start:\n{''.join(output)}"
        yield TensorBoard(process, f"http://127.0.0.1:{port}{path_prefix}/", output)
    finally:
        process.terminate()
        try:
            process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        reader.join(timeout=5)
