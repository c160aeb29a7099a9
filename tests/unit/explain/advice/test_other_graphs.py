"""Graphs of traces that sizes alone tell apart, and that differ in more: something else is read anew by each trace."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from tb_retrace_plugin.explain.advice.advise import advise
from tb_retrace_plugin.explain.advice.evidence.facts import Advice, FunctionFacts
from tb_retrace_plugin.explain.advice.evidence.graph_pairs import Constant, GraphPair, Graphs
from tests.unit.explain.advice.test_advice_rules import history, literal, number, tensor

MAY = "This may change results: "


def of_sizes(
    *sizes: int, pair: GraphPair, nodes: Sequence[int] = (), read: Sequence[str] = (), uses: Sequence[str] = ()
) -> Advice:
    traces = history(*({"x": tensor(size, 2)} for size in sizes))
    traces = [replace(t, nodes=count) for t, count in zip(traces, nodes or [9] * len(sizes), strict=True)]
    values = {"args.bias": read} if read else {}
    graphs = Graphs(lambda one, other: pair)
    return advise(FunctionFacts("train_step", traces, values_read=values, graphs=graphs, python_uses=uses))[0]


def constant(old: object, new: object, **more: bool) -> GraphPair:
    return GraphPair(True, (Constant("float32", old, new, **more),))


def test_a_constant_that_sizes_do_not_explain() -> None:
    """The rate of a Keras layer, say, that a callback changes."""
    found = of_sizes(2, 3, pair=constant(0.5, 0.25))
    assert found.in_one.startswith(
        f"{MAY}for shapes (2, 2) and (3, 2) of `x` the graphs differ in a constant of float32 (0.5 and 0.25), which the"
        " sizes do not explain. If it is something that each trace reads anew"
    )
    assert MAY in of_sizes(2, 3, pair=constant((1.0, 1.0), (2.0, 1.0))).in_one


@pytest.mark.parametrize(
    "pair",
    [
        constant(4.0, 6.0),  # the size, times something
        constant(0.25, 0.25 * 2 / 3),
        constant(8.0, 12.0, of_gradient=True),
        constant(0.5, 0.25, of_gradient=True),  # of a mean over other sizes
        constant((0.0, 0.0), (0.0, 0.0, 0.0)),
        constant((0.0, 1.0), (0.0, 1.0, 2.0)),
        constant(None, None),  # not kept
        GraphPair(True, (Constant("int32", 5, 9),)),
    ],
)
def test_what_sizes_may_well_explain(pair: GraphPair) -> None:
    assert MAY not in of_sizes(2, 3, pair=pair).in_one


def test_what_python_computes_of_a_size() -> None:
    """`tf.reduce_sum(x) / x.shape[0]`: None where the size is unknown."""
    said = (
        " For shapes (2, 2) and (3, 2) of `x` the graphs hold the numbers 2 and 3, which follow the size: where Python"
        " computes them of the shape of `x` (`.shape`, `len`), the trace fails once the size is unknown, or gives other"
        " results. There it is `tf.shape(x)[0]`, which `tf.cast` makes a fraction."
    )
    assert of_sizes(2, 3, pair=constant(2.0, 3.0)).in_one.endswith(said)
    assert "the graphs hold the numbers 0.05 and 0.075" in of_sizes(2, 3, pair=constant(0.05, 0.075)).in_one
    sliced = of_sizes(2, 3, pair=GraphPair(True, (Constant("int32", (0, 2), (0, 3), of_slice=True),))).in_one
    assert "the graphs hold slices up to 2 and 3, which" in sliced
    assert "once the size is unknown, or gives other results. There it is `tf.shape(x)[0]`." in sliced
    fewer = of_sizes(2, 4, pair=GraphPair(True, (Constant("int32", (0, 2), (0, 1), of_slice=True),))).in_one
    assert "the graphs hold" not in fewer  # what is counted in Python: no slice ends earlier of more
    counted = of_sizes(2, 3, pair=constant((0.0, 1.0), (0.0, 1.0, 2.0))).in_one
    assert "the graphs hold arrays of 2 and 3 numbers, which" in counted
    for pair in (
        constant(2.0, 3.0, of_gradient=True),
        constant((1, 4), (1, 9), of_slice=True),
        constant(0.0, 0.0),
        constant((0.0, 0.0), (0.0, 0.0, 0.0)),
        constant(None, None),
        GraphPair(True, (Constant("int32", 2, 3),)),  # TensorFlow's own: `tf.shape` of a size that is known
        GraphPair(True),
        GraphPair(False),
    ):
        assert "the graphs hold" not in of_sizes(2, 3, pair=pair).in_one
    assert "the graphs hold" not in of_sizes(2, 3, pair=constant(2.0, 3.0), read=["2.0", "3.0"]).in_one


def test_what_is_asked_for_by_a_size_of_one() -> None:
    """`if x.shape[-1] == 1: x = tf.repeat(x, 3, -1)`: an unknown one is not, and no error says so."""
    assert of_sizes(1, 3, pair=GraphPair(False, forward=False)).in_one.startswith(
        f"{MAY}for shapes (1, 2) and (3, 2) of `x` the graphs have other operations. Where the code asks for a size in"
    )
    assert MAY in of_sizes(3, 4, 0, pair=GraphPair(False, forward=False), nodes=(9, 9, 7)).in_one
    assert MAY not in of_sizes(1, 3, pair=GraphPair(True)).in_one
    assert MAY not in of_sizes(1, 3, pair=GraphPair(False, forward=False), read=["0.5", "0.25"]).in_one


def test_sizes_of_one_are_built_otherwise_by_tensorflow_itself() -> None:
    assert MAY not in of_sizes(1, 3, pair=GraphPair(False)).in_one


def test_other_operations() -> None:
    told = of_sizes(2, 3, pair=GraphPair(False)).in_one
    assert "for shapes (2, 2) and (3, 2) of `x` the graphs have other operations. If" in told
    assert "Or the code asks for a size in Python (`if x.shape[0] == 32`), which an unknown one never is. `x`" in told


def test_another_number_of_nodes_that_is_not_of_each_size() -> None:
    same = GraphPair(False, forward=False)
    assert "the graphs have 9 and 11 nodes, and those of other shapes do not differ so. If" in (
        of_sizes(2, 3, 4, pair=same, nodes=(9, 11, 11)).in_one
    )
    assert MAY in of_sizes(2, 3, pair=same, nodes=(9, 11)).in_one
    assert MAY not in of_sizes(2, 3, 4, pair=same, nodes=(9, 11, 13)).in_one  # unrolled over the dimension
    for_gradients = GraphPair(False, forward=True)  # as where two tensors are of one shape by chance
    assert MAY not in of_sizes(2, 3, pair=for_gradients, nodes=(9, 11)).in_one
    over = ["for … in range(x.shape[0])"]  # two sizes, of which the source tells the reason
    assert MAY not in of_sizes(2, 3, pair=same, nodes=(9, 11), uses=over).in_one
    assert MAY in of_sizes(2, 3, pair=same, nodes=(9, 11), uses=["for … in range(x.shape[1])"]).in_one


def test_gradients_of_other_operations_are_not_built_by_the_size() -> None:
    """Of images of any size, two of which are of one shape by chance."""
    found = of_sizes(2, 3, 4, pair=GraphPair(False, gradients_alone=True), nodes=(9, 14, 9))
    assert (found.rule, found.traces_after) == ("input_signature", 1)
    assert "9 and 14 nodes" not in found.in_one
    assert of_sizes(2, 3, 4, pair=GraphPair(False), nodes=(9, 14, 9)).rule == "pad_to_one_shape"


def test_other_variables_that_are_assigned_to() -> None:
    """Layers that were frozen in between; a loop over the dimension assigns to the same ones."""
    frozen = of_sizes(4, 3, 5, pair=GraphPair(False, assigned=(4, 6)), nodes=(59, 67, 59))
    assert frozen.rule == "input_signature"
    assert frozen.in_one.startswith(
        f"{MAY}for shapes (4, 2) and (3, 2) of `x` the graphs assign to 4 and 6 variables, which the sizes do not"
        " explain. If it is something that each trace reads anew"
    )
    assert "Or the code asks for a size" not in frozen.in_one
    assert "what is built depends on the size" not in frozen.in_one
    loop = of_sizes(2, 3, 4, pair=GraphPair(False, assigned=(1, 1)), nodes=(9, 11, 13))
    assert (loop.rule, MAY in loop.in_one) == ("pad_to_one_shape", False)
    rows = of_sizes(2, 3, 4, pair=GraphPair(False, assigned=(4, 6)), nodes=(9, 11, 13))  # two variables for each row
    assert (rows.rule, MAY in rows.in_one) == ("pad_to_one_shape", False)


@pytest.mark.parametrize(
    ("pair", "is_said"),
    [
        (GraphPair(True, (Constant("int32", (2, 8), (3, 8)),)), True),  # tf.reshape(x, [x.shape[0], 8])
        (GraphPair(True, (Constant("int64", 2, 3),)), True),
        (GraphPair(True, (Constant("int32", 2, 3, of_gradient=True),)), False),  # of a mean
        (GraphPair(True, (Constant("int32", (2, 8), (3, 8), is_asked_for=True),)), False),  # tf.shape(x)
        (GraphPair(True, (Constant("int32", 4, 6),)), False),
        (GraphPair(True, (Constant("int32", (0, 1), (0, 1, 2), resized=True),)), False),
    ],
)
def test_a_size_that_is_a_constant_of_the_graphs(pair: GraphPair, is_said: bool) -> None:
    said = "In the graphs the size of dimension 0 of `x` is a constant: `.shape[0]`, if the code asks for that, is None"
    assert (said in of_sizes(2, 3, pair=pair).in_one) == is_said


def test_numbers_that_follow_several_sizes() -> None:
    """`np.prod(x.shape[1:])` of square images."""
    traces = [replace(trace, nodes=9) for trace in history({"x": tensor(2, 8, 8, 4)}, {"x": tensor(2, 12, 12, 4)})]

    def told(pair: GraphPair) -> bool:
        found = advise(FunctionFacts("train_step", traces, graphs=Graphs(lambda one, other: pair)))[0].in_one
        return "There it is `tf.shape(x)[1] * tf.shape(x)[2]`, which `tf.cast` makes a fraction." in found

    assert told(constant(256.0, 576.0))
    assert told(constant(1 / 64, 1 / 144))
    assert not told(constant(256.0, 500.0))


def test_shapes_that_follow_the_sizes() -> None:
    """`tf.reshape(h, [-1, h.shape[1] * 4])` of what a layer gives, whose size is half of the image's."""

    def told(old: tuple[int, ...], new: tuple[int, ...], **fields: bool) -> str:
        pair = GraphPair(True, (Constant("int32", old, new, **{"of_reshape": True, **fields}),))
        return of_sizes(8, 12, pair=pair).in_one

    assert " (8, 2) and (12, 2) of `x` a tensor is reshaped to [-1, 16] and [-1, 24], which" in told((-1, 16), (-1, 24))
    for other in (
        told((-1, 16), (-1, 20)),
        told((-1, 16), (-1, 24), of_reshape=False),
        told((-1, 16), (-1, 24), of_gradient=True),
    ):
        assert "is reshaped to" not in other


