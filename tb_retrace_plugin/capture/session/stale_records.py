"""Records of Python values that have changed since a function was traced: when they are looked at, and how many."""

from __future__ import annotations

import functools
import time
from typing import Any

from tb_retrace_plugin.capture import tf_seam
from tb_retrace_plugin.capture.code.function_place import key_of
from tb_retrace_plugin.capture.python_state.code_walk import Passed
from tb_retrace_plugin.capture.python_state.stale_values import Asked, Stale, StaleValues, reads_nothing
from tb_retrace_plugin.capture.session.record_writer import RecordWriter
from tb_retrace_plugin.capture.values.clean_text import clean
from tb_retrace_plugin.capture.values.shown import Values
from tb_retrace_plugin.capture.watch.names_in_code import as_in_code, names_in_code
from tb_retrace_plugin.capture.watch.observation import Observation
from tb_retrace_plugin.schema import retrace_pb2 as pb
from tb_retrace_plugin.schema import tags
from tb_retrace_plugin.schema.signature import CONTAINERS, Signature
from tb_retrace_plugin.schema.vocabulary import CHOSEN

#: Values are compared again after this time, and so seldom that it takes less than one percent of the time.
_PAUSE_NS = 200_000_000
_PAUSES = 100
MAX_RECORDS = 1000
#: Arguments of which nothing is read by a name.
_OF_NO_OBJECTS = frozenset({"tensor", "literal", "variable"})


class StaleRecords:
    """Of one session. Not thread-safe."""

    def __init__(self, writer: RecordWriter, values: Values) -> None:
        self._writer = writer
        self._values = values
        self._stale = StaleValues(values)
        self._records = 0
        self._next_check_ns = 0

    def watch(self, record: pb.Trace, o: Observation) -> None:
        """Of a trace that is recorded: remembers what it read. Raises whatever reading it raises."""
        if reads_nothing(o.traced.python) and _has_no_objects(o.traced_signature):
            return
        self._stale.watch(
            record.seq, o.key, self._asked(record, o), functools.partial(_chosen_by, record), record.object
        )

    def read_otherwise(self, record: pb.Trace, before_seq: int, o: Observation) -> dict[str, tuple[str, str]] | None:
        """Of a trace that is about to be recorded, as `StaleValues.read_otherwise` has it. Raises as `watch` does."""
        found = self._stale.read_otherwise(record.seq, before_seq, o.key, self._asked(record, o))
        if found is None:
            return None
        limit = self._values.limit(200)
        return {clean(name, 200): (clean(old, limit), clean(new, limit)) for name, (old, new) in found.items()}

    def _asked(self, record: pb.Trace, o: Observation) -> Asked:
        runs = None if record.nested else o.result
        signature = o.traced_signature
        kinds = {"object", "custom"} if signature is None else {node.kind for _, node in signature.arguments}
        arguments = tf_seam.object_arguments(o.function_type) if "object" in kinds else None
        if kinds & CONTAINERS:
            arguments = {**(arguments or {}), **tf_seam.objects_in_containers(o.function_type)}
        code = getattr(o.traced.python, "__code__", None)
        if arguments and code is not None and not o.traced.partials:
            names = names_in_code(o.function_type, code, is_bound=o.bound is not None)
            arguments = as_in_code(arguments, names) if names else arguments
        arrays = tf_seam.tensor_array_arguments(o.function_type) if "custom" in kinds else {}
        instance = o.instance if o.bound is not None else tf_seam.mapped_instance(o.traced)
        graph = o.graph if record.nested else None
        return Asked(o.traced.python, instance, runs, arguments, _passed(o), arrays, graph)

    def write(self, step: int | None, *, final: bool = False) -> None:
        """Compares, if it is time to; `final`: in any case. Raises only the program's own errors."""
        now = time.monotonic_ns()
        if now < self._next_check_ns and not final:
            return
        try:
            for stale in self._stale.check(final=final):
                self._write_one(stale, step)
        except Exception as error:
            self._writer.losses.lose("stale_values_not_compared", "comparing Python values failed", error)
        ended = time.monotonic_ns()
        self._next_check_ns = ended + max(_PAUSE_NS, _PAUSES * (ended - now))

    def _write_one(self, stale: Stale, step: int | None) -> None:
        if self._records >= MAX_RECORDS:
            self._writer.losses.count("stale_values_over_budget")
            return
        self._records += 1
        limit = self._values.limit(200)
        record = pb.StaleValue(
            seq=stale.seq, name=clean(stale.name.text, 200), kind=CHOSEN if stale.is_chosen else stale.name.kind,
            traced=clean(stale.traced, limit), now=clean(stale.now, limit), time_ns=time.time_ns(),
        )  # fmt: skip
        if step is not None:
            record.step = step
        self._writer.write(tags.stale_tag(self._writer.session_id, self._records), record)


def _has_no_objects(signature: Signature | None) -> bool:
    return signature is not None and all(node.kind in _OF_NO_OBJECTS for _, node in signature.arguments)


def _chosen_by(record: pb.Trace) -> tuple[Any, ...]:
    """The code, the function object, and the arguments but for what tensors are: by the rest a program chooses."""
    signature = pb.Signature(arguments=record.signature.arguments)
    for argument in signature.arguments:
        _without_tensors(argument.type)
    return key_of(record.function), record.object, signature.SerializeToString()


def _without_tensors(node: pb.TypeNode) -> None:
    if node.kind in (pb.TypeNode.TENSOR, pb.TypeNode.COMPOSITE):
        node.CopyFrom(pb.TypeNode(kind=node.kind))
    for child in node.children:
        _without_tensors(child)


def _passed(o: Observation) -> Passed | None:
    """What the function was traced with; not where what is around it may pass something else, as no partial does."""
    traced = o.traced
    outer = traced.outer
    for _ in traced.partials:
        outer = getattr(outer, "func", outer)
    if getattr(outer, "__func__", outer) is not traced.python or traced.structured is not None:
        return None
    return functools.partial(tf_seam.known_of_arguments, o.function_type)
