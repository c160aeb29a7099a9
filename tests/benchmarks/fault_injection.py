"""Faults in the recorder during the headline demo: what the program notices of them, and what is lost.

`.venv/bin/python -m tests.benchmarks.fault_injection [--quick]`. Bar of the project: at least 200 fault points; no
exception reaches the program, no finished trace is lost, training gives the same bits as unrecorded.

The demo is `demo/python_step_counter.py` (fewer steps): every fault point that it passes is made to fail once, in turn
with each of several kinds of errors; and every function of the recorder to fail at every call. A trace is lost if its
record is not in the files; one that was under way when the fault struck may be, if a counter says so.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import inspect
import io
import logging
import os
import pkgutil
import random
import runpy
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType
from typing import Any
from unittest import mock

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")

import keras

import tb_retrace_plugin
from tb_retrace_plugin.capture import notice
from tb_retrace_plugin.capture.watch import hook
from tests.support.injected_faults import CALLED_BY_PROGRAMS, ERRORS, Injected, Point, digest, fault, outcome, watched

ROOT = Path(__file__).resolve().parents[2]
STEPS = 4
#: Modules of `events` that read what was recorded, as this program does.
READING = ("data_provider", "files", "framing", "graph_blobs", "records")


@contextlib.contextmanager
def unrecorded(*_: Any, **__: Any) -> Iterator[None]:
    yield


def demo(log_dir: str | None) -> str:
    """Runs the program in this process; returns what it printed and the bits of its weights."""
    keras.utils.set_random_seed(7)
    sys.path.insert(0, str(ROOT / "demo"))
    printed = io.StringIO()
    try:
        if log_dir is None:
            with mock.patch.object(tb_retrace_plugin, "record", unrecorded, create=True):
                program = runpy.run_path(str(ROOT / "demo" / "python_step_counter.py"), run_name="demo")
        else:
            program = runpy.run_path(str(ROOT / "demo" / "python_step_counter.py"), run_name="demo")
        program["main"].__globals__["STEPS"] = STEPS
        with contextlib.redirect_stdout(printed):
            program["main"](log_dir or "")
        return printed.getvalue() + digest(*program["model"].get_weights())
    finally:
        sys.path.remove(str(ROOT / "demo"))


class Table:
    def __init__(self, expected: str, seqs: frozenset[int]) -> None:
        self.expected, self.seqs = expected, seqs
        self.rows: dict[str, Counter[str]] = {}

    def run(
        self, kind: str, log_dir: str, label: str, fault: contextlib.AbstractContextManager[Any], *,
        permanent: bool = False,
    ) -> None:  # fmt: skip
        """Runs the demo with a fault; counts what came of it."""
        row = self.rows.setdefault(kind, Counter())
        row["runs"] += 1
        result = None
        try:
            with fault:  # it is over when what was recorded is read
                result = demo(log_dir)
        except BaseException as error:
            row["raised"] += 1
            print(f"  RAISED {label}: {type(error).__name__}: {error}", flush=True)
            with contextlib.suppress(Exception):
                tb_retrace_plugin.stop()
        finally:
            sys.settrace(None)
        if result is not None and result != self.expected:
            row["trained otherwise"] += 1
            print(f"  OTHER RESULT {label}", flush=True)
        found = outcome(log_dir)
        lost = len(self.seqs - found.seqs)
        under_way = 0 if permanent else len(self.seqs & _struck_within(found.seqs, self.seqs))
        row["traces lost under way"] += 0 if permanent else min(lost, under_way)
        if not permanent and lost > under_way:
            row["finished traces lost"] += lost - under_way
            print(f"  LOST {label}: {sorted(self.seqs - found.seqs)}, {found.losses}", flush=True)
        if not permanent and lost and not found.losses:
            row["not counted"] += 1
            print(f"  NOT COUNTED {label}: {sorted(self.seqs - found.seqs)}", flush=True)
        if hook._listeners or hook._thread.stack or hook._thread.busy:
            if not permanent:  # what ends a recording cannot, if it fails for ever
                row["left broken"] += 1
                print(f"  LEFT BROKEN {label}", flush=True)
            hook._listeners, hook._thread.stack, hook._thread.busy = (), [], False
        notice.forget()

    def print(self) -> None:
        names = ["runs", "raised", "trained otherwise", "finished traces lost", "traces lost under way", "not counted"]
        names.append("left broken")
        print(f"\n{'fault':<44}" + "".join(f"{name:>24}" for name in names))
        for kind, row in self.rows.items():
            print(f"{kind:<44}" + "".join(f"{row[name]:>24}" for name in names))


def _struck_within(found: frozenset[int], expected: frozenset[int]) -> frozenset[int]:
    """At most one trace and those around it are under way in a thread; the demo's are not nested deeper than two."""
    missing = sorted(expected - found)
    return frozenset(missing[:2]) if missing and missing[-1] - missing[0] <= 1 else frozenset(missing[:1])


