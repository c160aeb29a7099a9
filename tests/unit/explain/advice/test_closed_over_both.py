"""Numbers and tensors that are closed over by one function: both are arguments, or one would go on with the first."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest

from tb_retrace_plugin.explain.advice.evidence.facts import FunctionFacts, Traced
from tb_retrace_plugin.explain.advice.evidence.graph_pairs import Constant, GraphPair, Graphs
from tb_retrace_plugin.explain.advice.made_anew import closed_over_number, closed_over_tensor
from tb_retrace_plugin.explain.differences.change import Change
from tb_retrace_plugin.explain.differences.closure import VARIABLE as OF_VARIABLE
from tb_retrace_plugin.explain.differences.closure import ClosureChange
from tb_retrace_plugin.explain.verdict.facts import Facts
from tb_retrace_plugin.explain.verdict.judge import judge
from tb_retrace_plugin.schema.signature import Node, Signature
from tests.unit.explain.advice.test_advice_rules import advice, number, numbers, recreated, tensor

TENSOR = ClosureChange("x", "float32 (4, 1)", "float32 (4, 1)", False, is_tensor=True)
NUMBER = ClosureChange("rate", "0.1", "0.2", True)
TEXT = (
    "`step` was made 3 times, each time for another tensor that it closes over, `x`, and other numbers, `rate`: a graph"
    " keeps what it was traced with. Define it once and pass them as arguments, `rate` as a tensor."
)


def test_both_are_passed() -> None:
    (found,) = advice(recreated(3, (NUMBER, TENSOR), same_graph=False))
    assert numbers([found]) == [("pass_closed_over_tensor", 3, 1)]
    assert found.in_one.endswith(TEXT.partition("` ")[2])
    assert found.code is not None
    assert "x, rate):  # once" in found.code
    assert "x, tf.constant(rate))" in found.code
    assert found.evidence.endswith("and that the code works on a tensor for `rate`.")


def test_a_list_of_numbers_is_declared_with_its_length_and_gone_through_in_parts() -> None:
    lists = ClosureChange("rates", "[1, 2]", "[1, 3]", True)
    told = "`[… for … in rates]` in it goes through no tensor: write `tf.unstack(rates)` there, which is a list."
    for closure, propose in (
        ((lists, TENSOR), closed_over_tensor.propose),
        ((lists,), closed_over_number.propose),
    ):
        traces = recreated(3, closure, same_graph=False)
        fix = propose(FunctionFacts("step", traces, python_uses=("[… for … in rates] through",)))
        assert fix is not None
        assert fix.added["rates"].startswith("tf.TensorSpec([2], tf.")
        assert told in fix.notes


def test_a_method_of_it_has_parameters_for_both() -> None:
    (found,) = advice(recreated(3, (NUMBER, TENSOR), same_graph=False), "step", qualname="Net.fit.<locals>.step")
    assert any("`Net` (`def step(self, " in note and ", x, rate)`, decorated)" in note for note in found.notes)


def test_a_number_is_of_the_dtype_that_all_else_is_cast_to() -> None:
    """Calls in float64 and in float32: the graphs hold the number in both."""
    traces = recreated(3, (NUMBER,), same_graph=False)
    other = Node("tensor", dtype="float64", shape=(2,))
    wide = replace(traces[0].lookup, signature=Signature((("x", other),)))
    change = (Change("dtype", "x", "float32", "float64"),)
    traces.append(
        replace(traces[0], lookup=wide, kind="retrace", verdict="avoidable", evidence="", changes=change, closest=0)
    )
    graphs = Graphs(lambda one, other: GraphPair(True, (Constant("float64", 0.1, 0.2), Constant("float32", 0.1, 0.2))))
    found = {one.rule: one for one in advice(traces, graphs=graphs)}
    both = found["pass_closed_over_number+one_dtype"]
    assert (both.code or "").endswith("(tf.cast(x, tf.float32), tf.constant(rate))")
    assert "a tensor has one dtype" not in both.in_one
    assert "a tensor has one dtype" in found["pass_closed_over_number"].in_one


VARIABLE = ClosureChange("w", f"{OF_VARIABLE}float32 (3, 1)", f"{OF_VARIABLE}float32 (3, 1)", False, is_tensor=True)


def test_variables_are_passed_and_declared_by_no_signature() -> None:
    (found,) = advice(recreated(3, (NUMBER, VARIABLE), same_graph=False))
    assert numbers([found]) == [("pass_closed_over_tensor", 3, 1)]
    assert "each time for another variable that it closes over, `w`, and other numbers, `rate`" in found.text
    assert found.code is not None
    assert "w, rate):  # once" in found.code
    assert "TensorSpec" not in found.code


def test_sizes_that_a_signature_declares_stay_unknown_without_it() -> None:
    """Of what takes a variable nothing can be declared: without a trace for unknown sizes each would have its own."""
    declared = Signature((("x", Node("tensor", dtype="float32", shape=(-1,))),))
    traces = [
        replace(trace, lookup=replace(trace.lookup, signature=declared))
        for trace in recreated(3, (NUMBER, VARIABLE), same_graph=False)
    ]
    (found,) = advice(traces)
    assert numbers([found]) == [("pass_closed_over_tensor", 3, 1)]
    assert "Its `input_signature` cannot declare `w`, and goes: trace it with the unknown dimensions" in found.text
    assert found.code is not None
    assert found.code.splitlines()[-2:] == [
        "train_step.get_concrete_function(tf.TensorSpec([None], tf.float32), w, tf.TensorSpec([], tf.float32))"
        "  # once, before the first call",
        "train_step(x, w, tf.constant(rate))",
    ]
    (found,) = advice(traces, with_default=frozenset({"x"}))
    assert (found.traces_after, found.evidence.startswith("Not replayed")) == (None, True)
    assert found.code is not None
    assert found.code.startswith("@tf.function(reduce_retracing=True)")


def test_what_else_is_local_to_the_maker() -> None:
    for closure in ((TENSOR,), (NUMBER,)):
        (found,) = advice(recreated(3, closure, same_graph=False), qualname="make.<locals>.train_step")
        assert any("reads other local variables of `make`" in note for note in found.notes)
        (found,) = advice(recreated(3, closure, same_graph=False), qualname="Model.loss.<locals>.train_step")
        assert any("reads `self` of the method `loss`" in note for note in found.notes)


def test_one_variable_may_be_passed_twice() -> None:
    node = Node("variable", dtype="float32", shape=(3, 1), value="trainable=True", identity=1)
    passed = Signature((("v", node),))
    traces = [
        replace(trace, lookup=replace(trace.lookup, signature=passed))
        for trace in recreated(3, (VARIABLE,), same_graph=False)
    ]
    (found,) = advice(traces)
    assert (found.rule, found.traces_after) == ("pass_closed_over_tensor", None)
    assert found.evidence.startswith("Not replayed: a call that is passed one variable twice")


def test_what_was_made_for_other_tensors_is_not_made_one_for_its_numbers() -> None:
    """A function defined once, and passed the number alone, would go on with the first tensor."""
    mixed = recreated(3, (NUMBER,), same_graph=False)
    mixed[2] = replace(mixed[2], evidence=recreated(3, (TENSOR,), same_graph=False)[2].evidence)
    assert sorted(numbers(advice(mixed))) == [("pass_closed_over_number", 3, 2), ("pass_closed_over_tensor", 3, 1)]


def test_what_a_whole_number_is_for_its_own_advice_tells() -> None:
    mixed = recreated(3, (ClosureChange("order", "1", "2", True),), same_graph=False)
    mixed[2] = replace(mixed[2], evidence=recreated(3, (TENSOR,), same_graph=False)[2].evidence)
    assert sorted(numbers(advice(mixed))) == [("pass_closed_over_number", 3, 2), ("pass_closed_over_tensor", 3, 2)]


@pytest.mark.parametrize(("size", "attributes"), [(True, False), (False, True)])
def test_where_the_graph_is_another_neither_is_known_to_do(size: bool, attributes: bool) -> None:
    change = (Change("recreated_function", "", "object 1", "object 2"),)
    facts = Facts("recreated", change, same_graph=False, closure=(NUMBER, TENSOR), other_nodes=True)
    assert judge(facts).word == "avoidable"
    assert judge(replace(facts, other_size=size, other_attributes=attributes)).word == "unknown"


def test_a_whole_number_may_choose_what_is_built() -> None:
    change = (Change("recreated_function", "", "object 1", "object 2"),)
    closure = (ClosureChange("order", "1", "2", True), TENSOR)
    facts = Facts("recreated", change, same_graph=False, closure=closure, other_nodes=True)
    assert judge(facts).word == "unknown"
    assert judge(replace(facts, same_operations=True)).word == "avoidable"
    assert judge(replace(facts, same_operations=True, captures_others=True)).word == "unknown"


@pytest.mark.parametrize(
    ("constants", "tensor", "is_told_of_casts"),
    [(("int32",), "tf.constant(order)", False), (("float32",), "tf.constant(order, tf.float32)", False),
     (("int32", "float32"), "tf.constant(order)", True), ((), "tf.constant(order)", True)],
)  # fmt: skip
def test_a_whole_number_is_passed_as_the_graphs_have_it(
    constants: tuple[str, ...], tensor: str, is_told_of_casts: bool
) -> None:
    traces = recreated(3, (NUMBER, TENSOR), same_graph=False)
    told = [trace.evidence.replace("`rate`: 0.1 → 0.2", "`order`: 2 → 3") for trace in traces]
    traces = [replace(trace, evidence=text) for trace, text in zip(traces, told, strict=True)]
    pair = GraphPair(False, tuple(Constant(dtype, 2, 3) for dtype in constants))
    (found,) = advice(traces, graphs=Graphs(lambda one, other: pair), python_uses=["math.exp(order)"])
    assert f"x, {tensor})" in (found.code or "")
    assert any("`tf.cast(order, …)`" in note for note in found.notes) == is_told_of_casts
    assert "`math.exp(order)` in it takes no tensor: write `tf.math.exp(…)`." in found.notes


def resized(*sizes: int, name: str = "memory", **facts: object) -> list[Traced]:
    """Made for a tensor of each of these sizes."""
    traces = recreated(len(sizes), None)
    change = (Change("recreated_function", "", "object 1", "object 2"),)
    for place, (old, new) in enumerate(itertools.pairwise(sizes), 1):
        texts = (f"float32 ({size}, 2)" for size in (old, new))
        closure = ClosureChange(name, *texts, False, is_tensor=old == new, is_resized=old != new)
        verdict = judge(Facts("recreated", change, same_graph=False, closure=(closure,), **facts))  # type: ignore[arg-type]
        traces[place] = replace(traces[place], verdict=verdict.word, evidence=verdict.evidence)
    return traces


def test_a_tensor_of_several_sizes_is_passed_with_these_unknown() -> None:
    (found,) = advice(resized(8, 8, 3))
    assert numbers([found]) == [("pass_closed_over_tensor", 3, 1)]
    assert "`memory` has several sizes, which have to be unknown to the signature: each is traced else." in found.text
    assert found.notes[-1].endswith("it is unknown then: `tf.shape(memory)[0]` is a tensor.")
    assert found.code is not None
    assert "input_signature=[tf.TensorSpec([2], tf.float32), tf.TensorSpec([None, 2], tf.float32)]" in found.code
    assert found.evidence.endswith("and that the code does not need the unknown dimensions while it is traced.")


def test_beside_what_no_signature_declares_no_number_is_given() -> None:
    traces = resized(2, 3, 4)
    arguments = (*traces[0].lookup.signature.arguments, ("training", Node("literal", "bool", value="True", identity=1)))
    traces = [replace(one, lookup=replace(one.lookup, signature=Signature(arguments))) for one in traces]
    (found,) = advice(traces)
    assert (found.rule, found.traces_after) == ("pass_closed_over_tensor", None)
    assert (found.code or "").startswith("@tf.function(reduce_retracing=True)")


def test_functions_of_several_kinds_have_a_signature_each() -> None:
    one, other = resized(2, 3, 4), resized(5, 6)
    shifted = [
        replace(
            trace, evidence=trace.evidence.replace("float32", "float64"), closest=trace.closest and trace.closest + 3,
            lookup=replace(trace.lookup, object_number=trace.lookup.object_number + 3),
        )
        for trace in other
    ]  # fmt: skip
    shifted[1] = replace(shifted[1], closest=3)
    (found,) = advice([*one, *shifted])
    assert (found.rule, found.traces_after) == ("pass_closed_over_tensor", None)
    assert "Define the 2 that differ in more than that once each" in found.text


def test_what_is_unrolled_over_a_size_is_not_asked_for() -> None:
    for facts in ({"other_size": True}, {"captures_others": True}, {"in_a_dataset": True}):
        assert advice(resized(2, 3, 4, **facts)) == []


def test_a_number_beside_which_each_later_call_failed_is_not_passed() -> None:
    traces = recreated(3, (NUMBER,), same_graph=False)
    assert numbers(advice(traces)) == [("pass_closed_over_number", 3, 1)]
    failed = [traces[0], *(replace(one, lookup=replace(one.lookup, failed=True)) for one in traces[1:])]
    assert advice(failed) == []
    assert numbers(advice([traces[0], failed[1], traces[2]])) == [("pass_closed_over_number", 3, 1)]


def test_a_tensor_of_another_size_beside_a_number() -> None:
    resized = ClosureChange("y", "float32 (4, 1)", "float32 (3, 1)", False, is_resized=True)
    (found,) = advice(recreated(3, (NUMBER, resized), same_graph=False), "step")
    assert numbers([found]) == [("pass_closed_over_tensor", 3, 1)]
    told = TEXT.replace("`x`", "`y`")
    assert found.text.startswith(f"{told} `y` has several sizes, which have to be unknown to the signature:")
    assert "tf.TensorSpec([None, 1], tf.float32),\n        tf.TensorSpec([], tf.float32)," in str(found.code)
    whole = ClosureChange("k", "1", "2", True)  # may choose what is built
    assert advice(recreated(3, (whole, resized), same_graph=False), "step") == []


def test_what_a_partial_binds_by_name_is_a_parameter_already() -> None:
    """As `functools.partial(proj, m=m, bias=bias)`, and `lambda x, m=m: …`: none is added, and they stay in order."""
    matrix = ClosureChange("m", "ndarray float32 (2, 2)", "ndarray float32 (2, 2)", False, is_tensor=True)
    bias = ClosureChange("bias", "0.0", "1.0", True)
    traces = recreated(3, (matrix, bias), same_graph=False)
    for place, trace in enumerate(traces):
        arguments = (("m", tensor(2, 2)), ("x", tensor(2)), ("bias", number(place + 0.5)))
        signature = replace(trace.lookup.signature, arguments=arguments)
        traces[place] = replace(trace, lookup=replace(trace.lookup, signature=signature))
    (found,) = advice(traces, "proj")
    assert numbers([found]) == [("pass_closed_over_tensor", 3, 1)]
    assert "def proj(m, x, bias):" in (found.code or "")
    assert (found.code or "").endswith("\n\nproj(m, x, tf.constant(bias))")
