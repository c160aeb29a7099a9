"""What graphs say of a number, or of a dimension, in advice on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from tb_retrace_plugin.explain.advice.advise import advise
from tb_retrace_plugin.explain.advice.by_hand import why_by_hand
from tb_retrace_plugin.explain.advice.evidence.facts import Advice, FunctionFacts, Traced
from tb_retrace_plugin.explain.advice.evidence.graph_pairs import Constant, GraphPair, Graphs
from tb_retrace_plugin.explain.advice.python_values.number_use import deciding, use_of
from tb_retrace_plugin.explain.advice.python_values.tensor_for_number import OVERFLOWS
from tb_retrace_plugin.explain.advice.python_values.use import Use
from tb_retrace_plugin.explain.differences.change import Change
from tb_retrace_plugin.explain.differences.closure import ClosureChange
from tb_retrace_plugin.explain.verdict.evidence import CHOSEN, EACH_NUMBER
from tb_retrace_plugin.explain.verdict.facts import Facts
from tb_retrace_plugin.explain.verdict.judge import judge
from tb_retrace_plugin.schema.signature import Node, Signature
from tests.unit.explain.advice.test_advice_rules import (
    call,
    history,
    literal,
    number,
    numbers,
    numbers_of,
    recreated,
    tensor,
)

FLOAT_TWO_THREE = GraphPair(True, (Constant("float32", 2.0, 3.0),))


def sized(traces: Sequence[Traced], *nodes: int) -> list[Traced]:
    return [replace(trace, nodes=count) for trace, count in zip(traces, nodes, strict=True)]


def advice(traces: Sequence[Traced], pairs: Mapping[tuple[int, int], GraphPair] | GraphPair) -> list[Advice]:
    def compare(one: int, other: int) -> GraphPair | None:
        return pairs if isinstance(pairs, GraphPair) else pairs.get((one, other))

    return advise(FunctionFacts("train_step", traces, graphs=Graphs(compare)))


def of_numbers(*values: float, pair: GraphPair, nodes: Sequence[int] = ()) -> Advice:
    traces = history(*({"x": tensor(2), "n": number(value)} for value in values))
    (found,) = advice(sized(traces, *(nodes or [9] * len(values))), pair)
    return found


def test_the_dtype_is_that_of_the_constants() -> None:
    found = of_numbers(2, 3, pair=FLOAT_TWO_THREE)
    assert found.code == "train_step(x, tf.constant(n, tf.float32))"
    assert found.apply == {"tensors": {"n": "float32"}}
    assert found.in_one.endswith("Pass it as a tensor at every call.")
    assert "(for 2 and 3 the graphs differ in nothing but float32 constants), and that no" in found.evidence
    plain = of_numbers(2, 3, pair=GraphPair(True, (Constant("int32", 2, 3), Constant("int32"))))
    assert plain.code == "train_step(x, tf.constant(n))"


def test_an_input_signature_has_that_dtype() -> None:
    traces = history(
        {"x": tensor(2), "n": number(2)}, {"x": tensor(3), "n": number(2)}, {"x": tensor(3), "n": number(3)}
    )
    declared, *_ = advice(sized(traces, 9, 9, 9), {(1, 2): GraphPair(True, (Constant("int64", 2, 3),))})
    assert declared.code == (
        "@tf.function(input_signature=[tf.TensorSpec([None], tf.float32), tf.TensorSpec([], tf.int64)])"
    )
    assert "works on a tensor for `n` (for 2 and 3 the graphs differ in nothing but int64 constants)" in (
        declared.evidence
    )


def test_what_xla_compiles_for_each_value_all_the_same() -> None:
    traces = [
        replace(trace, cost_ns=1_500_000_000, first_call_ns=1_000_000_000)
        for trace in sized(history(*({"x": tensor(2), "n": number(n)} for n in (2, 3, 4))), 9, 9, 9)
    ]

    def of(*, jit_compile: bool, compiled_in: bool) -> Advice:
        pair = GraphPair(True, (Constant("int32", None, None, compiled_in), Constant("int32", 2, 3)))
        graphs = Graphs(lambda one, other: pair)
        (found,) = advise(FunctionFacts("train_step", traces, jit_compile=jit_compile, graphs=graphs))
        return found

    said = "XLA needs it while it compiles, as it does shapes, and compiles for each value, with or without a trace"
    needed = of(jit_compile=True, compiled_in=True)
    assert said in needed.in_one
    assert (needed.traces_after, needed.seconds_saved) == (1, 1.0)  # of two traces, without what XLA takes again
    for free in (of(jit_compile=True, compiled_in=False), of(jit_compile=False, compiled_in=False)):
        assert "XLA" not in free.in_one
        assert (free.traces_after, free.seconds_saved) == (1, 3.0)


def test_what_is_computed_of_it_in_python() -> None:
    found = of_numbers(2, 3, pair=GraphPair(True, (Constant("float32", 0.2, 0.3),)))
    assert found.code == "train_step(x, tf.constant(n, tf.float32))"
    assert found.in_one.endswith(
        "such as `or`, `min`, `math.sqrt` or an index of a list, cannot take a tensor: compute that before the call,"
        " and pass what comes of it."
    )
    assert "float32 constants that are computed from it" in found.evidence
    # `math.cos` of an angle, in a matrix; a size among others is itself
    turned = of_numbers(0.5, 0.2, pair=GraphPair(True, (Constant("float32", (0.88, -0.48), (0.98, -0.2)),)))
    assert "`math.sqrt` or an index of a list, cannot take a tensor: compute" in turned.in_one
    sized = of_numbers(2, 3, pair=GraphPair(True, (Constant("int32", (2, 8), (3, 8)),)))
    assert "math.sqrt" not in sized.in_one


def test_constants_of_several_dtypes_leave_it_open() -> None:
    found = of_numbers(2, 3, pair=GraphPair(True, (Constant("float32", 2.0, 3.0), Constant("int32", 2, 3))))
    assert found.code == "train_step(x, tf.constant(n))"
    assert found.text.endswith(" Where the code computes with it in float32, write `tf.cast(n, tf.float32)`.")
    assert "graphs differ" not in found.evidence


def test_a_dtype_that_cannot_hold_the_numbers_is_told() -> None:
    found = of_numbers(0.5, 1.5, pair=GraphPair(True, (Constant("int32", 50, 150),)))
    assert found.code == "train_step(x, tf.constant(n))"
    assert "it became constants of int32: whether float32 does instead is not known." in found.in_one


@pytest.mark.parametrize(
    ("pair", "text"),
    [
        (GraphPair(False), "For 2 and 3 the graphs have other operations, so the number may decide what is built: a"),
        (
            GraphPair(True, (), ("Split", "num_split")),
            "For 2 and 3 the graphs differ in `num_split` of `Split`, so the number decides what is built: a",
        ),
        (GraphPair(True, (Constant("bool", False, True),)), "For 2 and 3 the graphs differ in a bool, so the"),
        (GraphPair(True, captures=True), "For 2 and 3 the graphs capture other things: where it chooses in Python"),
        (GraphPair(True), "For 2 and 3 the graphs are the same: if the code makes no use of it, leave it out instead"),
    ],
)
def test_what_else_differs_is_said(pair: GraphPair, text: str) -> None:
    found = of_numbers(2, 3, pair=pair)
    assert f"at every call. {text}" in found.in_one
    assert found.code == "train_step(x, tf.constant(n))"


def test_of_two_numbers_that_are_one_constant_the_same_graph_says_nothing() -> None:
    for values, is_told in (((1.4, 1.3999999976), False), ((1.4, 1.3999), True), ((1.0, -1.0), True)):
        assert ("makes no use of it" in of_numbers(*values, pair=GraphPair(True)).in_one) is is_told


def test_a_number_that_is_computed_with_whole_ones_alone_needs_no_warning() -> None:
    traces = sized(history({"n": number(5)}, {"n": number(3)}), 9, 9)
    pair = GraphPair(True, (Constant("int32", 4, 2),))

    def told(*uses: str) -> str:
        facts = FunctionFacts("step", traces, graphs=Graphs(lambda one, other: pair), python_uses=uses)
        return advise(facts)[0].in_one

    assert "by Python's own means" in told()
    assert "by Python's own means" not in told("n - 1 with whole numbers")


def test_the_two_traces_of_a_first_call_are_of_one_number() -> None:
    """Their graphs are the same, which says nothing of the number."""
    calls = [{"x": tensor(2), "n": number(2)}] * 2 + [{"x": tensor(3), "n": number(3)}]
    traces = sized(history(*calls), 9, 9, 12)
    created = replace(traces[1].lookup, variables_created=True)
    traces[1] = replace(traces[1], lookup=created, kind="variable_creation", verdict="needed", changes=())
    assert not any("For 2 and 2" in found.in_one for found in advice(traces, GraphPair(True)))


def test_tensors_that_the_number_chooses() -> None:
    """`self.batches[n]`: the graphs are the same, of other tensors."""
    traces = sized(history({"n": number(0)}, {"n": number(1)}, {"n": number(2)}), 9, 9, 9)
    (found,) = advice(traces, GraphPair(True))
    assert "tf.gather" not in found.in_one
    others = [replace(trace, other_tensors=place > 0) for place, trace in enumerate(traces)]
    (found,) = advice(others, GraphPair(True))
    assert "if it chooses them from a list, stack them into one (`tf.stack`), once, and let `tf.gather`" in found.in_one


def test_graphs_of_other_sizes_for_fractions_too() -> None:
    found = of_numbers(0.0, 0.1, 0.2, pair=GraphPair(True, (Constant("float32", 0.1, 0.2),)), nodes=(10, 14, 14))
    assert (
        "For 0.0 and 0.1 the graphs have 10 and 14 nodes, so the number may decide what is built. What is decided in"
        " Python, such as by an `if`, may not take a tensor."
    ) in found.in_one
    # two values have one graph: what changed once may be something else
    assert "If it is not the number that decides it, but something that each trace reads anew" in found.in_one
    assert found.in_one.endswith(" Where the code asks `if n:`, it has to be `if n != 0:` then.")
    grown = of_numbers(2, 3, 4, pair=GraphPair(False), nodes=(10, 14, 18))
    assert "If it is not the number" not in grown.in_one


@pytest.mark.parametrize(
    "pair",
    [
        GraphPair(True, (Constant("string", b"epoch 2", b"epoch 3"),)),
        GraphPair(True, (), ("StringFormat", "template")),  # of `tf.print(f"epoch {n}")`
    ],
)
def test_a_number_that_is_written_into_a_text_is_told_first(pair: GraphPair) -> None:
    """A tensor in an f-string is `Tensor("n:0", …)`, and nothing fails."""
    found = of_numbers(2, 3, pair=pair)
    assert found.in_one.startswith(
        "This may change results: for 2 and 3 of `n` the graphs hold other texts. Where Python formats it (`str(n)`,"
        ' `f"{n}"`), a tensor becomes `Tensor(…)`, without an error'
    )
    assert found.apply is None
    assert why_by_hand(found.rule, found.evidence).startswith("a text that a number is written into")
    assert "so the number decides" not in found.in_one
    assert "graphs differ" not in found.evidence


def test_numbers_of_two_types_differ_by_a_cast_too() -> None:
    """`tf.cast(0.5, tf.float32)` is a constant, and `tf.cast(1, tf.float32)` casts one: the number decides nothing."""
    calls = ({"x": tensor(2), "n": number(0.5)}, {"x": tensor(2), "n": number(1)})
    (found,) = advice(sized(history(*calls), 4, 5), {})
    assert "decide" not in found.in_one
    (alike,) = advice(sized(history(*calls), 4, 4), {(0, 1): GraphPair(True, (), ("Const", "dtype"))})
    assert "decide" not in alike.in_one


def test_numbers_of_two_types_differ_in_more_than_casts() -> None:
    def told(*nodes: int) -> str:
        return of_numbers(2.5, 3, pair=GraphPair(alike=False), nodes=nodes).in_one

    assert "For 2.5 and 3 the graphs have 5 and 12 nodes, so" in told(5, 12)
    assert "nodes" not in told(5, 6)


def test_what_is_known_to_decide_explains_what_changed_with_it() -> None:
    """`if kl > 0.015` changed the graph by itself: the clip beside it is not suspected."""
    calls = [{"clip": number(c), "kl": number(k)} for c, k in ((0.25, 0.0), (0.25, 0.5), (0.2, 0.7), (0.1, 0.1))]
    found = advice(sized(history(*calls), 9, 12, 12, 9), {})
    assert "so `kl` decides what is built" in found[-1].in_one
    assert "`clip` may decide" not in found[-1].in_one


def test_an_operation_that_is_named_with_the_number() -> None:
    """`tf.name_scope(f"step_{n}")`: a tensor makes no name."""
    found = of_numbers(2, 3, pair=replace(FLOAT_TWO_THREE, names=("step_2/mul", "step_3/mul")))
    assert (
        "The graphs name operations with it (`step_2/mul` and `step_3/mul`), which a tensor cannot do" in found.in_one
    )
    assert "name operations" not in of_numbers(2, 3, pair=FLOAT_TWO_THREE).in_one
    by_keras = replace(FLOAT_TWO_THREE, names=("functional_2/mul", "functional_3/mul"), captures=True)
    assert "name operations" not in of_numbers(4, 2, pair=by_keras).in_one  # of models that each trace makes
    by_keras = replace(FLOAT_TWO_THREE, names=("functional_2_2/conv_1/mul", "functional_3_2/conv_1/mul"))
    assert "name operations" not in of_numbers(1, 2, pair=by_keras).in_one  # the layer's name is the same in both
    fraction = replace(FLOAT_TWO_THREE, names=("rate_0.10/mul", "rate_0.25/mul"))
    assert "name operations" in of_numbers(0.1, 0.25, pair=fraction).in_one


def test_a_step_of_summaries_that_has_not_changed_yet() -> None:
    """`tf.summary.scalar(…, step=step // 1000)`, whose step is of int64."""
    found = of_numbers(2, 3, pair=GraphPair(True, summaries=True))
    assert found.code == "train_step(x, tf.constant(n, tf.int64))"
    assert "write summaries, whose step is of int64" in found.in_one
    assert of_numbers(2, 3, pair=GraphPair(True)).code == "train_step(x, tf.constant(n))"
    assert of_numbers(2, 3, pair=replace(FLOAT_TWO_THREE, summaries=True)).code.endswith("tf.float32))")


def test_names_of_captured_variables_follow_those_of_operations() -> None:
    """`functional_2_dense_matmul_readvariableop_resource`: where the objects were compared, they tell."""
    pair = replace(FLOAT_TWO_THREE, names=("functional_2/mul", "functional_3/mul"), captures=True)
    traces = sized(history(*({"x": tensor(2), "n": number(value)} for value in (4, 2))), 9, 9)
    (unknown,) = advice([replace(trace, evidence="") for trace in traces], pair)
    assert "capture other things" in unknown.in_one
    told = [replace(trace, evidence=f"{EACH_NUMBER} `n` is traced; a tensor would not be.") for trace in traces]
    (found,) = advice(told, pair)
    assert "capture other things" not in found.in_one


def test_an_operation_that_tensorflow_numbers() -> None:
    """The first trace builds the optimizer, in the scope that later traces compute in: `sgd_1` and then `sgd`."""
    names = replace(FLOAT_TWO_THREE, names=("sgd_1/Identity", "sgd/Identity"))
    assert "name operations" not in of_numbers(2, 3, pair=names).in_one
    assert "name operations" in of_numbers(0.5, 0.25, pair=replace(names, names=("r_0_5/mul", "r_0_25/mul"))).in_one
    found = of_numbers(2, 3, pair=replace(names, captures=True, renumbered=True))
    assert "capture" not in found.in_one
    assert "differ in nothing but float32 constants" in found.evidence
    assert "capture other things" in of_numbers(2, 3, pair=replace(FLOAT_TWO_THREE, captures=True)).in_one


def test_numbers_that_a_strategy_runs_a_function_with() -> None:
    """TensorFlow's own function is what is traced, for what the user passes."""
    file = "/site-packages/tensorflow/python/distribute/mirrored_run.py"
    traces = sized(history({"args[1]": number(2)}, {"args[1]": number(3)}), 9, 9)
    graphs = Graphs(lambda one, other: FLOAT_TWO_THREE)
    (found,) = advise(FunctionFacts("wrapped_fn", traces, library=True, file=file, graphs=graphs))
    assert (found.rule, found.traces_after) == ("tensor_for_python_number", 1)
    assert found.code == "strategy.run(…, args=(…, tf.constant(…, tf.float32)))"
    assert "Python number `args[1]`, as `strategy.run` is passed it. Pass it as a tensor at every call." in found.in_one
    assert advise(FunctionFacts("wrapped_fn", traces, library=True, file="/keras/trainer.py", graphs=graphs)) == []


