"""Writes logdirs as a recording does, without TensorFlow: whole ones, and ones with all that can go wrong."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from pathlib import Path

from google.protobuf.message import Message

from tb_retrace_plugin.events import encode
from tb_retrace_plugin.events.framing import masked_crc32c
from tb_retrace_plugin.events.packed import Packer
from tb_retrace_plugin.schema import retrace_pb2 as pb
from tb_retrace_plugin.schema import tags

SECOND = 1_000_000_000
#: Every synthetic recording starts then, unless told otherwise.
STARTED_NS = 1_700_000_000 * SECOND


class EventFile:
    """One event file of ours in `<run directory>/retrace/`, flushed per record as capture does.

    `packed`: traces lie in it as capture packs them; else as in version 1 of the records, each by itself.
    """

    def __init__(
        self, run_directory: Path, started_ns: int = STARTED_NS, pid: int = 4242, *, packed: bool = False
    ) -> None:
        self._packer = Packer() if packed else None
        directory = run_directory / "retrace"
        directory.mkdir(parents=True, exist_ok=True)
        self.path = directory / encode.event_file_name(started_ns / SECOND, "testhost", pid)
        self._file = self.path.open("ab")
        self.write_bytes(encode.encode_file_version(started_ns / SECOND))

    def write(self, tag: str, message: Message, time_ns: int) -> None:
        payload = message.SerializeToString()
        if self._packer is not None and isinstance(message, pb.Trace):
            payload, _ = self._packer.pack(message)
        self.write_bytes(encode.encode_record(tag, payload, time_ns / SECOND))

    def write_bytes(self, event: bytes) -> None:
        header = struct.pack("<Q", len(event))
        framed = header + struct.pack("<I", masked_crc32c(header)) + event + struct.pack("<I", masked_crc32c(event))
        self.write_raw(framed)

    def write_raw(self, junk: bytes) -> None:
        self._file.write(junk)
        self._file.flush()

    def close(self) -> None:
        self._file.close()


@dataclass
class Recording:
    """A synthetic session. Traces are one second apart and take 200 ms, unless told otherwise."""

    file: EventFile
    id: str = "session-1"
    started_ns: int = STARTED_NS
    started: bool = False
    traces: list[pb.Trace] = field(default_factory=list)
    _by_name: dict[str, list[pb.Trace]] = field(default_factory=dict)
    _compilations: list[pb.XlaCompilation] = field(default_factory=list)
    _stale_values: int = 0
    _stacks: set[str] = field(default_factory=set)
    _omitted: list[pb.OmittedTraces] = field(default_factory=list)
    _omitted_records: int = 0

    @property
    def omitted_traces(self) -> int:
        return sum(sums.traces for sums in self._omitted)

    def start(self, worker: int | None = None, program: str = "/home/user/train.py") -> Recording:
        message = pb.SessionStart(
            schema=1, id=self.id, started_ns=self.started_ns, tensorflow="2.21.0", keras="3.15.1", python="3.11.7",
            host="testhost", pid=4242, worker=worker, program=program, retrace="0.1.0",
        )  # fmt: skip
        self.file.write(tags.session_tag(self.id), message, self.started_ns)
        self.started = True
        return self

    def trace(
        self,
        name: str = "train_step",
        *,
        shape: tuple[int, ...] = (32, 10),
        write: bool = True,
        source: str = "train_step(batch)",
        **fields: object,
    ) -> pb.Trace:
        """Adds the next trace: the function's first one, or a retrace because `x` changed shape."""
        if not self.started:
            self.start()
        seq = len(self.traces) + self.omitted_traces + 1
        earlier = self._by_name.setdefault(name, [])
        last = earlier[-1] if earlier else None
        trace = pb.Trace(
            seq=seq, n=len(earlier) + 1, object=1, step=seq * 10, time_ns=self.started_ns + seq * SECOND,
            kind="retrace" if last else "first", verdict="avoidable" if last else "needed",
            evidence="`input_signature` would have kept one trace." if last else "Every function is traced once.",
            trace_duration_ns=SECOND // 5, nodes=120, graph_bytes=9000, thread="MainThread", reduce_retracing=False,
            memory_before_bytes=100_000_000, memory_after_bytes=104_000_000, cached_before=len(earlier),
        )  # fmt: skip
        trace.function.name = name
        trace.function.qualname = f"Trainer.{name}"
        trace.function.file = "/home/user/train.py"
        trace.function.line = 10 + sum(map(ord, name)) % 80
        argument = trace.signature.arguments.add(path="x")
        argument.type.kind = pb.TypeNode.TENSOR
        argument.type.dtype = "float32"
        argument.type.shape.extend(shape)
        flag = trace.signature.arguments.add(path="training")
        flag.type.kind = pb.TypeNode.LITERAL
        flag.type.type_name = "bool"
        flag.type.value = "True"
        trace.signature.context["device"] = "/cpu:0"
        if last is not None:
            old = tuple(last.signature.arguments[0].type.shape)
            trace.closest_seq, trace.closest_n = last.seq, last.n
            trace.changes.add(cause="shape", path="x", old=str(old), new=str(shape))
        for key, value in fields.items():
            if isinstance(value, list):
                trace.ClearField(key)
                getattr(trace, key).extend(value)
            elif isinstance(value, dict):
                getattr(trace, key).update(value)
            elif value is None:
                trace.ClearField(key)
            else:
                setattr(trace, key, value)
        if "stack_id" not in fields:
            trace.stack_id = self._stack(name, source, trace.time_ns)
        self.traces.append(trace)
        earlier.append(trace)
        if write:
            self.write(trace)
        return trace

    def write(self, trace: pb.Trace) -> None:
        self.file.write(tags.trace_tag(self.id, trace.seq), trace, trace.time_ns + trace.trace_duration_ns)

    def first_call(self, seq: int, seconds: float, k: int) -> None:
        calls = pb.FirstCalls(calls=[pb.FirstCall(seq=seq, duration_ns=int(seconds * SECOND))])
        self.file.write(tags.first_calls_tag(self.id, k), calls, self.started_ns + (seq + 1) * SECOND)

    def compilation(
        self,
        seq: int,
        shape: tuple[int, ...] = (32, 10),
        *,
        old: tuple[int, ...] | None = None,
        path: str = "x",
        seconds: float = 0.02,
        write: bool = True,
        **fields: object,
    ) -> pb.XlaCompilation:
        """XLA compiles the graph of trace `seq` for `x` of `shape`, 100 ms after what it compiled last; `old`: what the
        shape is compared with, the last one unless told otherwise."""
        earlier = [c for c in self._compilations if c.seq == seq]
        time_ns = self.started_ns + seq * SECOND + (len(earlier) + 3) * SECOND // 10
        record = pb.XlaCompilation(
            seq=seq, k=len(earlier) + 1, time_ns=time_ns, step=seq * 10 + len(earlier),
            duration_ns=int(seconds * SECOND),
        )  # fmt: skip
        record.shapes.add(path=path, dims=shape)
        if earlier:
            old = tuple(earlier[-1].shapes[0].dims) if old is None else old
            if old != shape:
                record.changes.add(cause="shape", path=path, old=str(old), new=str(shape))
        for key, value in fields.items():
            setattr(record, key, value)
        record.stack_id = self._stack("xla", "predict(batch)", time_ns)
        self._compilations.append(record)
        if write:
            self.file.write(tags.xla_tag(self.id, len(self._compilations)), record, time_ns + record.duration_ns)
        return record

    def stale(self, seq: int, name: str, traced: str, now: str, *, kind: str = "global") -> None:
        """The graph of trace `seq` holds `traced` for `name`; equal to `now`: no longer stale."""
        self._stale_values += 1
        time_ns = self.started_ns + (seq + 1) * SECOND + self._stale_values
        value = pb.StaleValue(seq=seq, name=name, kind=kind, traced=traced, now=now, time_ns=time_ns, step=seq * 10 + 5)
        self.file.write(tags.stale_tag(self.id, self._stale_values), value, time_ns)

    def omit(self, traces: int, like: pb.Trace, *, seconds: float = 0.2, first_calls: int = 0) -> pb.OmittedTraces:
        """Counts so many traces of the kind of `like` without recording them one by one, and writes all counts so far.

        Each took `seconds`, and each of the `first_calls` 100 ms.
        """
        change = like.changes[0] if like.changes else pb.Change()
        sums = pb.OmittedTraces(
            function=like.function, kind=like.kind, verdict=like.verdict, cause=change.cause, path=change.path,
            failed=like.failed, nested=like.nested, traces=traces, trace_duration_ns=int(traces * seconds * SECOND),
            first_calls=first_calls, first_call_duration_ns=first_calls * SECOND // 10,
        )  # fmt: skip
        self._omitted.append(sums)
        sums.latest_seq = len(self.traces) + self.omitted_traces
        self._omitted_records += 1
        time_ns = self.started_ns + (len(self.traces) + 1) * SECOND
        record = pb.Omitted(kinds=self._omitted, time_ns=time_ns)
        self.file.write(tags.omitted_tag(self.id, self._omitted_records), record, time_ns)
        return sums

    def end(
        self,
        seconds: float,
        *,
        traces: int | None = None,
        losses: dict[str, int] | None = None,
        ran_eagerly: bool = False,
    ) -> None:
        """`seconds` after the start; `traces`: how many the process counted."""
        time_ns = self.started_ns + int(seconds * SECOND)
        count = len(self.traces) + self.omitted_traces if traces is None else traces
        end = pb.SessionEnd(time_ns=time_ns, traces=count, losses=losses, functions_run_eagerly=ran_eagerly)
        self.file.write(tags.end_tag(self.id, 1), end, time_ns)
        self.file.close()

    def _stack(self, name: str, source: str, time_ns: int) -> str:
        stack_id = f"stack-{name}"
        if stack_id not in self._stacks:
            self._stacks.add(stack_id)
            stack = pb.Stack(frames_left_out=3)
            keras = "/usr/lib/python3/site-packages/keras/src/trainer.py"
            stack.frames.add(file=keras, line=120, function="fit", source="logs = self.train_function(iterator)")
            stack.frames.add(file="/home/user/train.py", line=57, function="main", source=f"    {source}", user=True)
            stack.frames.add(file="/home/user/train.py", line=90, function="<module>", source="main()", user=True)
            self.file.write(tags.stack_tag(self.id, stack_id), stack, time_ns)
        return stack_id


def write_recording(run_directory: Path, traces: int, session: str = "session-1", functions: int = 3) -> Recording:
    """An ended recording of `traces` traces, dealt out over `functions` functions, each retraced for a new shape."""
    recording = Recording(EventFile(run_directory), session).start()
    for number in range(traces):
        recording.trace(f"step_{number % functions}", shape=(number + 1, 10))
    recording.end(seconds=max(60, traces * 2))
    return recording
