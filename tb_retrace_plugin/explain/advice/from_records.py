"""A function's recorded traces as what advice rests on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from tb_retrace_plugin.explain.advice.evidence.facts import Frame, FunctionFacts, Owner, Traced
from tb_retrace_plugin.explain.differences.change import Change
from tb_retrace_plugin.explain.differences.diff import diff_signatures
from tb_retrace_plugin.explain.verdict.earlier_trace import rests_on
from tb_retrace_plugin.explain.what_if.replay import Lookup
from tb_retrace_plugin.schema import retrace_pb2 as pb
from tb_retrace_plugin.schema.signature import Node, Signature, node_from_proto
from tb_retrace_plugin.schema.vocabulary import IN_A_SCOPE


class RecordReader:
    """Of one function. Reads each distinct argument once: the signatures of one function share most of theirs.

    Raises ValueError for signatures that are nested deeper than any real one.
    """

    def __init__(self) -> None:
        self._arguments: dict[bytes, tuple[str, Node]] = {}
        self._succeeded: dict[int, tuple[int, Signature]] = {}  # by n: seq, what was traced

    def traced(
        self, trace: pb.Trace, places: Mapping[int, int], cost_ns: int, stack: tuple[Frame, ...], first_call_ns: int = 0
    ) -> Traced:
        """`places`: seq of each of the function's traces -> its place among them."""
        lookup = Lookup(
            signature=self._signature(trace.signature),
            object_number=trace.object,
            variables_created=trace.kind == "variable_creation",
            failed=trace.failed,
            reduce_retracing=trace.reduce_retracing,
            traced=self._signature(trace.traced_signature) if trace.generalized else None,
        )
        evidence, closest = trace.evidence, trace.closest_seq
        changes = [Change(c.cause, c.path, c.old, c.new) for c in trace.changes]
        if (judged_by := rests_on(evidence)) is not None:  # what can be avoided is what differs from that one
            n, evidence = judged_by
            closest, earlier = self._succeeded.get(n, (0, None))
            anew = [change for change in changes if change.cause == "recreated_function"]
            changes = [*anew, *diff_signatures(earlier, lookup.signature)] if earlier is not None else []
        if not trace.failed:
            self._succeeded[trace.n] = trace.seq, lookup.traced or lookup.signature
        return Traced(
            lookup=lookup,
            kind=trace.kind,
            verdict=trace.verdict,
            evidence=evidence,
            changes=tuple(changes),
            closest=places.get(closest) if closest else None,
            cost_ns=cost_ns,
            stack=stack,
            nodes=trace.nodes,
            nested=trace.nested,
            nests=trace.nested_duration_ns > 0,
            first_call_ns=first_call_ns,
            other_tensors=trace.other_tensors,
            bound_by_name=frozenset(trace.function.bound_by_name),
            loaded_again=trace.function.loaded_again,
            created_for=tuple(map(_owner, trace.created_for)),
            other_calls=_frames(trace.other_calls),
            output_signature=trace.output_signature,
            jit_compile=trace.jit_compile,
        )

    def _signature(self, message: pb.Signature) -> Signature:
        return Signature(
            tuple([self._argument(a) for a in message.arguments]),
            tuple([self._argument(c) for c in message.captures]),
            dict(message.context),
        )

    def _argument(self, message: pb.Argument) -> tuple[str, Node]:
        key = message.SerializeToString(deterministic=True)
        known = self._arguments.get(key)
        if known is None:
            known = self._arguments[key] = message.path, node_from_proto(message.type)
        return known


def frames_of(stack: pb.Stack | None) -> tuple[Frame, ...]:
    return _frames(stack.frames if stack is not None else ())


def _frames(frames: Iterable[pb.Frame]) -> tuple[Frame, ...]:
    return tuple(Frame(f.file, f.line, f.function, f.source, f.user, f.instruction) for f in frames)


def facts_from_records(
    traces: Sequence[pb.Trace], stacks: Mapping[str, pb.Stack], first_calls_ns: Mapping[int, int]
) -> FunctionFacts:
    """Of one function's code, in time order; `first_calls_ns` by seq. Raises ValueError as `RecordReader` does."""
    reader = RecordReader()
    places = {trace.seq: place for place, trace in enumerate(traces)}
    frames = {trace.stack_id: frames_of(stacks.get(trace.stack_id)) for trace in traces}
    return FunctionFacts(
        name=traces[0].function.name,
        traces=[
            reader.traced(
                trace,
                places,
                sum(
                    max(0, ns)
                    for ns in (trace.lookup_duration_ns, trace.trace_duration_ns, first_calls_ns.get(trace.seq, 0))
                ),
                frames[trace.stack_id],
            )
            for trace in traces
        ],
        library=traces[0].function.library,
        qualname=traces[0].function.qualname,
        jit_compile=any(trace.jit_compile for trace in traces),
        compiled_in_part=len({trace.jit_compile for trace in traces}) > 1,
        file=traces[0].function.file,
        keyword_only=frozenset(traces[0].function.keyword_only),
        with_default=frozenset(traces[0].function.with_default),
        drawn=tuple(traces[0].function.drawn),
        type_questions=tuple(traces[0].function.type_questions),
        python_uses=tuple(traces[0].function.python_uses),
        counted=tuple(traces[0].function.counted),
        undecorated=traces[0].function.undecorated,
        passed_as=traces[0].function.passed_as,
        bound_as=traces[0].function.bound_as,
    )


def _owner(one: pb.Owner) -> Owner:
    kind = one.kind.removesuffix(IN_A_SCOPE)
    return Owner(one.name, kind, one.given, one.count, in_a_scope=kind != one.kind)