def test_other_operations_where_a_constant_changed_too() -> None:
    """`variables[n].assign_sub(rate)`: the rate is known to be but a constant."""
    calls = ({"n": number(0), "rate": number(0.5)}, {"n": number(1), "rate": number(0.25)})
    traces = sized(history(*calls, {"n": number(1), "rate": number(0.125)}), 9, 9, 9)
    rates = GraphPair(True, (Constant("float32", 0.25, 0.125),))
    first, second = advice(traces, {(0, 1): GraphPair(False), (1, 2): rates})
    assert first.code == "train_step(n, tf.constant(rate))"
    assert "Where `n` and `rate` changed at once, the graphs have other operations, so `n` may decide" in second.in_one


@pytest.mark.parametrize(
    ("others", "decides"), [((False, True), False), ((1, 2), False), ((0.5, 0.1), True), (("a", "b"), True)]
)
def test_a_flag_or_a_whole_number_is_suspected_before_a_fraction(others: tuple[object, object], decides: bool) -> None:
    """`meta_step(tasks, rate, first_order)` of MAML."""
    calls = [{"rate": number(rate), "other": literal(one)} for rate, one in zip((0.5, 0.25), others, strict=True)]
    traces = sized(history(*calls), 385, 493)
    assert bool(use_of(FunctionFacts("meta_step", traces), "rate").may_decide) == decides