@pytest.mark.parametrize(
    ("numbers", "of_numbers", "is_said"),
    [
        ((("Sampler", "num_sampled", 12, 18),), (1, 2), True),  # x.shape[0] * 3
        ((("AvgPool", "ksize", 4, 6),), (1, 1), True),
        ((("Sampler", "num_sampled", 12, 18),), (12, 18), False),  # of the number that is passed
        ((("Sampler", "num_sampled", 12, 14),), (1, 2), False),  # of something else
        ((), (1, 2), False),
    ],
)
def test_a_size_that_an_operation_takes_as_a_number(
    numbers: tuple[tuple[str, str, float, float], ...], of_numbers: tuple[int, int], is_said: bool
) -> None:
    """`tf.random.fixed_unigram_candidate_sampler(…, num_sampled=x.shape[0] * 3)`, which no `tf.shape` helps."""
    calls = [{"x": tensor(size, 2), "n": number(n)} for size, n in zip((4, 6), of_numbers, strict=True)]
    traces = [replace(trace, nodes=9) for trace in history(*calls)]
    pair = GraphPair(True, attribute=numbers[0][:2] if numbers else None, numbers=numbers)
    found = advise(FunctionFacts("f", traces, graphs=Graphs(lambda one, other: pair)))
    rules = [one.rule for one in found]
    assert ("pad_to_one_shape" in rules[0]) == is_said, rules
    said = "".join(one.in_one for one in found)
    assert ("The trace fails where that size is unknown." in said) == is_said
    assert "A Python loop" not in said


