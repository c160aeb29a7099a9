"""Lists of Python numbers of several lengths: data, or what decides which operations there are."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tb_retrace_plugin.explain.advice.advise import advise
from tb_retrace_plugin.explain.advice.evidence.facts import FunctionFacts
from tb_retrace_plugin.explain.advice.evidence.graph_pairs import Constant, GraphPair, Graphs
from tb_retrace_plugin.explain.advice.python_values.number_use import use_of
from tb_retrace_plugin.explain.advice.python_values.tensor_for_sequence import COMPUTED, IN_PYTHON, NO_CONSTANT
from tb_retrace_plugin.explain.differences.diff import diff_signatures
from tb_retrace_plugin.explain.verdict.facts import Facts
from tb_retrace_plugin.explain.verdict.judge import judge
from tb_retrace_plugin.schema.signature import Node, Signature
from tests.unit.explain.advice.test_advice_rules import advice, call, history, literal, number, numbers, tensor


def sequence(*items: Node) -> Node:
    return Node("tuple", "tuple", children=tuple((f"[{i}]", item) for i, item in enumerate(items)))


@pytest.mark.parametrize(
    ("old", "new", "other_size", "verdict"),
    [
        (sequence(literal(4)), sequence(literal(4), literal(2)), True, "unknown"),
        (sequence(), sequence(literal(4)), True, "unknown"),
        (sequence(literal(4)), sequence(literal(4), literal(2)), False, "avoidable"),  # a constant of another shape
        (sequence(tensor(2)), sequence(tensor(2), tensor(2)), True, "avoidable"),
    ],
)
def test_numbers_may_decide_what_is_built(old: Node, new: Node, other_size: bool, verdict: str) -> None:
    changes = diff_signatures(*(Signature((("widths", node),)) for node in (old, new)))
    assert judge(Facts("retrace", tuple(changes), other_size=other_size)).word == verdict


def test_a_mask_that_some_calls_leave_out_and_others_pass_as_a_list() -> None:
    """`if mask is not None: x = x * mask`: None stays what it is."""
    mask = Node("tensor", dtype="bool", shape=(3,))
    none = Node("literal", "NoneType", value="None")
    calls = [{"mask": one} for one in (none, mask, sequence(*map(literal, (True, True, False))))]
    found = advise(FunctionFacts("call", history(*calls, source="call(mask)")))[0]
    assert (found.rule, found.traces_after) == ("tensor_for_python_sequence", 2)
    assert found.apply == {"tensors": {"mask": "bool"}}
    assert "a list of Python bools" in found.text
    assert found.code == "call(None if mask is None else tf.constant(mask))"
    # of lists alone it is not known that the code takes a tensor
    assert all(one.rule != found.rule for one in advise(FunctionFacts("call", history(calls[0], calls[2]))))


def sparse(columns: int) -> Node:
    parts = (("#0", tensor(6, columns, dtype="")), ("#1", tensor(dtype="int32")))
    return Node("composite", "SparseTensorSpec", value=f"SparseTensorSpec(([6, {columns}]), int32)", children=parts)


def test_what_changes_shape_is_named_and_nothing_else() -> None:
    """Lengths of as many rows are numbers, and labels have other sizes whatever else the verdict is for."""
    lengths = [sequence(*map(literal, numbers)) for numbers in ((9, 8, 4, 2), (9, 7, 4, 2), (9, 7, 8, 2))]
    calls = [{"n": n, "y": sparse(columns)} for n, columns in zip(lengths, (4, 3, 5), strict=True)]
    found = advice(history(*calls, source="train_step(n, y)"))[0]
    assert numbers([found]) == [("tensor_for_python_sequence+input_signature", 3, 1)]
    assert "`y` of `train_step` changes shape. Declare it with unknown dimensions" in found.text
    # of other lengths it changes shape, too
    several = Node("tensor", dtype="int32", shape=(9,))
    longer = [{"n": n} for n in (several, sequence(*map(literal, range(4))), sequence(*map(literal, range(5))))]
    found = advice(history(*longer))[0]
    assert found.rule == "tensor_for_python_sequence+input_signature"
    assert "`n` of `train_step` changes shape." in found.text


def test_no_tensor_is_asked_for_where_the_graphs_have_other_sizes() -> None:
    widths = [sequence(*map(literal, numbers)) for numbers in ((9, 8, 4, 2), (9, 7, 8, 4, 2), (9, 7, 8, 5, 2))]
    traces = history(*({"x": tensor(2), "widths": one} for one in widths))
    alike = [replace(trace, nodes=7) for trace in traces]
    assert "tensor_for_python_sequence" in {a.rule for a in advice(alike)}
    others = [replace(trace, nodes=nodes) for trace, nodes in zip(traces, (7, 9, 9), strict=True)]
    assert not any("tensor_for_python_sequence" in a.rule for a in advice(others))


def test_lengths_of_the_examples_of_a_batch_the_last_of_which_has_fewer() -> None:
    lengths = [sequence(*map(literal, numbers)) for numbers in ((8, 6, 6, 5), (4, 3, 3, 3), (7, 2))]
    batches = [{"x": tensor(len(n.children), size), "lengths": n} for n, size in zip(lengths, (8, 4, 7), strict=True)]
    traces = [replace(trace, nodes=9) for trace in history(*batches)]
    best = advice(traces)[0]
    assert (best.rule, best.traces_after) == ("tensor_for_python_sequence+input_signature", 1)
    assert (best.code or "").endswith("train_step(x, tf.constant(lengths))")
    assert IN_PYTHON in best.in_one
    # of another graph too it is not known that its numbers are data
    others = [replace(trace, nodes=nodes) for trace, nodes in zip(traces, (9, 9, 7), strict=True)]
    assert not any("tensor_for_python_sequence" in a.rule for a in advice(others))


@pytest.mark.parametrize(("constant", "is_said"), [(Constant("int32"), False), (Constant("int32", 4, 5), True)])
def test_numbers_that_the_code_goes_through_one_by_one(constant: Constant, is_said: bool) -> None:
    """Each is a constant of its own then, and a tensor cannot be unpacked."""
    lists = [sequence(*map(literal, numbers)) for numbers in ((4, 3, 2, 1), (5, 3, 2, 1))]
    traces = [replace(trace, nodes=9) for trace in history(*({"offsets": one} for one in lists))]
    graphs = Graphs(lambda one, other: GraphPair(True, (constant,)))
    found = advise(FunctionFacts("train_step", traces, graphs=graphs))
    (whole,) = [one for one in found if one.rule == "tensor_for_python_sequence"]
    assert (IN_PYTHON in whole.in_one) == is_said


def test_what_tf_constant_may_have_made_of_a_list() -> None:
    lists = [sequence(*map(literal, numbers)) for numbers in ((4, 3, 2, 1), (5, 3, 2, 1))]
    traces = [replace(trace, nodes=9) for trace in history(*({"offsets": one} for one in lists))]

    def text(*, is_named_so: bool) -> str:
        constant = Constant("int32", (4, 3, 2, 1), (5, 3, 2, 1), is_named_so=is_named_so)
        graphs = Graphs(lambda one, other: GraphPair(True, (constant,)))
        (found,) = advise(FunctionFacts("train_step", traces, graphs=graphs))
        return found.in_one

    assert text(is_named_so=True).endswith(NO_CONSTANT)
    assert NO_CONSTANT not in text(is_named_so=False)


def test_a_fraction_that_no_constant_shows() -> None:
    """`int(angle // 90)`, say, which takes no tensor."""
    calls = [(90.0, 1), (180.0, 2)]
    traces = [replace(trace, nodes=9) for trace in history(*({"angle": literal(a), "k": literal(k)} for a, k in calls))]
    graphs = Graphs(lambda one, other: GraphPair(True, (Constant("int32", 1, 2),)))
    angle = use_of(FunctionFacts("train_step", traces, graphs=graphs), "angle")
    assert angle.computed
    assert not use_of(FunctionFacts("train_step", traces, graphs=graphs), "k").computed


def test_what_python_computes_of_a_list_is_told() -> None:
    """Discounted returns of a list of rewards: a loop in Python, and its sums are a constant."""
    rewards = [Node("list", "list", children=tuple((f"[{i}]", literal(n)) for i, n in enumerate(values)))
               for values in ((1.0, 0.0, 1.0, 0.5), (0.5, 1.0, 0.0, 0.0))]  # fmt: skip
    traces = [replace(trace, nodes=9) for trace in history(*({"rewards": one} for one in rewards))]

    def text(*old: float) -> str:
        pair = GraphPair(True, (Constant("float32", old, (0.5,) * len(old), resized=True),))
        (found,) = advise(FunctionFacts("returns", traces, graphs=Graphs(lambda one, other: pair)))
        return found.in_one

    uses = ("enumerate(rewards) through", "zip(others) through", "zip(rewards) through")
    (found,) = advise(FunctionFacts("returns", traces, python_uses=uses))
    assert found.in_one.endswith(
        " `enumerate(rewards)` and `zip(rewards)` in it go through no tensor: write `tf.unstack(rewards)` there, which"
        " is a list."
    )
    (of_one,) = advise(FunctionFacts("returns", traces, python_uses=uses[1:]))
    assert " `zip(rewards)` in it goes through no tensor: write" in of_one.in_one
    (unpacked,) = advise(FunctionFacts("returns", traces, python_uses=("a, b, c, d = rewards through",)))
    assert " `a, b, c, d = rewards` in it goes through no tensor: write `tf.unstack(rewards)`" in unpacked.in_one
    assert text(1.81, 0.9, 1.0, 0.5).endswith(COMPUTED)
    assert text(1.0, 0.0, 1.0, 0.5).endswith(IN_PYTHON)


@pytest.mark.parametrize(
    ("old", "is_said"),
    [
        ((4, 3, 2, 1, 0), True),
        ((0, 4, 3, 2, 1), True),
        ((4, 3, 2, 1), False),
        ((4, 3), False),
        ((9, 9, 9, 9, 9), False),
    ],
)
def test_a_list_that_is_lengthened_is_said_first(old: tuple[int, ...], is_said: bool) -> None:
    """`tokens + [0]`: to a tensor that is added."""
    lists = [sequence(*map(literal, numbers)) for numbers in ((4, 3, 2, 1), (5, 3, 2, 1))]
    traces = [replace(trace, nodes=9) for trace in history(*({"tokens": one} for one in lists))]
    graphs = Graphs(lambda one, other: GraphPair(True, (Constant("int32", old, old[::-1]),)))
    (found,) = advise(FunctionFacts("train_step", traces, graphs=graphs))
    assert found.in_one.startswith("This may change results: of `tokens` the graphs hold longer lists") == is_said


def test_a_number_that_changes_with_a_list_is_told_beside_it_though_the_graphs_are_of_other_sizes() -> None:
    """n-step returns: at an episode's end fewer rewards, and another discount; batches fill up meanwhile."""

    def rewards(batch: int, length: int) -> dict[str, Node]:
        items = tuple((f"[{i}]", tensor(batch)) for i in range(length))
        return {"s": tensor(batch, 4), "r": Node("list", type_name="list", children=items), "d": number(0.5**length)}

    calls = [rewards(*sizes) for sizes in ((4, 3), (5, 3), (6, 2), (7, 2), (8, 1))]
    traces = [replace(t, nodes=60 + 9 * len(dict(t.lookup.signature.arguments)["r"].children)) for t in history(*calls)]
    found = advise(FunctionFacts("td_loss", traces))
    assert [one.rule for one in found if one.traces_after is None] == ["same_structure", "tensor_for_python_number"]