def test_what_python_chooses_by_is_suspected_and_no_number_beside_it() -> None:
    """`loss(x, lam, reduction)`, where that is looked up in a dictionary of functions."""
    calls = [{"lam": number(0.5), "reduction": literal("mean")}, {"lam": number(0.25), "reduction": literal("sum")}]
    first, second = sized(history(*calls), 385, 385)
    chosen = replace(second, evidence=CHOSEN.format("reduction", "{…}[reduction]"))
    assert use_of(FunctionFacts("loss", [first, chosen], graphs=Graphs(lambda *_: GraphPair(False))), "lam") == Use()
    either = use_of(FunctionFacts("loss", [first, second], graphs=Graphs(lambda *_: GraphPair(False))), "lam")
    assert either.may_decide


def test_what_sizes_are_made_of_is_whole() -> None:
    """`tf.reduce_sum(tf.linspace(0.0, 1.0, n)) / n`: the graphs hold a fraction alone."""
    traces = sized(history({"n": number(2)}, {"n": number(3)}), 9, 9)
    facts = FunctionFacts("total", traces, graphs=Graphs(lambda *_: FLOAT_TWO_THREE))
    (found,) = advise(replace(facts, python_uses=("n with a size",)))
    assert found.code == "total(tf.constant(n))"
    assert "Where the code computes with it in float32, write `tf.cast(n, tf.float32)`." in found.text
    assert not any("is not known" in note for note in found.notes)
    (found,) = advise(facts)
    assert found.code == "total(tf.constant(n, tf.float32))"


def test_the_size_of_a_constant_is_whole() -> None:
    """`tf.ones([n, 4])` is a constant of float32 in each graph: that is not what the number became."""
    ones = Constant("float32", (1.0,), (1.0,), resized=True)
    found = of_numbers(2, 3, pair=GraphPair(True, (ones,)))
    assert found.code == "train_step(x, tf.constant(n))"
    assert found.in_one.endswith("What needs a Python number, such as `tf.split`, cannot take a tensor.")
    assert "graphs differ" not in found.evidence
    used = of_numbers(2, 3, pair=GraphPair(True, (ones, Constant("int64", 2, 3))))
    assert used.code == "train_step(x, tf.constant(n, tf.int64))"


def test_graphs_of_one_size_are_compared_whatever_came_between() -> None:
    """`if step % 2 == 0: tf.summary.scalar(…, step=step)`."""
    traces = sized(history(*({"x": tensor(2), "n": number(n)} for n in (2, 3, 4, 5))), 9, 5, 9, 5)
    (found,) = advice(traces, {(0, 2): GraphPair(True, (Constant("int64", 2, 4),))})
    assert found.code == "train_step(x, tf.constant(n, tf.int64))"
    assert "For 2 and 3 the graphs have 9 and 5 nodes, so the number may decide what is built" in found.in_one


def test_a_number_in_a_constant_of_several_that_never_changed_alone() -> None:
    """`tf.image.resize(image, (n, n))`: an int32, though a float32 has the number's values as well."""
    traces = sized(history({"n": number(4), "rate": number(0.5)}, {"n": number(8), "rate": number(0.25)}), 9, 9)
    pair = GraphPair(True, (Constant("int32", (4, 4), (8, 8)), Constant("float32", 4.0, 8.0)))
    (found,) = advice(traces, pair)
    assert found.code == "train_step(tf.constant(n), tf.constant(rate))"


def test_the_graph_in_which_variables_were_created_says_nothing() -> None:
    traces = history(*({"n": number(value)} for value in (1, 1, 2)))
    traces[1] = replace(traces[1], kind="variable_creation", verdict="needed", changes=())
    traces[1] = replace(traces[1], lookup=replace(traces[1].lookup, variables_created=True))
    traces[2] = replace(traces[2], closest=1)
    (found,) = advice(sized(traces, 30, 9, 9), {})
    assert "decides" not in found.in_one


def test_first_what_leaves_a_deciding_number_as_it_is() -> None:
    signatures = [
        {"images": tensor(size, 3), "alpha": number(alpha), "level": number(level)}
        for size, level in ((4, 1), (8, 2))
        for alpha in (0.25, 0.5)
    ]
    traces = sized(history(*signatures), 13, 13, 21, 21)
    first, second, *rest = advice(traces, {(0, 1): GraphPair(True, (Constant("float64", 0.25, 0.5),))})
    assert numbers([first, second]) == [("tensor_for_python_number", 4, 2), ("input_signature", 4, 1)]
    assert first.code == "train_step(images, tf.constant(alpha, tf.float64), level)"
    assert "Where `images`, `alpha` and `level` changed at once, the graphs have 13 and 21 nodes" in second.in_one
    assert "so `level` may decide what is built" in second.in_one
    assert rest == []


def test_beside_other_changes_its_values_tell() -> None:
    traces = sized(history(*({"x": tensor(n, 3), "n": number(n)} for n in (4, 2, 3))), 9, 9, 9)
    of_shapes = Constant("int32"), Constant("int32", 12, 6)
    found = advice(traces, {(0, 1): GraphPair(True, (Constant("float32", 4.0, 2.0), *of_shapes))})[0]
    assert "tf.TensorSpec([], tf.float32)" in (found.code or "")
    assert "such as `tf.split`, cannot take a tensor." in found.in_one
    both = advice(traces, {(0, 1): GraphPair(True, (Constant("float32", 4.0, 2.0), Constant("int32", 4, 2)))})[0]
    assert "tf.TensorSpec([], tf.int32)" in (both.code or "")


def closing_over(*changes: tuple[str, str, str], nodes: Sequence[int] = (9, 9)) -> list[Traced]:
    closure = tuple(ClosureChange(name, old, new, is_number=True) for name, old, new in changes)
    return sized(recreated(2, closure, same_graph=False), *nodes)


def test_a_number_that_is_closed_over_has_the_constants_dtype() -> None:
    (found,) = advice(closing_over(("n", "2", "3")), FLOAT_TWO_THREE)
    assert found.code is not None
    assert found.code.endswith("train_step(x, tf.constant(n, tf.float32))")
    assert found.apply == {"closed_over": ["n"], "dtypes": {"n": "float32"}}
    assert "cannot take a tensor" not in found.in_one
    (found,) = advice(
        closing_over(("n", "2", "3"), ("scale", "0.5", "0.25")),
        GraphPair(True, (Constant("int64", 2, 3), Constant("float32", 0.5, 0.25))),
    )
    assert found.code is not None
    assert found.code.endswith("train_step(x, tf.constant(n, tf.int64), tf.constant(scale))")


@pytest.mark.parametrize(
    ("constants", "passed"),
    [((Constant("float32", 0.9, 0.8), Constant("float32", 0.05, 0.06)), "tf.constant(n, tf.float32)"),
     ((Constant("float32", 0.5, 0.25), Constant("float32", 0.25, 0.08)), "tf.constant(n, tf.float32)"),
     ((Constant("int32", 2, 3), Constant("float32", 0.25, 0.08)), "tf.constant(n)"),  # a depth: what divides is cast
     ((Constant("int32", 7, 8), Constant("float32", 0.25, 0.08)), "tf.constant(n)"),
     ((Constant("float32", 0.5, 0.25),), "tf.constant(n)")],
)  # fmt: skip
def test_a_whole_number_that_is_closed_over_where_all_that_differs_are_fractions(
    constants: tuple[Constant, ...], passed: str
) -> None:
    """`scale / n` fails of a float32 and an int32."""
    (found,) = advice(closing_over(("n", "2", "3"), ("scale", "0.5", "0.25")), GraphPair(True, constants))
    assert (found.code or "").endswith(f"train_step(x, {passed}, tf.constant(scale))")


def beside_a_shape(pair: GraphPair, *, nodes: int = 9) -> Advice:
    """A closed-over number of which `x` has the size."""
    traces = recreated(2, (ClosureChange("n", "2", "3", True),), same_graph=False)
    now = replace(traces[1].lookup, signature=Signature((("x", tensor(3)),)))
    changes = (*traces[1].changes, Change("shape", "x", "(2,)", "(3,)"))
    return advice(sized([traces[0], replace(traces[1], lookup=now, changes=changes)], 9, nodes), pair)[0]


def test_a_number_that_is_closed_over_beside_another_shape() -> None:
    (line,) = (line for line in (beside_a_shape(FLOAT_TWO_THREE).code or "").splitlines() if "tf.constant" in line)
    assert line == "train_step(x, tf.constant(n, tf.float32))"
    computed = beside_a_shape(GraphPair(True, (Constant("int32"), Constant("float32", 0.5, 0.3))))
    assert "constants of float32 differ, which may be computed from it: there the code would have to" in computed.in_one
    assert "`n` or `x` may decide" not in computed.in_one
    decides = beside_a_shape(FLOAT_TWO_THREE, nodes=12)
    assert "Where `n` and `x` changed at once, the graphs have 9 and 12 nodes, so `n` may decide" in decides.in_one


