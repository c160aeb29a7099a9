"""Concrete functions that the program asked for with a Python number, which would be an argument as a tensor."""

from __future__ import annotations

from dataclasses import replace

from tb_retrace_plugin.explain.advice.evidence.facts import Advice, Frame
from tb_retrace_plugin.explain.differences.change import Change
from tb_retrace_plugin.explain.verdict.asked_for import asked_for_by_dtype
from tb_retrace_plugin.explain.verdict.facts import Verdict
from tb_retrace_plugin.schema import retrace_pb2 as pb
from tb_retrace_plugin.schema.signature import Node
from tests.unit.explain.advice.test_advice_rules import advice, call, history, literal, number, numbers, tensor

ASKS = Frame(
    "/site-packages/tensorflow/python/eager/polymorphic_function/polymorphic_function.py",
    1200, "get_concrete_function", "", False,
)  # fmt: skip


def test_it_is_said_where_another_change_led_to_that_trace_too() -> None:
    """As of a signature that is saved: `free.get_concrete_function(tf.TensorSpec([None, 2]), 2.0)`."""
    traces = history(
        *({"x": tensor(*shape), "n": number(n)} for shape, n in (((1, 2), 1.0), ((1, 2), 2.0), ((-1, 2), 2.0)))
    )
    said = "What `get_concrete_function` gives takes it as an argument then: pass it where that is called."
    assert not any(said in one.in_one for one in advice(traces))
    asked = [*traces[:2], replace(traces[2], stack=(ASKS, *traces[2].stack))]
    found = [one for one in advice(asked) if "tensor" in one.rule or one.rule == "input_signature"]
    assert found
    assert all(said in one.in_one for one in found)


def test_what_is_asked_for_with_unknown_sizes_serves_what_comes_after_it() -> None:
    """As of an export, `net.serve.get_concrete_function(tf.TensorSpec([None, 2]), False)`, beside a flag."""

    def advised(size: int) -> list[tuple[str, str | None]]:
        calls = [(1, True), (1, False), (size, False)]
        traces = history(*({"x": tensor(n, 2), "flag": literal(flag)} for n, flag in calls), source="step(x, flag)")
        traces[2] = replace(traces[2], stack=(ASKS, *traces[2].stack))
        return [(one.rule, (one.code or "").splitlines()[-1]) for one in advice(traces) if "trace_be" in one.rule]

    asks = "step.get_concrete_function(tf.TensorSpec([None, 2], tf.float32), False)"
    assert advised(-1) == [("trace_beforehand", asks)]
    assert advised(3) == []  # one of a size of its own, as it was asked for


def test_a_specification_is_not_cast_beside_numbers_that_are() -> None:
    """As of `f.get_concrete_function(tf.TensorSpec([2], tf.float64))` and `f([1.0, 2.0])`."""
    numbers = Node("list", "list", children=(("[0]", number(1.0)), ("[1]", number(2.0))))
    traces = history({"x": tensor(2)}, {"x": tensor(2, dtype="float64")}, {"x": numbers})
    lines = "f(x)", "f.get_concrete_function(spec)", "f([1.0, 2.0])"
    stacks = [call(line, n) for n, line in enumerate(lines)]
    stacks[1] = (ASKS, *stacks[1])
    found = advice([replace(t, stack=s) for t, s in zip(traces, stacks, strict=True)], "f")
    (cast,) = [one for one in found if one.rule == "one_dtype"]
    assert cast.code == "f(tf.cast([1.0, 2.0], tf.float32))"
    assert "Ask for one concrete function" in cast.in_one


def test_a_number_that_is_asked_for_is_one_of_the_tensors_where_others_are_cast() -> None:
    """Or the concrete function stays, and calls find no trace of it."""
    traces = history(
        *(
            {"x": tensor(2, dtype=dtype), "n": number(value)}
            for dtype, value in (("float32", 2.0), ("float32", 3.0), ("float64", 2.0))
        )
    )
    lines = "f.get_concrete_function(spec, 2.0)", "f(x, 3.0)", "f(y, 2.0)"
    stacks = [call(line, n) for n, line in enumerate(lines)]
    stacks[0] = (ASKS, *stacks[0])
    found = advice([replace(t, stack=s) for t, s in zip(traces, stacks, strict=True)], "f")
    (both,) = [one for one in found if one.rule == "tensor_for_python_number+one_dtype"]
    assert (both.code or "").splitlines() == [
        "f.get_concrete_function(spec, tf.constant(2.0))",
        "f(x, tf.constant(3.0))",
        "f(tf.cast(y, tf.float32), tf.constant(2.0))",
    ]


def test_it_is_said_that_an_export_of_each_size_is_one_of_any_size() -> None:
    """As of `net.serve.get_concrete_function(tf.TensorSpec([size, 2]))` for some sizes, one for each export."""
    said = "`get_concrete_function` gives one of unknown dimensions then"
    traces = history(*({"x": tensor(size, 2)} for size in (8, 16, 32)))
    assert not any(said in one.in_one for one in advice(traces))
    asked = [replace(trace, stack=(ASKS, *trace.stack)) for trace in traces]
    found = advice(asked)
    assert {one.rule for one in found} == {"input_signature", "reduce_retracing"}
    assert all(said in one.in_one for one in found)
    # one of unknown dimensions is asked for, too
    any_size = history({"x": tensor(8, 2)}, {"x": tensor(-1, 2)})
    assert not any(
        said in one.in_one for one in advice([replace(trace, stack=(ASKS, *trace.stack)) for trace in any_size])
    )


def test_concrete_functions_that_are_asked_for_with_a_dtype_each_stay() -> None:
    """What is called with other dtypes is cast to one, and they are not: so it is not replayed."""

    def found(*dtypes: str) -> list[Advice]:
        traces = history(*({"x": tensor(2, dtype=dtype)} for dtype in ("int32", "int64", *dtypes)))
        asked = [replace(trace, stack=(ASKS, *trace.stack)) for trace in traces[:2]]
        change = Change("dtype", "x", "int32 (2,)", "int64 (2,)")
        frames = [pb.Frame(file=ASKS.file, function=ASKS.function), pb.Frame(user=True)]
        verdict = asked_for_by_dtype(Verdict("avoidable", ""), [change], frames)
        assert verdict is not None
        asked[1] = replace(asked[1], verdict=verdict.word, evidence=verdict.evidence)
        return advice([*asked, *traces[2:]])

    assert not found("float32")  # the one that is called
    (of_calls,) = found("float32", "float64")
    assert numbers([of_calls]) == [("one_dtype", 4, None)]
    assert "(float32, float64). Cast to float32" in of_calls.in_one
    assert of_calls.evidence.startswith("Not replayed: the concrete functions that are asked for")