def test_lists_of_strings_in_some_calls_and_tensors_of_strings_in_others() -> None:
    def texts(*values: str) -> Node:
        return Node("list", "list", children=tuple((f"[{i}]", literal(v)) for i, v in enumerate(values)))

    passed = [texts("a", "b"), texts("b", "c"), tensor(2, dtype="string"), tensor(3, dtype="string"), texts("a")]
    found = advice(history(*({"texts": one} for one in passed), source="find(texts)"), "find")
    assert numbers(found[:2]) == [
        ("tensor_for_python_string+input_signature", 5, 1),
        ("tensor_for_python_string", 5, 3),
    ]
    assert (found[1].code, found[1].apply) == ("find(tf.constant(texts))", {"tensors": {"texts": "string"}})
    names = [texts("a"), texts("b"), texts("a", "b")]  # of columns, say
    assert advice(history(*({"texts": one} for one in names), source="find(texts)"), "find") == []


def test_a_list_in_place_of_a_tensor_is_passed_as_one_and_not_its_numbers() -> None:
    shapes = (tensor(2, dtype="int32"), tensor(1, dtype="int32"), *(sequence(*map(literal, n)) for n in ((3,), (5,))))
    traces = [replace(trace, nodes=7) for trace in history(*({"shape": one} for one in shapes), source="draw(shape)")]
    found = advice(traces, "draw")
    assert numbers(found)[0] == ("tensor_for_python_sequence+input_signature", 4, 1)
    assert not any("tensor_for_python_number" in one.rule for one in found)


