"""What a record says of a function's code reaches the advice: through the store, and from records alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import pytest

from tb_retrace_plugin.analysis.for_advice.advice import advice_of, facts_of
from tb_retrace_plugin.analysis.sessions.session import FunctionGroup, Session, TraceEvent
from tb_retrace_plugin.explain.advice.evidence.facts import FunctionFacts, MadeBefore
from tb_retrace_plugin.explain.advice.from_records import facts_from_records
from tb_retrace_plugin.schema import retrace_pb2 as pb

#: It is the identity of the code, and says nothing of it.
_OF_NO_USE = {"line", "variant"}
#: Of one tf.function, and not of all of its code.
_OF_EACH_TRACE = {"bound_by_name", "loaded_again"}


def filled() -> pb.Function:
    function = pb.Function()
    for field in function.DESCRIPTOR.fields:
        if isinstance(getattr(function, field.name), str):
            setattr(function, field.name, f"a {field.name}")
        elif isinstance(getattr(function, field.name), int):
            setattr(function, field.name, 1)
        else:
            getattr(function, field.name).append(f"one of {field.name}")
    return function


def test_all_of_it_is_known_either_way() -> None:
    function = filled()
    session = Session("s", "run", 0)
    group = FunctionGroup(session, 0, function)
    trace = pb.Trace(seq=1, n=1, object=1, function=function)
    session.add_event(TraceEvent(trace, session, group, 1))
    by_store, by_records = facts_of(group), facts_from_records([trace], {}, {})
    names = {field.name for field in fields(FunctionFacts)} & {field.name for field in function.DESCRIPTOR.fields}
    assert names == {field.name for field in function.DESCRIPTOR.fields} - _OF_NO_USE - _OF_EACH_TRACE
    for name in names | _OF_EACH_TRACE:
        written: Any = getattr(function, name)
        for facts in (by_store, by_records):
            found = getattr(facts.traces[0] if name in _OF_EACH_TRACE else facts, name)
            assert (found if isinstance(found, str | bool) else list(found)) == (
                written if isinstance(written, str | bool) else list(written)
            ), name


def test_a_librarys_call_that_failed_is_not_what_is_to_be_mended() -> None:
    def avoidable(*, failed: bool, library: bool, inner_failed: bool = False) -> int:
        session = Session("s", "run", 0)
        names = [pb.Function(name=name, library=library) for name in ("outer", "inner")]
        outer, inner = (FunctionGroup(session, number, function) for number, function in enumerate(names))
        around = pb.Trace(seq=1, function=names[0], verdict="avoidable", failed=failed)
        within = pb.Trace(seq=2, function=names[1], verdict="avoidable", nested=True, parent_seq=1, failed=inner_failed)
        session.add_event(TraceEvent(around, session, outer, 1))
        session.add_event(TraceEvent(within, session, inner, 2))
        found = facts_of(inner).within
        assert found is not None
        return found.avoidable

    assert avoidable(failed=False, library=True) == avoidable(failed=True, library=False) == 1
    assert avoidable(failed=True, library=True) == 0
    # what the outer one has handled, as by `except ValueError:`, is not known to go with it
    assert avoidable(failed=False, library=False, inner_failed=True) == 0
    assert avoidable(failed=True, library=False, inner_failed=True) == 1


def test_what_the_inner_failed_of_is_not_mended_with_the_outer() -> None:
    def within(inner_error: str, outer_error: str) -> bool:
        session = Session("s", "run", 0)
        names = [pb.Function(name=name) for name in ("outer", "inner")]
        groups = [FunctionGroup(session, number, function) for number, function in enumerate(names)]
        errors = (outer_error, inner_error)
        for number, (function, group, error) in enumerate(zip(names, groups, errors, strict=True), start=1):
            trace = pb.Trace(seq=number, function=function, verdict="avoidable", parent_seq=number - 1)
            trace.failed, trace.error = bool(error), error
            session.add_event(TraceEvent(trace, session, group, number))
        return facts_of(groups[1]).within is not None

    inner = 'ValueError: in user code:\n\n    File "a.py", line 4, in inner\n\n    ValueError: no scale\n'
    outer = inner.replace("    File", '    File "a.py", line 9, in outer\n    File', 1)
    assert not within(inner, outer)
    assert not within("ValueError: no scale", "ValueError: no scale")
    assert within(inner, "")
    assert within("ValueError: no scale", "TypeError: no tensor")


@pytest.mark.parametrize(
    ("around", "is_beside"),
    [
        (["read", "build"], True),  # `build` maps what it has read
        (["read", "build", "main"], True),
        (["read", "prepared", "cached", "build"], False),  # too far out: it may be of another dataset
        (["read", "other"], False),
    ],
)
def test_what_a_function_around_gives_to_the_same_dataset(around: list[str], *, is_beside: bool) -> None:
    session = Session("s", "run", 0)
    tensorflow = pb.Frame(file="/tensorflow/python/data/ops/map_op.py", function="__init__")

    def stack(*functions: str) -> pb.Stack:
        lines = [pb.Frame(file="data.py", function=one, line=9 * len(one), user=True) for one in functions]
        return pb.Stack(frames=[tensorflow, *lines])

    session.stacks["inner"], session.stacks["outer"] = stack(*around), stack("build", "main")
    groups = [FunctionGroup(session, n, pb.Function(name=name)) for n, name in enumerate(("parse", "scale"))]
    for group in groups:
        session.functions["data.py", group.index, group.function.name, ""] = group
    for seq in range(1, 5):
        group = groups[seq % 2]
        evidence = "The new tf.function object closes over `rate`: 0.1 → 0.2." if seq == 3 else ""
        trace = pb.Trace(
            seq=seq,
            function=group.function,
            kind="first" if seq < 3 else "recreated",
            object=seq,
            evidence=evidence,
            stack_id="outer" if seq % 2 else "inner",
        )
        session.add_event(TraceEvent(trace, session, group, seq))
    (parse,) = (group for group in groups if group.function.name == "parse")
    assert [(one.name, one.same_line) for one in facts_of(parse).beside] == ([("scale", False)] if is_beside else [])


def test_variables_that_another_function_has_made_before() -> None:
    net, optimizer = pb.Owner(name="self", kind="layer"), pb.Owner(name="self.optimizer", kind="optimizer")

    def made(*owners: pb.Owner, seq: int = 3, of_fit: Sequence[pb.Owner] = (optimizer, net)) -> MadeBefore | None:
        session = Session("s", "run", 0)
        functions = [pb.Function(name="one_step_on_data", library=True), pb.Function(name="decode")]
        groups = [FunctionGroup(session, number, function) for number, function in enumerate(functions)]
        session.functions.update({(group.function.name, 1, "", ""): group for group in groups})
        session.stacks["stack"] = pb.Stack(frames=[pb.Frame(function="fit"), pb.Frame(function="main", user=True)])
        traces = [
            pb.Trace(seq=2, function=functions[0], kind="first", stack_id="stack", created_for=of_fit),
            pb.Trace(seq=seq, function=functions[1], kind="first", created_for=owners),
        ]
        for trace, group in zip(traces, groups, strict=True):
            session.add_event(TraceEvent(trace, session, group, trace.seq))
        assert facts_of(groups[0]).made_before is None
        return facts_of(groups[1]).made_before

    assert made() == MadeBefore("fit", ("self",))
    assert made(optimizer) is None  # it makes some of its own
    assert made(seq=1) is None  # it came first
    assert made(of_fit=[optimizer]) is None


def test_an_error_in_advice_ends_no_report(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is told; in our own tests it is one."""

    def fails(*_: Any) -> Any:
        raise IndexError("list index out of range")

    function = pb.Function(name="step")
    session = Session("s", "run", 0)
    group = FunctionGroup(session, 0, function)
    event = TraceEvent(pb.Trace(seq=1, n=1, object=1, function=function, verdict="avoidable"), session, group, 1)
    session.add_event(event)
    monkeypatch.setattr("tb_retrace_plugin.analysis.for_advice.advice.advise", fails)
    with pytest.raises(RuntimeWarning, match="no advice on `step`, for an error of its own: IndexError: list"):
        advice_of(group)
    with pytest.warns(RuntimeWarning, match="no advice on `step`"):
        assert advice_of(group) == []
