"""Code of which XLA compiles some tf.function objects alone: what the others need comes first."""

from __future__ import annotations

from dataclasses import replace

from tests.unit.explain.advice.test_advice_rules import advice, history, numbers, tensor


def test_what_is_not_compiled_is_declared() -> None:
    compiled = [replace(trace, jit_compile=True) for trace in history(*({"x": tensor(n, 3)} for n in (2, 3)))]
    traces = history(*({"x": tensor(n, 3)} for n in (2, 3, 4)))
    plain = [replace(trace, lookup=replace(trace.lookup, object_number=2)) for trace in traces]
    found = advice([*compiled, *plain], jit_compile=True, compiled_in_part=True)
    assert numbers(found)[:2] == [("input_signature", 5, 2), ("reduce_retracing", 5, 4)]
    assert all("XLA compiles for each shape" in one.notes[-1] for one in found[:2])
    assert [one.rule for one in found[2:]] == ["pad_to_one_shape"]


def test_nothing_is_declared_where_only_what_is_compiled_changes() -> None:
    compiled = [replace(trace, jit_compile=True) for trace in history(*({"x": tensor(n, 3)} for n in (2, 3)))]
    (plain,) = history({"x": tensor(2, 3)})
    plain = replace(plain, lookup=replace(plain.lookup, object_number=2))
    found = advice([*compiled, plain], jit_compile=True, compiled_in_part=True)
    assert [one.rule for one in found] == ["pad_to_one_shape"]