def test_a_number_that_is_closed_over_where_others_close_over_none() -> None:
    def found(old: str) -> Advice:
        first = recreated(2, (ClosureChange("n", old, "2", False),), same_graph=False)
        second = recreated(2, (ClosureChange("n", "2", "3", True),), same_graph=False)[1]
        again = replace(second, lookup=replace(second.lookup, object_number=3), closest=1)
        return advice([*first, again], FLOAT_TWO_THREE)[0]

    of_none = found("None")
    assert (of_none.code or "").endswith("\n\ntrain_step(x, None if n is None else tf.constant(n, tf.float32))")
    assert "`if n:` has to be `if n is not None:` then." in of_none.in_one
    assert "is not None" not in found("4").in_one
    assert found("'auto'").code is None


def test_an_input_signature_cannot_take_none() -> None:
    traces = recreated(2, (ClosureChange("n", "None", "2", False),), same_graph=False)
    second = recreated(2, (ClosureChange("n", "2", "3", True),), same_graph=False)[1]
    for size in (3, 4):
        lookup = replace(second.lookup, object_number=size, signature=Signature((("x", tensor(size)),)))
        changes = (*second.changes, Change("shape", "x", "(2,)", f"({size},)"))
        traces.append(replace(second, lookup=lookup, closest=len(traces) - 1, changes=changes))
    assert [one.rule for one in advice(traces, FLOAT_TWO_THREE)] == ["pass_closed_over_number+reduce_retracing"]


def test_a_number_that_is_closed_over_decides() -> None:
    (found,) = advice(closing_over(("n_layers", "1", "2"), nodes=(11, 16)), {})
    assert "For 1 and 2 the graphs have 11 and 16 nodes, so the number decides what is built: a loop" in found.in_one
    (found,) = advice(closing_over(("n_layers", "1", "2"), ("scale", "0.5", "0.25"), nodes=(11, 16)), {})
    assert (
        "Where `n_layers` and `scale` changed at once, the graphs have 11 and 16 nodes, so `n_layers` or `scale` may"
        " decide what is built: a loop"
    ) in found.in_one


def test_a_dimension_that_is_unrolled_is_padded_first() -> None:
    signatures = [{"x": tensor(2, a), "y": tensor(2, b)} for a, b in ((5, 4), (6, 4), (5, 6), (3, 3))]
    found = advice(sized(history(*signatures), 980, 980, 1262, 839), {})
    assert numbers(found) == [("pad_to_one_shape", 4, 1), ("input_signature", 4, 1), ("reduce_retracing", 4, 3)]
    clause = "For shapes (2, 4) and (2, 6) of `y` the graphs have 980 and 1,262 nodes"
    assert all(clause in one.in_one for one in found)
    assert "fails where its size is unknown" in found[1].in_one
    assert "`for i in tf.range(tf.shape(…)[…])` is a loop of the graph" in found[1].in_one


def test_what_a_loop_over_a_dimension_is_written_as() -> None:
    found = advice(of_sizes(4, 6, 9, nodes=(20, 30, 45)), {})
    said = [
        "`for i in tf.range(tf.shape(x)[1])` is a loop of the graph, which takes one" in one.in_one for one in found
    ]
    assert dict(zip([one.rule for one in found], said, strict=True)) == {
        "pad_to_one_shape": False, "input_signature": True, "reduce_retracing": True,
    }  # fmt: skip


def test_padding_comes_first_beside_a_number_too() -> None:
    """`for t in range(rewards.shape[0])` with a discount that is annealed: what is declared would fail."""
    calls = [{"x": tensor(n, 2), "lam": number(lam)} for n, lam in ((3, 0.5), (5, 0.5), (4, 0.25), (3, 0.25))]
    found = advice(sized(history(*calls), 60, 98, 79, 60), {})
    assert numbers(found) == [
        ("tensor_for_python_number+pad_to_one_shape", 4, 1),
        ("pad_to_one_shape", 4, 2),
        ("tensor_for_python_number", 4, 3),
        ("input_signature", 4, 1),
    ]


def test_padding_comes_first_where_a_number_changes_with_every_size() -> None:
    """A curriculum: sequences grow, and the rate falls each time; at one length it falls alone, and is a constant."""
    calls = [{"x": tensor(4, n), "rate": number(rate)} for n, rate in ((2, 1.0), (3, 0.5), (3, 0.25), (5, 0.125))]
    found = advice(sized(history(*calls), 40, 60, 60, 99), {(1, 2): GraphPair(True, (Constant("float32", 0.5, 0.25),))})
    assert found[0].rule == "tensor_for_python_number+pad_to_one_shape"
    assert "For shapes (4, 2) and (4, 3) of `x` the graphs have 40 and 60 nodes" in found[0].in_one
    assert found[-1].rule == "input_signature"
    # where the number decides something, its doing and the size's are not told apart
    found = advice(sized(history(*calls), 40, 60, 61, 99), {})
    assert not any("For shapes" in one.in_one for one in found)


def test_a_number_beside_one_that_decides_is_looked_for_in_graphs_of_one_size() -> None:
    """`if (step + 1) % every == 0:`, and what is summed up is divided by `every`."""
    calls = [{"step": number(n), "every": number(every)} for n, every in ((0, 2), (1, 2), (2, 2), (3, 3))]
    graphs = {(0, 3): GraphPair(True, (Constant("float32", 2.0, 3.0),))}
    (found,) = advice(sized(history(*calls), 28, 34, 20, 28), graphs)
    assert found.code == "train_step(tf.constant(step), tf.constant(every, tf.float32))"
    assert (
        "`step` is a tensor of int32 then, and `every` one of float32: where the code computes with both"
        in found.in_one
    )
    (found,) = advice(sized(history(*calls), 28, 34, 20, 21), graphs)
    assert found.code == "train_step(tf.constant(step), tf.constant(every))"


def test_the_truth_of_a_number_is_no_tensors() -> None:
    """`if decay: gradient += decay * weight`."""
    found = of_numbers(0.0, 0.5, pair=FLOAT_TWO_THREE, nodes=(24, 28))
    assert found.in_one.endswith(" Where the code asks `if n:`, it has to be `if n != 0:` then.")
    assert "has to be" not in of_numbers(0.25, 0.5, pair=FLOAT_TWO_THREE, nodes=(24, 28)).in_one
    assert "has to be" not in of_numbers(0.0, 0.5, pair=FLOAT_TWO_THREE).in_one


@pytest.mark.parametrize(
    ("calls", "clause"),
    [
        ([{"x": tensor(size, 2)} for size in (4, 3, 2)], "what is built depends on the size"),
        ([{"x": tensor(4)}, {"x": tensor(4, 2)}, {"x": tensor(4, 2, 2)}], "nodes"),
        ([{"n": number(n)} for n in (2, 3)], "the number decides what is built"),
        ([{"x": tensor(size), "n": number(1 / size)} for size in (4, 3, 2)], "so `n` may decide what is built"),
    ],
)
def test_what_reads_something_else_decides_by_that(calls: list[dict[str, Node]], clause: str) -> None:
    """`if self.is_train:` builds something else, whatever the sizes, ranks or numbers are."""
    traces = sized(history(*calls), *(6, 14, 16)[: len(calls)])
    facts = FunctionFacts("forward", traces)
    assert clause in "".join(one.in_one for one in advise(facts))
    read = {"self.is_train": ["True", "False", "1"][: len(calls)]}
    found = advise(replace(facts, values_read=read, graphs=Graphs()))
    assert found
    assert not any(clause in one.in_one for one in found)


def test_what_each_trace_draws_may_decide_what_a_size_seems_to() -> None:
    """`if random.random() < ratio:` in a loop."""
    facts = FunctionFacts("step", sized(history({"x": tensor(4, 2)}, {"x": tensor(3, 2)}), 40, 36))
    assert "what is built depends on the size." in advise(facts)[0].in_one
    drawn = advise(replace(facts, drawn=("random.random()",), graphs=Graphs()))[0].in_one
    assert "what is built depends on the size, or on `random.random()`, which each trace evaluates anew." in drawn


def test_tensors_of_another_fraction_beside_a_number() -> None:
    """A Python 0.1 goes with float64 as with float32; a tensor does not."""
    calls = [
        {"x": tensor(2), "n": number(0.1)}, {"x": tensor(2), "n": number(0.2)},
        {"x": tensor(2, dtype="float64"), "n": number(0.1)},
    ]  # fmt: skip
    pair = GraphPair(True, (Constant("float32", 0.1, 0.2),))
    said = "Where `x` is float64, a Python number goes with it, and a tensor of float32 does not: pass `n` as"

    def texts(pair: GraphPair) -> dict[str, str]:
        return {one.rule: one.in_one for one in advice(sized(history(*calls), 9, 9, 9), pair)}

    told = texts(pair)
    assert said in told["tensor_for_python_number"]
    assert "does not: pass" not in told["tensor_for_python_number+one_dtype"]  # which casts it
    # the function casts it itself: no constant is of that dtype
    assert "does not: pass" not in texts(replace(pair, held=frozenset({"float32"})))["tensor_for_python_number"]
    assert said in texts(replace(pair, held=frozenset({"float32", "float64"})))["tensor_for_python_number"]
    # never beside one of the tensor's dtype: nothing is computed of both as they are
    always = [{"x": tensor(2), "y": tensor(2, dtype="float64"), "n": number(n)} for n in (0.1, 0.2)]
    assert "does not: pass" not in advice(sized(history(*always), 9, 9), pair)[0].in_one
    whole = [{"x": tensor(2, dtype=dtype), "n": number(n)} for dtype, n in (("int32", 1), ("int64", 2), ("int32", 2))]
    assert not any("does not: pass" in one.in_one for one in advice(sized(history(*whole), 9, 9, 9), GraphPair(True)))