def test_a_sum_is_one_of_the_tensor_and_of_an_unknown_length_no_list_is_made() -> None:
    """`tf.unstack` of a tensor that is declared for all lengths fails: each length is traced."""
    lists = [sequence(*(literal(0.5 * n + k) for n in range(count))) for k, count in enumerate((4, 5, 6, 4))]
    traces = history(*({"h": one} for one in lists))

    def told(*uses: str) -> list[tuple[str, int | None]]:
        found = advise(FunctionFacts("step", traces, python_uses=uses))
        for one in found:
            assert ("`sum(h)` in it goes through no tensor: write `tf.reduce_sum(h)`." in one.text) == bool(uses)
        return numbers(found)

    declared = ("tensor_for_python_sequence+input_signature", 4, 1)
    assert declared in told()
    assert declared in told("sum(h) through")
    for use in ("zip(h) through", "for … in h[::-1] through", "range(len(h)) of length", "len(h) of length"):
        assert told("sum(h) through", use) == [("tensor_for_python_sequence", 4, 3)]


def test_a_structure_is_told_beside_a_list_whose_name_its_own_begins_with() -> None:
    def tensors(length: int) -> Node:
        items = tuple((f"[{i}]", tensor(2 + i)) for i in range(length))
        return Node("list", type_name="list", children=items)

    traces = history(
        {"r": sequence(number(1.0), number(2.0)), "rows": tensors(2)}, {"r": tensor(2), "rows": tensors(3)}
    )
    found = {one.rule: one.text for one in advise(FunctionFacts("step", traces))}
    assert found["same_structure"].startswith("`rows` of `step` changes its structure, such as list of 2")