def test_so_it_is_where_a_number_changes_as_well() -> None:
    """A graph network's step, which is passed its own number: the nodes are counted by `h.shape[0]` in a method."""
    said = "In the graphs the size of dimension 0 of `x` is a constant: `.shape[0]`, if the code asks for that, is None"

    def told(numbers: Sequence[int], pair: GraphPair) -> bool:
        calls = [{"x": tensor(size, 2), "n": number(n)} for size, n in zip((4, 6), numbers, strict=True)]
        traces = [replace(trace, nodes=9) for trace in history(*calls)]
        graphs = Graphs(lambda one, other: pair)
        (declared, *_) = [a for a in advise(FunctionFacts("f", traces, graphs=graphs)) if a.rule == "input_signature"]
        return said in declared.in_one

    counted = GraphPair(True, (Constant("int32", 4, 6), Constant("float32", 1.0, 2.0)))
    assert told((1, 2), counted)
    assert not told((1, 2), GraphPair(True, (Constant("float32", 1.0, 2.0),)))
    assert not told((4, 6), counted)  # it may as well be what the number became


@pytest.mark.parametrize(
    ("constant", "is_said"),
    [
        (Constant("float32", resized=True), True),  # tf.ones([h.shape[0], 4]), where h is made of x
        (Constant("float32", resized=True, is_like=True), False),  # tf.ones_like(x)
        (Constant("float32", resized=True, of_gradient=True), False),
        (Constant("float32", 2.0, 3.0, of_gradient=True), False),
    ],
)
def test_what_is_made_as_large_as_a_size(constant: Constant, is_said: bool) -> None:
    said = "In the graphs something is made as large as dimension 0 of `x`, as `tf.ones` makes it: a size that the code"
    assert (said in of_sizes(2, 3, pair=GraphPair(True, (constant,))).in_one) == is_said


