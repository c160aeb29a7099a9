"""What functions read that were traced within another: their graphs are parts of that one's."""

from __future__ import annotations

from tb_retrace_plugin.analysis.for_advice.advice import facts_of
from tb_retrace_plugin.analysis.sessions.session import FunctionGroup, Session, TraceEvent
from tb_retrace_plugin.explain.advice.evidence.facts import Within
from tb_retrace_plugin.schema import retrace_pb2 as pb


def test_what_a_function_within_reads_is_frozen_with_the_one_around_it() -> None:
    session = Session("s", "run", 0)
    outer = FunctionGroup(session, 0, pb.Function(name="outer"))
    inner = FunctionGroup(session, 1, pb.Function(name="inner", drawn=["np.random.normal()"]))
    for number in range(3):  # the last one is served by an earlier trace of the inner function
        seq = 2 * number + 1
        around = pb.Trace(seq=seq, n=number + 1, object=1, function=outer.function, nested_duration_ns=5 * (number < 2))
        session.add_event(TraceEvent(around, session, outer, 1))
        if number < 2:
            within = pb.Trace(seq=seq + 1, n=number + 1, object=1, parent_seq=seq, function=inner.function)
            session.add_event(TraceEvent(within, session, inner, 1))
    old = pb.StaleValue(seq=2, name="self.rate", kind="attribute", traced="0.1", now="0.2")
    session.stale_values[2] = {old.name: (1, old)}
    assert dict(facts_of(outer).values_read) == {"self.rate": ["0.1", "0.2", None]}
    assert facts_of(outer).drawn == ("np.random.normal()",)
    assert dict(facts_of(inner).values_read) == {"self.rate": ["0.1", "0.2"]}


def test_what_was_drawn_within_the_first_trace_alone_stays_drawn() -> None:
    """Later traces find the inner one's graph, and draw nothing: fewer of them change no result."""
    session = Session("s", "run", 0)
    outer = FunctionGroup(session, 0, pb.Function(name="outer"))
    inner = FunctionGroup(session, 1, pb.Function(name="mixed_up", drawn=["np.random.beta()"]))
    for number, seq in enumerate((1, 3, 4)):
        around = pb.Trace(seq=seq, n=number + 1, object=1, function=outer.function, nested_duration_ns=5 * (seq == 1))
        session.add_event(TraceEvent(around, session, outer, 1))
    session.add_event(TraceEvent(pb.Trace(seq=2, n=1, object=1, parent_seq=1), session, inner, 1))
    assert facts_of(outer).drawn == ()


def test_the_function_around_it_is_told_by_its_class_where_it_has_the_same_name() -> None:
    """The `call` of a model around that of a layer."""

    def around(name: str) -> str | None:
        session = Session("s", "run", 0)
        outer = FunctionGroup(session, 0, pb.Function(name=name, qualname=f"Model.{name}"))
        inner = FunctionGroup(session, 1, pb.Function(name="call", qualname="Layer.call"))
        for seq, group in ((1, outer), (2, inner)):
            trace = pb.Trace(seq=seq, n=1, object=1, function=group.function, parent_seq=seq - 1, verdict="avoidable")
            session.add_event(TraceEvent(trace, session, group, 1))
        within = facts_of(inner).within
        return within.names[0] if within is not None else None

    assert (around("call"), around("train_step")) == ("Model.call", "train_step")


def test_several_functions_around_it_are_all_told() -> None:
    """Of which traces can be avoided; what is within others stays with those."""

    def within(of_score: str) -> Within | None:
        session = Session("s", "run", 0)
        functions = [pb.Function(name=name) for name in ("train", "score", "net")]
        train, score, net = (FunctionGroup(session, number, one) for number, one in enumerate(functions))
        for seq, group in enumerate((train, net, score, net), 1):
            trace = pb.Trace(seq=seq, n=1, object=1, function=group.function, parent_seq=seq - 1 if group is net else 0)
            trace.verdict = of_score if group is score else "avoidable"
            session.add_event(TraceEvent(trace, session, group, 1))
        return facts_of(net).within

    assert within("avoidable") == Within(("train", "score"), 2, 2)
    assert within("bounded") == Within(("train",), 1, 2)


def test_of_an_attribute_each_object_has_its_own_value_of_now() -> None:
    """Of two instances one after the other: what the last trace of the first has read is not before the second's."""
    session = Session("s", "run", 0)
    group = FunctionGroup(session, 0, pb.Function(name="step"))
    for seq, instance in ((1, 1), (2, 1), (3, 2), (4, 2)):
        session.add_event(
            TraceEvent(pb.Trace(seq=seq, n=seq, object=instance, function=group.function), session, group, 1)
        )
    for seq, traced, now in ((1, "0.1", "0.05"), (3, "0.01", "0.005")):
        stale = pb.StaleValue(seq=seq, name="self.rate", kind="attribute", traced=traced, now=now, time_ns=10 - seq)
        session.stale_values[seq] = {stale.name: (1, stale)}
    assert dict(facts_of(group).values_read) == {"self.rate": ["0.1", "0.05", "0.01", "0.005"]}