def test_tensors_of_one_size_in_each_call_are_stacked_where_batches_change() -> None:
    """States of a network, which grow by one at each step."""

    def states(batch: int, length: int) -> Node:
        return Node("list", "list", children=tuple((f"[{i}]", tensor(batch, 4)) for i in range(length)))

    calls = [{"hs": states(batch, length)} for batch in (2, 3) for length in (1, 2, 3)]
    found = {one.rule: one for one in advise(FunctionFacts("rnn", history(*calls, source="h = rnn(hs)")))}
    assert found["same_structure"].code == "h = rnn(tf.stack(hs))"
    assert "leave its first dimension, and those that change, open" in found["same_structure"].text


def test_what_some_calls_leave_out_by_its_name() -> None:
    scale = "options['scale']"
    traces = history({"x": tensor(2)}, {"x": tensor(2), scale: tensor()})
    (found,) = advise(FunctionFacts("step", traces))
    assert found.text == (
        f"`{scale}` of `step` is passed in some calls and left out in others. Pass it in all calls, as what the code"
        " takes where one leaves it out, or in none if nothing depends on it."
    )


def test_lists_of_another_rank_tell_nothing_of_numbers() -> None:
    """`model([[2.0, 2.0]])` and `model([[[2.0, 2.0]]])`: the product of matrices is another operation for each rank."""
    row = sequence(literal(2.0), literal(2.0))
    lists = [sequence(row), sequence(sequence(row)), sequence(sequence(literal(3.0), literal(2.0)))]
    traces = [replace(trace, nodes=9) for trace in history(*({"x": one} for one in lists))]
    graphs = Graphs(lambda one, other: GraphPair(alike={one, other} == {0, 2}))
    assert "decided_in_python" not in {a.rule for a in advise(FunctionFacts("call", traces, graphs=graphs))}