def test_sizes_that_change_together_are_unrolled_all_the_same() -> None:
    def rules(*sizes: int, nodes: Sequence[int]) -> list[str]:
        traces = sized(history(*({"x": tensor(2, n), "y": tensor(2, n)} for n in sizes)), *nodes)
        return [one.rule for one in advice(traces, {})]

    assert rules(4, 6, nodes=(20, 30))[0] == "pad_to_one_shape"
    assert rules(4, 6, 8, 9, 10, 12, 13, 16, nodes=range(20, 28))[0] == "shape_buckets"
    assert rules(4, 6, nodes=(20, 20)) == ["input_signature"]
    assert rules(4, 1, nodes=(20, 22)) == ["input_signature"]  # TensorFlow itself builds another graph for a size of 1


def test_a_number_that_is_a_size_and_decides_nothing_leaves_it_to_that() -> None:
    """`step(texts, len(texts[0]))`, where a method that is not read goes over the words: unknown it would fail."""

    def first(uses: Sequence[str], more: int = 0) -> str:
        calls = [{"x": tensor(2, n), "n": number(n + more)} for n in (4, 6, 5)]
        traces = [replace(trace, stack=call("step(x, n)")) for trace in sized(history(*calls), 20, 30, 25)]
        return advise(FunctionFacts("step", traces, file="/home/user/train.py", python_uses=uses))[0].rule

    assert first(["n / 6 with fractions"]) == "tensor_for_python_number+pad_to_one_shape"
    assert first([]) == "tensor_for_python_number+pad_to_one_shape"
    # it may as well be what the number decides
    assert "pad" not in first(["[… for … in range(n)]"])
    assert "pad" not in first(["x[:n] in parts"])
    assert "pad" not in first(["n / 6 with fractions"], more=1)


def test_a_shape_that_is_passed_is_of_its_own_dtype_whatever_divides_by_the_size() -> None:
    """`step(x, (x.shape[0], 1))`, where the code has `/ x.shape[0]` as well."""
    traces = sized(history(*({"x": tensor(n), "dims": numbers_of("tuple", n, 1)} for n in (6, 3))), 9, 9)
    whole, size = Constant("int32", (6, 1), (3, 1)), Constant("float32", 6.0, 3.0)
    assert "(tf.TensorSpec([], tf.int32)" in str(advice(traces, GraphPair(True, (whole, size)))[0].code)
    other = Constant("int32", (6, 2), (3, 2))  # a shape of something else
    assert "(tf.TensorSpec([], tf.float32)" in str(advice(traces, GraphPair(True, (other, size)))[0].code)


def of_sizes(*sizes: int, nodes: Sequence[int]) -> list[Traced]:
    return sized(history(*({"x": tensor(2, n, 4)} for n in sizes)), *nodes)


def test_what_the_first_call_builds_is_not_of_a_sizes_doing() -> None:
    rules = ["input_signature", "reduce_retracing"]
    # a layer whose call is a tf.function, and which the first call builds: that one's graph creates variables
    called = of_sizes(3, 2, 4, 5, nodes=(26, 16, 16, 16))
    assert [one.rule for one in advice(called, {})] == rules  # it happens but once
    shared = of_sizes(3, 2, nodes=(26, 16))
    assert [one.rule for one in advice(shared, {})] == ["pad_to_one_shape", "input_signature"]
    assert [one.rule for one in advice([replace(trace, nested=True) for trace in shared], {})] == ["input_signature"]
    # and the function that calls it
    calling = of_sizes(3, 3, 2, nodes=(38, 17, 25))
    calling[1] = replace(calling[1], kind="variable_creation", verdict="needed", changes=())
    calling[1] = replace(calling[1], lookup=replace(calling[1].lookup, variables_created=True))
    calling[2] = replace(calling[2], closest=1)
    assert advice(calling, {})[0].rule == "pad_to_one_shape"
    calling[0] = replace(calling[0], nests=True)
    assert advice(calling, {})[0].rule == "input_signature"


def test_a_number_that_changed_after_the_first_call_of_all_is_not_said_to_decide() -> None:
    traces = sized(history(*({"x": tensor(n), "n": number(n)} for n in (2, 3, 4))), 30, 9, 9)
    assert "may decide" in advice(traces, {})[0].in_one
    assert not any("may decide" in one.in_one for one in advice([replace(t, nested=True) for t in traces], {}))


def test_a_number_is_not_suspected_where_it_left_the_graph_as_it_was() -> None:
    """Of what changed at once, another thing that never did so without another graph."""
    calls = [(0.0, "rk4", 4), (0.1, "rk4", 4), (0.2, "euler", 4), (0.2, "euler", 8)]
    signatures = [{"t": number(t), "method": literal(method), "steps": number(steps)} for t, method, steps in calls]
    traces = sized(history(*signatures), 60, 60, 32, 90)
    traces[2] = replace(traces[2], verdict="unknown")
    pairs = {(0, 1): GraphPair(True, (Constant("float32", 0.0, 0.1),))}
    first, second = advice(traces, pairs)
    assert numbers([first, second]) == [("tensor_for_python_number", 4, 3), ("tensor_for_python_number", 4, 2)]
    assert (first.code or "").startswith("train_step(tf.constant(t, tf.float32), method, steps)")
    assert "For 4 and 8 the graphs have 32 and 90 nodes, so `steps` decides" in second.in_one
    assert "`t` may decide" not in second.in_one


def test_a_text_is_suspected_for_each_of_its_values() -> None:
    """ "distil" reads `heat` and `share`; of "warmup" and "tune" the graphs are alike, and of other numbers."""
    calls = [("warmup", 1, 0.0), ("tune", 1, 0.0), ("distil", 4, 0.5), ("distil", 3, 0.4)]
    signatures = [{"phase": literal(phase), "heat": number(n), "share": number(a)} for phase, n, a in calls]
    traces = sized(history(*signatures), 60, 60, 90, 90)
    traces = [replace(trace, verdict="unknown") if place in (1, 2) else trace for place, trace in enumerate(traces)]
    pairs = {(2, 3): GraphPair(True, (Constant("float32", 4.0, 3.0), Constant("float32", 0.5, 0.4)))}
    (found,) = advice(traces, pairs)
    assert numbers([found]) == [("tensor_for_python_number", 4, 3)]
    assert "may decide" not in found.in_one


def test_constants_of_another_number_are_that_ones() -> None:
    """What `rate` alone makes of float32 is not computed from `size`; what XLA compiles in is of its doing."""
    calls = [(2, 0.5), (2, 0.25), (3, 0.125)]
    traces = sized(history(*({"size": number(size), "rate": number(rate)} for size, rate in calls)), 9, 9, 9)
    by_rate = Constant("float32", 0.7, 0.8)
    pairs = {
        (0, 1): GraphPair(True, (by_rate,)),
        (1, 2): GraphPair(True, (by_rate, Constant("int32", None, None, True))),
    }
    (found,) = advise(
        FunctionFacts("train_step", traces, jit_compile=True, graphs=Graphs(lambda one, other: pairs.get((one, other))))
    )
    assert "which may be computed from" not in found.in_one
    assert "XLA needs `size` while it compiles" in found.in_one


def test_constants_that_are_another_number_are_not_computed_from_one() -> None:
    calls = [(0, 0.5), (1, 0.25), (2, 0.125)]  # and the round is in no graph
    traces = sized(history(*({"round": number(n), "rate": number(rate)} for n, rate in calls)), 9, 9, 9)
    (found,) = advice(traces, {(0, 1): GraphPair(True, (Constant("float32", 0.5, 0.25),))})
    assert "which may be computed from" not in found.in_one


def test_a_number_beside_one_that_decides_stays_one_too() -> None:
    """`(4, 2)`: the height decides what is built; the width alone as a tensor would be of no use."""
    size = [numbers_of("tuple", 4, 2), numbers_of("tuple", 4, 2), numbers_of("tuple", 8, 2)]
    signatures = [{"size": one, "seed": number(seed)} for one, seed in zip(size, (0, 1, 1), strict=True)]
    traces = sized(history(*signatures, source="y = train_step(size, seed)"), 9, 9, 12)
    first, second = advice(traces, {(0, 1): GraphPair(True, (Constant("int32", 0, 1),))})
    assert (first.code, first.traces_after) == ("y = train_step(size, tf.constant(seed))", 2)
    assert (second.code or "").startswith("y = train_step(tuple(tf.constant(n) for n in size), tf.constant(seed))")