def test_what_is_known_to_be_read_anew_is_told_by_its_name() -> None:
    found = of_sizes(2, 3, pair=constant(0.5, 0.25), read=["0.5", "0.25"])
    assert MAY not in found.in_one
    assert "each trace reads `args.bias` (0.5, 0.25) anew" in found.in_one
    two = GraphPair(True, (Constant("float32", 0.5, 0.25), Constant("float32", 1.0, 7.0)))
    assert "the graphs differ in 2 constants, which the" in of_sizes(2, 3, pair=two, read=["0.5", "0.25"]).in_one
    assert MAY not in of_sizes(2, 3, pair=GraphPair(False), read=["0.5", "0.25"]).in_one


def of_numbers(*values: float, pair: GraphPair) -> list[Advice]:
    traces = history(*({"x": tensor(2), "n": number(value)} for value in values))
    traces = [replace(trace, nodes=9) for trace in traces]
    return advise(FunctionFacts("train_step", traces, graphs=Graphs(lambda one, other: pair)))


def test_constants_beside_the_number() -> None:
    """`np.random.rand()` in the function: every trace has its own."""
    (found,) = of_numbers(2, 3, pair=GraphPair(True, (Constant("float32", 2.0, 3.0), Constant("float32", 0.3, 0.7))))
    assert "not all of which are the number itself: others are computed from it, or read anew" in found.evidence
    (plain,) = of_numbers(2, 3, pair=constant(2.0, 3.0))
    assert "not all of which" not in plain.evidence


def test_what_python_computes_has_more_digits() -> None:
    """`1 - 0.999**step` is float64 in Python."""
    (found,) = of_numbers(2, 3, pair=constant(0.001998, 0.002997))
    assert "computed from it, in Python with more digits than a tensor has" in found.evidence


