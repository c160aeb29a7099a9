"""Records of XLA's compilations: which trace's graph, for which shapes and values, and what it was not compiled for."""

from __future__ import annotations

from tb_retrace_plugin.capture.code.call_site import read_call_site
from tb_retrace_plugin.capture.session.record_writer import RecordWriter
from tb_retrace_plugin.capture.values.clean_text import clean
from tb_retrace_plugin.capture.values.shown import Values
from tb_retrace_plugin.capture.watch.steps import current_step
from tb_retrace_plugin.capture.watch.xla_compilations import Compilation, Compilations, Value
from tb_retrace_plugin.schema import retrace_pb2 as pb
from tb_retrace_plugin.schema import tags

MAX_RECORDS = 20_000
_MAX_PATH = 300


class CompilationRecords:
    """Of one session. Not thread-safe."""

    def __init__(self, writer: RecordWriter, values: Values) -> None:
        self._writer = writer
        self._values = values
        self._by_trace: dict[int, Compilations] = {}
        self._records = 0

    def write(self, seq: int, compilation: Compilation, time_ns: int, duration_ns: int, failed: bool) -> None:
        """Raises only the program's own errors."""
        if self._records >= MAX_RECORDS:
            self._writer.losses.count("compilations_over_budget")
            return
        try:
            self._write(seq, compilation, time_ns, duration_ns, failed)
        except Exception as error:
            self._writer.losses.lose("compilations_not_described", "describing a compilation failed", error)

    def _write(self, seq: int, compilation: Compilation, time_ns: int, duration_ns: int, failed: bool) -> None:
        compilations = self._by_trace.setdefault(seq, Compilations())
        compilation = compilation._replace(
            values={path: Value(v.identity, self._shown(v.text)) for path, v in compilation.values.items()}
        )
        changes = compilations.add(compilation)
        site = read_call_site()
        self._writer.write_stack(site)
        record = pb.XlaCompilation(
            seq=seq, k=compilations.count, time_ns=time_ns, duration_ns=duration_ns, stack_id=site.stack_id,
            failed=failed, gradient=compilation.gradient, backward=compilation.backward,
        )  # fmt: skip
        if (step := current_step()) is not None:
            record.step = step
        for path, shape in compilation.shapes.items():
            record.shapes.add(path=clean(path, _MAX_PATH), dims=shape)
        for path, value in compilation.values.items():
            record.values.add(path=clean(path, _MAX_PATH), text=value.text)
        for change in changes:
            record.changes.add(cause=change.cause, path=clean(change.path, _MAX_PATH), old=change.old, new=change.new)
        self._records += 1
        self._writer.write(tags.xla_tag(self._writer.session_id, self._records), record)

    def _shown(self, text: str) -> str:
        return self._values.shown(clean(text, self._values.limit(300)), "Tensor")
