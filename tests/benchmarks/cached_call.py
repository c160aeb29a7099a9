"""What recording adds to a call that needs no trace: Python calls, bytecode and machine instructions, and time.

`make bench`, or `.venv/bin/python -m tests.benchmarks.cached_call [--quick]`. Bar of the project: nothing.

Three functions of two ops: one traced and called while nobody records, one traced while a recording runs (its first
call is timed, its second is an ordinary one) and called during it and after it. Python calls and bytecode
instructions are counted by `sys.settrace` and exact. Machine instructions are those of the calling thread, from a
process that steps it one by one (`ptrace`; virtual machines often have no counters for `perf stat`): the median of
several calls, for allocators and dictionaries vary, by some percent in all. Times are of both in turns, and the
ratio is the median of the pairs'.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from typing import Any

_CALLS_OF_A_TIMING = 2000
_MARK = signal.SIGUSR1
_ATTACH, _CONTINUE, _STEP, _DETACH = 16, 7, 9, 17
_ALL_THREADS = 0x40000000


def counted(call: Callable[[], Any]) -> tuple[int, int]:
    """Python calls and bytecode instructions."""
    calls = instructions = 0

    def trace(frame: Any, event: str, _: Any) -> Any:
        nonlocal calls, instructions
        frame.f_trace_opcodes = True
        calls += event == "call"
        instructions += event == "opcode"
        return trace

    sys.settrace(trace)
    try:
        call()
    finally:
        sys.settrace(None)
    return calls, instructions


def seconds(call: Callable[[], Any]) -> float:
    start = time.perf_counter()
    for _ in range(_CALLS_OF_A_TIMING):
        call()
    return time.perf_counter() - start


def make(cached: int) -> Callable[[], Any]:
    """A call that finds its trace among so many."""
    import tensorflow as tf

    @tf.function
    def scaled(x: Any, k: int) -> Any:
        return x * 2.0 + k

    x = tf.ones([4])
    for k in range(cached):
        scaled(x, k)
    for _ in range(3):
        scaled(x, 0)
    return lambda: scaled(x, 0)


def count_and_time(cached: int, pairs: int) -> None:
    from tb_retrace_plugin import record

    plain = make(cached)
    before = counted(plain)
    with tempfile.TemporaryDirectory() as log_dir:
        with record(log_dir):
            recorded = make(cached)
            during = counted(recorded)
            ratios = []
            for number in range(pairs):
                calls = (plain, recorded) if number % 2 else (recorded, plain)
                took = {call: seconds(call) for call in calls}
                ratios.append(took[recorded] / took[plain])
        after = counted(recorded)
    low, middle, high = statistics.quantiles(ratios, n=4)
    print(f"{cached:>5,} cached  Python calls {before[0]:,}, while recording {during[0]:,}, after it {after[0]:,}")
    print(f"              bytecode     {before[1]:,}, while recording {during[1]:,}, after it {after[1]:,}")
    print(f"              time of a call recorded / not × {middle:.3f} (half {low:.3f} … {high:.3f}, {pairs} pairs)")


def child(repeats: int) -> None:
    """Marks what is to be counted: `repeats` times nothing, then of each kind of call as many."""
    import gc

    from tb_retrace_plugin import record

    plain = make(1)
    thread = threading.main_thread().ident
    assert thread is not None

    def marked(call: Callable[[], Any]) -> None:
        for _ in range(50):
            call()
        for _ in range(repeats):
            signal.pthread_kill(thread, _MARK)
            call()
            signal.pthread_kill(thread, _MARK)

    def nothing() -> None: ...

    with tempfile.TemporaryDirectory() as log_dir:
        gc.collect()
        gc.disable()
        print("ready", flush=True)
        sys.stdin.readline()
        marked(nothing)
        marked(plain)
        with record(log_dir):
            recorded = make(1)
            marked(recorded)
            marked(plain)
        marked(recorded)


def stepped(pid: int, spans: int) -> list[int]:
    """Instructions of a process's first thread in each of so many spans between two marks. Raises OSError."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
    libc.ptrace.restype = ctypes.c_long

    def ask(request: int, given: int = 0) -> None:
        if libc.ptrace(request, pid, None, given) == -1:
            raise OSError(ctypes.get_errno(), f"ptrace: {os.strerror(ctypes.get_errno())}")

    def stopped() -> int:
        _, status = os.waitpid(pid, _ALL_THREADS)
        if not os.WIFSTOPPED(status):
            raise OSError(0, "the program ended before it was counted")
        return os.WSTOPSIG(status)

    def to_the_mark(request: int) -> int:
        """How often it stopped before; other signals than the mark are handed on."""
        steps = given = 0
        while True:
            ask(request, given)
            found = stopped()
            if found == _MARK:
                return steps
            given = 0 if found in (signal.SIGTRAP, signal.SIGSTOP) else found
            steps += found == signal.SIGTRAP

    ask(_ATTACH)
    stopped()
    counts = []
    for _ in range(spans):
        to_the_mark(_CONTINUE)
        counts.append(to_the_mark(_STEP))
    ask(_DETACH)
    return counts


def machine_instructions(repeats: int) -> None:
    kinds = (
        "nothing",
        "never recorded, nobody records",
        "recorded, while recording",
        "never recorded, while recording",
        "recorded, after it",
    )
    command = [sys.executable, "-m", "tests.benchmarks.cached_call", "--child", str(repeats)]
    # one processor: what is waited for, and how, is the same in each call
    environment = {**os.environ, "TF_NUM_INTEROP_THREADS": "1", "TF_NUM_INTRAOP_THREADS": "1", "PYTHONHASHSEED": "1"}
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        while "ready" not in (line := process.stdout.readline()):
            assert line, "the program that is counted did not start"
        release = threading.Timer(1, lambda: print("go", file=process.stdin, flush=True))  # once it is attached to
        release.start()
        try:
            found = stepped(process.pid, len(kinds) * repeats)
        except OSError as error:
            process.kill()
            print(f"machine instructions were not counted: {error}")
            return
    groups = {kind: found[number * repeats : (number + 1) * repeats] for number, kind in enumerate(kinds)}
    nothing = statistics.median(groups.pop("nothing"))
    print(f"machine instructions of the calling thread, median of {repeats} calls (least … most):")
    for kind, counts in groups.items():
        own = sorted(count - nothing for count in counts)
        print(f"  {kind:<34} {statistics.median(own):>10,.0f} ({own[0]:,.0f} … {own[-1]:,.0f})", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few calls of each")
    parser.add_argument("--child", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child is not None:
        child(arguments.child)
        return
    quick = arguments.quick
    count_and_time(1, 6 if quick else 40)
    if not quick:
        count_and_time(1000, 20)
    machine_instructions(1 if quick else 4)


if __name__ == "__main__":
    main()