def test_another_number_of_nodes_for_unknown_dimensions() -> None:
    calls = [(2, 0.5, 0.1), (3, 0.5, 0.1), (2, 0.25, 0.2)]
    traces = sized(history(*({"x": tensor(n), "a": number(a), "b": number(b)} for n, a, b in calls)), 9, 12, 9)
    wide = Signature(tuple({"x": tensor(-1), "a": number(0.5), "b": number(0.1)}.items()))
    traces[1] = replace(traces[1], lookup=replace(traces[1].lookup, traced=wide))
    changes = tuple(change for change in traces[2].changes if change.path != "x")
    traces[2] = replace(traces[2], changes=changes)  # the wider trace serves its shape
    assert not use_of(FunctionFacts("train_step", traces), "a").may_decide


def test_none_in_place_of_a_number_is_suspected_first() -> None:
    calls = [(4, None, 0), (8, None, 1), (4, 1.0, 1), (4, 2.0, 1)]
    signatures = [{"size": number(n), "clip": literal(clip), "seed": number(seed)} for n, clip, seed in calls]
    traces = sized(history(*signatures), 12, 12, 16, 16)
    assert not use_of(FunctionFacts("train_step", traces), "size").may_decide


def test_numbers_that_are_attributes_and_change_at_once() -> None:
    """`tf.nn.conv2d(x, filters, strides=size)` of a tuple."""
    traces = history(*({"x": tensor(2), "h": number(n), "w": number(n + 5)} for n in (2, 3)))
    strides = GraphPair(
        True, attribute=("Conv2D", "strides"), numbers=(("Conv2D", "strides", 2, 3), ("Conv2D", "strides", 7, 8))
    )
    (found,) = advice(sized(traces, 9, 9), strides)
    assert found.rule == "operation_attribute"
    assert "each value of `h`, which is `strides` of `Conv2D` in its graph" in found.in_one
    # where one of them is a constant, that may be all that it is
    (found,) = advice(sized(traces, 9, 9), replace(strides, constants=(Constant("int32", 2, 3),), numbers=()))
    assert found.rule == "tensor_for_python_number"


def test_so_is_one_that_is_computed_of_the_number_where_graphs_differ_in_nothing_else() -> None:
    alpha = GraphPair(True, attribute=("LeakyRelu", "alpha"), numbers=(("LeakyRelu", "alpha", 0.2, 0.3),))
    found = of_numbers(2, 3, pair=alpha)
    assert (found.rule, found.traces_after) == ("operation_attribute", None)
    assert "`n`, which is what `alpha` of `LeakyRelu` in its graph is computed of: TensorFlow takes" in found.text
    for other in (replace(alpha, constants=(Constant("float32", 4.0, 9.0),)), replace(alpha, captures=True)):
        assert of_numbers(2, 3, pair=other).rule == "tensor_for_python_number"
    masked = GraphPair(True, attribute=("StridedSlice", "end_mask"), numbers=(("StridedSlice", "end_mask", 0, 1),))
    assert of_numbers(2, 3, pair=masked).rule == "tensor_for_python_number"


def test_an_attribute_is_told_where_no_trace_is_known_to_be_avoidable() -> None:
    evidence = judge(Facts("retrace", (Change("python_value", "k", "2", "3"),), other_attributes=True)).evidence
    traces = sized(history(*({"x": tensor(2), "k": number(n)} for n in (2, 3))), 9, 9)
    traces[1] = replace(traces[1], verdict="unknown", evidence=evidence)
    ksize = GraphPair(True, attribute=("MaxPool", "ksize"), numbers=(("MaxPool", "ksize", 2, 3),))
    (found,) = advice(traces, ksize)
    assert (found.rule, found.traces_after) == ("operation_attribute", None)
    assert advice(traces, FLOAT_TWO_THREE) == []
    traces[1] = replace(traces[1], evidence="Whether `k` takes few or many values is not known.")
    assert advice(traces, ksize) == []


def test_a_printed_number_decides_nothing() -> None:
    found = of_numbers(2, 3, pair=GraphPair(True, attribute=("StringFormat", "template")))
    assert found.rule == "tensor_for_python_number"
    assert "decides" not in found.in_one


def test_a_seed_is_no_tensor() -> None:
    traces = sized(history(*({"seed": number(n)} for n in range(3))), 4, 4, 4)
    (one,) = advice(traces, GraphPair(True, attribute=("RandomUniform", "seed2")))
    assert (one.rule, one.traces_after, one.code) == ("stateless_seed", None, None)
    assert "`seed`, which is the seed of its `RandomUniform`" in one.in_one


@pytest.mark.parametrize(
    ("constants", "is_said"),
    [
        ([(1.0, 2.0), (0.25, 0.5)], True),  # `min(1.0, step / 4)` beside the number itself
        ([(1.0, 2.0), (0.0, -1.0), (2.0, 3.0), (-1.0, -2.0), (0.0, 1.0)], False),  # 1 - n, n + 1, -n, n - 1
    ],
)
def test_some_constants_are_computed_of_it(constants: Sequence[tuple[float, float]], is_said: bool) -> None:
    one = of_numbers(1, 2, pair=GraphPair(True, tuple(Constant("float32", *values) for values in constants)))
    assert ("What is computed of a number by Python's own means" in one.in_one) == is_said


def test_an_index_of_a_list_is_told_beside_a_number_of_which_nothing_is_known() -> None:
    pairs = (literal(1), literal(2)), (literal(1), literal(2)), (literal(1), literal(3))
    seeds = [Node("tuple", "tuple", children=tuple((f"[{i}]", n) for i, n in enumerate(pair))) for pair in pairs]
    traces = history(*({"t": number(t), "seed": seed} for t, seed in zip((1, 3, 3), seeds, strict=True)))
    (found,) = advice(sized(traces, 9, 9, 9), {(0, 1): GraphPair(True, (Constant("float32", 0.7, 0.4),))})
    assert set((found.apply or {})["tensors"]) == {"t", "seed[0]", "seed[1]"}  # type: ignore[call-overload]
    assert "`math.sqrt` or an index of a list, cannot take a tensor" in found.in_one
    assert "What needs a Python number, such as `tf.split`, cannot take a tensor." in found.in_one


def test_ranks_that_decide_are_made_one() -> None:
    traces = history({"x": tensor(3)}, {"x": tensor(2, 3)}, {"x": tensor(4, 3)})
    assert [one.rule for one in advise(FunctionFacts("act", sized(traces, 8, 8, 8)))][:1] == ["input_signature"]
    before, one = advise(FunctionFacts("act", sized(traces, 9, 8, 8)))
    assert (before.rule, before.traces_after) == ("trace_beforehand", 2)
    assert before.code.splitlines()[1:] == ["act.get_concrete_function(tf.TensorSpec([None, 3], tf.float32))"]
    assert (one.rule, one.traces_after) == ("one_rank", None)
    assert "For shapes (3,) and (2, 3) of `x` the graphs have 9 and 8 nodes" in one.in_one


@pytest.mark.parametrize(
    ("use", "is_asked"),
    [
        ("len(x.shape) of rank", True), ("x.ndim of rank", True), ("len(h.shape) of rank follows .x", True),
        ("h.shape.rank of rank follows .y, .x", True), ("len(xx.shape) of rank", False),
        ("len(h.shape) of rank follows .xx", False),
    ],
)  # fmt: skip
def test_a_rank_that_is_asked_for_is_known_in_each_trace(use: str, is_asked: bool) -> None:
    traces = history({"x": tensor(3)}, {"x": tensor(2, 3)}, {"x": tensor(4, 3)})
    rules = [one.rule for one in advise(FunctionFacts("act", sized(traces, 8, 8, 8), python_uses=(use,)))]
    assert rules[:1] == ["trace_beforehand" if is_asked else "input_signature"]
    assert ("input_signature" in rules) != is_asked
    with_a_scalar = history({"x": tensor(3)}, {"x": tensor(3, 3)}, {"x": tensor()})
    assert [one.rule for one in advise(FunctionFacts("norm", sized(with_a_scalar, 8, 8, 6)))][:1] == ["input_signature"]


def test_a_dtype_that_is_asked_for() -> None:
    traces = sized(history({"x": tensor(3, dtype="uint8")}, {"x": tensor(3)}), 4, 2)
    for casts in (True, False):
        (one,) = advice(traces, GraphPair(False, casts=casts))
        assert one.rule == "one_dtype"
        assert one.in_one.startswith("This may change results: for uint8 and float32 the graphs") == (not casts)


def test_numbers_that_change_at_once_where_all_constants_are_of_one_dtype() -> None:
    """`x * (1 - rate) ** power` of float64: tensors of float32 and int32 would not do."""
    calls = [{"rate": literal(0.1), "power": literal(2)}, {"rate": literal(0.2), "power": literal(3)}]
    traces = sized(history(*calls), 9, 9)
    (found,) = advice(traces, GraphPair(True, (Constant("float64", 0.81, 0.512),)))
    assert found.apply == {"tensors": {"rate": "float64", "power": "float64"}}
    assert "would have to cast" not in found.in_one
    # a whole number may be what makes a whole constant
    (found,) = advice(traces, GraphPair(True, (Constant("float64", 0.81, 0.512), Constant("int32", 4, 6))))
    assert found.apply == {"tensors": {"rate": "float32", "power": "int32"}}


