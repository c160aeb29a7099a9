"""Faults raised on the way into Retrace's own functions, and what a run of a program with one of them comes to.

A fault point is a line of the package that calls a function of the package: all of them that a run passes are found
by watching one. What TensorFlow, Keras or the program call is not a point: nothing of ours could catch an error there.
"""

from __future__ import annotations

import hashlib
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType
from typing import Any, NamedTuple

import tb_retrace_plugin
from tb_retrace_plugin.events.files import read_logdir
from tb_retrace_plugin.events.records import Problem
from tb_retrace_plugin.schema import retrace_pb2 as pb

PACKAGE = os.path.dirname(tb_retrace_plugin.__file__) + os.sep


#: Of the public functions themselves, some call others.
CALLED_BY_PROGRAMS = frozenset({"start", "stop", "record", "set_step"})


class Injected(Exception):
    """No program and no library raises it."""


#: In turn.
ERRORS: list[Callable[[], BaseException]] = [
    lambda: Injected("a fault"),
    lambda: OSError(28, "No space left on device"),
    MemoryError,
    lambda: RecursionError("maximum recursion depth exceeded"),
]


class Point(NamedTuple):
    """`caller` (file:line) calls `function`."""

    caller: str
    function: str


@dataclass
class Found:
    """How often each point is passed."""

    times: dict[Point, int] = field(default_factory=dict)


def _point(frame: FrameType) -> Point | None:
    caller = frame.f_back
    if caller is None or not frame.f_code.co_filename.startswith(PACKAGE):
        return None
    if not caller.f_code.co_filename.startswith(PACKAGE) or frame.f_code.co_name in CALLED_BY_PROGRAMS:
        return None
    place = f"{caller.f_code.co_filename[len(PACKAGE) :]}:{caller.f_lineno}"
    return Point(place, f"{frame.f_code.co_filename[len(PACKAGE) :]} {frame.f_code.co_name}")


@contextmanager
def watched() -> Iterator[Found]:
    """Finds the points that are passed."""
    found = Found()

    def watch(frame: FrameType, event: str, _argument: Any) -> None:
        point = _point(frame)
        if point is not None:
            found.times[point] = found.times.get(point, 0) + 1

    threading.settrace(watch)
    sys.settrace(watch)
    try:
        yield found
    finally:
        sys.settrace(None)
        threading.settrace(None)  # type: ignore[arg-type]


@contextmanager
def fault(point: Point, time: int, error: BaseException) -> Iterator[list[str]]:
    """Raises `error` where `point` is passed for the `time`-th time (from 1), once; yields where that was."""
    passed = 0
    struck: list[str] = []

    def raise_there(frame: FrameType, event: str, _argument: Any) -> None:
        nonlocal passed
        if not struck and _point(frame) == point:
            passed += 1
            if passed == time:
                struck.append(f"{point.caller} → {point.function}")
                raise error

    threading.settrace(raise_there)
    sys.settrace(raise_there)
    try:
        yield struck
    finally:
        sys.settrace(None)
        threading.settrace(None)  # type: ignore[arg-type]


class Outcome(NamedTuple):
    """`seqs`: of recorded traces. `losses`: the counters of the end of the session, or of its latest trace."""

    seqs: frozenset[int]
    losses: dict[str, int]
    problems: tuple[str, ...]


def outcome(log_dir: str) -> Outcome:
    seqs: set[int] = set()
    losses: dict[str, int] = {}
    problems = []
    for item in read_logdir(log_dir):
        if isinstance(item, Problem):
            problems.append(item.text)
        elif isinstance(item.message, pb.Trace):
            seqs.add(item.message.seq)
        if not isinstance(item, Problem) and isinstance(item.message, pb.Trace | pb.SessionEnd):
            losses.update({name: max(count, losses.get(name, 0)) for name, count in item.message.losses.items()})
    return Outcome(frozenset(seqs), losses, tuple(problems))


def digest(*arrays: Any) -> str:
    """Of the bytes of NumPy arrays: equal where training went the very same way."""
    sha = hashlib.sha256()
    for array in arrays:
        sha.update(array.tobytes())
    return sha.hexdigest()