def test_a_tensor_that_each_call_failed_of_is_none_to_pass() -> None:
    """`scale = size / shape` of `(16, 16)`, and of an int64 array, which TensorFlow divides by no float32."""
    pairs = [sequence(literal(16), literal(16)), sequence(literal(24), literal(24))]
    array = Node("tensor", dtype="int64", shape=(2,))
    traces = history(*({"size": one} for one in (*pairs, array)))
    failed = replace(traces[2], lookup=replace(traces[2].lookup, failed=True))
    assert not any("tensor_for_python_sequence" in a.rule for a in advice([*traces[:2], failed]))
    (first, *_) = advice(traces)
    assert "tf.constant(size, tf.int64)" in (first.code or "")


def test_a_list_or_a_tuple_beside_a_size_is_made_one_and_traced_beforehand() -> None:
    numbers_of = [tuple((f"[{i}]", literal(n)) for i, n in enumerate((2, 6))) for _ in range(2)]
    kinds = [Node(kind, kind, children=items) for kind, items in zip(("tuple", "list"), numbers_of, strict=True)]
    traces = history({"shape": kinds[0], "x": tensor(2)}, {"shape": kinds[1], "x": tensor(3)}, source="run(*given)")
    traces = [replace(trace, lookup=replace(trace.lookup, reduce_retracing=True)) for trace in traces]
    (told,) = advise(FunctionFacts("step", traces))
    assert (told.rule, told.traces_after) == ("same_structure+trace_beforehand", 1)
    assert (told.code or "").splitlines()[1:] == [
        "run.get_concrete_function((2, 6), tf.TensorSpec([None], tf.float32))",
        "",
        "tuple(shape)  # in place of shape, at each call",
    ]


def test_a_shape_that_the_same_line_passes_has_no_known_number_of_sizes() -> None:
    """`tuple(tf.constant(n) for n in shape)` makes tensors of that, too."""
    shape = Node("object", type_name="tensorflow.TensorShape", value="TensorShape object #1", identity=1)
    passed = [sequence(number(3), number(4)), sequence(number(5), number(4)), shape]
    found = advice(history(*({"shape": node} for node in passed), source="y = train_step(shape)"))
    (tensors,) = [one for one in found if one.rule == "tensor_for_python_number"]
    assert (tensors.code, tensors.traces_after) == ("y = train_step(tuple(tf.constant(n) for n in shape))", None)
    assert tensors.evidence.startswith("No number: `shape` is a `tf.TensorShape` in some calls of the line")
    traces = history(*({"shape": node} for node in passed), source="y = train_step(shape)")
    traces[2] = replace(traces[2], stack=call("train_step(x.shape)", line=9))
    assert ("tensor_for_python_number", 3, 2) in numbers(advice(traces))


def test_what_sets_an_attribute_where_it_is_passed_is_no_tensor() -> None:
    """The strides of a convolution, 1 where a call leaves them out."""
    scale = "options['scale']"
    traces = history({"x": tensor(2)}, {"x": tensor(2), scale: number(2)}, source="step(x)")
    uses = (f"{scale}: 1 by default",)

    def rules(pair: GraphPair) -> set[str]:
        facts = FunctionFacts("step", traces, python_uses=uses, graphs=Graphs(lambda one, other: pair))
        return {one.rule for one in advise(facts)}

    assert "same_keywords" in rules(GraphPair(True, (Constant("int32", 1, 2),)))
    assert "same_keywords" not in rules(GraphPair(True, attribute=("Conv2D", "strides")))
