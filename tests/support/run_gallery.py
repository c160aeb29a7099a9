"""Runs programs of the gallery, each in a fork of its own from one process that has TensorFlow loaded and unused.

`python -m tests.support.run_gallery RESULTS [--bare] program.py…` runs each under `tb-retrace run`, which writes to
RESULTS/<name> (with `--bare`: as it is, nothing of ours loaded), and writes what TensorFlow itself did to
RESULTS/<name>.json. Imports of TensorFlow and of Retrace take seconds; until they are used, a fork is a fresh start.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import runpy
import signal
import sys
import threading
from pathlib import Path
from typing import Any

import keras  # noqa: F401  (programs import it: loaded once for all)
import tensorflow as tf  # noqa: F401
from tensorflow.python.eager import context
from tensorflow.python.framework import func_graph

from tests.support import end_of_fork
from tests.support.count_with_tensorflow import create_and_keep, created, innermost, polymorphic_function

#: Longer than any program takes, for one that hangs.
_LIMIT_S = 120


class Attempts:
    """Every trace that TensorFlow attempts, seen where it fills the graph: below and apart from Retrace's own seam."""

    def __init__(self) -> None:
        self.seen: list[dict[str, Any]] = []
        self._running = threading.local()
        self._fill = func_graph.func_graph_from_py_func
        func_graph.func_graph_from_py_func = self._watched

    def _watched(self, name: Any, python_func: Any, *args: Any, **kwargs: Any) -> Any:
        # branches and bodies of control flow are filled by the same function, and are no traces
        if not sys._getframe(1).f_code.co_filename.endswith("tracing_compilation.py"):
            return self._fill(name, python_func, *args, **kwargs)
        depth = getattr(self._running, "depth", 0)
        name = innermost(python_func).__name__
        attempt = {"place": place_of(python_func), "name": name, "nested": depth > 0, "failed": True}
        self.seen.append(attempt)
        self._running.depth = depth + 1
        try:
            graph = self._fill(name, python_func, *args, **kwargs)
            attempt["failed"] = False
            return graph
        finally:
            self._running.depth = depth


def place_of(python_func: Any) -> str:
    code = innermost(python_func).__code__
    return f"{code.co_filename}:{code.co_firstlineno}"


def run(program: Path, results: Path, bare: bool) -> None:
    polymorphic_function.Function.__init__ = create_and_keep
    attempts = Attempts()
    try:
        if bare:
            runpy.run_path(str(program), run_name="__main__")
        else:
            from tb_retrace_plugin.commands.main import main as tb_retrace

            tb_retrace(["run", "--logdir", str(results / program.stem), str(program)])
    finally:
        counts: dict[str, int] = {}
        objects: dict[str, int] = {}
        for function in created:
            place = place_of(function.python_function)
            counts[place] = counts.get(place, 0) + function.experimental_get_tracing_count()
            objects[place] = objects.get(place, 0) + (function.experimental_get_tracing_count() > 0)
        outcome = {"counts": counts, "objects": objects, "attempts": attempts.seen}
        (results / f"{program.stem}.json").write_text(json.dumps(outcome))


def main() -> int:
    results, *programs = sys.argv[1:]
    bare = "--bare" in programs
    if context.context()._context_handle is not None:
        raise SystemExit("TensorFlow is in use already: a fork of it would not be a fresh start")
    for ours in () if bare else ("commands.main", "capture.api"):
        importlib.import_module(f"tb_retrace_plugin.{ours}")
    gc.collect()
    gc.freeze()  # else each child's end goes through all of TensorFlow's objects: most of the time that it takes
    failed = []
    for program in programs:
        if program == "--bare":
            continue
        print(f"=== {program}", flush=True)
        child = os.fork()
        if child == 0:
            signal.alarm(_LIMIT_S)
            run(Path(program), Path(results), bare)
            end_of_fork.end()
        if os.waitpid(child, 0)[1] != 0:
            failed.append(program)
    if failed:
        print("did not end well:", *failed, file=sys.stderr)
    return len(failed) > 0


if __name__ == "__main__":
    sys.exit(main())
