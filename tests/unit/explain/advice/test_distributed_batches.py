"""What a strategy passes to each replica: declared by the dataset's own specification."""

from __future__ import annotations

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


def test_where_something_else_cannot_be_declared() -> None:
    for other in (literal(True), per_replica(2)):
        calls = [{"x": per_replica(n, 3), "rate": tensor(), "other": other} for n in (4, 1)]
        (found,) = advice(history(*calls))
        assert numbers([found]) == [("pad_to_one_shape", 2, None)]
        assert found.code == "dataset = dataset.batch(…, drop_remainder=True)"