def test_a_number_that_is_none_in_some_calls_is_asked_for_by_is() -> None:
    """`if limit:` of a tensor of numbers fails in a graph."""
    several = history(*({"x": tensor(2), "n": value} for value in (literal(None), number(2), number(3))))
    assert "`if n:` has to be `if n is not None:` then." in advice(several, {})[0].in_one
    assert "is not None" not in advice(several[1:], {})[0].in_one


def test_whole_numbers_that_are_computed_of_a_fraction_may_be_others() -> None:
    """`int(ratio * 100)`: a tensor of float32 has fewer digits, and is cast without an error."""

    def text(values: tuple[float, float], constant: Constant) -> str:
        traces = sized(history(*({"n": literal(value)} for value in values)), 9, 9)
        (found,) = advice(traces, {(0, 1): GraphPair(True, (constant,))})
        return found.in_one

    whole = text((0.29, 0.57), Constant("int32", 28, 56))
    assert whole.startswith(
        "This may change results: for `n` the graphs hold whole numbers that Python computes of it,"
    )
    assert OVERFLOWS not in whole
    for values, constant in (((0.29, 0.57), Constant("float32", 0.58, 1.14)), ((2, 3), Constant("int32", 4, 6))):
        assert "may change results" not in text(values, constant)


def test_no_tensor_is_asked_for_of_what_none_can_hold() -> None:
    assert [one for one in advice(history({"n": number(1)}, {"n": number(2**63)}), {}) if one.apply] == []


@pytest.mark.parametrize(
    ("dtype", "values", "shown"),
    [
        ("uint8", (2, 3), "n, tf.uint8"),
        ("uint8", (2, 300), "n"),
        ("int16", (-2, 3), "n, tf.int16"),
        ("uint16", (-2, 3), "n"),
    ],
)
def test_of_few_bits_where_all_that_is_passed_fits(dtype: str, values: tuple[int, int], shown: str) -> None:
    """`x * n` of pictures: TensorFlow takes no int32 there."""
    traces = sized(history(*({"n": number(value)} for value in values), source="f(n)"), 9, 9)
    (found,) = advice(traces, {(0, 1): GraphPair(True, (Constant(dtype, *values),))})
    assert found.code is not None
    assert found.code.endswith(f"(tf.constant({shown}))")


@pytest.mark.parametrize(
    ("values", "constants", "is_told"),
    [
        ((0.9, 0.999999), (0.1, 1e-6), True),  # 1 - k
        ((123456789, 123456790), (9.0, 0.0), True),  # k % 10
        ((0.1, 0.2), (0.9, 0.8), False),
        ((1, 2), (1e9, 2e9), False),  # k * 10 ** 9
        ((123456789, 123456790), (123456789.0, 123456790.0), False),
    ],
)
def test_what_python_computes_of_more_digits_than_a_float32_has(
    values: tuple[float, float], constants: tuple[float, float], is_told: bool
) -> None:
    pair = GraphPair(True, (Constant("float32", *constants),))
    traces = history(*({"x": tensor(2), "k": number(value)} for value in values))
    (found,) = advise(FunctionFacts("f", sized(traces, 9, 9), graphs=Graphs(lambda one, other: pair)))
    assert any("depends on more" in warning for warning in found.warnings) == is_told


def test_a_double_has_the_digits() -> None:
    pair = GraphPair(True, (Constant("float64", 0.1, 1e-6),))
    traces = history(*({"x": tensor(2, dtype="float64"), "k": number(value)} for value in (0.9, 0.999999)))
    (found,) = advise(FunctionFacts("f", sized(traces, 9, 9), graphs=Graphs(lambda one, other: pair)))
    assert found.warnings == ()


@pytest.mark.parametrize(("pair", "code"), [
    (FLOAT_TWO_THREE, "train_step(x, tf.convert_to_tensor(n, tf.float32))"),
    (GraphPair(alike=False), "train_step(x, tf.convert_to_tensor(n))"),  # the first may have made variables
])  # fmt: skip
def test_a_first_trace_within_another_tells_as_well_where_it_is_alike(pair: GraphPair, code: str) -> None:
    """Of two functions that call it with a number each; later ones are of other sizes."""
    traces = sized(history(*({"x": tensor(2), "n": number(n)} for n in (2, 3))), 9, 9)
    found = advice([replace(trace, nested=True) for trace in traces], pair)
    (one,) = [one for one in found if one.rule == "tensor_for_python_number"]
    assert one.code == code
    assert "other operations" not in one.in_one


def test_a_number_that_never_changed_is_what_the_others_of_its_list_are() -> None:
    """Numbers of examples, which weigh tensors: `w * tf.constant(3)` is refused, and `w * 3` was not."""
    lists = [numbers_of("list", 3, value) for value in (4, 5)]
    found = advice(sized(history(*({"w": one} for one in lists), source="merge(w)"), 9, 9), FLOAT_TWO_THREE)
    assert found[0].code == "merge([tf.constant(n, tf.float32) for n in w])"


def test_a_graph_of_the_same_operations_for_unknown_dimensions_tells_the_dtype() -> None:
    """As where a concrete function was asked for first, with a specification."""
    traces = history({"x": tensor(-1), "n": number(2)}, {"x": tensor(4), "n": number(3)}, source="f(x, n)")
    alone = tuple(change for change in traces[1].changes if change.path == "n")  # the wider trace serves its shape
    traces[1] = replace(traces[1], changes=alone, evidence=judge(Facts("retrace", alone)).evidence)
    codes = [advice(sized(traces, 9, 9), replace(FLOAT_TWO_THREE, alike=alike))[0].code for alike in (True, False)]
    assert codes == ["f(x, tf.constant(n, tf.float32))", "f(x, tf.constant(n))"]


def test_constants_of_what_was_read_anew_are_not_the_numbers_doing() -> None:
    """`x[:, :self.length]` beside a loss's scale: the length was made larger between the traces."""
    traces = sized(history(*({"x": tensor(2), "scale": number(n)} for n in (0.5, 0.25)), source="f(x, scale)"), 9, 9)
    pair = GraphPair(True, (Constant("int32", 8, 32), Constant("float32", 0.5, 0.25)))

    def of(**read: list[str | None]) -> Advice:
        graphs = Graphs(lambda one, other: pair)
        return advise(FunctionFacts("f", traces, values_read={f"self.{n}": v for n, v in read.items()}, graphs=graphs))[
            0
        ]

    assert "the graphs hold whole numbers that Python computes of it" in of(length=["8", "8"]).in_one
    assert "constants of int32 and float32" in of(length=["8", "8"]).in_one
    told = of(length=["8", "32"])
    assert "each trace reads `self.length` (8, 32) anew" in told.in_one
    assert "whole numbers" not in told.in_one
    assert "constants of int32" not in told.in_one
    assert "not all of which are the number itself" in told.evidence


def test_the_one_constant_that_was_read_anew_tells_nothing_of_a_number() -> None:
    """`if epoch >= 2:` beside a rate that is halved after each epoch: `epoch` is in no graph."""
    traces = sized(history(*({"x": tensor(2), "n": number(n)} for n in (0, 1)), source="f(x, n)"), 9, 9)
    pair = GraphPair(True, (Constant("float32", 0.1, 0.05),))

    def of(*rates: str | None) -> Advice:
        (found,) = advise(
            FunctionFacts("f", traces, values_read={"opt.lr": rates}, graphs=Graphs(lambda one, other: pair))
        )
        return found

    assert "f(x, tf.constant(n))" in str(of("0.1", "0.05").code)
    assert "differ in nothing but" not in of("0.1", "0.05").evidence
    assert of("0.1", "0.1").code == "f(x, tf.constant(n, tf.float32))"


def test_what_asks_a_number_whether_it_is_zero() -> None:
    """By its own truth, which TensorFlow asks of bools alone: each form is told, of this number and no other."""
    uses = ("if i:", "… if i else …", "not i", "i and …", "i or …", "if k:")
    traces = history(*({"i": number(n)} for n in (0.0, 1.5, 2.5)))
    (found,) = advise(FunctionFacts("f", traces, python_uses=uses))
    assert (
        "TensorFlow takes no tensor of numbers for a condition: write `if i != 0:` for `if i:`, `… if i != 0 else …`"
        " for `… if i else …`, `i == 0` for `not i`, `i != 0 and …` for `i and …` and `tf.where(i != 0, i, …)` for"
        " `i or …`."
    ) in found.in_one
    assert "has to be" not in found.in_one
    assert "`k" not in found.in_one
    traces = history(*({"i": value} for value in (literal(None), number(0.5), number(2.5))))
    (of_none,) = advise(FunctionFacts("f", traces, python_uses=uses))
    assert "`if i:` has to be `if i is not None:` then." in of_none.in_one
    assert "for no truth" not in of_none.in_one