def test_a_number_that_is_an_attribute_of_an_operation() -> None:
    """`tf.split(x, n)`: what such an attribute is cannot be a tensor."""
    split = ("Split", "num_split")
    (told,) = of_numbers(2, 3, pair=GraphPair(True, attribute=split, numbers=((*split, 2, 3),)))
    assert (told.rule, told.code, told.traces_after) == ("operation_attribute", None, None)
    assert "each value of `n`, which is `num_split` of `Split` in its graph: TensorFlow takes a Python" in told.in_one
    slope = ("LeakyRelu", "alpha")
    (told,) = of_numbers(0.2, 0.1, pair=GraphPair(True, attribute=slope, numbers=((*slope, 0.2 + 3e-9, 0.1 + 1e-9),)))
    assert "`alpha` of `LeakyRelu`" in told.in_one
    seeded = ("RandomUniform", "seed2")
    (seed,) = of_numbers(2, 3, pair=GraphPair(True, attribute=seeded, numbers=((*seeded, 2, 3),)))
    assert seed.rule == "stateless_seed"
    assert of_numbers(2, 3, pair=GraphPair(True, attribute=("Cumsum", "reverse")))  # an `if` may have chosen it


def test_random_operations_with_seeds_begin_anew_in_each_trace() -> None:
    said = "This changes what is drawn: random operations in it have seeds"
    assert of_sizes(2, 3, pair=GraphPair(True, seeded=True)).in_one.startswith(said)
    assert of_sizes(2, 3, pair=GraphPair(False, seeded=True)).in_one.startswith(said)
    (found,) = of_numbers(2, 3, pair=GraphPair(True, (Constant("float32", 2.0, 3.0),), seeded=True))
    assert found.in_one.startswith(said)
    assert said not in of_sizes(2, 3, pair=GraphPair(True)).in_one


def test_what_draws_in_some_calls_alone_is_in_the_largest_graph() -> None:
    """`if lam is not None: x = mixed(x, tf.random.shuffle(…))`, from the second epoch on."""

    def told(*drawing: int) -> bool:
        calls = [{"x": tensor(n), "lam": literal(lam)} for n, lam in ((2, None), (3, None), (2, 0.5), (2, 0.25))]
        traces = [replace(t, nodes=nodes) for t, nodes in zip(history(*calls), (9, 9, 30, 30), strict=True)]
        graphs = Graphs(lambda one, other: GraphPair(True, seeded=one in drawing))
        return "each trace begins their numbers anew" in advise(FunctionFacts("f", traces, graphs=graphs))[0].in_one

    assert told(2, 3)
    assert told(0, 1)
    assert not told()


def test_a_constant_that_the_code_makes_itself() -> None:
    """`tf.constant(n, tf.float32)` in the function takes no tensor."""
    (found,) = of_numbers(2, 3, pair=constant(2.0, 3.0, is_named_so=True))
    assert found.in_one.endswith("where the code gives it that, `tf.convert_to_tensor` does.")
    (other,) = of_numbers(
        2, 3, pair=GraphPair(True, (Constant("float32", 2.0, 3.0), Constant("float32", 0.5, 0.7, is_named_so=True)))
    )
    assert "tf.convert_to_tensor" not in other.in_one
    traces = [replace(t, nodes=9) for t in history({"n": number(0)}, {"n": number(1)})]
    made = GraphPair(True, (Constant("int64", 0, 1, is_named_so=True),))
    (step,) = advise(
        FunctionFacts("train_step", traces, graphs=Graphs(lambda one, other: made), python_uses=("n as a step",))
    )
    assert "tf.convert_to_tensor" not in step.in_one  # `tf.summary.scalar` makes it
    graphs = Graphs(lambda one, other: constant(0.0, 1.0, is_named_so=True))
    (read,) = advise(FunctionFacts("train_step", traces, graphs=graphs, python_uses=("math.exp(k)",)))
    assert "tf.convert_to_tensor" not in read.in_one  # the source gives it none: Keras' variables make such of numbers


@pytest.mark.parametrize("is_named_so", [True, False])
def test_a_constant_that_the_code_makes_of_numbers_that_change_together(is_named_so: bool) -> None:
    """`tf.constant([h, w], tf.float32)`, of a size of pictures."""
    traces = [replace(t, nodes=9) for t in history(*({"h": number(n), "w": number(n + 1)} for n in (2, 4)))]
    pair = constant((2.0, 3.0), (4.0, 5.0), is_named_so=is_named_so)
    (found,) = advise(FunctionFacts("crop", traces, graphs=Graphs(lambda one, other: pair)))
    assert ("gives it that, `tf.convert_to_tensor` does." in found.in_one) == is_named_so