def functions_of_the_recorder() -> list[tuple[Any, str]]:
    """(owner, name) of every function and method of capture, explain, graphs and the writing side of events."""
    found: dict[tuple[int, str], tuple[Any, str]] = {}
    stages = [f"capture.{stage}" for stage in ("values", "code", "python_state", "watch", "record", "session")]
    for folder in ("capture", *stages, "explain", "graphs", "events"):
        package = importlib.import_module(f"tb_retrace_plugin.{folder}")
        for info in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            module = sys.modules.get(info.name)
            if module is None or info.name.rpartition(".")[2] in READING:
                continue
            for name, value in vars(module).items():
                if isinstance(value, FunctionType) and value is not notice.forget:  # which this program calls itself
                    found[id(module), name] = (module, name)
                elif inspect.isclass(value) and value.__module__ == module.__name__:
                    for member, function in vars(value).items():
                        if isinstance(function, FunctionType):
                            found[id(value), member] = (value, member)
    return list(found.values())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a tenth of the fault points")
    quick = parser.parse_args().quick
    logging.getLogger("tb_retrace_plugin").setLevel(logging.CRITICAL)
    logging.getLogger("tensorflow").setLevel(logging.CRITICAL)
    directory = tempfile.mkdtemp()
    demo(os.path.join(directory, "warm"))  # imports, AutoGraph
    expected = demo(None)
    with watched() as found:
        assert demo(os.path.join(directory, "clean")) == expected, "recording alone changes training"
    clean = outcome(os.path.join(directory, "clean"))
    assert not clean.losses, clean.losses
    table = Table(expected, clean.seqs)
    points = list(found.times.items())
    print(f"{len(points)} fault points, {sum(found.times.values()):,} passes, {len(clean.seqs)} traces", flush=True)
    dice = random.Random(1)
    for number, (point, times) in enumerate(points[:: 10 if quick else 1]):
        strike(table, directory, number, point, dice.randint(1, times))
    names = {point.function.split(" ")[1] for point in found.times}
    stubs = [(owner, name) for owner, name in functions_of_the_recorder() if name in names]
    for owner, name in stubs[:: 10 if quick else 1]:
        fail_always(table, directory, owner, name)
    table.print()
    shutil.rmtree(directory)
    bad = ("raised", "trained otherwise", "finished traces lost", "not counted", "left broken")
    return int(any(row[name] for row in table.rows.values() for name in bad))


def strike(table: Table, directory: str, number: int, point: Point, time: int) -> None:
    error = ERRORS[number % len(ERRORS)]()
    log_dir = os.path.join(directory, f"point{number}")
    struck: list[str] = []

    @contextlib.contextmanager
    def set_there() -> Iterator[None]:
        with fault(point, time, error) as places:
            try:
                yield
            finally:
                struck.extend(places)

    table.run(f"once, {type(error).__name__}", log_dir, f"{point.caller} → {point.function} #{time}", set_there())
    if not struck:
        table.rows[f"once, {type(error).__name__}"]["runs"] -= 1  # not passed this time: no fault, no run
    shutil.rmtree(log_dir, ignore_errors=True)


def fail_always(table: Table, directory: str, owner: Any, name: str) -> None:
    if name in CALLED_BY_PROGRAMS:
        return
    log_dir = os.path.join(directory, f"always_{owner.__name__}_{name}")

    def failing(*_: Any, **__: Any) -> Any:
        raise Injected("a fault")

    broken = mock.patch.object(owner, name, failing)
    table.run("always, Injected", log_dir, f"{owner.__name__}.{name}", broken, permanent=True)
    with contextlib.suppress(Exception):
        tb_retrace_plugin.stop()
    hook._listeners = ()
    shutil.rmtree(log_dir, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
