"""A recording of a long training with every usual mistake in it, of any size: for the tab's benchmark and its tests.

The same numbers give the same bytes.
"""

from __future__ import annotations

import random
from pathlib import Path

from tb_retrace_plugin.schema import retrace_pb2 as pb
from tests.support.logdirs import SECOND, EventFile, Recording

_MIB = 1 << 20
_MS = SECOND // 1000
_NAMES = ("train_step", "call", "compute_loss", "eval_step", "augment", "one_step_on_data", "decode", "predict_step")
_CHANGES = (
    ("shape", "batch['image']", "(32, 28, 28, 1)", "({}, 28, 28, 1)", "avoidable"),
    ("python_value", "step", "0", "{}", "avoidable"),
    ("dtype", "x", "float32", "float64", "bounded"),
    ("python_type", "training", "True", "tensor", "avoidable"),
    ("structure", "history", "list of 0", "list of {}", "avoidable"),
    ("object_identity", "tokenizer", "Tokenizer #1", "Tokenizer #{}", "avoidable"),
    ("rank", "mask", "(32,)", "(32, 1)", "bounded"),
    ("composite_spec", "data[0].ids", "RaggedTensorSpec(None)", "RaggedTensorSpec({})", "bounded"),
    ("context", "device", "/CPU:0", "/GPU:0", "unknown"),
)


def function_name(number: int) -> str:
    return _NAMES[number] if number < len(_NAMES) else f"{_NAMES[number % len(_NAMES)]}_{number}"


def write_busy_recording(
    run_directory: Path,
    traces: int,
    *,
    functions: int = 200,
    steps: int = 20_000,
    session: str = "session-1",
    worker: int | None = None,
    profiled: range = range(0),
    idle_seconds: float = 60,
) -> Recording:
    """An ended recording: some functions retraced much more than others, each always for the same cause; a tenth of the
    traces nested, one in fifty failed, one in twelve without a step. The process grows with the outer traces.

    `profiled`: numbers of the traces during which a profile session ran. `idle_seconds`: after the last one.
    """
    draw = random.Random(traces * 7 + functions)
    recording = Recording(EventFile(run_directory, packed=True), session).start(worker=worker)
    clock = recording.started_ns + SECOND
    memory = 900 * _MIB
    measured: list[pb.FirstCall] = []
    outer: pb.Trace | None = None  # not written yet: a parent is written after its children
    for number in range(traces):
        function = number if number < functions else int(functions * draw.random() ** 2.2)
        cause, path, old, new, verdict = _CHANGES[function % len(_CHANGES)]
        seconds = 0.002 + 0.6 * draw.random() ** 4
        first = number < functions
        failed = not first and draw.random() < 0.02
        inside = not failed and not first and draw.random() < 0.1
        step = None if draw.random() < 0.08 else number * steps // traces
        fields: dict[str, object] = {
            "step": step, "time_ns": clock, "failed": failed, "trace_duration_ns": int(seconds * SECOND),
            "verdict": "needed" if first else verdict, "kind": "first" if first else "retrace",
            "nodes": 100 + int(5000 * draw.random()), "first_calls": list(measured), "memory_before_bytes": memory,
            "changes": [] if first else [pb.Change(cause=cause, path=path, old=old, new=new.format(number))],
            "profiled": number in profiled, "error": "ValueError: shapes" if failed else "",
        }  # fmt: skip
        memory += 0 if failed else int((0.2 + draw.random()) * _MIB)
        fields["memory_after_bytes"] = memory
        if inside and outer is not None and not outer.failed:
            half = outer.trace_duration_ns // 2
            fields.update(nested=True, parent_seq=outer.seq, time_ns=outer.time_ns + half // 2, trace_duration_ns=half)
            recording.trace(function_name(function), **fields)
            outer.nested_duration_ns = half
            _written(recording, outer)
            outer = None
            continue
        _written(recording, outer)
        outer = recording.trace(function_name(function), write=False, **fields)
        measured = []
        clock += outer.trace_duration_ns
        if not failed and draw.random() < 0.9:
            first_call = int(outer.trace_duration_ns * (0.2 + draw.random()))
            measured.append(pb.FirstCall(seq=outer.seq, duration_ns=first_call))
            clock += first_call
        clock += int(300 * _MS * draw.random() ** 3)
    _written(recording, outer)
    recording.end(seconds=(clock - recording.started_ns) / SECOND + idle_seconds)
    return recording


def _written(recording: Recording, trace: pb.Trace | None) -> None:
    if trace is not None:
        recording.write(trace)