def test_a_list_that_numbers_lie_in_may_be_asked_whether_it_holds_any() -> None:
    """`tf.reverse(x, axes) if axes else x`: of `axes` it is no condition on a number."""

    def of(*uses: str) -> str:
        axes = [Node("tuple", "tuple", children=(("[0]", number(n)),)) for n in (1, 2, 3)]
        return advise(FunctionFacts("f", history(*({"axes": one} for one in axes)), python_uses=uses))[0].in_one

    asked = ("if axes:", "… if axes else …", "not axes", "axes or …", "if not axes: raise", "assert axes")
    assert "for a condition" not in of(*asked)
    assert "raise" not in of(*asked)
    assert "assert" not in of(*asked)
    assert "write `if axes[...] != 0:` for `if axes[...]:`." in of("if axes[...]:")
    assert "`if axes[0] > 3: raise` in it raises" in of("if axes[0] > 3: raise")


def test_graphs_of_each_size_are_read() -> None:
    """`if step % 2 == 0:` around a summary: of the larger graphs alone the number is a constant."""
    calls = [{"x": tensor(2), "n": number(value)} for value in range(6)]
    traces = sized(history(*calls), 9, 5, 9, 5, 9, 5)
    of_five = {pair: GraphPair(True) for pair in ((1, 3), (3, 5))}
    (found,) = advice(traces, {**of_five, (0, 2): GraphPair(True, (Constant("int64", 0, 2),))})
    assert found.code == "train_step(x, tf.constant(n, tf.int64))"


def test_a_constant_that_is_cast_sets_no_dtype() -> None:
    """`tf.cast(step, tf.float32)` takes a tensor of any, and `tf.summary.scalar(…, step=step)` one of int64 alone."""
    cast, step = Constant("int32", 2, 3, is_cast=True), Constant("int64", 2, 3)
    both = of_numbers(2, 3, pair=GraphPair(True, (cast, step)))
    assert both.code == "train_step(x, tf.constant(n, tf.int64))"
    assert "have to cast" not in both.in_one
    assert of_numbers(2, 3, pair=GraphPair(True, (cast,))).code == "train_step(x, tf.constant(n))"
    drawn = Constant("float32", 0.3, 0.7)  # which is not the number: what is cast is
    beside = of_numbers(2, 3, pair=GraphPair(True, (cast, drawn)))
    assert beside.code == "train_step(x, tf.constant(n))"
    assert "Where the code computes with it in float32" in beside.in_one


def test_a_number_that_is_printed_decides_nothing() -> None:
    """`tf.print(n)` holds the text of a Python number, and writes of a tensor the same."""
    traces = sized(history({"x": tensor(2), "n": number(2)}, {"x": tensor(2), "n": number(3)}), 9, 9)

    def found(*uses: str) -> frozenset[str]:
        graphs = Graphs(lambda one, other: GraphPair(True, (), ("StringFormat", "template")))
        return deciding(FunctionFacts("train_step", traces, graphs=graphs, python_uses=uses), ["n"])

    assert found("tf.print(n)") == frozenset()
    assert found("tf.print(n)", 'f"{n}"') == found() == {"n"}


def test_a_summary_is_written_for_a_step_of_int64() -> None:
    """Where no writer is there, the graph writes none, and TensorFlow refuses another dtype all the same."""
    traces = sized(history({"x": tensor(2), "n": number(2)}, {"x": tensor(2), "n": number(3)}), 9, 9)

    def code(pair: GraphPair, *uses: str) -> str | None:
        facts = FunctionFacts("train_step", traces, graphs=Graphs(lambda one, other: pair), python_uses=uses)
        return advise(facts)[0].code

    assert code(GraphPair(True), "n as a step") == "train_step(x, tf.constant(n, tf.int64))"
    several = GraphPair(True, (Constant("int64", 2, 3), Constant("float32", 0.0, 0.5)))
    assert code(several, "n as a step") == "train_step(x, tf.constant(n, tf.int64))"
    assert code(FLOAT_TWO_THREE, "n as a step") == "train_step(x, tf.constant(n, tf.float32))"
    assert code(GraphPair(True)) == "train_step(x, tf.constant(n))"


def test_a_number_that_numpy_makes_an_array_by_stays_one_first() -> None:
    """`np.arange(k)` is a constant of another shape for each, and takes no tensor."""
    calls = [{"x": tensor(rows), "k": number(k)} for k in (2, 3) for rows in (4, 6)]
    pairs = {(0, 2): GraphPair(True, (Constant("float32", resized=True),))}
    uses = ("np.arange(k)",)

    def rules(**fields: Any) -> list[tuple[str, int | None]]:
        graphs = Graphs(lambda one, other: pairs.get((one, other)))
        facts = FunctionFacts("ndcg", sized(history(*calls), 9, 9, 9, 9), graphs=graphs, **fields)
        return [(one.rule, one.traces_after) for one in advise(facts)]

    assert rules()[0] == ("input_signature", 1)
    assert ("input_signature", 1) in rules(python_uses=uses)[1:]
    alone = FunctionFacts("ndcg", history({"k": number(2)}, {"k": number(3)}), python_uses=(*uses, "np.zeros((k, 4))"))
    (found,) = advise(alone)
    assert "`tf.range(…)`" in found.in_one
    assert "`tf.zeros([…])`" in found.in_one


def test_a_mean_over_as_many_rows_is_not_of_the_number() -> None:
    """`unsorted_segment_sum(e, segments, n)` and a mean over n rows, of whose gradient the fraction is."""
    traces = [replace(t, nodes=9) for t in history(*({"n": number(n), "y": tensor(n)} for n in (3, 2)))]
    of_mean = Constant("float32", 3.0, 2.0, of_gradient=True)
    for constants, dtypes in (
        ((Constant("int32", 3, 2), of_mean), ("int32",)),
        ((of_mean,), ("float32",)),
        # `tf.reshape(y, [n])`, whose shape may be of the tensor's own size as well
        ((Constant("int32", (3,), (2,)), of_mean), ("int32",)),
        ((Constant("int32", 3, 2), replace(of_mean, of_gradient=False)), ("int32", "float32")),
    ):
        graphs = Graphs(lambda one, other, found=constants: GraphPair(True, found))
        assert use_of(FunctionFacts("step", traces, graphs=graphs), "n").dtypes == dtypes


def test_a_gradient_of_a_mean_over_as_many_rows_as_a_number_sets() -> None:
    """`tf.random.normal([n, 2])`, of which a loss takes the mean."""
    traces = [replace(t, nodes=9) for t in history(*({"n": number(n)} for n in (10, 2)))]
    of_mean = Constant("float32", 10.0, 2.0, of_gradient=True)
    size, times = Constant("int32", 10, 2), Constant("float32", 10.0, 2.0)
    for constants, dtypes in (
        ((size, of_mean), ("int32",)),
        ((of_mean,), ("float32",)),
        ((size, times, of_mean), ("int32", "float32")),
    ):
        graphs = Graphs(lambda one, other, found=constants: GraphPair(True, found))
        assert use_of(FunctionFacts("step", traces, graphs=graphs), "n").dtypes == dtypes


def test_numbers_that_change_together_and_make_no_difference() -> None:
    """`step(batch, counts)`, which counts steps and seconds."""
    traces = [replace(t, nodes=9) for t in history(*({"n": number(n), "t": number(n / 2)} for n in (1, 2, 3)))]
    for pair, same in (
        (GraphPair(True), "1 and 2"),
        (GraphPair(True, captures=True), ""),
        (GraphPair(True, (Constant("float32", 0.3, 0.7),)), ""),
        (GraphPair(False), ""),
    ):
        use = use_of(FunctionFacts("step", traces, graphs=Graphs(lambda one, other, found=pair: found)), "n")
        assert (use.same_graphs, use.computed and bool(use.same_graphs)) == (same, False)


def test_steps_that_are_one_in_a_graph_are_no_numbers_that_make_no_difference() -> None:
    """`rk4(f, t, t1 - t)`: a third, and a third and a bit, which one float32 is."""
    calls = [{"t": number(n / 3), "dt": number((n + 1) / 3 - n / 3)} for n in range(3)]
    assert len({str(one["dt"].value) for one in calls}) > 1
    traces = [replace(trace, nodes=9) for trace in history(*calls)]
    facts = FunctionFacts("step", traces, graphs=Graphs(lambda one, other: GraphPair(True)))
    assert use_of(facts, "dt").same_graphs == ""


def test_where_no_graph_tells_a_number_is_as_precise_as_the_tensors_beside_it() -> None:
    def dtype(*signatures: dict[str, Node]) -> str:
        found = advise(FunctionFacts("train_step", history(*signatures, source="train_step(x, n)")))
        (tensors,) = [one.apply["tensors"] for one in found if one.rule == "tensor_for_python_number" and one.apply]
        return str(tensors["n"])

    wide, other = tensor(4, dtype="float64"), tensor(2, dtype="int64")
    assert dtype({"x": wide, "k": other, "n": number(0.5)}, {"x": wide, "k": other, "n": number(0.25)}) == "float64"
    assert (
        dtype({"x": wide, "k": tensor(), "n": number(0.5)}, {"x": wide, "k": tensor(), "n": number(2.5)}) == "float32"
    )
    assert dtype({"x": wide, "n": number(1)}, {"x": wide, "n": number(2)}) == "int32"
    assert dtype({"x": other, "n": number(0.5)}, {"x": other, "n": number(0.25)}) == "float32"
