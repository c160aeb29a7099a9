"""Objects that are default values, and that no call passes, need not be declared."""

from __future__ import annotations

from tests.unit.explain.advice.test_advice_rules import advice, history, literal, numbers, tensor, thing


def test_a_model_that_no_call_passes_stays_undeclared() -> None:
    calls = [{"x": tensor(n, 3), "model": thing(7, "Net"), "scale": literal(None)} for n in (1, 2, 3)]
    optional = frozenset({"model", "scale"})
    found = advice(history(*calls, source="loss = score(x)"), "score", with_default=optional)[0]
    assert numbers([found]) == [("input_signature", 3, 1)]
    assert found.code is not None
    assert found.code.startswith("@tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float32)])")
    assert "`model` stays undeclared, as the default value that no call passes." in found.notes
    passed = advice(history(*calls, source="loss = score(x, net)"), "score", with_default=optional)
    assert all(one.rule != "input_signature" for one in passed)  # the default may be None
    spread = advice(history(*calls, source="loss = score(*batch)"), "score", with_default=optional)
    assert all(one.rule != "input_signature" for one in spread)
