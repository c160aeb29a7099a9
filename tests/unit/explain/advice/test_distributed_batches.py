"""What a strategy passes to each replica: declared by the dataset's own specification."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tb_retrace_plugin.explain.advice.advise import advise
from tb_retrace_plugin.explain.advice.evidence.facts import Advice, FunctionFacts
from tb_retrace_plugin.schema.signature import Node
from tests.unit.explain.advice.test_advice_rules import advice, history, literal, number, numbers, tensor


def per_replica(*shape: int) -> Node:
    children = (("#0", tensor(*shape)), ("#1", tensor(*shape)))
    text = f"PerReplicaSpec(float32 {shape}, float32 {shape})"
    return Node("composite", "PerReplicaSpec", value=text, identity=7, children=children)


def batch(size: int) -> Node:
    return Node("tuple", "tuple", children=(("[0]", per_replica(size, 3)), ("[1]", per_replica(size, 1))))


def test_the_dataset_says_what_to_declare() -> None:
    (found,) = advice(history({"batch": batch(4)}, {"batch": batch(1)}))
    assert numbers([found]) == [("input_signature", 2, 1)]
    assert found.code == "@tf.function(input_signature=[dataset.element_spec])"
    assert found.apply is None
    (parts,) = advice(history(*({"x": per_replica(n, 3), "y": per_replica(n)} for n in (4, 1))))
    assert parts.code == "@tf.function(input_signature=dataset.element_spec)"
    (beside,) = advice(history(*({"x": batch(n), "rate": tensor()} for n in (4, 1))))
    assert beside.code == "@tf.function(input_signature=[dataset.element_spec, tf.TensorSpec([], tf.float32)])"

    (rated, *_) = advice(
        history(*({"x": per_replica(n, 3), "y": per_replica(n), "rate": number(n / 8)} for n in (4, 1)))
    )
    assert numbers([rated]) == [("input_signature", 2, 1)]
    assert rated.code == "@tf.function(input_signature=[*dataset.element_spec, tf.TensorSpec([], tf.float32)])"

    # a number that is declared beside it is a tensor then
    (rated, *_) = advice(history(*({"x": batch(n), "rate": number(n / 8)} for n in (4, 1))))
    assert numbers([rated]) == [("input_signature", 2, 1)]
    assert rated.code == beside.code
    assert "It takes `rate` as a tensor" in rated.in_one


def test_what_is_always_the_default_stays_undeclared() -> None:
    calls = [
        {"x": per_replica(n, 3), "y": per_replica(n), "rate": literal(0.2), "training": literal(True)} for n in (4, 1)
    ]
    (found, *_) = advice(history(*calls), with_default=frozenset({"rate", "training"}))
    assert numbers([found]) == [("input_signature", 2, 1)]
    assert found.code == (
        "@tf.function(input_signature=dataset.element_spec)\ndef train_step(…, rate=0.2, training=True):"
    )
    assert "no call passes another `rate` and `training`" in found.evidence


def test_what_is_asked_for_with_plain_tensors_serves_no_batches() -> None:
    """Of one function that is passed both: those are still traced for each size."""
    plain, of_both = [{"x": tensor(n)} for n in (4, 2)], [{"x": per_replica(n)} for n in (2, 1)]
    (found, *_) = advice(history(*plain, *of_both))
    assert numbers([found]) == [("trace_beforehand", 4, 3)]


def test_where_something_else_cannot_be_declared() -> None:
    for other in (literal(True), per_replica(2)):
        calls = [{"x": per_replica(n, 3), "rate": tensor(), "other": other} for n in (4, 1)]
        (found,) = advice(history(*calls))
        assert numbers([found]) == [("pad_to_one_shape", 2, None)]
        assert found.code == "dataset = dataset.batch(…, drop_remainder=True)"


def of_a_strategy(*calls: dict[str, Node], objects: Sequence[int] = ()) -> list[Advice]:
    """What `strategy.run` makes of a tf.function, without one around it."""
    traces = history(*calls)
    numbers = objects or [1] * len(traces)
    traces = [replace(t, lookup=replace(t.lookup, object_number=n)) for t, n in zip(traces, numbers, strict=True)]
    file = "/site-packages/tensorflow/python/distribute/mirrored_run.py"
    return advise(FunctionFacts("wrapped_fn", traces, library=True, file=file))


def test_batches_that_a_strategy_runs_a_function_with() -> None:
    """ESRGAN on TPUs: what it makes is decorated as the tf.function is (measured)."""
    (found,) = of_a_strategy({"args[0]": tensor(4, 8)}, {"args[0]": tensor(2, 8)})
    assert (found.rule, found.traces_after) == ("input_signature", 1)
    assert "decorated as that is, and `args[0]` changes shape in its calls. Declare it with unknown" in found.text
    assert found.code == (
        "@tf.function(input_signature=[tf.TensorSpec([None, 8], tf.float32)])"
        "  # of the tf.function that `strategy.run` is given"
    )
    assert "drop_remainder=True" in found.notes[-1]
    found, wider = of_a_strategy(*({"args[0]": tensor(n, 8)} for n in (4, 2, 3)))
    assert (wider.rule, wider.traces_after) == ("reduce_retracing", 2)


def test_functions_that_a_strategy_runs_with_so_much_else_are_declared_each() -> None:
    first, second = {"args[0]": tensor(4, 8)}, {"args[0]": tensor(2, 8)}
    found = of_a_strategy(first, second, {"args[0]": tensor(4, 8), "args[1]": tensor(4)}, objects=(1, 1, 2))
    assert [(one.rule, one.traces_after) for one in found] == [("input_signature", None)]
    assert "Declare each tf.function" in found[0].text
