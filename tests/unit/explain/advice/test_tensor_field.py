"""Advice on Python numbers in fields of a tf.experimental.ExtensionType."""

from __future__ import annotations

import pytest

from tb_retrace_plugin.explain.advice.by_hand import why_by_hand
from tb_retrace_plugin.explain.advice.evidence.graph_pairs import Constant, GraphPair
from tb_retrace_plugin.schema.signature import Node
from tests.unit.explain.advice.test_advice_rules import history, literal, number, tensor
from tests.unit.explain.advice.test_number_use import advice, sized

ALIKE = GraphPair(True, (Constant("float32", 2.0, 3.0),))


def scaled(*fields: Node, owner: str = "Scaled") -> Node:
    named = zip((".values", ".scale", ".shift"), (tensor(3), *fields), strict=False)
    return Node("composite", owner, children=tuple(named))


def test_a_field_is_declared_as_a_tensor() -> None:
    (found,) = advice(history(*({"s": scaled(number(value))} for value in (0.5, 1.5, 2.5))), {})
    assert (found.rule, found.traces_before, found.traces_after) == ("tensor_field", 3, 1)
    assert found.code == "class Scaled(tf.experimental.ExtensionType):\n    scale: tf.Tensor  # was float"
    assert found.text.startswith("`train_step` is traced for each value of `s.scale`, which `Scaled` declares as a")
    assert found.apply is None  # the class is in the source
    assert why_by_hand(found.rule) == "how a class declares its fields is written in the source"


def test_a_whole_number_that_is_computed_with_in_fractions_is_made_one() -> None:
    """A field that is a tensor takes 2 for one of int32, which float32 does not go with."""
    (found,) = advice(sized(history(*({"s": scaled(number(value))} for value in (2, 3))), 9, 9), ALIKE)
    assert "make it of `tf.constant(…, tf.float32)`" in found.in_one
    assert found.code is not None
    assert found.code.endswith("scale: tf.Tensor  # was int")
    (found,) = advice(sized(history(*({"s": scaled(number(value))} for value in (2.0, 3.0))), 9, 9), ALIKE)
    assert "make it of" not in found.in_one


def test_several_fields_of_one_class() -> None:
    (found,) = advice(history(*({"s": scaled(number(value), number(value))} for value in (0.5, 1.5))), {})
    assert "`s.scale` and `s.shift`, which `Scaled` declares as Python numbers" in found.in_one
    assert found.code is not None
    assert found.code.splitlines()[1:] == ["    scale: tf.Tensor  # was float", "    shift: tf.Tensor  # was float"]


@pytest.mark.parametrize("nodes", [
    [literal("'a'"), literal("'b'")],  # no numbers
    [number(1), number(1.5)],  # of two types, of which a field takes but one
], ids=["texts", "types"])  # fmt: skip
def test_what_is_no_number_of_one_type(nodes: list[Node]) -> None:
    assert not any(one.rule == "tensor_field" for one in advice(history(*({"s": scaled(n)} for n in nodes)), {}))


def test_a_specification_of_another_kind_has_no_class_to_change() -> None:
    specs = [Node("composite", "RaggedTensorSpec", children=(("#0", tensor(3)), ("#1", number(n)))) for n in (1, 2)]
    assert not any(one.rule == "tensor_field" for one in advice(history(*({"s": spec} for spec in specs)), {}))


def test_an_argument_whose_name_begins_with_another_ones_is_none_of_its_fields() -> None:
    """`scale` does not lie in a sparse `s`."""
    spec = Node("composite", "SparseTensorSpec", children=(("#0", tensor(3)),))
    (found,) = advice(history(*({"s": spec, "scale": number(value)} for value in (0.5, 1.5, 2.5))), {})
    assert (found.rule, found.traces_before, found.traces_after) == ("tensor_for_python_number", 3, 1)
