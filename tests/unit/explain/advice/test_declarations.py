"""Input signatures as code."""

from __future__ import annotations

from tb_retrace_plugin.explain.advice.evidence.facts import Traced
from tb_retrace_plugin.explain.advice.made_anew.closed_over_number import _specs
from tb_retrace_plugin.explain.advice.made_anew.closed_over_tensor import _specs_in
from tb_retrace_plugin.explain.advice.source.code import signature_code, with_added_specs
from tb_retrace_plugin.explain.what_if.declared import refusals
from tb_retrace_plugin.explain.what_if.input_signature import parse_input_signature
from tb_retrace_plugin.explain.what_if.replay import Lookup
from tb_retrace_plugin.schema.signature import Node, Signature
from tests.unit.explain.advice.test_advice_rules import advice, history, mapping, tensor


def test_parameters_that_are_added_are_declared_too() -> None:
    x = ("x", Node("tensor", dtype="float32", shape=(-1, 3)))
    short = signature_code([x])
    assert short is not None
    added = with_added_specs(short, ["tf.TensorSpec([], tf.int32)"])
    assert added == "@tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float32), tf.TensorSpec([], tf.int32)])"
    long = with_added_specs(added, ["tf.TensorSpec([3], tf.float32)"])
    lines = long.splitlines()
    assert lines[:2] == ["@tf.function(", "    input_signature=["]
    assert lines[2:5] == [
        "        tf.TensorSpec([None, 3], tf.float32),", "        tf.TensorSpec([], tf.int32),",
        "        tf.TensorSpec([3], tf.float32),",
    ]  # fmt: skip
    assert with_added_specs(long, ["tf.TensorSpec([])"]).count("TensorSpec") == 4
    assert with_added_specs("@tf.function(reduce_retracing=True)", ["tf.TensorSpec([])"]).count("TensorSpec") == 0


def test_what_was_closed_over_is_declared_by_what_the_evidence_says_of_it() -> None:
    evidence = (
        "The new tf.function object closes over another `pair` of (float32 (4, 3), {'y': int64 ()}), another `w` of"
        " bool (2,). One object that is passed them as arguments would do."
    )
    assert _specs_in(evidence) == [
        ("pair", "(tf.TensorSpec([4, 3], tf.float32), {'y': tf.TensorSpec([], tf.int64)})"),
        ("w", "tf.TensorSpec([2], tf.bool)"),
    ]
    begin, end = "The new tf.function object closes over ", ". One object that is passed them as tensors would do."
    texts = ("`n`: 1 → 2, `rate`: 1 → 0.5, `weights`: [1.0, 2.0] → [1.0, 3.5]", "`n`: 2 → 3, `rate`: 0.5 → 2")
    traces = [Traced(Lookup(Signature()), evidence=f"{begin}{text}{end}") for text in texts]
    dtypes = {"n": "int32", "rate": "float64", "weights": "float32"}
    assert _specs(traces, dtypes) == {
        "n": "tf.TensorSpec([], tf.int32)", "rate": "tf.TensorSpec([], tf.float64)",
        "weights": "tf.TensorSpec([2], tf.float32)",
    }  # fmt: skip


def test_a_name_of_a_specification_is_declared() -> None:
    """`get_concrete_function(tf.TensorSpec([None, 4], name="images"))` is refused by a declaration without it."""

    def batch(rows: int, name: str = "") -> Node:
        return Node("tensor", dtype="float32", shape=(rows, 4), value=name)

    calls = [batch(20), batch(12), batch(-1, "images")]
    (found, *_) = advice(history(*({"images": one} for one in calls)))
    declared = "[tf.TensorSpec([None, 4], tf.float32, name='images')]"
    assert found.code == f"@tf.function(input_signature={declared})"
    assert (found.traces_after, found.apply) == (1, {"input_signature": declared})
    within = [mapping(x=one) for one in calls]
    (found, *_) = advice(history(*({"batch": one} for one in within)))
    assert "[{'x': tf.TensorSpec([None, 4], tf.float32, name='images')}]" in (found.code or "")
    # one declaration takes one name; and what is hidden is not written
    for names in (("images", "pictures"), ("‹3fa94c01›", "‹3fa94c01›")):
        several = history(*({"images": one} for one in (batch(20), batch(12), *(batch(-1, name) for name in names))))
        assert all("input_signature" not in one.rule for one in advice(several))


def test_a_named_specification_does_not_fit_a_declaration_without_the_name() -> None:
    call = Signature((("x", Node("tensor", dtype="float32", shape=(-1, 4), value="images")),))
    (said,) = refusals(parse_input_signature("[tf.TensorSpec([None, 4], tf.float32)]"), call)
    assert said == "`x` is a specification with the name 'images', none is declared"
    assert not refusals(parse_input_signature("[tf.TensorSpec([None, 4], tf.float32, name='images')]"), call)


def test_a_named_tuple_of_another_module_is_imported() -> None:
    def notes(file: str, module: str = "graph_nets.graphs") -> tuple[str, ...]:
        def graph(n: int) -> Node:
            return Node("named_tuple", "GraphsTuple", children=((".nodes", tensor(n)),), class_name=module)

        declared = advice(history({"g": graph(3)}, {"g": graph(5)}), file=file)[0]
        assert declared.rule == "input_signature"
        return declared.notes

    told = (
        "`GraphsTuple` is a class of `graph_nets.graphs`: `from graph_nets.graphs import GraphsTuple`, where the code"
        " has no such name."
    )
    assert notes("/home/user/train.py") == (told,)
    assert notes("/home/user/graph_nets/graphs.py") == ()
    assert notes("C:\\work\\graph_nets\\graphs.py") == ()
    assert notes("/home/user/train.py", "") == ()