def test_what_is_infinite_or_no_number_is_a_constant_as_others_are() -> None:
    nan, inf = float("nan"), float("inf")
    traces = [replace(t, nodes=9) for t in history({"fill": number(nan)}, {"fill": number(inf)})]
    (found,) = advise(FunctionFacts("impute", traces, graphs=Graphs(lambda one, other: constant(nan, inf))))
    assert "by Python's own means" not in found.in_one
    assert "for nan and inf the graphs differ in nothing but float32 constants)" in found.evidence


@pytest.mark.parametrize(
    "pair",
    [GraphPair(True, (Constant("string"),)), GraphPair(True, attribute=("StringFormat", "template"))],
)
def test_texts_that_a_shape_is_written_into(pair: GraphPair) -> None:
    """`f"{x.shape}"` is `(None, 2)` once it is unknown."""
    said = (
        f"{MAY}for shapes (2, 2) and (3, 2) of `x` the graphs hold other texts, such as shapes that Python writes into"
    )
    assert of_sizes(2, 3, pair=pair).in_one.startswith(said)


@pytest.mark.parametrize(
    ("shapes", "pair", "is_told"),
    [
        (((), (1,)), constant(1.0, 5.0), True),
        (((3,), (2, 3)), constant(0.5, 0.3), True),
        (((3,), (2, 3)), constant(3.0, 6.0), False),  # how many there are
        (((3,), (2, 3)), GraphPair(False, forward=False), False),  # TensorFlow may do that
        (((1, 2), (3, 2)), constant(0.5, 0.25), True),
        (((1, 2), (3, 2)), constant(1.0, 3.0), False),
    ],
)
def test_a_constant_that_no_rank_and_no_size_of_one_explains(
    shapes: tuple[tuple[int, ...], ...], pair: GraphPair, is_told: bool
) -> None:
    traces = [replace(trace, nodes=9) for trace in history(*({"x": tensor(*shape)} for shape in shapes))]
    found = advise(FunctionFacts("train_step", traces, graphs=Graphs(lambda one, other: pair)))[0]
    assert found.rule == "input_signature"
    assert ("which the sizes do not explain" in found.in_one) == is_told


def test_a_dimension_that_another_beside_it_changes_without_is_unrolled() -> None:
    """Of steps: five, then two, and then two of a larger batch, whose graph is no larger."""
    traces = history(*({"x": tensor(*shape)} for shape in ((4, 5), (4, 2), (6, 2))))
    traces = [replace(trace, nodes=nodes) for trace, nodes in zip(traces, (30, 18, 18), strict=True)]
    found = advise(FunctionFacts("observe", traces))
    assert found[0].rule == "pad_to_one_shape"
    assert "For shapes (4, 5) and (4, 2) of `x` the graphs have 30 and 18 nodes" in found[0].in_one
    # what the first call builds, whatever the sizes are
    once = history(*({"x": tensor(*shape)} for shape in ((4, 5), (4, 2), (4, 3))))
    once = [replace(trace, nodes=nodes) for trace, nodes in zip(once, (30, 18, 18), strict=True)]
    assert advise(FunctionFacts("observe", once))[0].rule == "input_signature"


@pytest.mark.parametrize("creates", [False, True])
def test_a_first_trace_within_another_is_compared_where_it_creates_no_variables(creates: bool) -> None:
    """As of a helper that a train step calls for two lengths."""
    traces = history(*({"x": tensor(*shape)} for shape in ((4, 5), (4, 2))))
    traces = [replace(trace, nested=True, nodes=nodes) for trace, nodes in zip(traces, (30, 18), strict=True)]
    pair = GraphPair(False, forward=False, creates=creates)
    found = advise(FunctionFacts("observe", traces, graphs=Graphs(lambda one, other: pair)))
    assert [one.rule for one in found][:1] == ["input_signature" if creates else "pad_to_one_shape"]
    if not creates:
        assert "For shapes (4, 5) and (4, 2) of `x` the graphs have 30 and 18 nodes" in found[0].in_one
    # what is not known of the graphs may be of variables
    assert advise(FunctionFacts("observe", traces))[0].rule == "input_signature"
